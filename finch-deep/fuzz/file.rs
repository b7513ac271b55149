//! A file made of any bytes. Used by the fuzzer, and by a test on the cases that it found interesting.

/// The formats, by the first byte of a case; `cases.txt` goes by this order.
const FORMATS: [&str; 7] = ["npy", "npz", "csv", "txt", "mat", "idx", "csv.gz"];

/// The ending of the file's name, and the content.
pub(crate) fn of(bytes: &[u8]) -> Option<(&'static str, &[u8])> {
    let (format, content) = bytes.split_first()?;
    Some((FORMATS[usize::from(*format) % FORMATS.len()], content))
}
