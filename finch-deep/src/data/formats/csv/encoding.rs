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
    reader: Box<dyn BufRead>,
    memory: &Memory,
) -> Result<(Box<dyn BufRead>, Encoding), Fault> {
    let mut reader = decoded(reader, memory)?;
    let start = reader.fill_buf()?;
    let bare = |pair: &[u8]| pair[0] == b'\r' && pair[1] != b'\r';
    let has_returns = !start.contains(&b'\n') && start.windows(2).any(bare);
    let encoding = Encoding::default();
    let (script, plain, converted, at) = (Script::Ascii, 0, Vec::new(), 0);
    let recoded = Recoded { reader, script, plain, converted, at, encoding: encoding.clone() };
    let reader: Box<dyn BufRead> = match has_returns {
        true => Box::new(LineFeeds { reader: recoded, converted: Vec::new(), at: 0 }),
        false => Box::new(recoded),
    };
    Ok((reader, encoding))
}

/// The text as UTF-8, where its first bytes say that it is UTF-16, which spreadsheets write.
pub(in crate::data) fn decoded(
    mut reader: Box<dyn BufRead>,
    memory: &Memory,
) -> Result<Box<dyn BufRead>, Fault> {
    let unit: fn([u8; 2]) -> u16 = match reader.fill_buf()? {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return Ok(reader),
    };
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

/// A text as UTF-8, of either encoding. Bytes that are as they should be go through.
struct Recoded {
    reader: Box<dyn BufRead>,
    script: Script,
    /// The next bytes of the reader that are known to go through: a reader of lines asks once for each of these.
    plain: usize,
    /// Bytes that had to be looked at together, or were of Windows-1252.
    converted: Vec<u8>,
    at: usize,
    encoding: Encoding,
}

impl Recoded {
    /// The number of bytes at hand that go through; 0 where bytes were converted, and at the end.
    fn plain(&mut self) -> io::Result<usize> {
        if self.plain > 0 {
            return Ok(self.plain);
        }
        let available = self.reader.fill_buf()?;
        let ascii = match available.is_ascii() {
            true => available.len(),
            false => available.iter().position(|byte| !byte.is_ascii()).unwrap_or_default(),
        };
        match self.script {
            Script::Utf8 => return Ok(available.len()),
            _ if ascii > 0 || available.is_empty() => {
                self.plain = ascii;
                return Ok(ascii);
            }
            Script::Ascii => self.look()?,
            Script::Windows => {
                self.converted.extend_from_slice(available);
                let length = available.len();
                self.reader.consume(length);
            }
        }
        if self.script == Script::Windows {
            let (text, _) = WINDOWS_1252.decode_without_bom_handling(&self.converted);
            self.converted = text.into_owned().into_bytes();
        }
        Ok(0)
    }

    /// Takes the first character beyond ASCII, which tells the encoding.
    fn look(&mut self) -> io::Result<()> {
        loop {
            let Some(&next) = self.reader.fill_buf()?.first() else { break };
            self.converted.push(next);
            self.reader.consume(1);
            match std::str::from_utf8(&self.converted) {
                Ok(_) => {
                    self.script = Script::Utf8;
                    return Ok(());
                }
                Err(error) if error.error_len().is_none() => {}
                Err(_) => break,
            }
        }
        self.script = Script::Windows;
        self.encoding.0.store(true, Ordering::Relaxed);
        Ok(())
    }
}

impl BufRead for Recoded {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.converted.len() {
            self.converted.clear();
            self.at = 0;
            match self.plain()? {
                0 => {}
                length => return Ok(&self.reader.fill_buf()?[..length]),
            }
        }
        Ok(&self.converted[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        match self.converted.is_empty() {
            true => {
                self.plain = self.plain.saturating_sub(amount);
                self.reader.consume(amount);
            }
            false => self.at += amount,
        }
    }
}

impl Read for Recoded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        copied(self, buffer)
    }
}

/// A text whose lines end with carriage returns, with line feeds in their place.
struct LineFeeds<R> {
    reader: R,
    converted: Vec<u8>,
    at: usize,
}

impl<R: BufRead> BufRead for LineFeeds<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.converted.len() {
            let available = self.reader.fill_buf()?;
            let fed = available.iter().map(|&byte| if byte == b'\r' { b'\n' } else { byte });
            self.converted.clear();
            self.converted.extend(fed);
            self.at = 0;
            let length = self.converted.len();
            self.reader.consume(length);
        }
        Ok(&self.converted[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        self.at += amount;
    }
}

impl<R: BufRead> Read for LineFeeds<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        copied(self, buffer)
    }
}

/// Copies what is at hand.
fn copied(reader: &mut dyn BufRead, buffer: &mut [u8]) -> io::Result<usize> {
    let available = reader.fill_buf()?;
    let length = available.len().min(buffer.len());
    buffer[..length].copy_from_slice(&available[..length]);
    reader.consume(length);
    Ok(length)
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
            (b"a;b\r1;K\xf6\r2;x\r", "a;b\n1;Kö\n2;x\n", true),
            (b"a\r\nb\rc\n", "a\r\nb\rc\n", false),
        ] {
            for capacity in [3, 5, 64] {
                // Line ends are told by all that is at hand at first.
                if capacity < 64 && bytes.contains(&b'\r') {
                    continue;
                }
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
