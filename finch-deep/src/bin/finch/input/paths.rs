//! The files that the arguments name.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use finch_core::folder_of;
use finch_deep::data::STANDARD_INPUT;

/// The files of arguments: a name with `*` or `?` in its last part that is no file itself stands for
/// all files that it fits, by name. (A shell does the same, unless the name is quoted.)
pub(crate) fn expanded(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, &'static str> {
    let stands = |path: &&PathBuf| path.as_os_str() == STANDARD_INPUT;
    if arguments.iter().filter(stands).count() > 1 {
        return Err("standard input can be read once: give - once");
    }
    Ok(arguments.iter().flat_map(|path| files(path)).collect())
}

fn files(path: &Path) -> Vec<PathBuf> {
    // The bytes of names, which need not be UTF-8.
    let pattern = path.file_name().unwrap_or_default().as_encoded_bytes();
    if !pattern.iter().any(|byte| b"*?".contains(byte)) || path.exists() {
        return vec![path.into()];
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let entries = fs::read_dir(folder_of(path)).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    let fits = |name: &OsString| {
        let name = name.as_encoded_bytes();
        // Hidden files are only meant by a name that begins as theirs do.
        fits(pattern, name) && (!name.starts_with(b".") || pattern.starts_with(b"."))
    };
    let mut found: Vec<OsString> = names.filter(fits).collect();
    found.sort_unstable();
    match found.is_empty() {
        // Reading says that there is no such file.
        true => vec![path.into()],
        false => found.into_iter().map(|name| folder.join(name)).collect(),
    }
}

/// True if a name fits a pattern, in which `*` is any text and `?` one byte.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => (0..=name.len()).any(|skipped| fits(rest, &name[skipped..])),
        ([b'?', rest @ ..], [_, name @ ..]) => fits(rest, name),
        ([a, rest @ ..], [b, name @ ..]) => a == b && fits(rest, name),
        _ => false,
    }
}
