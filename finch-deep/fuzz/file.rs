//! A file made of any bytes. Used by the fuzzer, and by a test on the cases that it found interesting.

/// The formats, by the first byte of a case: below 7, and of other bytes that 7 leaves of them.
const FIRST: [&str; 7] = ["npy", "npz", "csv", "txt", "mat", "idx", "csv.gz"];
/// The formats of the bytes from 0x70 on, by their second half.
const LATER: [&str; 16] = [
    "csv.zst", "mtx", "mat", "xlsx", "ods", "arff", "json", "jsonl", "parquet", "arrow", "feather",
    "npz.zst", "tsv", "unknown", "mtx.gz", "svmlight",
];

/// The ending of the file's name, and the content.
pub(crate) fn of(bytes: &[u8]) -> Option<(&'static str, &[u8])> {
    let (&format, content) = bytes.split_first()?;
    let name = match format {
        0x70..0x80 => LATER[usize::from(format) % LATER.len()],
        _ => FIRST[usize::from(format) % FIRST.len()],
    };
    Some((name, content))
}
