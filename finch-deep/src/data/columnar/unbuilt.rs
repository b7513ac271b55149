//! The stand-in for Parquet and Arrow in a build without the feature `parquet`: the way to get them.

use std::io::{self, Write};

use super::super::choices::Column;
use super::super::column_fault::ColumnFault;
use super::super::csv::Raw;
use super::super::error::Fault;
use super::super::format::Format;
use super::super::memory::Memory;
use super::super::options::ReadOptions;
use super::super::source::Source;
use super::values::ColumnValues;

pub(in super::super) fn read(
    _: Source,
    _: Format,
    _: &ReadOptions,
    _: &Memory,
) -> Result<Raw, Fault> {
    Err(ColumnFault::NotBuilt.into())
}

pub(in super::super) fn labels(
    _: Source,
    _: Format,
    _: Option<&Column>,
    _: &Memory,
    _: impl FnMut(&str) -> Result<(), Fault>,
) -> Result<(), Fault> {
    Err(ColumnFault::NotBuilt.into())
}

/// Writes nothing, in a build without the feature `parquet`.
///
/// # Errors
/// [`ColumnFault::NotBuilt`], always.
pub fn write_columns(_: Format, _: &[(String, ColumnValues)], _: &mut dyn Write) -> io::Result<()> {
    Err(io::Error::other(ColumnFault::NotBuilt))
}
