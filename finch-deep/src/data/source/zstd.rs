//! Files that zstd compressed.

use std::io::{self, BufReader, Read};

use super::pipe::Content;
use crate::data::error::Fault;

/// The beginning of such files.
pub(super) const BEGINNING: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Checks that this build has the decoder.
pub(super) fn expect_built() -> Result<(), Fault> {
    match cfg!(feature = "zstd") {
        true => Ok(()),
        false => Err(Fault::NoZstd),
    }
}

/// The decompressed content, of all frames: parallel compressors write many.
#[cfg(feature = "zstd")]
pub(super) fn decoded(file: BufReader<Content>) -> impl Read {
    use zstd::stream::read::Decoder;

    /// A decoder that could not be had is an error of the first read.
    struct Frames(io::Result<Decoder<'static, BufReader<Content>>>);

    impl Read for Frames {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let decoder = match &mut self.0 {
                Ok(decoder) => decoder,
                Err(error) => return Err(io::Error::new(error.kind(), error.to_string())),
            };
            decoder.read(buffer).map_err(|error| match error.kind() {
                // The library has no kinds of its own for data that is damaged.
                io::ErrorKind::Other => io::Error::new(io::ErrorKind::InvalidData, error),
                _ => error,
            })
        }
    }

    Frames(Decoder::with_buffer(file))
}

/// Nothing, in a build without the decoder, in which no such file is opened.
#[cfg(not(feature = "zstd"))]
pub(super) fn decoded(_: BufReader<Content>) -> impl Read {
    io::empty()
}
