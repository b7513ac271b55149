//! Tables that are read as text, though they are none: spreadsheets, JSON, ARFF, columns at fixed
//! positions, and rows made columns.

mod aligned;
mod arff;
mod guard;
mod json;
mod rows;
#[cfg(feature = "spreadsheets")]
mod spreadsheet;
mod transpose;

use std::borrow::Cow;
use std::path::Path;

use crate::data::error::Fault;
use crate::data::error::note::Note;
use crate::data::format::Format;
use crate::data::options::ReadOptions;
use crate::data::options::choices::Delimiter;
use crate::data::source::Source;
use crate::data::source::memory::Memory;
use crate::data::source::spool::{MadeText, Spool};

/// A table as text, and how it is to be read.
pub(in crate::data) struct Opened<'o> {
    pub(in crate::data) source: Source,
    pub(in crate::data) options: Cow<'o, ReadOptions>,
    /// The notes on a table that was made text.
    pub(in crate::data) notes: Vec<Note>,
}

/// Opens a table of text, or one that is made text. The text is made once: later calls open it again.
pub(in crate::data) fn open<'o>(
    path: &Path,
    format: Option<Format>,
    options: &'o ReadOptions,
    spool: &Spool,
    memory: &Memory,
) -> Result<Opened<'o>, Fault> {
    let is_aligned = options.delimiter == Some(Delimiter::Aligned);
    let is_made =
        format.is_some_and(Format::is_made_text) || is_aligned && format == Some(Format::Text);
    if !is_made && !options.transpose {
        let (source, options) = (spool.open(path)?, Cow::Borrowed(options));
        return Ok(Opened { source, options, notes: Vec::new() });
    }
    let made = match spool.made(path)? {
        Some(made) => made,
        None => {
            let (source, before) = (spool.open(path)?, memory.taken());
            let mut text = match format {
                Some(Format::Spreadsheet) => sheet(source, options, memory)?,
                Some(Format::Json) => json::text(source, memory)?,
                Some(Format::Arff) => arff::text(source, memory)?,
                Some(Format::Text) if is_aligned => aligned::text(source, options.skip, memory)?,
                _ => transpose::text(source, options, memory)?,
            };
            if is_made && options.transpose {
                let of_text =
                    ReadOptions { delimiter: Some(Delimiter::Byte(b',')), ..options.clone() };
                let notes = text.notes;
                text = transpose::text(Source::of(text.file)?, &of_text, memory)?;
                text.notes.splice(..0, notes);
            }
            memory.settle(before);
            spool.keep_made(path, text);
            spool.made(path)?.ok_or(Fault::Empty)?
        }
    };
    let options = Cow::Owned(as_made(options, made.header));
    Ok(Opened { source: Source::of(made.file)?, options, notes: made.notes })
}

/// The options by which the text of a table is read that was made text.
fn as_made(given: &ReadOptions, header: Option<bool>) -> ReadOptions {
    let mut of_text = given.clone();
    of_text.delimiter = Some(Delimiter::Byte(b','));
    of_text.header = header.or(given.header);
    of_text.is_made_text = true;
    if given.transpose {
        // They were skipped before rows became columns.
        (of_text.skip, of_text.skip_last) = (0, 0);
    }
    of_text
}

/// A sheet as text.
#[cfg(feature = "spreadsheets")]
fn sheet(source: Source, options: &ReadOptions, memory: &Memory) -> Result<MadeText, Fault> {
    spreadsheet::text(source, options.sheet.as_deref(), memory)
}

#[cfg(not(feature = "spreadsheets"))]
fn sheet(_: Source, _: &ReadOptions, _: &Memory) -> Result<MadeText, Fault> {
    Err(crate::data::error::table::TableFault::NotBuilt.into())
}
