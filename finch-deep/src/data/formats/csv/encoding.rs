//! The encoding of a text file, of which readers see UTF-8 alone.
//!
//! UTF-16 is told by the mark that it begins with. A text whose first character beyond ASCII is not of UTF-8 is one of
//! Windows-1252, which spreadsheets and statistics programs of Western Europe write; Latin-1 is the same, but for
//! characters that nobody types.

use std::io::{self, BufRead, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use encoding_rs::WINDOWS_1252;

use crate::data::error::Fault;
use crate::data::error::note::Note;
use crate::data::source::memory::Memory;

/// Bytes of a character of UTF-8, at most.
const LONGEST_CHARACTER: usize = 4;

/// Bytes of UTF-16 that are read at a time.
const BLOCK: usize = 1 << 20;

/// The encoding that a text turns out to have while it is read.
#[derive(Clone, Debug, Default)]
pub(in crate::data) struct Encoding(Arc<AtomicBool>);

impl Encoding {
    /// The note on a text of Windows-1252, as far as it has been read.
    pub(in crate::data) fn note(&self) -> Option<Note> {
        self.0.load(Ordering::Relaxed).then_some(Note::Windows)
    }
}

/// A table of text as UTF-8, with line feeds where lines ended with carriage returns alone, and its encoding.
pub(in crate::data) fn recoded(
    mut reader: Box<dyn BufRead>,
    memory: &Memory,
) -> Result<(Box<dyn BufRead>, Encoding), Fault> {
    let encoding = Encoding::default();
    let is_utf16 = utf16_of(reader.fill_buf()?).is_some();
    let reader = decoded(reader, memory)?;
    let reader = match is_utf16 {
        true => reader,
        false => {
            let (script, encoding) = (Script::Ascii, encoding.clone());
            Box::new(Changed::new(Recoded { reader, script, plain: 0, encoding }))
        }
    };
    Ok((Box::new(Changed::new(LineFeeds { reader, ends: None })), encoding))
}

/// The order of the bytes of UTF-16, if a text begins with its mark.
fn utf16_of(start: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    match start {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
        _ => None,
    }
}

/// The text as UTF-8, where its first bytes say that it is UTF-16, which spreadsheets write.
pub(in crate::data) fn decoded(
    mut reader: Box<dyn BufRead>,
    memory: &Memory,
) -> Result<Box<dyn BufRead>, Fault> {
    let Some(unit) = utf16_of(reader.fill_buf()?) else { return Ok(reader) };
    let mut bytes = Vec::new();
    loop {
        let read = (&mut reader).take(BLOCK as u64).read_to_end(&mut bytes)?;
        memory.take(2 * read as u64)?;
        if read < BLOCK {
            break;
        }
    }
    let units = bytes[2..].chunks(2).map(|pair| unit([pair[0], *pair.get(1).unwrap_or(&0)]));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    memory.give_back(2 * bytes.len() as u64);
    match text {
        Ok(text) => Ok(Box::new(Cursor::new(text.into_bytes()))),
        Err(_) => Err(Fault::malformed("a text table", "it begins as UTF-16, and is none")),
    }
}

/// The characters that have been seen.
#[derive(Clone, Copy, PartialEq)]
enum Script {
    /// None beyond ASCII.
    Ascii,
    Utf8,
    Windows,
}

/// A change of the bytes of a reader, which leaves most as they are.
trait Change {
    fn reader(&mut self) -> &mut dyn BufRead;

    /// The number of bytes at hand that go through; 0 where bytes were taken and `converted`, and at the end.
    fn plain(&mut self, converted: &mut Vec<u8>) -> io::Result<usize>;

    /// Hears of bytes that went through.
    fn passed(&mut self, _: usize) {}
}

/// A reader of changed bytes.
struct Changed<C> {
    change: C,
    converted: Vec<u8>,
    at: usize,
}

impl<C: Change> Changed<C> {
    fn new(change: C) -> Self {
        Self { change, converted: Vec::new(), at: 0 }
    }
}

impl<C: Change> BufRead for Changed<C> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.converted.len() {
            self.converted.clear();
            self.at = 0;
            match self.change.plain(&mut self.converted)? {
                0 => {}
                length => return Ok(&self.change.reader().fill_buf()?[..length]),
            }
        }
        Ok(&self.converted[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        match self.converted.is_empty() {
            true => {
                self.change.passed(amount);
                self.change.reader().consume(amount);
            }
            false => self.at += amount,
        }
    }
}

impl<C: Change> Read for Changed<C> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let length = available.len().min(buffer.len());
        buffer[..length].copy_from_slice(&available[..length]);
        self.consume(length);
        Ok(length)
    }
}

/// The next byte of a reader, which is not taken; none at the end.
fn next_byte(reader: &mut dyn BufRead) -> io::Result<Option<u8>> {
    loop {
        match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return Ok(other?.first().copied()),
        }
    }
}

/// A text as UTF-8, of either encoding. Bytes that are as they should be go through.
struct Recoded {
    reader: Box<dyn BufRead>,
    script: Script,
    /// The next bytes of the reader that are known to go through: a reader of lines asks once for each of these.
    plain: usize,
    encoding: Encoding,
}

impl Change for Recoded {
    fn reader(&mut self) -> &mut dyn BufRead {
        &mut self.reader
    }

