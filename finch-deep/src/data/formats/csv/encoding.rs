//! The encoding of a text file, of which readers see UTF-8 alone.
//!
//! UTF-16 is told by the mark that it begins with, or by the zero bytes beside its first letters. A text that is no UTF-8 where its first characters beyond ASCII are
//! is of the encoding that these most likely are of, as a browser finds it.

use std::io::{self, BufRead, Cursor, Read};
use std::sync::{Arc, OnceLock};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Decoder, ISO_8859_2, WINDOWS_1250, WINDOWS_1252};

use crate::data::error::Fault;
use crate::data::error::note::Note;
use crate::data::source::memory::Memory;

/// Bytes from the first character beyond ASCII on, by which the encoding is told.
const LOOKED_AT: usize = 1 << 16;

/// First bytes by which UTF-16 without a mark is told, the zeros among them at least, and how many times as many are on
/// one side of letters as on the other.
const ZEROS_WITHIN: usize = 512;
const FEWEST_ZEROS: usize = 3;
const ZEROS_OF_ONE_SIDE: usize = 8;

/// Bytes of UTF-16 that are read at a time.
const BLOCK: usize = 1 << 20;

/// The encoding that a text turns out to have while it is read, if that is not UTF-8.
#[derive(Clone, Debug, Default)]
pub(in crate::data) struct Encoding(Arc<OnceLock<&'static encoding_rs::Encoding>>);

impl Encoding {
    /// The note on a text that is no UTF-8, as far as it has been read.
    pub(in crate::data) fn note(&self) -> Option<Note> {
        self.0.get().map(|encoding| Note::Encoding(encoding.name()))
    }

    /// A text of the encoding as UTF-8, with line feeds where lines ended with carriage returns alone. An encoding that
    /// is not known yet is found.
    pub(in crate::data) fn recoded(
        &self,
        mut reader: Box<dyn BufRead>,
        memory: &Memory,
    ) -> Result<Box<dyn BufRead>, Fault> {
        let start = reader.fill_buf()?;
        let (is_utf16, is_drawn) = (is_utf16(start), is_drawn(start));
        let mut reader = decoded(reader, memory)?;
        if !is_utf16 {
            let (script, encoding) = (Script::Ascii, self.clone());
            reader = Box::new(Changed::new(Recoded { reader, script, plain: 0, encoding }));
        }
        if is_drawn {
            reader = redrawn(reader, memory)?;
        }
        Ok(Box::new(Changed::new(LineFeeds { reader, ends: None })))
    }
}

/// The number of two bytes.
type Unit = fn([u8; 2]) -> u16;

/// The order of the bytes of UTF-16, and the bytes of its mark, if a text begins as UTF-16.
fn utf16_of(start: &[u8]) -> Option<(Unit, usize)> {
    match start {
        [0xff, 0xfe, ..] => return Some((u16::from_le_bytes, 2)),
        [0xfe, 0xff, ..] => return Some((u16::from_be_bytes, 2)),
        _ => {}
    }
    // Separators and line ends have a zero byte, whatever letters are between them.
    let start = &start[..start.len().min(ZEROS_WITHIN)];
    let zeros = |of: usize| start.iter().skip(of).step_by(2).filter(|&&byte| byte == 0).count();
    let (first, second) = (zeros(0), zeros(1));
    // Bytes of letters may be those of separators, but for most of them.
    let is_sound = |zero: usize| {
        let separates = |pair: &&[u8]| b",;\t\n".contains(&pair[1 - zero]);
        let separators = || start.chunks_exact(2).filter(separates);
        2 * separators().filter(|pair| pair[zero] == 0).count() >= separators().count()
    };
    match () {
        () if second >= FEWEST_ZEROS && second > ZEROS_OF_ONE_SIDE * first && is_sound(1) => {
            Some((u16::from_le_bytes, 0))
        }
        () if first >= FEWEST_ZEROS && first > ZEROS_OF_ONE_SIDE * second && is_sound(0) => {
            Some((u16::from_be_bytes, 0))
        }
        () => None,
    }
}

/// True if a text begins as UTF-16.
pub(in crate::data) fn is_utf16(start: &[u8]) -> bool {
    utf16_of(start).is_some()
}

/// The text as UTF-8, where its first bytes say that it is UTF-16, which spreadsheets write.
pub(in crate::data) fn decoded(
    mut reader: Box<dyn BufRead>,
    memory: &Memory,
) -> Result<Box<dyn BufRead>, Fault> {
    let Some((unit, mark)) = utf16_of(reader.fill_buf()?) else { return Ok(reader) };
    let bytes = whole(&mut reader, memory)?;
    let units = bytes[mark..].chunks(2).map(|pair| unit([pair[0], *pair.get(1).unwrap_or(&0)]));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    memory.give_back(2 * bytes.len() as u64);
    match text {
        Ok(text) => Ok(Box::new(Cursor::new(text.into_bytes()))),
        Err(_) => Err(Fault::malformed("a text table", "it begins as UTF-16, and is none")),
    }
}

/// All bytes of a reader, for which twice as much memory is taken: for what is made of them, too.
fn whole(mut reader: &mut dyn BufRead, memory: &Memory) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    loop {
        let read = (&mut reader).take(BLOCK as u64).read_to_end(&mut bytes)?;
        memory.take(2 * read as u64)?;
        if read < BLOCK {
            return Ok(bytes);
        }
    }
}

