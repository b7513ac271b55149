//! Spreadsheets: the cells of a sheet of Excel (`.xlsx`) or OpenDocument (`.ods`).

mod archive;
mod ods;
mod sheet;
mod xlsx;

use crate::data::error::Fault;
use crate::data::error::note::Note;
use crate::data::error::table::TableFault;
use crate::data::formats::csv::table::nearest;
use crate::data::source::Source;
use crate::data::source::memory::Memory;
use crate::data::source::spool::MadeText;

use archive::Kind;
use sheet::FORMAT;

/// The bytes that a workbook begins with that is encrypted, or of Excel before 2007.
const COMPOUND: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/// Makes a sheet text, by its name or by its number from 0; by default the first of several columns. Rows are
/// on the lines of their numbers.
pub(super) fn text(
    source: Source,
    wanted: Option<&str>,
    memory: &Memory,
) -> Result<MadeText, Fault> {
    let mut start = Vec::new();
    let check = |bytes: &[u8]| {
        start.extend_from_slice(bytes);
        let known = bytes.starts_with(b"PK") || bytes.starts_with(&COMPOUND);
        let expected = "\"PK\" (a zip archive)";
        if known { Ok(()) } else { Err(Fault::magic(FORMAT, expected, bytes)) }
    };
    let mut file = source.seekable(COMPOUND.len(), check, memory)?;
    if start.starts_with(&COMPOUND) {
        return Err(archive::fault_of_compound(&mut file)?);
    }
    let kind = archive::expect_bounded(&mut file, memory)?;
    let book = match kind {
        Kind::Excel => xlsx::book(file, wanted, memory)?,
        Kind::OpenDocument => ods::book(file, wanted, memory)?,
    };
    let Some((at, rows)) = book.read else {
        return Err(match wanted {
            None => TableFault::NoValues { found: book.names },
            Some(wanted) => no_such_sheet(wanted, book.names),
        }
        .into());
    };
    if rows.is_empty() {
        return Err(Fault::Empty);
    }
    let note = match book.others.is_empty() {
        true => None,
        false => Some(Note::Sheets { read: book.names[at].clone(), others: book.others }),
    };
    Ok(MadeText { file: rows.finish(None)?, header: None, notes: note.into_iter().collect() })
}

fn no_such_sheet(wanted: &str, found: Vec<String>) -> TableFault {
    let nearest = nearest(wanted, found.iter().map(String::as_str)).map(String::from);
    TableFault::NoSuchSheet { wanted: wanted.into(), found, nearest }
}
