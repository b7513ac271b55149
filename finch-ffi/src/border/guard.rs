//! The border: no panic crosses it, and every failure leaves a message.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::caller::Caller;
use super::fault::Fault;
use super::message::remember;
use super::room::expect_spare;
use super::status::finch_status;

/// Runs the body of an entry point that allocates memory.
///
/// # Safety
/// The entry point's own caller keeps to the contract of the header: [`Caller`] relies on it.
pub(crate) unsafe fn guard(body: impl FnOnce(&Caller) -> Result<(), Fault>) -> finch_status {
    let body = |caller: &Caller| {
        expect_spare()?;
        body(caller)
    };
    // SAFETY: the caller of this function keeps the promise.
    unsafe { guard_writing(body) }
}

/// Runs the body of an entry point that only writes to the caller's memory.
///
/// # Safety
/// As for [`guard`].
pub(crate) unsafe fn guard_writing(
    body: impl FnOnce(&Caller) -> Result<(), Fault>,
) -> finch_status {
    // SAFETY: the caller of this function keeps the promise.
    match unsafe { caught(body) } {
        Ok(()) => finch_status::FINCH_OK,
        Err(fault) => fault.status(),
    }
}

/// Runs the body of an entry point that returns a value; returns `otherwise` if the body fails.
///
/// # Safety
/// As for [`guard`].
pub(crate) unsafe fn guard_or<T>(
    otherwise: T,
    body: impl FnOnce(&Caller) -> Result<T, Fault>,
) -> T {
    // SAFETY: the caller of this function keeps the promise.
    unsafe { caught(body) }.unwrap_or(otherwise)
}

/// # Safety
/// As for [`guard`].
unsafe fn caught<T>(body: impl FnOnce(&Caller) -> Result<T, Fault>) -> Result<T, Fault> {
    // SAFETY: the caller of this function keeps the promise.
    let caller = unsafe { Caller::trusted() };
    // Nothing that the body borrows is used after a panic: a body writes outputs in its last step
    // alone.
    let guarded = || {
        let _call = InCall::begin();
        body(&caller)
    };
    let result = catch_unwind(AssertUnwindSafe(guarded))
        .unwrap_or_else(|payload| Err(Fault::Panic(text(payload.as_ref()))));
    result.inspect_err(remember)
}

fn text(payload: &(dyn Any + Send)) -> String {
    let literal = payload.downcast_ref::<&str>().map(|text| text.to_string());
    let formatted = payload.downcast_ref::<String>().cloned();
    literal.or(formatted).unwrap_or_else(|| "no message".into())
}

/// Calls that are going on, on any thread.
static CALLS: AtomicUsize = AtomicUsize::new(0);

struct InCall;

impl InCall {
    /// Has panics told by a status and not printed, on every thread, as long as any call runs.
    fn begin() -> Self {
        static SILENCED: Once = Once::new();
        SILENCED.call_once(|| {
            let otherwise = take_hook();
            set_hook(Box::new(move |panic| {
                if CALLS.load(Ordering::Relaxed) == 0 {
                    otherwise(panic);
                }
            }));
        });
        CALLS.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for InCall {
    fn drop(&mut self) {
        CALLS.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;
    use crate::border::message::finch_last_error_message;

    fn message() -> String {
        // SAFETY: the message of this thread, which nothing has changed since.
        unsafe { CStr::from_ptr(finch_last_error_message()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_panic_becomes_a_status_with_its_message() {
        assert_eq!(message(), "");
        // SAFETY: no pointers.
        let guarded = |body: fn(&Caller) -> Result<(), Fault>| unsafe { guard(body) };
        assert_eq!(guarded(|_| panic!("the {} broke", "invariant")), finch_status::FINCH_PANIC);
        assert_eq!(message(), "a fault inside finch, which is a bug: the invariant broke");
        assert_eq!(guarded(|_| panic!("literally")), finch_status::FINCH_PANIC);
        assert!(message().ends_with("literally"));
        assert_eq!(guarded(|_| std::panic::panic_any(7)), finch_status::FINCH_PANIC);
        assert!(message().ends_with("no message"));
        assert_eq!(guarded(|_| Ok(())), finch_status::FINCH_OK);
        assert!(message().ends_with("no message"), "success leaves the message");
        assert_eq!(guarded(|_| Err(Fault::Null("a\0b"))), finch_status::FINCH_NULL_POINTER);
        assert_eq!(message(), "ab is NULL");
        // SAFETY: no pointers.
        assert_eq!(unsafe { guard_or(7, |_| panic!("lost")) }, 7);
        assert!(message().ends_with("lost"));
    }
}
