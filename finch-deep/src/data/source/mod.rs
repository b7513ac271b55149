//! An opened file, compressed or not, read with errors that say how many bytes were there.

mod available;
pub(crate) mod guard;
pub(crate) mod held_back;
pub(crate) mod memory;
pub(crate) mod pipe;
pub(crate) mod spool;
mod zstd;

use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::Path;

use flate2::bufread::GzDecoder;

use memory::Memory;
use pipe::Content;

use super::error::Fault;

const BUFFER: usize = 1 << 16;

/// The beginning of gzip files.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The most that deflate can shrink: what decompresses to more than this was not compressed so.
#[cfg(feature = "mat73")]
pub(super) const DEFLATE_RATIO: u64 = 1032;

/// The compression of a file, by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compression {
    Plain,
    Gzip,
    Zstd,
}

impl Compression {
    fn of(start: &[u8]) -> Self {
        match start {
            _ if start.starts_with(&GZIP) => Self::Gzip,
            _ if start.starts_with(&zstd::BEGINNING) => Self::Zstd,
            _ => Self::Plain,
        }
    }
}

/// A file to read once, from its beginning.
pub(super) struct Source {
    file: BufReader<Content>,
    compression: Compression,
    /// Bytes of a regular file; 0 for pipes and the like, whose length nobody knows.
    length: u64,
}

/// The members of a gzip file, which parallel compressors write many of.
///
/// flate2's decoder of several members takes whatever follows a member for the next member, and
/// then reports that as cut short. The decoder is never `None` between two reads.
struct Members(Option<GzDecoder<BufReader<Content>>>);

impl Read for Members {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            match member.get_mut().fill_buf()?.first() {
                None => return Ok(0),
                Some(&first) if first == GZIP[0] => {}
                Some(_) => {
                    let reason = "other bytes follow it";
                    return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
                }
            }
            self.0 = self.0.take().map(|member| GzDecoder::new(member.into_inner()));
        }
        Ok(0)
    }
}

/// The traits that the zip archive needs.
pub(super) trait Seekable: Read + Seek {}
impl<T: Read + Seek> Seekable for T {}

impl Source {
    /// Opens `path`, or standard input where that is [`pipe::STANDARD_INPUT`]. The first bytes tell if it is
    /// compressed, whatever the name.
    pub(super) fn open(path: &Path) -> Result<Self, Fault> {
        Self::of_content(Content::open(path).map_err(Fault::Unreadable)?)
    }

    /// The first bytes of a pipe alone, as if it ended behind them.
    pub(super) fn of_start(start: Vec<u8>) -> Result<Self, Fault> {
        Self::of_content(Content::of_start(start))
    }

    /// The content of an opened file.
    pub(super) fn of(file: File) -> Result<Self, Fault> {
        Self::of_content(Content::of(file))
    }

    fn of_content(content: Content) -> Result<Self, Fault> {
        let metadata = content.file().map(File::metadata).transpose().map_err(Fault::Unreadable)?;
        if metadata.as_ref().is_some_and(Metadata::is_dir) {
            return Err(Fault::Directory);
        }
        let length = metadata.filter(Metadata::is_file).map_or(0, |found| found.len());
        let mut file = BufReader::with_capacity(BUFFER, content);
        let start = file.fill_buf()?;
        if start.is_empty() {
            return Err(Fault::Empty);
        }
        let compression = Compression::of(start);
        if compression == Compression::Zstd {
            zstd::expect_built()?;
        }
        Ok(Self { file, compression, length })
    }

    /// The content, decompressed.
    pub(super) fn reader(self) -> Box<dyn BufRead> {
        match self.compression {
            Compression::Gzip => {
                let members = Members(Some(GzDecoder::new(self.file)));
                Box::new(BufReader::with_capacity(BUFFER, members))
            }
            Compression::Zstd => {
                Box::new(BufReader::with_capacity(BUFFER, zstd::decoded(self.file)))
            }
            Compression::Plain => Box::new(self.file),
        }
    }

    /// The whole content, decompressed. `check` sees its first bytes, up to `start` of them, before
    /// the rest is read: a file of another format may have no end.
    pub(super) fn bytes(
        self,
        start: usize,
        check: impl FnOnce(&[u8]) -> Result<(), Fault>,
        memory: &Memory,
    ) -> Result<Vec<u8>, Fault> {
        let known = self.plain().and_then(|(_, length)| usize::try_from(length).ok());
        let mut reader = self.reader();
        let mut bytes = vec![0; start];
        let read = read_up_to(&mut reader, &mut bytes)?;
        bytes.truncate(read);
        check(&bytes)?;
        memory.reserve(&mut bytes, known.unwrap_or(0).saturating_sub(start))?;
        loop {
            let available = match reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                available => available?,
            };
            if available.is_empty() {
                return Ok(bytes);
            }
            memory.reserve(&mut bytes, available.len())?;
            bytes.extend_from_slice(available);
            let read = available.len();
            reader.consume(read);
        }
    }

    /// The content, decompressed, for going back and forth in it. `check` sees its first bytes, up to
    /// `start` of them.
    pub(super) fn seekable(
        mut self,
        start: usize,
        check: impl FnOnce(&[u8]) -> Result<(), Fault>,
        memory: &Memory,
    ) -> Result<Box<dyn Seekable>, Fault> {
        if self.plain().is_none() {
            return Ok(Box::new(Cursor::new(self.bytes(start, check, memory)?)));
        }
        let mut bytes = vec![0; start];
        let read = read_up_to(&mut self.file, &mut bytes)?;
        check(&bytes[..read])?;
        self.file.rewind()?;
        Ok(Box::new(self.file))
    }

    /// The file itself and its length, if it is a regular one and not compressed.
    pub(super) fn plain(&self) -> Option<(&File, u64)> {
        let is_plain = self.compression == Compression::Plain && self.length > 0;
        self.file.get_ref().file().filter(|_| is_plain).map(|file| (file, self.length))
    }
}

/// Fills `buffer` as far as the reader goes and says how far that was.
pub(super) fn read_up_to(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Fills `buffer`, which `what` names in the error if the reader ends before.
pub(super) fn read_all(
    reader: &mut dyn Read,
    buffer: &mut [u8],
    what: &'static str,
) -> Result<(), Fault> {
    let found = read_up_to(reader, buffer)? as u64;
    let expected = buffer.len() as u64;
    if found < expected { Err(Fault::Truncated { what, expected, found }) } else { Ok(()) }
}

/// Checks that the reader is at its end, which is also when a checksum is compared.
pub(super) fn read_end(reader: &mut dyn Read, expected: u64) -> Result<(), Fault> {
    match read_up_to(reader, &mut [0])? {
        0 => Ok(()),
        _ => Err(Fault::Surplus { expected }),
    }
}
