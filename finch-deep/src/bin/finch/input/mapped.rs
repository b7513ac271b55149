//! Mapped inputs that are cut, changed or no longer readable while they are in use.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;

use finch_deep::data::{Escaped, Input};

/// A mapped input whose values the system could not give. Cut files have the error of changed ones.
#[derive(Debug, thiserror::Error)]
#[error("{}: the file can no longer be read: is its disk or network still there?", Escaped(.0.display()))]
struct Lost(PathBuf);

/// Computes on the samples of `input`. The result counts only if the samples stayed the same all
/// the time. Otherwise it belongs to no one state of the file, and `compute` may even panic, over
/// values that changed after they were checked.
///
/// # Errors
/// That the input changed or is lost, or the error of `compute`.
pub(crate) fn on_unchanged<T>(
    input: &Input,
    compute: impl FnOnce() -> Result<T, Box<dyn Error>>,
) -> Result<T, Box<dyn Error>> {
    let computed = catch_unwind(AssertUnwindSafe(compute));
    input.expect_unchanged()?;
    if is_lost() {
        return Err(Lost(input.path().into()).into());
    }
    computed.unwrap_or_else(|panic| resume_unwind(panic))
}

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{is_lost, listen};
#[cfg(target_os = "linux")]
pub(crate) use linux::{is_lost, listen};

/// Reading a page of a mapped file that is missing, since the file was cut or its disk fails,
/// raises SIGBUS, which would end the process without a word.
#[cfg(target_os = "linux")]
mod linux {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::{mem, ptr};

    use libc::{c_int, c_void, siginfo_t};

    static LOST: AtomicBool = AtomicBool::new(false);
    /// Bytes of a page of memory.
    static PAGE: AtomicUsize = AtomicUsize::new(0);

    const MESSAGE: &[u8] = b"finch: a file that is in use was cut or can no longer be read\n";

    /// True if values of an input were missing.
    pub(crate) fn is_lost() -> bool {
        LOST.load(Ordering::SeqCst)
    }

    /// From now on zeros stand for pages that are missing, until the run looks at [`is_lost`] and
    /// ends.
    pub(crate) fn listen() {
        // SAFETY: `sysconf` takes a number and returns one.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let Some(page) = usize::try_from(page).ok().filter(|page| page.is_power_of_two()) else {
            return;
        };
        PAGE.store(page, Ordering::SeqCst);
        let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = replace;
        // SAFETY: all zeros are a valid `sigaction`: no flags and an empty mask.
        let mut action: libc::sigaction = unsafe { mem::zeroed() };
        action.sa_sigaction = handler as usize;
        // The stack for signals, where the thread has one: its own may be what is full.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: the handler has the signature that SA_SIGINFO asks for, and calls only what is
        // safe in a handler: atomics and plain system calls.
        unsafe { libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) };
    }

    /// Puts a page of zeros where a page of a file is missing. The access is then repeated.
    extern "C" fn replace(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
        // SAFETY: the system passes a valid `siginfo_t`, with an address for SIGBUS.
        let (code, address) = unsafe { ((*info).si_code, (*info).si_addr()) };
        if code != libc::BUS_ADRERR {
            // Another fault, such as failing memory: the repeated access ends the process as usual.
            // SAFETY: the default action needs no handler.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
            return;
        }
        LOST.store(true, Ordering::SeqCst);
        let page = PAGE.load(Ordering::SeqCst);
        let start = address.map_addr(|address| address & !(page - 1));
        let (access, kind) =
            (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED);
        // SAFETY: the page is one of a mapped file, since its access was this error; whoever reads
        // from it finds zeros instead of ending the process.
        let mapped = unsafe { libc::mmap(start, page, access, kind, -1, 0) };
        if mapped == libc::MAP_FAILED {
            // SAFETY: the message lives as long as the process, and `_exit` runs nothing else.
            unsafe {
                libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
                libc::_exit(1)
            }
        }
    }
}

/// On other systems a missing page ends the process.
#[cfg(not(target_os = "linux"))]
mod elsewhere {
    pub(crate) fn is_lost() -> bool {
        false
    }

    pub(crate) fn listen() {}
}
