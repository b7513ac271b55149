//! Pipes, whose first bytes are looked at before they are read.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The name that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// Bytes of a pipe that are kept when it is read: its format is asked for again and again.
pub(in crate::data) const KEPT: usize = 4096;

/// The pipes that were looked at, of the whole process, since standard input is one of them.
static SEEN: Mutex<Option<HashMap<PathBuf, Seen>>> = Mutex::new(None);

/// A pipe that was looked at.
#[derive(Default)]
struct Seen {
    start: Vec<u8>,
    /// The rest, until somebody reads the pipe.
    rest: Option<File>,
}

/// The bytes of a file, of which the first may have been read before.
pub struct Content {
    start: Cursor<Vec<u8>>,
    file: Option<File>,
}

impl Content {
    /// Opens `path`, or standard input where that is [`STANDARD_INPUT`].
    ///
    /// # Errors
    /// The system could not open or read it.
    pub fn open(path: &Path) -> io::Result<Self> {
        let seen = seen().as_mut().and_then(|all| all.get_mut(path)?.take());
        match seen {
            Some((start, rest)) => Ok(Self { start: Cursor::new(start), file: Some(rest) }),
            None => opened(path).map(Self::of),
        }
    }

    pub(super) fn of(file: File) -> Self {
        Self { start: Cursor::default(), file: Some(file) }
    }

    /// The first bytes of a pipe alone.
    pub(super) fn of_start(start: Vec<u8>) -> Self {
        Self { start: Cursor::new(start), file: None }
    }

    pub(super) fn file(&self) -> Option<&File> {
        self.file.as_ref()
    }
}

impl Read for Content {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match (self.start.read(buffer)?, &mut self.file) {
            (0, Some(file)) => file.read(buffer),
            (read, _) => Ok(read),
        }
    }
}

impl Seek for Content {
    /// Only what is no pipe can be sought in, and of that nothing was read before.
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        match &mut self.file {
            Some(file) if self.start.get_ref().is_empty() => file.seek(position),
            _ => Err(io::ErrorKind::NotSeekable.into()),
        }
    }
}

impl Seen {
    /// The bytes that were read and the rest, which are handed out once.
    fn take(&mut self) -> Option<(Vec<u8>, File)> {
        let rest = self.rest.take()?;
        let kept = self.start[..KEPT.min(self.start.len())].to_vec();
        Some((std::mem::replace(&mut self.start, kept), rest))
    }
}

/// True of standard input, of a pipe and of a device: of whatever can be read once only.
pub(in crate::data) fn is_pipe(path: &Path) -> bool {
    let is_other = |found: std::fs::Metadata| !found.is_file() && !found.is_dir();
    path == Path::new(STANDARD_INPUT) || path.metadata().is_ok_and(is_other)
}

/// The first `most` bytes of a file, or of a pipe, fewer if it has no more. Who reads a pipe later finds them again.
///
/// # Errors
/// The system could not open or read it.
pub fn start_of(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    if !is_pipe(path) {
        let mut start = Vec::new();
        File::open(path)?.take(most as u64).read_to_end(&mut start)?;
        return Ok(start);
    }
    let mut all = seen();
    let seen = all.get_or_insert_default().entry(path.into()).or_default();
    if seen.start.is_empty() && seen.rest.is_none() {
        seen.rest = Some(opened(path)?);
    }
    let known = seen.start.len();
    if known < most
        && let Some(rest) = &mut seen.rest
    {
        rest.take((most - known) as u64).read_to_end(&mut seen.start)?;
    }
    Ok(seen.start[..most.min(seen.start.len())].to_vec())
}

/// Forgets what was read from a pipe that has been read since: what comes through it now is another content.
pub(in crate::data) fn forget(path: &Path) {
    if let Some(all) = seen().as_mut() {
        all.retain(|of, seen| of != path || seen.rest.is_some());
    }
}

fn opened(path: &Path) -> io::Result<File> {
    match path == Path::new(STANDARD_INPUT) {
        true => standard_input(),
        false => File::open(path),
    }
}

/// Standard input as a file, which has no buffer that others read from.
fn standard_input() -> io::Result<File> {
    #[cfg(unix)]
    let own = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?;
    #[cfg(windows)]
    let own = std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned()?;
    Ok(own.into())
}

/// A panic elsewhere leaves the pipes as they were.
fn seen() -> MutexGuard<'static, Option<HashMap<PathBuf, Seen>>> {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner)
}
