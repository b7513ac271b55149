//! Ctrl-C: at once where nothing can be left behind, else at the next look.

use std::io::{self, Write};
use std::process;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is said when it was pressed, unless [`say`] had something else.
const MESSAGE: &str = "nothing was written";

/// 128 + SIGINT, as shells count.
pub(crate) const EXIT_CODE: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);
static HELD: AtomicBool = AtomicBool::new(false);
static SAID: Mutex<Option<String>> = Mutex::new(None);

/// Listens from now on. Without [`hold`], Ctrl-C ends the process at once, as usual.
pub(crate) fn listen() {
    let on_ctrl_c = || {
        let again = ASKED.swap(true, Ordering::SeqCst);
        if again || !HELD.load(Ordering::SeqCst) {
            let _ = writeln!(io::stderr(), "finch: {}", message());
            process::exit(EXIT_CODE.into());
        }
    };
    // Without a handler the system's own serves: the process ends, if less tidily.
    let _ = ctrlc::set_handler(on_ctrl_c);
}

/// From now on the first Ctrl-C only asks; a second one still ends the process.
pub(crate) fn hold() {
    HELD.store(true, Ordering::SeqCst);
}

/// Whether Ctrl-C was pressed.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// Says this from now on, when it was pressed.
#[cfg(feature = "train")] // Only training can go on.
pub(crate) fn say(message: String) {
    *SAID.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(message);
}

/// What is to be said.
pub(crate) fn message() -> String {
    let said = SAID.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    format!("stopped by Ctrl-C, {}", said.as_deref().unwrap_or(MESSAGE))
}
