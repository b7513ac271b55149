//! Writing: whole or not at all.

use std::fs;
use std::io;
use std::path::Path;

use finch_deep::data::{self, LabelOptions};

use crate::{folder, put};

fn names(folder: &tempfile::TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).expect("the folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into()).collect()
}

/// Asserts that a file is `.npy` of int32 in C order with these elements.
fn assert_npy(path: &Path, shape: &str, elements: &[i32]) {
    let file = fs::read(path).expect("the file");
    let (header, content) = file.split_at(128);
    let header = String::from_utf8_lossy(header);
    for part in ["NUMPY", "'descr': '<i4'", "'fortran_order': False", shape] {
        assert!(header.contains(part), "{header}");
    }
    let elements: Vec<u8> = elements.iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(content, elements);
}

#[test]
fn labels_are_npy_of_int32() {
    let folder = folder();
    let path = folder.path().join("labels.npy");
    data::write_labels(&path, &[vec![0, 1, 2], vec![0, 0, 1]]).expect("written");
    assert_npy(&path, "(3, 2)", &[0, 0, 1, 0, 2, 1]);
    let read = data::read_labels(&[&path], &LabelOptions::default()).expect("labels");
    assert_eq!(read.columns[0].labels, [0, 1, 2]);
    assert_eq!(read.columns[1].labels, [0, 0, 1]);

    data::write_labels(&path, &[[2, 1, 0]]).expect("one is a matrix, too");
    assert_npy(&path, "(3, 1)", &[2, 1, 0]);

    data::write_labelling(&path, &[0, 1, 2]).expect("written over the old");
    assert_npy(&path, "(3,)", &[0, 1, 2]);
    assert_eq!(names(&folder), ["labels.npy"]);

    data::write_labels(&path, &[[0, u32::MAX - 1]]).expect_err("beyond int32");
    assert_npy(&path, "(3,)", &[0, 1, 2]);

    data::write_labels(&path, &[[0, u32::MAX]]).expect("noise");
    assert_npy(&path, "(2, 1)", &[0, -1]);
}

#[test]
fn a_failure_leaves_the_old_file_and_nothing_else() {
    let folder = folder();
    let path = put(&folder, "x", "old");
    let error = data::write_atomically(&path, |writer| {
        writer.write_all(b"new")?;
        writer.flush()?;
        Err(io::Error::other("stop"))
    });
    let error = error.expect_err("stopped");
    assert_eq!(error.path, path);
    assert!(error.to_string().contains("stop"), "{error}");
    assert_eq!(
        (fs::read(&path).expect("the old file"), names(&folder)),
        (b"old".into(), vec!["x".into()])
    );

    let panic = std::panic::catch_unwind(|| {
        data::write_atomically(&path, |_| panic!("a panic of this test, on purpose"))
    });
    assert!(panic.is_err());
    assert_eq!(
        (fs::read(&path).expect("the old file"), names(&folder)),
        (b"old".into(), vec!["x".into()])
    );

    data::write_atomically(&path, |writer| writer.write_all(b"new")).expect("written");
    assert_eq!(
        (fs::read(&path).expect("the new file"), names(&folder)),
        (b"new".into(), vec!["x".into()])
    );
}

#[test]
fn places_that_cannot_be_written() {
    let folder = folder();
    let missing = folder.path().join("none/labels.npy");
    data::write_labels(&missing, &[[0]]).expect_err("no such folder");
    data::write_labels(folder.path(), &[[0]]).expect_err("a folder");
    let inside = folder.path().join("folder");
    fs::create_dir(&inside).expect("a new folder");
    data::write_labels(&inside, &[[0]]).expect_err("a folder");
    assert_eq!(names(&folder), ["folder"]);
}

#[cfg(unix)]
#[test]
fn the_file_has_the_rights_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let (ours, plain) = (folder.path().join("ours"), put(&folder, "plain", ""));
    data::write_atomically(&ours, |_| Ok(())).expect("written");
    let mode = |path| fs::metadata(path).expect("a file").permissions().mode();
    assert_eq!(mode(&ours), mode(&plain));
}
