//! The message of the last call that failed on this thread, and the warning of the last one with options.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_char};
use std::fmt::{self, Display, Write};

thread_local! {
    static LAST: RefCell<Cow<'static, CStr>> = RefCell::default();
    /// The warnings of the last run.
    static WARNING: RefCell<Warned> = RefCell::default();
    /// True if messages count from 1.
    static FROM_ONE: Cell<bool> = const { Cell::new(false) };
}

/// A warning, or several, as C sees them.
pub(crate) struct Warned {
    /// A `finch_warning`, the first of several, or -1 for none, and for one that C does not know yet.
    pub(crate) kind: i32,
    pub(crate) message: CString,
}

impl Default for Warned {
    /// No warning.
    fn default() -> Self {
        Self { kind: -1, message: CString::default() }
    }
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

/// The warnings of the last call with options on this thread, a line each: sentences that say what
/// is wrong with its result, such as that an approximate search found fewer neighbours than the
/// option `recall` asks for, and what to do. "" where there is none. For calls that make no
/// hierarchy, as `finch_first_neighbors`, `finch_nearest_neighbors`, `finch_model_predict`, and
/// `finch_hierarchy_refine` where it searches neighbours. Warnings of a hierarchy are its own:
/// `finch_hierarchy_warning_count`. The string is never NULL, and valid until the next call with
/// options on this thread, or the thread ends.
#[unsafe(no_mangle)]
pub extern "C" fn finch_last_warning_message() -> *const c_char {
    let empty: &CStr = c"";
    WARNING.try_with(|warning| warning.borrow().message.as_ptr()).unwrap_or(empty.as_ptr())
}

/// The `finch_warning` that the first line of `finch_last_warning_message` is of; -1 where there is
/// none, and for one that is newer than the header.
#[unsafe(no_mangle)]
pub extern "C" fn finch_last_warning() -> i32 {
    WARNING.try_with(|warning| warning.borrow().kind).unwrap_or(-1)
}

/// Keeps what a run says against its result until the next one on this thread.
pub(crate) fn remember_warning(warning: Option<Warned>) {
    // Where the thread is ending, nobody can ask any more.
    let _ = WARNING.try_with(|last| *last.borrow_mut() = warning.unwrap_or_default());
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
