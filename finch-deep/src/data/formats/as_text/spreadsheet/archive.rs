//! The archive of a spreadsheet, looked at before a parser trusts it.

use std::io::{Read, SeekFrom};

use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

use super::sheet::FORMAT;
use crate::data::error::Fault;
use crate::data::error::table::TableFault;
use crate::data::source::memory::Memory;
use crate::data::source::{Seekable, read_up_to};

/// Bytes of memory for a byte of a part that is kept whole: its strings, and lists of them.
const KEPT: u64 = 2;

/// Bytes of memory for an element of such a part: a string and its entry in a list.
const ELEMENT: u64 = 64;

/// Copies of the longest text between two elements, which parsers keep whole.
const COPIES: u64 = 3;

/// Bytes in which the number of shared strings is declared.
const HEAD: usize = 1 << 16;

const BUFFER: usize = 1 << 16;

/// The kind of a spreadsheet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Excel,
    OpenDocument,
}

/// Takes the memory that a parser needs for the parts that it keeps whole, and says what kind of spreadsheet
/// the archive is. Declared sizes are not believed: each part is decompressed once.
pub(super) fn expect_bounded(file: &mut dyn Seekable, memory: &Memory) -> Result<Kind, Fault> {
    let mut archive = ZipArchive::new(&mut *file).map_err(fault)?;
    let has = |archive: &ZipArchive<_>, name: &str| archive.index_for_name(name).is_some();
    let kind = match () {
        () if has(&archive, "content.xml") => Kind::OpenDocument,
        () if has(&archive, "xl/workbook.bin") => {
            return Err(Fault::variant(FORMAT, "of binary sheets (.xlsb)", "save it as .xlsx"));
        }
        () if has(&archive, "[Content_Types].xml") => Kind::Excel,
        () => {
            let reason = "it is a zip archive without a workbook";
            return Err(Fault::malformed(FORMAT, reason));
        }
    };
    // Directories of archives take memory, too.
    memory.take(archive.len() as u64 * 4 * ELEMENT)?;
    if kind == Kind::OpenDocument {
        if let Some(manifest) = archive.index_for_name("META-INF/manifest.xml") {
            let mut text = Vec::new();
            let part = archive.by_index(manifest).map_err(fault)?;
            part.take(1 << 20).read_to_end(&mut text)?;
            let has = |word: &[u8]| text.windows(word.len()).any(|part| part == word);
            if has(b"manifest:encryption-data") {
                return Err(TableFault::Protected.into());
            }
        }
        // The rest is read piece by piece.
        return Ok(kind);
    }
    for at in 0..archive.len() {
        let part = archive.by_index(at).map_err(fault)?;
        let name = part.name().map_err(fault)?.to_lowercase();
        if name.ends_with(".xml") || name.ends_with(".rels") {
            let shared = name.ends_with("sharedstrings.xml");
            let in_pieces = name.contains("worksheets/") && !shared;
            measure(part, shared, in_pieces, memory)?;
        }
    }
    file.rewind()?;
    Ok(kind)
}

/// Takes the memory for a part: for all of it, or for the largest piece.
fn measure<R: Read>(
    mut part: ZipFile<'_, R>,
    shared: bool,
    in_pieces: bool,
    memory: &Memory,
) -> Result<(), Fault> {
    let (mut buffer, mut head) = (vec![0; BUFFER], Vec::new());
    let (mut size, mut run, mut longest, mut elements) = (0_u64, 0_u64, 0_u64, 0_u64);
    let (mut last, mut taken) = (0, 0);
    // Within comments and CDATA, elements are none.
    let mut whole = !in_pieces;
    loop {
        let read = read_up_to(&mut part, &mut buffer)?;
        if read == 0 {
            break;
        }
        if head.len() < HEAD {
            head.extend_from_slice(&buffer[..read]);
        }
        size += read as u64;
        for &byte in &buffer[..read] {
            match byte {
                b'<' => {
                    (longest, run) = (longest.max(run), 0);
                    elements += 1;
                }
                b'!' if last == b'<' => whole = true,
                _ => run += 1,
            }
            last = byte;
        }
        let needed = match whole {
            true => KEPT * size + ELEMENT * elements,
            false => COPIES * longest.max(run),
        };
        if needed > taken {
            memory.take(needed - taken)?;
            taken = needed;
        }
    }
    let declared = if shared { declared(&head) } else { 0 };
    match declared > elements {
        true => {
            let reason = format!("it declares {declared} shared strings, and has fewer");
            Err(Fault::malformed(FORMAT, reason))
        }
        false => Ok(()),
    }
}

/// The number of shared strings that a part declares, for which room is made at once.
fn declared(head: &[u8]) -> u64 {
    let name = b"uniqueCount";
    let Some(at) = head.windows(name.len()).position(|part| part == name) else { return 0 };
    let digits = head[at + name.len()..].iter().skip_while(|byte| !byte.is_ascii_digit());
    digits.take_while(|byte| byte.is_ascii_digit()).fold(0, |number: u64, digit| {
        number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
    })
}

/// The fault of a compound file: an encrypted workbook, or one of Excel before 2007.
pub(super) fn fault_of_compound(file: &mut dyn Seekable) -> Result<Fault, Fault> {
    let wide: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    file.seek(SeekFrom::Start(0))?;
    let (mut buffer, mut kept) = (vec![0; BUFFER], 0);
    loop {
        let read = read_up_to(file, &mut buffer[kept..])?;
        let there = kept + read;
        if buffer[..there].windows(wide.len()).any(|part| part == wide) {
            return Ok(TableFault::Protected.into());
        }
        if read == 0 {
            break;
        }
        kept = there.min(wide.len());
        buffer.copy_within(there - kept..there, 0);
    }
    Ok(Fault::variant(FORMAT, "of Excel before 2007 (.xls)", "save it as .xlsx"))
}

/// The fault of an archive.
pub(super) fn fault(error: ZipError) -> Fault {
    match error {
        ZipError::Io(error) => error.into(),
        other => Fault::malformed(FORMAT, other),
    }
}
