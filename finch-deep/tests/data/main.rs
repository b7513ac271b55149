//! The readers and writers of `finch_deep::data`, on real files, on made ones and on damaged ones.

mod as_text;
mod blocks;
#[cfg(unix)]
mod changed;
#[path = "../common/mod.rs"]
mod common;
mod damage;
mod faults;
mod formats;
mod generated;
mod labels;
mod memory;
mod real;
mod sparse;
mod variants;
mod writing;
#[cfg(feature = "zstd")]
mod zstd;

use std::io::Write;
use std::path::{Path, PathBuf};

use finch_deep::data::{self, Fault, Input, Matrix, ReadOptions};
use flate2::Compression;
use flate2::write::GzEncoder;
use ndarray::Array2;

use common::{data as real, folder, large, put};

/// A file that `tests/fixtures/make.py` made.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn read(path: impl AsRef<Path>) -> Input {
    data::read(&[path], &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn fault(path: impl AsRef<Path>) -> Fault {
    data::read(&[path], &ReadOptions::default()).expect_err("a damaged file").fault
}

/// The samples in f64, whatever they are kept in.
fn values(input: &Input) -> Array2<f64> {
    match input.matrix() {
        Matrix::F64(view) => view.to_owned(),
        Matrix::F32(view) => view.mapv(f64::from),
        Matrix::U8(view) => view.mapv(f64::from),
    }
}

fn kind(input: &Input) -> &'static str {
    match input.matrix() {
        Matrix::F64(_) => "f64",
        Matrix::F32(_) => "f32",
        Matrix::U8(_) => "u8",
    }
}

/// A `.npy` file of version 1, by the letter of the format.
fn npy(descriptor: &str, fortran: bool, shape: &str, elements: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let header =
        format!("{{'descr': {descriptor}, 'fortran_order': {fortran}, 'shape': {shape}, }}");
    let padding = " ".repeat(127 - 10 - header.len());
    [b"\x93NUMPY\x01\x00\x76\x00", header.as_bytes(), padding.as_bytes(), b"\n", elements].concat()
}

/// A `.npz` file of these `.npy` files.
fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in arrays {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(format!("{name}.npy"), options).expect("a new file in the archive");
        archive.write_all(content).expect("memory takes it");
    }
    archive.finish().expect("memory takes it").into_inner()
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

/// An IDX file with these dimensions.
fn idx(kind: u8, shape: &[u32], elements: &[u8]) -> Vec<u8> {
    let mut file = vec![0, 0, kind, shape.len() as u8];
    file.extend(shape.iter().flat_map(|length| length.to_be_bytes()));
    file.extend(elements);
    file
}
