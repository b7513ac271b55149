//! NumPy's `.npz`: a zip archive of `.npy` files.

use std::io::SeekFrom;

use zip::ZipArchive;
use zip::result::ZipError;

use super::npy;
use super::variable::{Use, Variable, pick};
use crate::data::error::Fault;
use crate::data::matrix::dtype::{LabelArray, Layout};
use crate::data::matrix::elements::Array;
use crate::data::matrix::sparse_file::{Compressed, Coordinates, Held};
use crate::data::source::memory::Memory;
use crate::data::source::{Seekable, Source, read_all, read_up_to};

const FORMAT: &str = "a .npz file";

/// The arrays of a compressed sparse matrix, as `scipy.sparse.save_npz` writes them.
const SPARSE: [&str; 4] = ["data", "indices", "indptr", "shape"];

/// The arrays of a sparse matrix of coordinates, likewise.
const COORDINATES: [&str; 4] = ["data", "row", "col", "shape"];

/// The other words that SciPy writes as `format` beside `data` and `shape`.
const OTHER_FORMATS: [&str; 4] = ["bsr", "dia", "dok", "lil"];

/// Reads the array `variable`, else `X`, else the only matrix, which may be a sparse one.
pub(in crate::data) fn samples(
    source: Source,
    variable: Option<&str>,
    memory: &Memory,
) -> Result<Held, Fault> {
    let mut archive = Archive::open(source, memory)?;
    if variable.is_none() {
        let format = archive.format()?;
        let known = |format: &&str| OTHER_FORMATS.contains(format);
        let [data, indices, indptr, shape] = SPARSE.map(|name| archive.position(name));
        if let (Some(found), Some(_), Some(_)) = (format.as_deref().filter(known), data, shape) {
            return Err(Fault::SparseFormat { found: found.to_owned() });
        }
        if let (Some(data), Some(indices), Some(indptr), Some(shape)) =
            (data, indices, indptr, shape)
        {
            // An archive of only the four arrays is taken for CSR, by far the commoner format.
            let by_column = match format.as_deref() {
                None | Some("csr") => false,
                Some("csc") => true,
                Some(found) => return Err(Fault::SparseFormat { found: found.to_owned() }),
            };
            return archive.compressed([data, indices, indptr, shape], by_column);
        }
        if format.as_deref() == Some("coo")
            && let [Some(data), Some(row), Some(column), Some(shape)] =
                COORDINATES.map(|name| archive.position(name))
        {
            return archive.coordinates([data, row, column, shape]);
        }
    }
    let position = pick(&archive.variables, variable, Use::Samples)?;
    let array = archive.array(position, |shape| match shape.len() {
        2 => Ok(()),
        _ => Err(Fault::NotMatrix { shape: shape.to_vec() }),
    })?;
    Ok(Held::Full(array))
}

/// Reads the array `variable`, else `y`, else the only list.
pub(in crate::data) fn labels(
    source: Source,
    variable: Option<&str>,
    memory: &Memory,
) -> Result<LabelArray, Fault> {
    let mut archive = Archive::open(source, memory)?;
    let position = pick(&archive.variables, variable, Use::Labels)?;
    let mut file = archive.zip.by_index(position).map_err(fault)?;
    npy::header(&mut file)??.read_labels_to_end(&mut file, memory)
}

struct Archive<'a> {
    memory: &'a Memory,
    zip: ZipArchive<Box<dyn Seekable>>,
    /// One per file of the archive, in its order.
    variables: Vec<Variable>,
}

