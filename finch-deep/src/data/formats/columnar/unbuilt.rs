//! The stand-in for Parquet and Arrow in a build without the feature `parquet`: the way to get them.

use std::io::{self, Write};

use super::values::ColumnValues;
use crate::data::error::Fault;
use crate::data::error::column::ColumnFault;
use crate::data::format::Format;
use crate::data::formats::csv::Raw;
use crate::data::options::ReadOptions;
use crate::data::options::choices::Column;
use crate::data::options::label_column::LabelColumn;
use crate::data::source::Source;
use crate::data::source::memory::Memory;

pub(in crate::data) fn read(
    _: Source,
    _: Format,
    _: &ReadOptions,
    _: &Memory,
) -> Result<Raw, Fault> {
    Err(ColumnFault::NotBuilt.into())
}

pub(in crate::data) fn labels(
    _: Source,
    _: Format,
    _: &[Column],
    _: &Memory,
    _: impl FnMut(usize, &str) -> Result<(), Fault>,
) -> Result<LabelColumn, Fault> {
    Err(ColumnFault::NotBuilt.into())
}

/// Writes nothing, in a build without the feature `parquet`.
///
/// # Errors
/// [`ColumnFault::NotBuilt`], always.
pub fn write_columns(_: Format, _: &[(String, ColumnValues)], _: &mut dyn Write) -> io::Result<()> {
    Err(io::Error::other(ColumnFault::NotBuilt))
}
