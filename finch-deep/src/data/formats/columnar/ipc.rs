//! Arrow IPC: a stream of messages, which a file (Feather) has between two magic words.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::{
    Block, Endianness, Message, MessageHeader, MetadataVersion, root_as_footer, root_as_message,
};
use arrow_schema::{ArrowError, Schema};

use crate::data::error::Fault;
use crate::data::error::note::Note;
use crate::data::source::Source;
use crate::data::source::memory::Memory;

const FORMAT: &str = "an Arrow file";
/// The beginning of files, filled up to whole words, and their end.
const MAGIC: &[u8] = b"ARROW1";
const WORD: usize = 8;
/// The beginning of files of the first version of Feather, which is another format.
const FEATHER_1: &[u8] = b"FEA1";
/// The beginning of a message, but for those of versions before 0.15.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// A schema of more bytes is none: a file of another format begins with such numbers.
const LONGEST_SCHEMA: u32 = 1 << 28;

/// The messages of a stream.
pub(super) struct Messages {
    decoder: StreamDecoder,
    /// The bytes that are not decoded yet.
    rest: Buffer,
    /// Rows that were decoded to have the schema.
    first: Option<RecordBatch>,
    pub(super) schema: Arc<Schema>,
    /// The note on a part that the file lacks and that its rows do not need.
    pub(super) note: Option<Note>,
}

impl Messages {
    /// Reads a whole file into memory, and its first rows.
    pub(super) fn open(source: Source, memory: &Memory) -> Result<Self, Fault> {
        let mut is_file = false;
        let check = |start: &[u8]| {
            is_file = start.starts_with(MAGIC);
            if start.starts_with(FEATHER_1) {
                let remedy = "write it again by a newer program";
                return Err(Fault::variant(FORMAT, "of Feather's version 1", remedy));
            }
            match is_file || start.starts_with(&CONTINUATION) || begins_old_stream(start) {
                true => Ok(()),
                false => Err(Fault::magic(FORMAT, "\"ARROW1\" or \"\\xff\\xff\\xff\\xff\"", start)),
            }
        };
        let bytes = source.bytes(WORD, check, memory)?;
        // Writers fill up to an alignment of their own.
        let words = bytes.chunks_exact(WORD).skip(1);
        let filled = words.take_while(|word| word.iter().all(|&byte| byte == 0)).count();
        let start = if is_file { (1 + filled) * WORD } else { 0 };
        let Found { batches, dictionaries, end, is_marked } = expect_sound(&bytes, start, memory)?;
        match is_file {
            true => expect_footer(&bytes, &batches, &dictionaries)?,
            false => expect_end(&bytes[end..])?,
        }
        let note = (!is_file && !is_marked).then_some(Note::NoEnd);
        let mut rest =
            Buffer::from_vec(bytes).slice_with_length(start.min(end), end.saturating_sub(start));
        let mut decoder = StreamDecoder::new();
        let first = decoder.decode(&mut rest).map_err(fault)?;
        let schema = decoder.schema().ok_or(Fault::Empty)?;
        Ok(Self { decoder, rest, first, schema, note })
    }
}

impl Iterator for Messages {
    type Item = Result<RecordBatch, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.first.take() {
            Some(batch) => Some(Ok(batch)),
            None => self.decoder.decode(&mut self.rest).map_err(fault).transpose(),
        }
    }
}

/// True if a stream of before 0.15 may begin so: the length of the schema, which fills words with its own
/// four bytes, and the place of the table in it.
fn begins_old_stream(start: &[u8]) -> bool {
    let [length, table] = match start.as_chunks::<4>().0 {
        [length, table, ..] => [*length, *table].map(u32::from_le_bytes),
        _ => return false,
    };
    (4..LONGEST_SCHEMA).contains(&length)
        && length % 4 == 0
        && (4..length).contains(&table)
        && table % 4 == 0
}

/// The messages of a file.
struct Found {
    /// Where each message of rows, and of a dictionary, begins.
    batches: Vec<usize>,
    dictionaries: Vec<usize>,
    /// Where the messages end.
    end: usize,
    /// True if a mark says that there are no more.
    is_marked: bool,
}

