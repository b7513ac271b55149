//! Writing a table as Parquet or Arrow.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int32Array, Int64Array, LargeStringArray,
    RecordBatch,
};
use arrow_ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::values::ColumnValues;
use crate::data::format::Format;

/// Writes a table as [`Format::Parquet`] (compressed by Snappy, which every reader has) or
/// [`Format::Arrow`] (a file, not compressed, which can be mapped).
///
/// # Errors
/// The errors of writing, and that columns are of several lengths, or that the format is another one.
pub fn write_columns(
    format: Format,
    columns: &[(String, ColumnValues)],
    out: &mut dyn Write,
) -> io::Result<()> {
    let arrays = columns.iter().map(|(name, values)| (name, array(values), true));
    let rows = RecordBatch::try_from_iter_with_nullable(arrays).map_err(io::Error::other)?;
    // The writer of Parquet wants to send its output to other threads, which `out` may not allow.
    let mut bytes = Vec::new();
    match format {
        Format::Parquet => {
            let how = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
            let writer = ArrowWriter::try_new(&mut bytes, rows.schema(), Some(how));
            let mut writer = writer.map_err(io::Error::other)?;
            writer.write(&rows).map_err(io::Error::other)?;
            writer.close().map_err(io::Error::other)?;
        }
        Format::Arrow => {
            let writer = FileWriter::try_new(&mut bytes, &rows.schema());
            let mut writer = writer.map_err(io::Error::other)?;
            writer.write(&rows).map_err(io::Error::other)?;
            writer.finish().map_err(io::Error::other)?;
        }
        _ => return Err(io::Error::other("a format that is not one of columns")),
    }
    out.write_all(&bytes)
}

fn array(values: &ColumnValues) -> ArrayRef {
    match values {
        ColumnValues::Labels(values) => Arc::new(Int32Array::from(values.clone())),
        ColumnValues::Integers(values) => Arc::new(Int64Array::from(values.clone())),
        ColumnValues::Numbers(values) => Arc::new(Float64Array::from(values.clone())),
        ColumnValues::Booleans(values) => Arc::new(BooleanArray::from(values.clone())),
        ColumnValues::Dates(values) => Arc::new(Date32Array::from(values.clone())),
        ColumnValues::Texts(values) => {
            Arc::new(values.iter().map(Option::as_deref).collect::<LargeStringArray>())
        }
    }
}
