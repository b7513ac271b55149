//! Files that change while their samples are in use.

use std::fs::{File, FileTimes, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use finch_deep::data::{Fault, Input, Matrix};
use ndarray::Array2;
use tempfile::TempDir;

use crate::{folder, read};

const ROWS: usize = 1 << 20;
const COLUMNS: usize = 16;

/// A mapped file of zeros, last changed an hour ago, open for writing.
fn mapped(folder: &TempDir) -> (PathBuf, File, Input) {
    let path = folder.path().join("large.npy");
    ndarray_npy::write_npy(&path, &Array2::<f32>::zeros((ROWS, COLUMNS))).unwrap();
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    file.set_times(FileTimes::new().set_modified(hour_ago)).unwrap();
    let input = read(&path);
    assert!(input.is_mapped() && input.expect_unchanged().is_ok());
    (path, file, input)
}

#[test]
fn a_mapped_file_that_changes_is_told() {
    let changes: [fn(&File); 4] = [
        |file| file.write_all_at(&f32::NAN.to_le_bytes(), 4096).unwrap(),
        |file| file.write_all_at(b"no header", 0).unwrap(),
        |file| file.set_len(4096).unwrap(),
        |file| file.set_len(1 << 30).unwrap(),
    ];
    for change in changes {
        let folder = folder();
        let (path, file, input) = mapped(&folder);
        change(&file);
        let error = input.expect_unchanged().expect_err("a changed file");
        assert_eq!(error.path, path);
        assert!(matches!(error.fault, Fault::Changed), "{error}");
        // The shape stays as it was, whatever the header says now.
        assert!(matches!(input.matrix(), Matrix::F32(matrix) if matrix.dim() == (ROWS, COLUMNS)));
    }
}

#[test]
fn a_file_with_another_in_its_place_is_the_same() {
    let folder = folder();
    let (path, _, input) = mapped(&folder);
    std::fs::rename(&path, folder.path().join("elsewhere.npy")).unwrap();
    std::fs::write(&path, "another").unwrap();
    input.expect_unchanged().unwrap();
}
