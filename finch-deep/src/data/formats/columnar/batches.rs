//! The rows of a file of Parquet or Arrow, some thousand at a time.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, FieldRef, Schema, TimeUnit};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Type as PhysicalType;
use parquet::errors::ParquetError;
use parquet::file::reader::ChunkReader;
use parquet::schema::types::TypePtr;

use super::ipc::Messages;
use crate::data::error::Fault;
use crate::data::error::note::Note;
use crate::data::format::Format;
use crate::data::source::Source;
use crate::data::source::memory::Memory;

const PARQUET: &str = "a Parquet file";
/// The beginning and the end of Parquet files.
const MAGIC: &[u8] = b"PAR1";
/// The beginning of Parquet files with an encrypted footer.
const ENCRYPTED: &[u8] = b"PARE";

/// Rows that are read at once.
const ROWS: usize = 8192;

/// The rows of a table of columns.
pub(super) struct Batches {
    pub(super) schema: Arc<Schema>,
    /// Where in a batch the column of each field is; none where it was not asked for.
    pub(super) places: Vec<Option<usize>>,
    rows: Box<dyn Iterator<Item = Result<RecordBatch, Fault>>>,
    /// The note on the file beside its rows.
    pub(super) note: Option<Note>,
}

impl Batches {
    /// Opens a file, of whose fields `wants` names those to be read, by their numbers.
    pub(super) fn open(
        source: Source,
        format: Format,
        wants: impl FnOnce(&Schema) -> Vec<usize>,
        memory: &Memory,
    ) -> Result<Self, Fault> {
        if format == Format::Arrow {
            let messages = unpanicked(|| Messages::open(source, memory))?;
            let schema = Arc::clone(&messages.schema);
            let places = (0..schema.fields().len()).map(Some).collect();
            let note = messages.note.clone();
            return Ok(Self { schema, places, rows: Box::new(messages), note });
        }
        // Going back and forth in a pipe, or in what is compressed, takes all of it in memory.
        match source.plain().map(|(file, _)| file.try_clone()).transpose()? {
            Some(file) => {
                let mut start = [0; MAGIC.len()];
                let read = file.get_bytes(0, start.len()).map_err(fault);
                start.copy_from_slice(&read.map_err(|_| magic(b""))?);
                check(&start)?;
                of_parquet(file, wants)
            }
            None => of_parquet(Bytes::from(source.bytes(MAGIC.len(), check, memory)?), wants),
        }
    }

    /// The next rows; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>, Fault> {
        unpanicked(|| self.rows.next().transpose())
    }
}

fn magic(start: &[u8]) -> Fault {
    Fault::magic(PARQUET, "\"PAR1\"", start)
}

fn check(start: &[u8]) -> Result<(), Fault> {
    match start {
        MAGIC => Ok(()),
        ENCRYPTED => {
            let remedy = "decrypt it by the program that has its key";
            Err(Fault::variant(PARQUET, "of encrypted columns", remedy))
        }
        _ => Err(magic(start)),
    }
}

fn of_parquet(
    content: impl ChunkReader + 'static,
    wants: impl FnOnce(&Schema) -> Vec<usize>,
) -> Result<Batches, Fault> {
    let open = || {
        let declared = ArrowReaderMetadata::load(&content, Default::default()).map_err(fault)?;
        let declared = in_microseconds(declared)?;
        Ok(ParquetRecordBatchReaderBuilder::new_with_metadata(content, declared))
    };
    let builder = unpanicked(open)?;
    let schema = Arc::clone(builder.schema());
    let wanted = wants(&schema);
    let mut places = vec![None; schema.fields().len()];
    wanted.iter().enumerate().for_each(|(place, &field)| places[field] = Some(place));
    let mask = ProjectionMask::roots(builder.parquet_schema(), wanted);
    let groups = builder.metadata().row_groups().iter();
    let declared: i64 = groups.map(|group| group.num_rows()).sum();
    let mut reader = builder.with_projection(mask).with_batch_size(ROWS).build().map_err(fault)?;
    let mut found = Some(0);
    let rows = std::iter::from_fn(move || match (reader.next(), found) {
        (Some(Ok(batch)), _) => {
            found = found.map(|found| found + batch.num_rows() as i64);
            Some(Ok(batch))
        }
        (Some(Err(ArrowError::ParquetError(reason))), _) => Some(Err(malformed(&reason))),
        (Some(Err(error)), _) => Some(Err(malformed(&error.to_string()))),
        (None, Some(rows)) if rows != declared => {
            found = None;
            let reason = format!("it has {rows} rows, and its row groups declare {declared}");
            Some(Err(malformed(&reason)))
        }
        (None, _) => None,
    });
    Ok(Batches { schema, places, rows: Box::new(rows), note: None })
}

/// The same file, with times of 96 bits in microseconds. Counted in nanoseconds, as they would be, times
/// before 1678 and after 2262 come out as others.
fn in_microseconds(declared: ArrowReaderMetadata) -> Result<ArrowReaderMetadata, Fault> {
    let roots = declared.parquet_schema().root_schema().get_fields();
    let is_wide =
        |root: &TypePtr| root.is_primitive() && root.get_physical_type() == PhysicalType::INT96;
    if !roots.iter().any(is_wide) {
        return Ok(declared);
    }
    let fields = declared.schema().fields().iter().zip(roots);
    let fields: Vec<FieldRef> = fields
        .map(|(field, root)| match field.data_type() {
            DataType::Timestamp(TimeUnit::Nanosecond, zone) if is_wide(root) => {
                let of = DataType::Timestamp(TimeUnit::Microsecond, zone.clone());
                Arc::new(field.as_ref().clone().with_data_type(of))
            }
            _ => Arc::clone(field),
        })
        .collect();
    let schema = Schema::new_with_metadata(fields, declared.schema().metadata().clone());
    let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
    ArrowReaderMetadata::try_new(Arc::clone(declared.metadata()), options).map_err(fault)
}

/// Reads by a crate that panics on some damaged files, which is an error of the file.
fn unpanicked<T>(read: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    let said = |panic: Box<dyn Any + Send>| match panic.downcast::<String>() {
        Ok(said) => *said,
        Err(panic) => panic.downcast_ref::<&str>().unwrap_or(&"no reason").to_string(),
    };
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|panic| Err(Fault::malformed("a table of columns", said(panic))))
}

fn fault(error: ParquetError) -> Fault {
    match error {
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(error) => (*error).into(),
            Err(other) => malformed(&other.to_string()),
        },
        error => malformed(&error.to_string()),
    }
}

fn malformed(reason: &str) -> Fault {
    const LEFT_OUT: &str = "Disabled feature at compile time: ";
    match reason.split_once(LEFT_OUT) {
        Some((_, codec)) => Fault::Element { found: format!("compressed by {codec}") },
        None => Fault::malformed(PARQUET, reason),
    }
}
