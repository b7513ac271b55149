//! The limit of memory: what counts, and the error where the limit is too low.

use std::io::Write;
use std::path::PathBuf;

use finch_deep::data::{self, Fault, Input, LabelOptions, ReadError, ReadOptions};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use ndarray::Array2;
use tempfile::TempDir;

use crate::{fixture, folder, gzip, npy, npz, put};

const MEBIBYTE: u64 = 1 << 20;

fn read_within(limit: u64, paths: &[PathBuf]) -> Result<Input, ReadError> {
    let mut options = ReadOptions::default();
    options.memory_limit = Some(limit);
    data::read(paths, &options)
}

/// Reads labels or samples, which have to take more than the limit.
fn refused(limit: u64, path: PathBuf, as_labels: bool) -> Fault {
    let mut options = LabelOptions::default();
    options.memory_limit = Some(limit);
    let error = match as_labels {
        true => data::read_labels(&[path], &options).expect_err("too many labels"),
        false => read_within(limit, &[path]).expect_err("too many samples"),
    };
    let message = error.to_string();
    assert!(message.contains("--memory-limit sets another limit"), "{message}");
    match &error.fault {
        Fault::MemoryLimit { wanted, limit: found, of_machine: false, .. } => {
            assert_eq!(*found, limit);
            assert!(*wanted > limit, "{message}");
        }
        other => panic!("{other:?}"),
    }
    error.fault
}

/// SciPy's format, with nothing but zeros: 2 million × 300 in some kilobytes.
fn sparse_bomb(folder: &TempDir) -> PathBuf {
    let list = |values: &[u32]| {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        npy("'<i4'", false, &format!("({},)", values.len()), &bytes)
    };
    let archive = npz(&[
        ("data", npy("'<f8'", false, "(0,)", &[])),
        ("indices", list(&[])),
        ("indptr", list(&vec![0; 2_000_001])),
        ("shape", list(&[2_000_000, 300])),
    ]);
    assert!(archive.len() < 20_000, "{}", archive.len());
    put(folder, "bomb.npz", archive)
}

/// A `.mat` file of version 5 with a compressed matrix of zeros, N × 300.
fn compressed_bomb(folder: &TempDir, rows: u32) -> PathBuf {
    let word = |x: u32| x.to_le_bytes();
    let mut header = vec![b' '; 124];
    header[..10].copy_from_slice(b"MATLAB 5.0");
    header.extend(b"\0\x01IM");
    let length = rows * 300 * 8;
    let parts = [[6, 8], [6, 0], [5, 8], [rows, 300], [0x1_0001, u32::from(b'X')], [9, length]];
    let parts: Vec<u8> = parts.concat().into_iter().flat_map(word).collect();
    let mut matrix = ZlibEncoder::new(Vec::new(), Compression::best());
    let total = parts.len() as u32 + length;
    matrix.write_all(&[&word(14)[..], &word(total), &parts].concat()).unwrap();
    let zeros = vec![0; 300 * 8];
    (0..rows).for_each(|_| matrix.write_all(&zeros).unwrap());
    let matrix = matrix.finish().unwrap();
    let tag = [word(15), word(matrix.len() as u32)].concat();
    put(folder, "bomb.mat", [header, tag, matrix].concat())
}

#[test]
fn small_files_that_claim_much_are_refused() {
    let folder = folder();
    let fault = refused(512 * MEBIBYTE, sparse_bomb(&folder), false);
    let message = fault.to_string();
    assert!(message.starts_with("the sparse matrix of 2000000 × 300, made dense, takes 4.5 GiB"));
    assert!(message.contains("and 512.0 MiB may be taken: --memory-limit"), "{message}");
    let compressed = compressed_bomb(&folder, 10_000);
    refused(8 * MEBIBYTE, compressed.clone(), false);
    refused(8 * MEBIBYTE, compressed.clone(), true);
    // With enough memory, a legitimate matrix is read.
    assert_eq!(read_within(30 * MEBIBYTE, &[compressed]).unwrap().samples(), 10_000);
}

/// Streams without an end are refused at their start if the start is not of the format, otherwise
/// when they have taken the memory that they may.
#[test]
fn streams_without_an_end_are_refused() {
    let folder = folder();
    let zeros = gzip(&vec![0; MEBIBYTE as usize]).repeat(100);
    let rows = gzip(&b"1\n".repeat(1 << 19)).repeat(100);
    let words: String = (0..1 << 19).map(|row| format!("w{row}\n")).collect();
    let version_7 = std::fs::read(fixture("plain.mat")).unwrap()[..136].to_vec();
    let version_73 = std::fs::read(fixture("full_73.mat")).unwrap()[..520].to_vec();
    for (name, content, as_labels) in [
        ("a.mat", [gzip(&version_7), zeros.clone()].concat(), false),
        ("b.mat", [gzip(&version_73), zeros.clone()].concat(), false),
        ("c.npz", [gzip(b"PK\x03\x04"), zeros.clone()].concat(), false),
        ("d.csv", rows.clone(), false),
        ("d.csv", rows, true),
        ("e.csv", gzip(words.as_bytes()), true),
    ] {
        refused(20 * MEBIBYTE, put(&folder, name, content), as_labels);
    }
    for name in ["x.mat", "x.npz", "x.npy"] {
        let fault = crate::fault(put(&folder, name, &zeros));
        assert!(matches!(fault, Fault::Magic { .. }), "{name}: {fault}");
    }
}

/// What stays in memory counts, from file to file; what a file took for a while does not.
#[test]
fn stacked_files_count_together() {
    let folder = folder();
    let array = npy("'<f8'", false, "(65536, 4)", &vec![0; 2 << 20]);
    let paths = [put(&folder, "a.npy.gz", gzip(&array)), put(&folder, "b.npy", &array)];
    for (limit, enough) in [(3, false), (7, false), (9, true)] {
        let read = read_within(limit * MEBIBYTE, &paths);
        assert_eq!(read.is_ok(), enough, "{limit}: {read:?}");
        assert_eq!(read_within(limit * MEBIBYTE, &paths[..1]).is_ok(), limit > 2);
    }
}

#[test]
fn mapped_files_take_none() {
    let folder = folder();
    let path = folder.path().join("large.npy");
    ndarray_npy::write_npy(&path, &Array2::<f32>::zeros((1 << 20, 16))).unwrap();
    assert!(read_within(0, &[path]).unwrap().is_mapped());
}
