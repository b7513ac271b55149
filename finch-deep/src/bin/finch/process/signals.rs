//! Signals that ask the command to stop: at once where nothing can be left behind, else at the next
//! look.

use std::fmt;
use std::io::{self, Write};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

use finch_deep::data::Escaped;

/// A signal that asks the command to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// `kill`, and the end of a batch job's time.
    Terminate,
    /// The terminal is gone, by a closed window or a lost connection.
    HangUp,
}

impl Signal {
    /// 128 + the number of the signal, as shells count.
    pub(crate) fn exit_code(self) -> u8 {
        128 + match self {
            Signal::HangUp => 1,
            Signal::Interrupt => 2,
            Signal::Terminate => 15,
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Signal::Interrupt => "Ctrl-C",
            Signal::Terminate => "SIGTERM",
            Signal::HangUp => "SIGHUP, as its terminal went away",
        })
    }
}

/// Calls `heard` with each signal from now on, in a thread of its own. Without that thread the
/// system's own handlers serve: the process ends, if less tidily.
#[cfg(unix)]
fn hear(heard: fn(Signal)) {
    use std::sync::mpsc;
    use std::thread;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    // Signals ignored from the start stay so: `nohup` and `command &` ask for it.
    let listened = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|&number| !is_ignored(number));
    let listened: Vec<_> = listened.collect();
    let (ready, is_ready) = mpsc::channel();
    let until_the_end = move || {
        let Ok(mut signals) = Signals::new(listened) else { return };
        let _ = ready.send(());
        for number in signals.forever() {
            heard(match number {
                SIGHUP => Signal::HangUp,
                SIGINT => Signal::Interrupt,
                _ => Signal::Terminate,
            });
        }
    };
    let _ = thread::Builder::new().name("signals".into()).spawn(until_the_end);
    // A signal before the thread listens would end the process without a word. Where the thread does not
    // start, or cannot listen, its end of the channel is gone, and there is nothing to wait for.
    let _ = is_ready.recv();
}

/// True if the process was started with a signal ignored.
#[cfg(unix)]
fn is_ignored(number: libc::c_int) -> bool {
    // SAFETY: all zeros are a valid `sigaction`, of plain integers and pointers.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: no new action is given, and the present one is written to a place of its type.
    let asked = unsafe { libc::sigaction(number, std::ptr::null(), &mut action) };
    asked == 0 && action.sa_sigaction == libc::SIG_IGN
}

/// Calls `heard` with each Ctrl-C from now on, in a thread of its own.
#[cfg(not(unix))]
fn hear(heard: fn(Signal)) {
    // Without a handler the system's own serves: the process ends, if less tidily.
    let _ = ctrlc::set_handler(move || heard(Signal::Interrupt));
}

/// The text beside the signal's name, unless `say` set another.
const MESSAGE: &str = "nothing was written";

/// The first signal.
static ASKED: OnceLock<Signal> = OnceLock::new();
static HELD: AtomicBool = AtomicBool::new(false);
static SAID: Mutex<Option<String>> = Mutex::new(None);

/// Listens for signals from now on. Without [`hold`], a signal ends the process at once, as usual.
pub(crate) fn listen() {
    hear(|signal| {
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