/// Finds the messages that begin at `at`.
///
/// Messages are looked at before they are decoded, since what a damaged one declares may be far more
/// than memory has, and the decoder would ask for it.
fn expect_sound(bytes: &[u8], mut at: usize, memory: &Memory) -> Result<Found, Fault> {
    let (mut batches, mut dictionaries) = (Vec::new(), Vec::new());
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(Found { batches, dictionaries, end: bytes.len(), is_marked: false });
        }
        let found = rest.len() as u64;
        let cut = |expected: u64| Fault::Truncated { what: "a message", expected, found };
        let prefix = if rest.starts_with(&CONTINUATION) { 8 } else { 4 };
        let size = rest.get(prefix - 4..prefix).ok_or_else(|| cut(prefix as u64))?;
        let size = size.iter().rev().fold(0, |size, &byte| size << 8 | u64::from(byte));
        if size == 0 {
            return Ok(Found { batches, dictionaries, end: at + prefix, is_marked: true });
        }
        let start = prefix as u64 + size;
        let header = rest.get(prefix..start as usize).ok_or_else(|| cut(start))?;
        let message = root_as_message(header).map_err(|error| Fault::malformed(FORMAT, error))?;
        expect_readable(&message)?;
        let length = u64::try_from(message.bodyLength())
            .map_err(|_| Fault::malformed(FORMAT, "a message of less than nothing"))?;
        let end = start.saturating_add(length);
        if end > found {
            return Err(cut(end));
        }
        expect_room(&message, &rest[start as usize..end as usize], memory)?;
        match message.header_type() {
            MessageHeader::RecordBatch => memory.push(&mut batches, at)?,
            MessageHeader::DictionaryBatch => memory.push(&mut dictionaries, at)?,
            _ => {}
        }
        at += end as usize;
    }
}

/// Checks the version of a message, and of a schema the byte order of all values.
fn expect_readable(message: &Message<'_>) -> Result<(), Fault> {
    let big = |schema: arrow_ipc::Schema<'_>| schema.endianness() == Endianness::Big;
    if message.version() < MetadataVersion::V4 {
        let variant = format!("of the metadata version {:?}, before Arrow 0.8", message.version());
        return Err(Fault::variant(FORMAT, variant, "write it again by a newer program"));
    }
    if message.header_as_schema().is_some_and(big) {
        let remedy = "pyarrow reads it (pyarrow.ipc.open_stream, open_file) and writes it again in the \
                      byte order of this machine";
        return Err(Fault::variant(FORMAT, "of big-endian numbers", remedy));
    }
    Ok(())
}

/// Checks that the footer of a file is there, and that it names the messages that were found.
fn expect_footer(bytes: &[u8], batches: &[usize], dictionaries: &[usize]) -> Result<(), Fault> {
    let missing = || {
        let reason = "its footer is missing, so that it is cut short or still being written";
        Fault::malformed(FORMAT, reason)
    };
    let before = bytes.strip_suffix(MAGIC).ok_or_else(missing)?;
    let (before, length) = before.split_last_chunk::<4>().ok_or_else(missing)?;
    let start = before.len().checked_sub(u32::from_le_bytes(*length) as usize);
    let footer = &before[start.ok_or_else(missing)?..];
    let footer = root_as_footer(footer).map_err(|error| Fault::malformed(FORMAT, error))?;
    let of = |block: &Block| usize::try_from(block.offset()).unwrap_or(usize::MAX);
    let rows = footer.recordBatches().into_iter().flatten().map(of).eq(batches.iter().copied());
    let mut words: Vec<usize> = footer.dictionaries().into_iter().flatten().map(of).collect();
    words.sort_unstable();
    match rows && words == dictionaries {
        true => Ok(()),
        false => Err(Fault::malformed(FORMAT, "its footer names other messages than it has")),
    }
}

/// Checks that nothing follows the end of a stream, but for filling.
fn expect_end(after: &[u8]) -> Result<(), Fault> {
    match after.iter().all(|&byte| byte == 0) {
        true => Ok(()),
        false => {
            let reason = format!(
                "{} bytes follow the end of the stream: give each stream a file of its own",
                after.len()
            );
            Err(Fault::malformed(FORMAT, reason))
        }
    }
}

/// Checks that what a message declares to be compressed fits into memory.
fn expect_room(message: &Message<'_>, body: &[u8], memory: &Memory) -> Result<(), Fault> {
    let of_dictionary = || message.header_as_dictionary_batch().and_then(|batch| batch.data());
    let Some(batch) = message.header_as_record_batch().or_else(of_dictionary) else {
        return Ok(());
    };
    if batch.compression().is_none() {
        return Ok(());
    }
    let mut declared = 0_u64;
    for buffer in batch.buffers().into_iter().flatten() {
        let start = usize::try_from(buffer.offset()).unwrap_or(usize::MAX);
        let length = start.checked_add(8).and_then(|end| body.get(start..end));
        let length = length.and_then(|bytes| bytes.try_into().ok()).map(i64::from_le_bytes);
        declared = declared.saturating_add(length.unwrap_or(0).max(0) as u64);
    }
    memory.take(declared)?;
    memory.give_back(declared);
    Ok(())
}

fn fault(error: ArrowError) -> Fault {
    match error {
        ArrowError::IoError(_, error) => error.into(),
        error => Fault::malformed(FORMAT, error),
    }
}
