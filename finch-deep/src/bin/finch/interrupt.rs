//! Stopping on a signal: at once where nothing can be left behind, else at the next look.

use std::io::{self, Write};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

use finch_deep::data::Escaped;

use crate::signals::{self, Signal};

/// The text beside the signal's name, unless `say` set another.
const MESSAGE: &str = "nothing was written";

/// The first signal.
static ASKED: OnceLock<Signal> = OnceLock::new();
static HELD: AtomicBool = AtomicBool::new(false);
static SAID: Mutex<Option<String>> = Mutex::new(None);

/// Listens for signals from now on. Without [`hold`], a signal ends the process at once, as usual.
pub(crate) fn listen() {
    signals::listen(|signal| {
        let again = ASKED.set(signal).is_err();
        if again || !HELD.load(Ordering::SeqCst) {
            let _ = writeln!(io::stderr(), "finch: {}", Escaped(message(signal)));
            process::exit(signal.exit_code().into());
        }
    });
}

/// From now on the first signal only asks; a second one still ends the process.
pub(crate) fn hold() {
    HELD.store(true, Ordering::SeqCst);
}

/// The signal that asked to stop, if one did.
pub(crate) fn asked() -> Option<Signal> {
    ASKED.get().copied()
}

/// Sets the text to show beside the signal's name.
#[cfg(feature = "train")] // Only training has another text: how to go on.
pub(crate) fn say(message: String) {
    *SAID.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(message);
}

/// The text to show when a signal stopped the command.
pub(crate) fn message(signal: Signal) -> String {
    let said = SAID.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    format!("stopped by {signal}, {}", said.as_deref().unwrap_or(MESSAGE))
}
