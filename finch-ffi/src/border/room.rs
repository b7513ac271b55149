//! Room for numbers from C, asked for so that the system may refuse.

use std::hint::black_box;

use finch_core::Error;

use super::fault::Fault;

/// An empty vector with room for `len` elements.
pub(crate) fn room<T>(len: usize) -> Result<Vec<T>, Fault> {
    let mut vector = Vec::new();
    match vector.try_reserve_exact(len) {
        Ok(()) => Ok(vector),
        Err(_) => {
            let bytes = len.saturating_mul(size_of::<T>());
            Err(Error::OutOfMemory { bytes }.into())
        }
    }
}

/// A pointer to numbers that are lent out; NULL where there are none, and not the address that an empty slice
/// has.
pub(crate) fn pointer_to<T>(numbers: &[T]) -> *const T {
    if numbers.is_empty() { std::ptr::null() } else { numbers.as_ptr() }
}

/// Bytes for the allocations of a call that cannot be refused: its handle and its message.
const SPARE: usize = 64 << 10;

/// Asks whether there are bytes for the small allocations of a call.
pub(crate) fn expect_spare() -> Result<(), Fault> {
    let spare: Vec<u8> = room(SPARE)?;
    // Or the compiler leaves out a request that nobody uses.
    black_box(spare.as_ptr());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::border::status::finch_status;

    #[test]
    fn a_refused_request_is_a_status_with_its_bytes() {
        assert!(room::<u64>(1000).is_ok_and(|vector| vector.capacity() >= 1000));
        let fault = room::<u64>(1 << 57).unwrap_err();
        assert_eq!(fault.status(), finch_status::FINCH_OUT_OF_MEMORY);
        assert!(fault.to_string().contains("1152921504606846976 bytes"), "{fault}");
    }
}
