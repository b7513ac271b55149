//! A file made of any bytes. Used by the fuzzer, and by a test on the cases that it found interesting.

/// By the first byte; `cases.txt` goes by this order.
const FORMATS: [&str; 7] = ["npy", "npz", "csv", "txt", "mat", "idx", "csv.gz"];

/// How the name ends, and the content.
pub(crate) fn of(bytes: &[u8]) -> Option<(&'static str, &[u8])> {
    let (format, content) = bytes.split_first()?;
    Some((FORMATS[usize::from(*format) % FORMATS.len()], content))
}