/// True if the first lines of a text draw a table by lines of Unicode, as prints of databases do.
fn is_drawn(start: &[u8]) -> bool {
    let signs = ["│", "┌", "║", "╔", "─", "═"].map(str::as_bytes);
    let mut lines = start.split(|&byte| byte == b'\n').take(2);
    lines.any(|line| {
        let begins = || signs.iter().any(|sign| line.trim_ascii_start().starts_with(sign));
        let bars = || line.windows(3).filter(|three| signs.contains(three)).count();
        !line.iter().any(|byte| b",;\t".contains(byte)) && (begins() || bars() > 1)
    })
}

/// The text with bars, strokes and crossings of ASCII for those of Unicode.
fn redrawn(mut reader: Box<dyn BufRead>, memory: &Memory) -> Result<Box<dyn BufRead>, Fault> {
    let bytes = whole(&mut reader, memory)?;
    let to_ascii = |drawn: char| match drawn {
        '│' | '┃' | '║' => '|',
        '─' | '━' | '═' => '-',
        '\u{2500}'..='\u{257f}' => '+',
        other => other,
    };
    let text: String = String::from_utf8_lossy(&bytes).chars().map(to_ascii).collect();
    memory.give_back(2 * bytes.len() as u64);
    Ok(Box::new(Cursor::new(text.into_bytes())))
}

/// The characters that have been seen.
enum Script {
    /// None beyond ASCII.
    Ascii,
    Utf8,
    Other(Decoder),
    Ended,
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

/// A text as UTF-8. Bytes that are as they should be go through.
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
        match &mut self.script {
            Script::Ended => return Ok(0),
            Script::Utf8 => return Ok(self.reader.fill_buf()?.len()),
            Script::Ascii => {
                let available = self.reader.fill_buf()?;
                let is_beyond = |byte: &u8| !byte.is_ascii();
                let ascii = available.iter().position(is_beyond).unwrap_or(available.len());
                self.plain = ascii;
                if ascii > 0 || available.is_empty() {
                    return Ok(ascii);
                }
            }
            Script::Other(decoder) => {
                // Bytes at hand may be the first of a character alone, and the text goes on all the same.
                while converted.is_empty() {
                    let available = self.reader.fill_buf()?;
                    let (length, is_end) = (available.len(), available.is_empty());
                    decode(decoder, available, is_end, converted);
                    self.reader.consume(length);
                    if is_end {
                        self.script = Script::Ended;
                        break;
                    }
                }
                return Ok(0);
            }
        }
        // However the bytes arrive, the same ones tell.
        let mut looked_at = Vec::new();
        (&mut self.reader).take(LOOKED_AT as u64).read_to_end(&mut looked_at)?;
        if self.encoding.0.get().is_none() && is_utf8(&looked_at) {
            (self.script, *converted) = (Script::Utf8, looked_at);
            return Ok(0);
        }
        let encoding = self.encoding.0.get_or_init(|| encoding_of(&looked_at));
        let mut decoder = encoding.new_decoder_without_bom_handling();
        decode(&mut decoder, &looked_at, false, converted);
        self.script = Script::Other(decoder);
        // Less than one character may be there.
        if converted.is_empty() { self.plain(converted) } else { Ok(0) }
    }

    fn passed(&mut self, amount: usize) {
        self.plain = self.plain.saturating_sub(amount);
    }
}

