//! What was wrong with the last call that failed on this thread.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// What was wrong with the last call that failed on this thread: a sentence that says where the
/// fault is and what to do, in UTF-8. "" if no call has failed on this thread. The string is never
/// NULL, and valid until the next call fails on this thread or the thread ends. A call that
/// succeeds leaves the message as it was.
#[unsafe(no_mangle)]
pub extern "C" fn finch_last_error_message() -> *const c_char {
    let empty: &CStr = c"";
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(empty.as_ptr())
}

/// Keeps the message of a failure until the next failure on this thread.
pub(crate) fn remember(message: &str) {
    let message = CString::new(message.replace('\0', "")).expect("zeros were taken out");
    // Where the thread is ending, nobody can ask any more.
    let _ = LAST.try_with(|last| *last.borrow_mut() = message);
}
