//! An opened file, gzip or not.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::error::Fault;

const BUFFER: usize = 1 << 16;

/// The most that deflate can shrink: what decompresses to more than this was not compressed so.
pub(super) const DEFLATE_RATIO: u64 = 1032;

/// A file to read once, from its beginning.
pub(super) struct Source {
    file: BufReader<File>,
    gzip: bool,
    /// Bytes of a regular file; 0 for pipes and the like, whose length nobody knows.
    length: u64,
}

/// What the zip archive needs.
pub(super) trait Seekable: Read + Seek {}
impl<T: Read + Seek> Seekable for T {}

impl Source {
    /// Opens `path`. Whether it is gzip is told by its first bytes, whatever the name.
    pub(super) fn open(path: &Path) -> Result<Self, Fault> {
        let file = File::open(path).map_err(Fault::Unreadable)?;
        let metadata = file.metadata().map_err(Fault::Unreadable)?;
        if metadata.is_dir() {
            return Err(Fault::Directory);
        }
        let length = if metadata.is_file() { metadata.len() } else { 0 };
        let mut file = BufReader::with_capacity(BUFFER, file);
        let start = file.fill_buf()?;
        if start.is_empty() {
            return Err(Fault::Empty);
        }
        let gzip = start.starts_with(&[0x1f, 0x8b]);
        Ok(Self { file, gzip, length })
    }

    /// The content, decompressed.
    pub(super) fn reader(self) -> Box<dyn BufRead> {
        match self.gzip {
            true => Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(self.file))),
            false => Box::new(self.file),
        }
    }

    /// The whole content, decompressed.
    pub(super) fn bytes(self) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        self.reader().read_to_end(&mut bytes).map_err(|error| match error.kind() {
            io::ErrorKind::OutOfMemory => Fault::Memory { bytes: bytes.capacity() as u64 },
            _ => error.into(),
        })?;
        Ok(bytes)
    }

    /// The content, decompressed, for going back and forth in it.
    pub(super) fn seekable(self) -> Result<Box<dyn Seekable>, Fault> {
        match self.gzip || self.length == 0 {
            true => Ok(Box::new(Cursor::new(self.bytes()?))),
            false => Ok(Box::new(self.file)),
        }
    }

    /// The file itself and its length, if it is a regular one and not compressed.
    pub(super) fn plain(&self) -> Option<(&File, u64)> {
        (!self.gzip && self.length > 0).then(|| (self.file.get_ref(), self.length))
    }
}
