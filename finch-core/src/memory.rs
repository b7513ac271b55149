//! Memory that grows with the number of samples, asked for before it is used.
//!
//! Rust ends the process where an allocation fails. Memory that grows with the samples is therefore
//! asked for by the functions of this file. Where the system refuses, they unwind with [`Refused`],
//! through whatever parallel loops they are called in, to [`caught`], which every operation begins
//! with. Rejected: a `Result` through each of these loops, since rayon's fallible collecting
//! allocates by itself, infallibly. In a program that is compiled with `panic = "abort"` the
//! process ends all the same.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use rayon::prelude::*;

use crate::error::{Error, Result};

/// What a refused request unwinds with.
struct Refused {
    bytes: usize,
}

/// Runs an operation. A request for memory that is refused in it becomes [`Error::OutOfMemory`];
/// other panics go on.
pub(crate) fn caught<T>(operation: impl FnOnce() -> Result<T>) -> Result<T> {
    // Values that the operation borrows mutably are the caller's, who gets an error and no half
    // result.
    catch_unwind(AssertUnwindSafe(operation)).unwrap_or_else(|payload| Err(refused(payload)))
}

fn refused(payload: Box<dyn Any + Send>) -> Error {
    match payload.downcast::<Refused>() {
        Ok(refused) => Error::OutOfMemory { bytes: refused.bytes },
        Err(panic) => resume_unwind(panic),
    }
}

fn refuse(bytes: usize) -> ! {
    // Unlike a panic, this prints nothing.
    resume_unwind(Box::new(Refused { bytes }))
}

/// An empty vector with room for `len` elements.
pub(crate) fn room<T>(len: usize) -> Vec<T> {
    let mut vector = Vec::new();
    if vector.try_reserve_exact(len).is_err() {
        refuse(len.saturating_mul(size_of::<T>()));
    }
    vector
}

/// Asks for so many bytes and gives them back: before a library, or the system's zeroed pages, are
/// asked in a way that cannot be refused.
pub(crate) fn expect_room(bytes: usize) {
    drop(room::<u8>(bytes));
}

/// `len` times the same element. Zeros come from the system, which writes them when they are read.
pub(crate) fn filled<T: Clone>(value: T, len: usize) -> Vec<T> {
    expect_room(len.saturating_mul(size_of::<T>()));
    vec![value; len]
}

/// The elements of an iterator that knows how many they are.
pub(crate) fn collected<T>(elements: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut vector = room(elements.len());
    vector.extend(elements);
    vector
}

/// The elements of a parallel iterator that knows how many they are.
pub(crate) fn collected_in_parallel<T: Send>(
    elements: impl IndexedParallelIterator<Item = T>,
) -> Vec<T> {
    let mut vector = room(elements.len());
    elements.collect_into_vec(&mut vector);
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOO_MANY: usize = 1 << 60;

    #[test]
    fn a_refused_request_says_how_many_bytes_it_wanted() {
        let refused = caught(|| Ok(room::<u64>(TOO_MANY / 8).len()));
        assert_eq!(refused, Err(Error::OutOfMemory { bytes: TOO_MANY }));
        let refused = caught(|| Ok(filled(0_u8, TOO_MANY).len()));
        assert_eq!(refused, Err(Error::OutOfMemory { bytes: TOO_MANY }));
        let refused = caught(|| Ok(room::<u64>(usize::MAX).len()));
        assert_eq!(refused, Err(Error::OutOfMemory { bytes: usize::MAX }));
    }

    #[test]
    fn a_request_is_refused_from_within_a_parallel_loop() {
        let refused = caught(|| {
            (0..100).into_par_iter().for_each(|i| expect_room(if i == 61 { TOO_MANY } else { 8 }));
            Ok(())
        });
        assert_eq!(refused, Err(Error::OutOfMemory { bytes: TOO_MANY }));
    }

    #[test]
    fn other_panics_go_on() {
        let panic = catch_unwind(|| caught::<()>(|| panic!("of the operation"))).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"of the operation"));
    }

    #[test]
    fn elements_are_collected_in_order() {
        assert_eq!(collected((0..5).map(|i| i * i)), [0, 1, 4, 9, 16]);
        let squares = (0..5_000_u32).into_par_iter().map(|i| i * i);
        assert_eq!(collected_in_parallel(squares), (0..5_000).map(|i| i * i).collect::<Vec<u32>>());
        assert_eq!(filled(7, 3), [7, 7, 7]);
    }
}