    fn plain(&mut self, converted: &mut Vec<u8>) -> io::Result<usize> {
        if self.plain > 0 {
            return Ok(self.plain);
        }
        let available = self.reader.fill_buf()?;
        if self.script == Script::Utf8 {
            return Ok(available.len());
        }
        let is_beyond = |byte: &u8| !byte.is_ascii();
        let ascii = available.iter().position(is_beyond).unwrap_or(available.len());
        if ascii > 0 || available.is_empty() {
            self.plain = ascii;
            return Ok(ascii);
        }
        if self.script == Script::Ascii {
            self.script = match available.len() < LONGEST_CHARACTER {
                true => first_character(&mut self.reader, converted)?,
                false => script_of(available),
            };
            if self.script == Script::Utf8 {
                let is_taken = !converted.is_empty();
                return if is_taken { Ok(0) } else { Ok(self.reader.fill_buf()?.len()) };
            }
            self.encoding.0.store(true, Ordering::Relaxed);
        }
        let available = self.reader.fill_buf()?;
        converted.extend_from_slice(available);
        let length = available.len();
        self.reader.consume(length);
        let (text, _) = WINDOWS_1252.decode_without_bom_handling(converted);
        *converted = text.into_owned().into_bytes();
        Ok(0)
    }

    fn passed(&mut self, amount: usize) {
        self.plain = self.plain.saturating_sub(amount);
    }
}

/// Takes the first character beyond ASCII byte by byte, where not all of it may have arrived; and says what it is of.
fn first_character(reader: &mut dyn BufRead, taken: &mut Vec<u8>) -> io::Result<Script> {
    while let Some(next) = next_byte(reader)? {
        taken.push(next);
        reader.consume(1);
        match std::str::from_utf8(taken) {
            Ok(_) => return Ok(Script::Utf8),
            Err(error) if error.error_len().is_none() => {}
            Err(_) => break,
        }
    }
    Ok(Script::Windows)
}

/// The script of a text that is not of ASCII alone, by most of its characters beyond: a byte may be damaged.
fn script_of(text: &[u8]) -> Script {
    let (mut characters, mut faults) = (0, 0);
    for chunk in text.utf8_chunks() {
        characters += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        faults += usize::from(!chunk.invalid().is_empty());
    }
    // The last character may be cut.
    if faults > characters + 1 || characters == 0 { Script::Windows } else { Script::Utf8 }
}

/// A text whose lines may end with carriage returns alone, with line feeds in their place. The first line end tells.
struct LineFeeds {
    reader: Box<dyn BufRead>,
    /// The ends of lines, once they are known.
    ends: Option<Ends>,
}

#[derive(Clone, Copy)]
enum Ends {
    /// Of line feeds, behind carriage returns or not: nothing is to be done.
    Feeds,
    Returns,
}

impl Change for LineFeeds {
    fn reader(&mut self) -> &mut dyn BufRead {
        &mut self.reader
    }

    fn plain(&mut self, converted: &mut Vec<u8>) -> io::Result<usize> {
        let available = self.reader.fill_buf()?;
        match self.ends {
            Some(Ends::Feeds) => return Ok(available.len()),
            Some(Ends::Returns) => {
                let fed = available.iter().map(|&byte| if byte == b'\r' { b'\n' } else { byte });
                converted.extend(fed);
                let length = available.len();
                self.reader.consume(length);
                return Ok(0);
            }
            None => {}
        }
        match available.iter().position(|byte| b"\r\n".contains(byte)) {
            None => return Ok(available.len()),
            Some(at) if at > 0 => return Ok(at),
            _ if available[0] == b'\n' => {
                self.ends = Some(Ends::Feeds);
                return Ok(available.len());
            }
            _ => {}
        }
        self.reader.consume(1);
        let (ends, end) = match next_byte(&mut self.reader)? {
            Some(b'\n') => (Ends::Feeds, b'\r'),
            _ => (Ends::Returns, b'\n'),
        };
        self.ends = Some(ends);
        converted.push(end);
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// However the bytes of a text arrive.
    #[test]
    fn texts_are_read_as_they_were_written() {
        for (bytes, expected, is_windows) in [
            (&b"a,b\n1,2\n"[..], "a,b\n1,2\n", false),
            ("Köln,£5\nÅ,2".as_bytes(), "Köln,£5\nÅ,2", false),
            (b"K\xf6ln,\xa35\n\x80,2", "Köln,£5\n€,2", true),
            (b"a\xe4", "aä", true),
            (b"19\xa0769;\x96", "19\u{a0}769;–", true),
            (b"a\xc3\xa4\xff", "aä\u{fffd}", false),
            (b"\xff\xff\xff\xff", "ÿÿÿÿ", true),
            (b"a;b\r1;K\xf6\r2;x\r", "a;b\n1;Kö\n2;x\n", true),
            (b"a\r\nb\rc\n", "a\r\nb\rc\n", false),
            (b"a\nb\rc\r", "a\nb\rc\r", false),
            (b"\r", "\n", false),
        ] {
            for capacity in [1, 3, 5, 64] {
                let reader = Box::new(BufReader::with_capacity(capacity, bytes));
                let (mut reader, encoding) = recoded(reader, &Memory::new(None)).unwrap();
                let mut read = Vec::new();
                reader.read_to_end(&mut read).unwrap();
                assert_eq!(String::from_utf8_lossy(&read), expected);
                assert_eq!(encoding.note().is_some(), is_windows, "{expected}");
            }
        }
    }
}
