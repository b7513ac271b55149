//! Writing, so that a file is there whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use finch_core::Labels;
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut1};
use ndarray_npy::{WriteNpyError, WriteNpyExt};
use serde::Serialize;

use super::error::WriteError;

/// Writes labellings of N samples as `.npy` of int32: N × labellings in C order, also for one. [`Labels::NOISE`] is
/// -1.
///
/// # Errors
/// [`WriteError`] if the system will not write, or a label is beyond 2³¹ − 1. The file that was at
/// `path` before is then still there.
///
/// # Panics
/// If labellings differ in length.
pub fn write_labels(path: &Path, columns: &[impl AsRef<[u32]>]) -> Result<(), WriteError> {
    let samples = columns.first().map_or(0, |column| column.as_ref().len());
    let mut labels = Array2::zeros((samples, columns.len()));
    for (column, to) in columns.iter().zip(labels.columns_mut()) {
        assert_eq!(column.as_ref().len(), samples, "labellings are of the same samples");
        fill(path, column.as_ref(), to)?;
    }
    write_array(path, &labels)
}

/// Writes one labelling of N samples as `.npy` of int32: a list of N.
///
/// # Errors
/// The errors of [`write_labels`].
pub fn write_labelling(path: &Path, labelling: &[u32]) -> Result<(), WriteError> {
    let mut labels = Array1::zeros(labelling.len());
    fill(path, labelling, labels.view_mut())?;
    write_array(path, &labels)
}

fn fill(path: &Path, labels: &[u32], mut to: ArrayViewMut1<'_, i32>) -> Result<(), WriteError> {
    for (&label, to) in labels.iter().zip(&mut to) {
        if label == Labels::NOISE {
            *to = -1;
            continue;
        }
        *to = i32::try_from(label).map_err(|_| {
            let reason = format!("label {label} does not fit int32");
            let source = io::Error::new(io::ErrorKind::InvalidInput, reason);
            WriteError { path: path.to_path_buf(), source }
        })?;
    }
    Ok(())
}

/// Writes an embedding as `.npy` of f32, N × its width.
///
/// # Errors
/// [`WriteError`] if the system will not write. The file that was at `path` before is then still there.
pub fn write_embedding(path: &Path, embedding: ArrayView2<'_, f32>) -> Result<(), WriteError> {
    write_array(path, &embedding)
}

/// Writes a value as JSON for people to read.
///
/// # Errors
/// [`WriteError`] if the system will not write. The file that was at `path` before is then still there.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), WriteError> {
    write_atomically(path, |file| {
        serde_json::to_writer_pretty(&mut *file, value)?;
        file.write_all(b"\n")
    })
}

fn write_array(path: &Path, array: &impl WriteNpyExt) -> Result<(), WriteError> {
    write_atomically(path, |writer| write_npy(writer, array))
}

/// Writes an array as `.npy`.
///
/// # Errors
/// The error of the system, or of an array that `.npy` cannot hold.
pub fn write_npy(writer: &mut dyn Write, array: &impl WriteNpyExt) -> io::Result<()> {
    array.write_npy(writer).map_err(|error| match error {
        WriteNpyError::Io(error) => error,
        error => io::Error::other(error),
    })
}

/// The beginning of the names of files and folders that are still being written.
pub const UNFINISHED: &str = ".finch-";

/// A folder and those that it is in, as far as they are missing; innermost first, the order in which
/// they can be removed again.
pub fn missing_folders(folder: &Path) -> Vec<PathBuf> {
    let missing = |folder: &&Path| *folder != Path::new("") && !folder.exists();
    folder.ancestors().take_while(missing).map(PathBuf::from).collect()
}

/// Writes a file as a whole: see [`finch_core::write_whole_file`].
///
/// # Errors
/// [`WriteError`] with the error of `write` or of the system. The file that was at `path` before is then
/// still there.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    finch_core::write_whole_file(path, write)
        .map_err(|source| WriteError { path: path.to_path_buf(), source })
}
