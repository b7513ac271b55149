//! Panics: bugs, said in one line at the end, unless a changed input explains them.

use std::env;
use std::panic;
use std::sync::Mutex;

/// The exit code of Rust programs that panic.
pub(crate) const EXIT_CODE: u8 = 101;

/// The message of the first panic.
static FIRST: Mutex<Option<String>> = Mutex::new(None);

/// Notes panics from now on; with `RUST_BACKTRACE` they are shown at once, too.
pub(crate) fn listen() {
    let show = panic::take_hook();
    let traced = env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    panic::set_hook(Box::new(move |info| {
        let mut first = FIRST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        first.get_or_insert_with(|| info.to_string());
        if traced {
            show(info);
        }
    }));
}

/// The text to show of a panic.
pub(crate) fn message() -> String {
    let first = FIRST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let said = first.as_deref().unwrap_or("panicked").replace('\n', " ");
    format!("a bug: {said} (please report it, with what RUST_BACKTRACE=1 shows)")
}
