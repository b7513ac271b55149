//! Arrow IPC: a stream of messages, which a file (Feather) has between two magic words.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::{Message, root_as_message};
use arrow_schema::{ArrowError, Schema};

use super::super::error::Fault;
use super::super::memory::Memory;
use super::super::source::Source;

const FORMAT: &str = "an Arrow file";
/// How files begin, filled up to whole words.
const MAGIC: &[u8] = b"ARROW1";
const WORD: usize = 8;
/// How files of the first version of Feather begin, which is another format.
const FEATHER_1: &[u8] = b"FEA1";
/// How a message begins, but for those of versions before 0.15.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The messages of a stream.
pub(super) struct Messages {
    decoder: StreamDecoder,
    /// What is not decoded yet.
    rest: Buffer,
    /// Rows that were decoded to have the schema.
    first: Option<RecordBatch>,
    pub(super) schema: Arc<Schema>,
}

impl Messages {
    /// Reads a whole file into memory, and its first rows.
    pub(super) fn open(source: Source, memory: &Memory) -> Result<Self, Fault> {
        let mut is_file = false;
        let check = |start: &[u8]| {
            is_file = start.starts_with(MAGIC);
            if start.starts_with(FEATHER_1) {
                let reason = "Feather of version 1: write it again by a newer program";
                return Err(Fault::malformed(FORMAT, reason));
            }
            match is_file || start.starts_with(&CONTINUATION) {
                true => Ok(()),
                false => Err(Fault::magic(FORMAT, "\"ARROW1\" or \"\\xff\\xff\\xff\\xff\"", start)),
            }
        };
        let bytes = source.bytes(MAGIC.len(), check, memory)?;
        // Writers fill up to an alignment of their own.
        let words = bytes.chunks_exact(WORD).skip(1);
        let filled = words.take_while(|word| word.iter().all(|&byte| byte == 0)).count();
        let start = if is_file { (1 + filled) * WORD } else { 0 };
        let end = expect_sound(&bytes, start, memory)?;
        let mut rest =
            Buffer::from_vec(bytes).slice_with_length(start.min(end), end.saturating_sub(start));
        let mut decoder = StreamDecoder::new();
        let first = decoder.decode(&mut rest).map_err(fault)?;
        let schema = decoder.schema().ok_or(Fault::Empty)?;
        Ok(Self { decoder, rest, first, schema })
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

/// Where the messages end that begin at `at`.
///
/// Messages are looked at before they are decoded, since what a damaged one declares may be far more
/// than memory has, and the decoder would ask for it.
fn expect_sound(bytes: &[u8], mut at: usize, memory: &Memory) -> Result<usize, Fault> {
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(bytes.len());
        }
        let found = rest.len() as u64;
        let cut = |expected: u64| Fault::Truncated { what: "a message", expected, found };
        let prefix = if rest.starts_with(&CONTINUATION) { 8 } else { 4 };
        let size = rest.get(prefix - 4..prefix).ok_or_else(|| cut(prefix as u64))?;
        let size = size.iter().rev().fold(0, |size, &byte| size << 8 | u64::from(byte));
        if size == 0 {
            return Ok(at + prefix);
        }
        let start = prefix as u64 + size;
        let header = rest.get(prefix..start as usize).ok_or_else(|| cut(start))?;
        let message = root_as_message(header).map_err(|error| Fault::malformed(FORMAT, error))?;
        let length = u64::try_from(message.bodyLength())
            .map_err(|_| Fault::malformed(FORMAT, "a message of less than nothing"))?;
        let end = start.saturating_add(length);
        if end > found {
            return Err(cut(end));
        }
        expect_room(&message, &rest[start as usize..end as usize], memory)?;
        at += end as usize;
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
