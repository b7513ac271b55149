//! The message of the last call that failed on this thread, and the warning of the last one with options.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_char};
use std::fmt::{self, Display, Write};

thread_local! {
    static LAST: RefCell<Cow<'static, CStr>> = RefCell::default();
    /// The warning of the last run.
    static WARNING: RefCell<CString> = RefCell::default();
    /// True if messages count from 1.
    static FROM_ONE: Cell<bool> = const { Cell::new(false) };
}

/// The message of a failure that leaves no room for its own.
const NO_ROOM: &CStr = c"out of memory: the system refused the bytes of a message; free some";

/// The message of the last call that failed on this thread: a sentence that says where the fault is
/// and what to do, in UTF-8. "" if no call has failed on this thread. The string is never NULL, and
/// valid until the next call fails on this thread or the thread ends. A call that succeeds leaves
/// the message as it was.
#[unsafe(no_mangle)]
pub extern "C" fn finch_last_error_message() -> *const c_char {
    let empty: &CStr = c"";
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(empty.as_ptr())
}

/// The warning of the last call with options on this thread: a sentence that says that an
/// approximate search found fewer neighbours than the option `recall` asks for, and what to do. ""
/// where there is none. For calls that make no hierarchy, as `finch_first_neighbors` and
/// `finch_nearest_neighbors`, and `finch_hierarchy_refine` where it searches neighbours. Warnings
/// of a hierarchy are its own: `finch_hierarchy_warning_count`. The string is never NULL, and valid
/// until the next call with options on this thread, or the thread ends.
#[unsafe(no_mangle)]
pub extern "C" fn finch_last_warning_message() -> *const c_char {
    let empty: &CStr = c"";
    WARNING.try_with(|warning| warning.borrow().as_ptr()).unwrap_or(empty.as_ptr())
}

/// Keeps what a run says against its result until the next one on this thread.
pub(crate) fn remember_warning(warning: Option<&impl Display>) {
    let message = warning.and_then(|warning| text_of(warning)).unwrap_or_default();
    // Where the thread is ending, nobody can ask any more.
    let _ = WARNING.try_with(|last| *last.borrow_mut() = message);
}

/// Makes messages of this thread count rows, columns, samples, labels and partitions from 1 if
/// `first` is 1, for languages that do, else from 0, the default. Functions count from 0.
#[unsafe(no_mangle)]
pub extern "C" fn finch_messages_from(first: i32) {
    // Where the thread is ending, nobody can ask for a message.
    let _ = FROM_ONE.try_with(|from_one| from_one.set(first == 1));
}

/// Keeps the message of a failure until the next failure on this thread.
pub(crate) fn remember(failure: &impl Display) {
    let message = text_of(failure).map_or(Cow::Borrowed(NO_ROOM), Cow::Owned);
    // Where the thread is ending, nobody can ask any more.
    let _ = LAST.try_with(|last| *last.borrow_mut() = message);
}

/// A sentence in the numbers of this thread's messages; `None` where the system refuses its bytes.
pub(crate) fn text_of(sentence: &impl Display) -> Option<CString> {
    let mut text = Text(Vec::new());
    let written = match FROM_ONE.try_with(Cell::get) {
        Ok(true) => write!(text, "{sentence:#}"),
        _ => write!(text, "{sentence}"),
    };
    written.and_then(|()| text.end()).ok()?;
    Some(CString::from_vec_with_nul(text.0).expect("one zero, at the end"))
}

/// Bytes of a message, for which the system may refuse memory.
struct Text(Vec<u8>);

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.try_reserve(text.len()).map_err(|_| fmt::Error)?;
        self.0.extend(text.bytes().filter(|&byte| byte != 0));
        Ok(())
    }
}

impl Text {
    /// Adds the zero that ends a string in C.
    fn end(&mut self) -> fmt::Result {
        self.0.try_reserve(1).map_err(|_| fmt::Error)?;
        self.0.push(0);
        Ok(())
    }
}