/// Appends bytes as UTF-8 to those that were decoded before.
fn decode(decoder: &mut Decoder, bytes: &[u8], is_end: bool, converted: &mut Vec<u8>) {
    let start = converted.len();
    let most = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(3 * bytes.len() + 3);
    converted.resize(start + most, 0);
    let (_, _, written, _) = decoder.decode_to_utf8(bytes, &mut converted[start..], is_end);
    converted.truncate(start + written);
}

/// True if nearly all characters beyond ASCII are of UTF-8: a byte may be damaged.
fn is_utf8(text: &[u8]) -> bool {
    let (mut characters, mut faults) = (0, 0);
    for chunk in text.utf8_chunks() {
        characters += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        faults += usize::from(!chunk.invalid().is_empty());
    }
    // The last character may be cut.
    faults <= characters.div_ceil(4) && characters > 0
}

/// The encoding of a text that is no UTF-8: by its letters, and Windows-1252 where signs such as `£`, `µ` and `–` are all
/// that is beyond ASCII.
fn encoding_of(text: &[u8]) -> &'static encoding_rs::Encoding {
    let (western, _) = WINDOWS_1252.decode_without_bom_handling(text);
    if !western.chars().any(|c| c.is_alphabetic() && !c.is_ascii() && c != 'µ') {
        return WINDOWS_1252;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    // The last character may be cut, and would be held against its encoding at an end.
    detector.feed(text, false);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let is_central = [WINDOWS_1250, ISO_8859_2].contains(&guess);
    if is_central && is_iberian(text, guess) { WINDOWS_1252 } else { guess }
}

