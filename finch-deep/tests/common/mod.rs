//! Files for tests, and where the real data is.

// Each test program uses some of this.
#![allow(dead_code)]

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{env, fs, thread};

use tempfile::TempDir;

pub(crate) fn folder() -> TempDir {
    TempDir::new().unwrap()
}

/// Writes a file into a folder.
pub(crate) fn put(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    path
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A file of the repository's own data, `examples/data`.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/data").join(name)
}

/// A file of the large data, in the folder that `FINCH_DATA` names, or else in `../shared/data` beside
/// the repository; nothing where the file is not there.
pub(crate) fn large(name: &str) -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let path = env::var_os("FINCH_DATA").map_or(default, PathBuf::from).join(name);
    if path.is_file() {
        return Some(path);
    }
    leave_out(&format!("{name} in the folder FINCH_DATA"));
    None
}

/// Says that this test, or a part of the test, is left out for want of something. Where everything
/// has to be tested, the test fails.
pub(crate) fn leave_out(missing: &str) {
    assert!(env::var_os("CI").is_none_or(|ci| ci != "true"), "there is no {missing}");
    let test = thread::current();
    let test = test.name().unwrap_or("a test");
    // Written to the stream itself: `eprintln!` is heard only of tests that fail. In one piece, since
    // other threads write, too.
    let line = format!("left out of {test}, for want of {missing}\n");
    let _ = io::stderr().write_all(line.as_bytes());
}
