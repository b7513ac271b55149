//! The reader of bytes, with errors that say how many were there.

use std::io::{self, Read};

use super::error::Fault;

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
