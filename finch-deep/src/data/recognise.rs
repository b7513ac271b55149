//! The format of a file, by its name or by its first bytes.

use std::io::Read;
use std::path::Path;

use super::format::Format;
use super::source::Source;
use super::source::pipe::{KEPT, is_pipe, start_of};
use super::svmlight_line;

/// The format of a file: the one that is given, or the one of its name. Where the name tells nothing, or `.txt`,
/// its first bytes tell, and the names in an archive are among them.
pub(super) fn format_of(path: &Path, given: Option<Format>) -> Option<Format> {
    match given.or_else(|| Format::of(path)) {
        None => sniffed(path),
        Some(Format::Text) if given.is_none() && Format::is_txt(path) => {
            sniffed(path).filter(|&found| found == Format::Svmlight).or(Some(Format::Text))
        }
        named => named,
    }
}

/// The format that the first bytes of a file or a pipe tell.
fn sniffed(path: &Path) -> Option<Format> {
    let source = match is_pipe(path) {
        true => Source::of_start(start_of(path, KEPT).ok()?).ok()?,
        false => Source::open(path).ok()?,
    };
    let mut head = Vec::with_capacity(KEPT);
    // A file whose compression is damaged has an error of its own when it is read, and the start of a compressed pipe
    // is cut short.
    let _ = source.reader().take(KEPT as u64).read_to_end(&mut head);
    of_bytes(&head)
}

/// The format of a file that begins so; none of what is neither text nor a known format.
fn of_bytes(head: &[u8]) -> Option<Format> {
    let begins = |start: &[u8]| head.starts_with(start);
    let has = |word: &[u8]| head.windows(word.len()).any(|part| part == word);
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    match () {
        () if begins(b"\x93NUMPY") => Some(Format::Npy),
        () if begins(b"PK\x03\x04") && has(b".npy") => Some(Format::Npz),
        () if begins(b"PK\x03\x04") => Some(Format::Spreadsheet),
        () if begins(b"\xd0\xcf\x11\xe0") => Some(Format::Spreadsheet),
        () if begins(b"PAR1") => Some(Format::Parquet),
        () if begins(b"ARROW1") => Some(Format::Arrow),
        () if begins(b"MATLAB 5.0") || begins(b"MATLAB 7.3") || begins(b"\x89HDF") => {
            Some(Format::Mat)
        }
        () if begins(b"%%MatrixMarket") => Some(Format::Mtx),
        () if is_idx(head) => Some(Format::Idx),
        () if begins(&[0xff, 0xfe]) || begins(&[0xfe, 0xff]) => Some(Format::Text),
        // No text has such bytes.
        () if head.iter().any(|byte| *byte < b' ' && !b"\t\n\r\x0c".contains(byte)) => None,
        () if text.starts_with(b"{") || is_json_array(text) => Some(Format::Json),
        () if is_arff(text) => Some(Format::Arff),
        () if svmlight_line::are_so(text) => Some(Format::Svmlight),
        () if text.is_empty() => None,
        () => Some(Format::Text),
    }
}

/// Two zeros, the type of elements, the number of dimensions, and the first of these.
fn is_idx(head: &[u8]) -> bool {
    let types = [0x08, 0x09, 0x0b, 0x0c, 0x0d, 0x0e];
    matches!(head, [0, 0, kind, 1..=8, _, _, _, _, ..] if types.contains(kind))
}

/// An array of JSON: its first value is an array, an object, or a number.
fn is_json_array(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"[") else { return false };
    matches!(rest.trim_ascii_start().first(), Some(b'{' | b'[' | b'-' | b'0'..=b'9'))
}

/// True if the first line that is no comment has a keyword of ARFF.
fn is_arff(text: &[u8]) -> bool {
    let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.into_iter().find(|line| !line.is_empty() && !line.starts_with(b"%"));
    first.and_then(|line| line.get(..9)).is_some_and(|word| word.eq_ignore_ascii_case(b"@relation"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell() {
        for (head, expected) in [
            (&b"\x93NUMPY\x01\0"[..], Some(Format::Npy)),
            (b"PK\x03\x04......X.npy", Some(Format::Npz)),
            (b"PK\x03\x04....[Content_Types].xml", Some(Format::Spreadsheet)),
            (b"PAR1", Some(Format::Parquet)),
            (b"ARROW1\0\0", Some(Format::Arrow)),
            (b"MATLAB 5.0 MAT-file", Some(Format::Mat)),
            (b"\x89HDF\r\n\x1a\n", Some(Format::Mat)),
            (b"%%MatrixMarket matrix", Some(Format::Mtx)),
            (&[0, 0, 8, 3, 0, 0, 0, 7], Some(Format::Idx)),
            (b"{\"a\": 1}", Some(Format::Json)),
            (b"\xef\xbb\xbf [[1, 2]]", Some(Format::Json)),
            (b"% by hand\n@RELATION x\n", Some(Format::Arff)),
            (b"5.1,3.5\n", Some(Format::Text)),
            (b"+1 1:0.7 3:1\n-1 2:1\n", Some(Format::Svmlight)),
            (b"[a]\n", Some(Format::Text)),
            (b"\x89PNG\r\n\x1a\n\0\0", None),
            (b"\0\0\0\0\0\0\0\0", None),
        ] {
            assert_eq!(of_bytes(head), expected, "{}", head.escape_ascii());
        }
    }
}