impl<'a> Archive<'a> {
    /// Opens the archive and reads the header of every array.
    fn open(source: Source, memory: &'a Memory) -> Result<Self, Fault> {
        let is_zip = |start: &[u8]| match start.starts_with(b"PK") {
            true => Ok(()),
            false => Err(Fault::magic(FORMAT, "\"PK\"", start)),
        };
        let mut content = source.seekable(4, is_zip, memory)?;
        let length = content.seek(SeekFrom::End(0))?;
        let mut zip = match ZipArchive::new(&mut content) {
            // The directory is at the end, so that an archive that is cut short has none.
            Err(ZipError::InvalidArchive(reason)) => {
                return Err(incomplete(content, length, &reason));
            }
            Err(error) => return Err(fault(error)),
            Ok(_) => ZipArchive::new(content).map_err(fault)?,
        };
        let mut variables = Vec::with_capacity(zip.len());
        for position in 0..zip.len() {
            let mut file = zip.by_index(position).map_err(fault)?;
            let name = file.name().map_err(fault)?;
            let name = name.strip_suffix(".npy").unwrap_or(&name).to_owned();
            let layout = npy::header(&mut file).flatten();
            variables.push(Variable { name, layout });
        }
        Ok(Self { memory, zip, variables })
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|variable| variable.name == name)
    }

    /// Reads the array at `position`, if its shape passes `check`.
    fn array(
        &mut self,
        position: usize,
        check: impl FnOnce(&[usize]) -> Result<(), Fault>,
    ) -> Result<Array, Fault> {
        let mut file = self.zip.by_index(position).map_err(fault)?;
        let layout: Layout = npy::header(&mut file)??;
        check(&layout.shape)?;
        layout.read_to_end(&mut file, self.memory)
    }

    /// SciPy's name of the sparse format, if the archive has an entry of it.
    fn format(&mut self) -> Result<Option<String>, Fault> {
        let Some(position) = self.position("format") else {
            return Ok(None);
        };
        let mut file = self.zip.by_index(position).map_err(fault)?;
        Ok(Some(npy::text(&mut file)?.unwrap_or_else(|| "unknown".to_owned())))
    }

    /// Reads a sparse matrix from its parts, in the order of [`SPARSE`].
    fn compressed(
        &mut self,
        [data, indices, indptr, shape]: [usize; 4],
        by_column: bool,
    ) -> Result<Held, Fault> {
        let [rows, columns] = self.shape(shape)?;
        let (lines, length) = if by_column { (columns, rows) } else { (rows, columns) };
        let (starts, positions) = (self.counts(indptr)?, self.counts(indices)?);
        let values = self.array(data, expect_list)?.elements;
        let format = FORMAT;
        let matrix = Compressed { format, by_column, lines, length, starts, positions, values };
        Ok(Held::Compressed(matrix))
    }

    /// Reads a sparse matrix from its parts, in the order of [`COORDINATES`].
    fn coordinates(&mut self, [data, row, column, shape]: [usize; 4]) -> Result<Held, Fault> {
        let shape = self.shape(shape)?;
        let (rows, columns) = (self.counts(row)?, self.counts(column)?);
        let values = self.array(data, expect_list)?.elements;
        let malformed = |reason: &str| Err(Fault::malformed(FORMAT, reason));
        if [rows.len(), columns.len()] != [values.len(); 2] {
            return malformed(
                "the sparse matrix has not as many values as rows and columns of them",
            );
        }
        let beyond = |places: &[usize], length| places.iter().any(|&place| place >= length);
        match beyond(&rows, shape[0]) || beyond(&columns, shape[1]) {
            true => malformed("the sparse matrix has a value outside of its shape"),
            false => Ok(Held::Coordinates(Coordinates { shape, rows, columns, values })),
        }
    }

    /// The rows and columns of a sparse matrix.
    fn shape(&mut self, position: usize) -> Result<[usize; 2], Fault> {
        let shape = self.counts(position)?;
        shape.try_into().map_err(|shape| Fault::NotMatrix { shape })
    }

    fn counts(&mut self, position: usize) -> Result<Vec<usize>, Fault> {
        let whole = self.array(position, expect_list)?.elements.whole(self.memory)?;
        whole.ok_or_else(|| Fault::malformed(FORMAT, "an index of the sparse matrix is no index"))
    }
}

fn expect_list(shape: &[usize]) -> Result<(), Fault> {
    match shape {
        [_] => Ok(()),
        _ => Err(Fault::malformed(FORMAT, "a part of the sparse matrix is no list")),
    }
}

/// The fault of an archive without a directory: how much is missing, if the files in it tell.
fn incomplete(mut content: Box<dyn Seekable>, found: u64, reason: &str) -> Fault {
    match least_length(&mut content) {
        Ok(expected) if expected > found => {
            Fault::Truncated { what: "the archive", expected, found }
        }
        _ => Fault::malformed(FORMAT, reason),
    }
}

/// The bytes that the files of an archive and the directory of them take at least, by the headers
/// that stand before each file.
fn least_length(content: &mut dyn Seekable) -> Result<u64, Fault> {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
    let (mut end, mut directory) = (0u64, 22);
    loop {
        content.seek(SeekFrom::Start(end))?;
        let mut header = [0; 30];
        if read_up_to(content, &mut header)? < header.len() || !header.starts_with(b"PK\x03\x04") {
            return Ok(end.saturating_add(directory));
        }
        let (name, extra) = (number(&header[26..28]), number(&header[28..30]));
        let mut stored = number(&header[18..22]);
        if stored == u64::from(u32::MAX) {
            // The length does not fit, or NumPy feared so: it is in the first extra field, after
            // the field's id and size and the length without compression.
            let mut field = [0; 20];
            content.seek_relative(name as i64)?;
            read_all(content, &mut field, "the archive")?;
            stored = number(&field[12..]);
        }
        end = end.saturating_add(30 + name + extra).saturating_add(stored);
        directory += 46 + name;
    }
}

fn fault(error: ZipError) -> Fault {
    match error {
        ZipError::Io(error) => error.into(),
        error => Fault::malformed(FORMAT, error),
    }
}
