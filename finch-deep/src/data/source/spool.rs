//! Inputs that can be read again: files, copies of pipes, and tables that were made text.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};

use super::pipe::{Content, is_pipe, start_of};
use super::{BUFFER, Source, read_up_to};
use crate::data::error::Fault;
use crate::data::error::note::Note;

/// Bytes of a line, which text tables are far from: a million features take some 20 MB. More is
/// another kind of file, or one that never ends.
pub(in crate::data) const LONGEST_LINE: usize = 256 << 20;

/// Copies of the pipes among some inputs, which can be read once only, and of tables that were made text.
#[derive(Default)]
pub(in crate::data) struct Spool {
    copies: HashMap<PathBuf, File>,
    made: RefCell<HashMap<PathBuf, MadeText>>,
}

/// A table of another kind as text, with what is known of it.
pub(in crate::data) struct MadeText {
    pub(in crate::data) file: File,
    /// True if the first row names the columns, false if it does not; none where nothing tells.
    pub(in crate::data) header: Option<bool>,
    /// The notes on the table that was made text.
    pub(in crate::data) notes: Vec<Note>,
}

impl Spool {
    /// Copies a pipe into a file without a name; other files stay as they are.
    pub(in crate::data) fn copy(&mut self, path: &Path) -> Result<(), Fault> {
        if !is_pipe(path) || self.copies.contains_key(path) {
            return Ok(());
        }
        let mut from = Content::open(path).map_err(Fault::Unreadable)?;
        let mut copy = tempfile::tempfile().map_err(Fault::Unreadable)?;
        let (mut buffer, mut line) = (vec![0; BUFFER], 0);
        loop {
            let read = read_up_to(&mut from, &mut buffer).map_err(Fault::Unreadable)?;
            if read == 0 {
                break;
            }
            line = match buffer[..read].iter().rposition(|&byte| byte == b'\n') {
                Some(end) => read - end,
                None => line + read,
            };
            // A device that has no end would fill the disk.
            if line > LONGEST_LINE {
                return Err(Fault::LongLine { line: 1, limit: LONGEST_LINE });
            }
            copy.write_all(&buffer[..read]).map_err(Fault::Unreadable)?;
        }
        self.copies.insert(path.into(), copy);
        Ok(())
    }

    /// Copies a pipe of fewer bytes than `most`. True if it can be read again now: it was copied, or is a file of no
    /// more bytes.
    pub(in crate::data) fn copy_short(&mut self, path: &Path, most: usize) -> Result<bool, Fault> {
        if !is_pipe(path) {
            let is_short = |found: Metadata| found.is_file() && found.len() < most as u64;
            return Ok(path.metadata().is_ok_and(is_short));
        }
        let is_short = start_of(path, most).map_err(Fault::Unreadable)?.len() < most;
        if is_short {
            self.copy(path)?;
        }
        Ok(is_short)
    }

    /// Opens an input, or its copy.
    pub(in crate::data) fn open(&self, path: &Path) -> Result<Source, Fault> {
        match self.copies.get(path) {
            None => Source::open(path),
            Some(copy) => Source::of(again(copy)?),
        }
    }

    /// Keeps the text that a table was made.
    pub(in crate::data) fn keep_made(&self, path: &Path, text: MadeText) {
        self.made.borrow_mut().insert(path.into(), text);
    }

    /// The text that a table was made, if it was.
    pub(in crate::data) fn made(&self, path: &Path) -> Result<Option<MadeText>, Fault> {
        let made = self.made.borrow();
        let again = |text: &MadeText| {
            let (file, notes) = (again(&text.file)?, text.notes.clone());
            Ok(MadeText { file, header: text.header, notes })
        };
        made.get(path).map(again).transpose()
    }
}

/// A file from its beginning.
fn again(file: &File) -> Result<File, Fault> {
    let mut file = file.try_clone().map_err(Fault::Unreadable)?;
    file.rewind().map_err(Fault::Unreadable)?;
    Ok(file)
}