/// True if each letter and sign of a short text that Windows-1252 has elsewhere stands where Spanish and Portuguese have
/// it: `ñ` before a vowel, `ã` before `o`, `½` behind a number; `ń` is before none, and `ă` not before `o`.
fn is_iberian(text: &[u8], other: &'static encoding_rs::Encoding) -> bool {
    let differs = |byte: u8| {
        let bytes = [byte];
        let (western, _) = WINDOWS_1252.decode_without_bom_handling(&bytes);
        let (central, _) = other.decode_without_bom_handling(&bytes);
        western != central
    };
    let fits = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| text.get(at)).copied().unwrap_or(b' ');
        let after = text.get(at + 1).copied().unwrap_or(b' ').to_ascii_lowercase();
        let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0xc0;
        match text[at] {
            0xf1 | 0xd1 => b"aeiou\xe1\xe9\xed\xf3\xfa".contains(&after),
            0xe3 | 0xc3 => after == b'o',
            0xf5 | 0xd5 => after == b'e',
            // `½`, `¼`, `¾`.
            0xbc..=0xbe => !is_letter(before) && !is_letter(after),
            // `1º`, `2ª`, `nº`.
            0xba | 0xaa => !is_letter(after) && (before.is_ascii_digit() || before == b'n'),
            // `¿`, `¡`.
            0xbf | 0xa1 => !is_letter(before) && is_letter(after),
            _ => false,
        }
    };
    let mut found = (0..text.len()).filter(|&at| !text[at].is_ascii() && differs(text[at]));
    found.clone().next().is_some() && found.all(fits)
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
        for (bytes, expected, name) in [
            (&b"a,b\n1,2\n"[..], "a,b\n1,2\n", None),
            ("Köln,£5\nÅ,2".as_bytes(), "Köln,£5\nÅ,2", None),
            (b"K\xf6ln,\xa35\n\x80,2", "Köln,£5\n€,2", Some("windows-1252")),
            (b"19\xa0769;\x96", "19\u{a0}769;–", Some("windows-1252")),
            (b"size (\xb5m)\n\xa35", "size (µm)\n£5", Some("windows-1252")),
            // The first character is one of UTF-8 by chance.
            (b"\xc4\xa3\xb0\xe5,1\n\xc4\xa3\xca\xbd,2\n", "模板,1\n模式,2\n", Some("GBK")),
            (b"a\xc3\xa4\xff", "aä\u{fffd}", None),
            (b"\xcc\xee\xf1\xea\xe2\xe0;1\n", "Москва;1\n", Some("windows-1251")),
            (b"\xa3\xf3d\xbc;\xb1;1\n", "Łódź;ą;1\n", Some("ISO-8859-2")),
            (b"\x93\x8c\x8b\x9e;1\n\x91\xe5\x8d\xe3", "東京;1\n大阪", Some("Shift_JIS")),
            (b"\xb1\xb1\xbe\xa9,1\n\xc9\xcf\xba\xa3", "北京,1\n上海", Some("GBK")),
            // A character is cut at the end.
            (b"\x93\x8c\x8b\x9e\x93s;1\n\x91\xe5\x8d\xe3\x95{;2\n\x96\xbc\x8c\xc3\x89\xae\x8es;3\n\x91", "東京都;1\n大阪府;2\n名古屋市;3\n\u{fffd}", Some("Shift_JIS")),
            (b"a;b\r1;K\xf6\r2;x\r", "a;b\n1;Kö\n2;x\n", Some("windows-1252")),
            (b"a\r\nb\rc\n", "a\r\nb\rc\n", None),
            (b"a\nb\rc\r", "a\nb\rc\r", None),
            (b"\r", "\n", None),
        ] {
            for capacity in [1, 3, 5, 64] {
                let reader = Box::new(BufReader::with_capacity(capacity, bytes));
                let encoding = Encoding::default();
                let mut reader = encoding.recoded(reader, &Memory::new(None)).unwrap();
                let mut read = Vec::new();
                reader.read_to_end(&mut read).unwrap();
                assert_eq!(String::from_utf8_lossy(&read), expected);
                assert_eq!(encoding.0.get().map(|found| found.name()), name, "{expected}");
            }
        }
    }

    #[test]
    fn utf16_needs_no_mark() {
        let bits = b"a,f\n1,\0\n2,\x01\n3,\0\n4,\0\n5,\x01\n6,\0\n";
        assert!(!is_utf16(bits));
        for text in [
            "a,Stadt\n1,Köln\n",
            "Город;цена\nОмск;7,2\nЛьгов;5\nБелгород;1\n",
            "都市,値\n東京,1\n大阪,2\n",
        ] {
            for is_little in [true, false] {
                let bytes =
                    |unit: u16| if is_little { unit.to_le_bytes() } else { unit.to_be_bytes() };
                for mark in [None, Some(0xfeff)] {
                    let units = mark.into_iter().chain(text.encode_utf16());
                    let bytes: Vec<u8> = units.flat_map(bytes).collect();
                    let reader = Box::new(Cursor::new(bytes));
                    let mut read = String::new();
                    let reader = Encoding::default().recoded(reader, &Memory::new(None));
                    reader.unwrap().read_to_string(&mut read).unwrap();
                    assert_eq!(read, text);
                }
            }
        }
    }

    /// A detector that asks the first characters alone would take the second half for one of Western Europe.
    #[test]
    fn a_long_text_is_of_one_encoding() {
        let text = format!("{}{}", "Владивосток;1\n".repeat(20_000), "é;2\n".repeat(3));
        let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(&text);
        let encoding = Encoding::default();
        let reader = Box::new(Cursor::new(bytes.into_owned()));
        let mut reader = encoding.recoded(reader, &Memory::new(None)).unwrap();
        let mut read = String::new();
        reader.read_to_string(&mut read).unwrap();
        assert!(read.starts_with(&"Владивосток;1\n".repeat(20_000)));
        // The encoding of the first rows is that of the last ones, which are read apart.
        let reader = Box::new(&b"\xef\xee"[..]);
        let mut reader = encoding.recoded(reader, &Memory::new(None)).unwrap();
        let mut last = String::new();
        reader.read_to_string(&mut last).unwrap();
        assert_eq!(last, "по");
    }
}
