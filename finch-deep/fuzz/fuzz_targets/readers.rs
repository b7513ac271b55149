//! `cargo +nightly fuzz run readers` in finch-deep, with `-rss_limit_mb=2048` for sizes that are
//! believed. What the target does with its bytes is in `file.rs`.
//!
//! Start from real files: `for f in tests/fixtures/*.mat; do (printf '\4'; cat $f) > …; done`.

#![no_main]

#[path = "../file.rs"]
mod file;

use std::path::PathBuf;
use std::sync::LazyLock;

use finch_deep::data::{self, LabelOptions, ReadOptions};
use libfuzzer_sys::fuzz_target;

/// One folder for each process: its files are overwritten.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("finch-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
});

fuzz_target!(|bytes: &[u8]| {
    let Some((name, content)) = file::of(bytes) else { return };
    let path = FOLDER.join(format!("file.{name}"));
    std::fs::write(&path, content).unwrap();
    if let Err(error) = data::read(&[&path], &ReadOptions::default()) {
        assert!(!error.to_string().contains('\n'), "errors are one line: {error}");
    }
    let _ = data::read_labels(&[&path], &LabelOptions::default());
});
