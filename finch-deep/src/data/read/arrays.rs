//! Arrays, dense and sparse: those of one file, and those of several below each other.

use std::path::Path;

use super::tables::read_tables;
use crate::data::error::note::Note;
use crate::data::error::sparse::SparseFault;
use crate::data::error::{Fault, ReadError};
use crate::data::format::Format;
use crate::data::formats::npy_mapped::Mapped;
use crate::data::formats::{idx, market, mat5, npy, npz, svmlight};
use crate::data::input::{Input, Storage};
use crate::data::matrix::Kept;
use crate::data::matrix::elements::{Array, Elements};
use crate::data::matrix::sparse_file::Held;
use crate::data::options::ReadOptions;
use crate::data::recognise::format_of;
use crate::data::source::guard::guarded;
use crate::data::source::memory::Memory;
use crate::data::source::spool::Spool;

/// Reads one file, whether it is a table or an array.
pub(super) fn read_one(
    path: &Path,
    options: &ReadOptions,
    spool: &Spool,
    memory: &Memory,
) -> Result<Input, ReadError> {
    let format = format_of(path, options.format);
    if format.is_some_and(Format::is_table) {
        return read_tables(&[path], options, spool, memory);
    }
    let variable = options.variable.as_deref();
    let storage = guarded(path, |path| {
        let source = spool.open(path)?;
        Ok(match format.ok_or(Fault::UnknownExtension)? {
            Format::Npy => match Mapped::open(&source)? {
                Some(mut mapped) => {
                    if options.transpose {
                        mapped.transpose();
                    }
                    Storage::Mapped(mapped)
                }
                None => full(npy::samples(source, options.lists, memory)?, options),
            },
            Format::Npz => stored(npz::samples(source, variable, memory)?, options, memory)?,
            Format::Mat => stored(mat5::samples(source, variable, memory)?, options, memory)?,
            Format::Mtx => stored(market::samples(source, memory)?, options, memory)?,
            Format::Svmlight => stored(svmlight::samples(source, memory)?, options, memory)?,
            Format::Idx => full(idx::samples(source, options.lists, memory)?, options),
            Format::Text
            | Format::Spreadsheet
            | Format::Json
            | Format::Arff
            | Format::Parquet
            | Format::Arrow => {
                unreachable!("a table was read above")
            }
        })
    })?;
    let mut input = Input::new(path, storage);
    if format == Some(Format::Svmlight) {
        input.notes.push(Note::LabelsOfLines);
    }
    Ok(input)
}

/// A matrix of all values, of which rows are samples.
fn full(mut array: Array, options: &ReadOptions) -> Storage {
    if options.transpose {
        array.transpose();
    }
    Storage::Read(array)
}

/// A matrix of a file, sparse only where it may be so.
fn stored(held: Held, options: &ReadOptions, memory: &Memory) -> Result<Storage, Fault> {
    let held = if options.transpose { held.transposed() } else { held };
    Ok(match held {
        Held::Compressed(matrix) if options.sparse => Storage::Sparse(matrix.rows(memory)?),
        Held::Coordinates(matrix) if options.sparse => Storage::Sparse(matrix.rows(memory)?),
        other => Storage::Read(other.array(memory)?),
    })
}

/// Puts inputs below each other. Errors name the path of the input at fault, or all paths.
pub(super) fn stack<'a>(
    inputs: Vec<(&'a Path, Input)>,
    memory: &Memory,
) -> Result<Input, (Option<&'a Path>, Fault)> {
    let (first, features) = (inputs[0].0, inputs[0].1.features());
    for (path, input) in &inputs {
        if input.features() != features {
            let (found, expected, other) = (input.features(), features, first.to_path_buf());
            let fault = Fault::ColumnCount { what: "features", found, expected, other };
            return Err((Some(path), fault));
        }
    }
    if let Some((path, _)) =
        inputs.iter().find(|(_, input)| input.is_sparse() != inputs[0].1.is_sparse())
    {
        return Err((Some(path), SparseFault::Mixed { other: first.to_path_buf() }.into()));
    }
    if inputs[0].1.is_sparse() {
        return stack_sparse(inputs, memory);
    }
    let samples = inputs.iter().map(|(_, input)| input.samples()).sum();
    let kept = inputs.iter().map(|(_, input)| input.matrix().kept()).max();
    let all = |fault| (None, fault);
    let mut elements =
        Elements::with_room(kept.unwrap_or(Kept::U8), samples * features, memory).map_err(all)?;
    let (mut names, mut notes) = (Some(Vec::new()), Vec::new());
    for (path, input) in inputs {
        notes.extend_from_slice(&input.notes);
        elements.append(&input.matrix());
        input.expect_unchanged().map_err(|error| (Some(path), error.fault))?;
        names = match (names, input.names) {
            (Some(mut names), Some(more)) => {
                memory.reserve(&mut names, more.len()).map_err(all)?;
                names.extend(more);
                Some(names)
            }
            _ => None,
        };
    }
    let array = Array { elements, shape: vec![samples, features], column_major: false };
    let mut input = Input::new(first, Storage::Read(array));
    (input.names, input.notes) = (names, notes);
    Ok(input)
}

/// Puts sparse inputs of equally many columns below each other.
fn stack_sparse<'a>(
    inputs: Vec<(&'a Path, Input)>,
    memory: &Memory,
) -> Result<Input, (Option<&'a Path>, Fault)> {
    let mut inputs = inputs.into_iter();
    let (_, mut all) = inputs.next().expect("several inputs are stacked");
    for (path, input) in inputs {
        if let (Storage::Sparse(rows), Storage::Sparse(below)) = (&mut all.storage, input.storage) {
            rows.append(below, memory).map_err(|fault| (Some(path), fault))?;
        }
    }
    Ok(all)
}
