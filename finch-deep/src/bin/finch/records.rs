//! Labels as text: a row for each row of the input.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use csv::WriterBuilder;
use finch_core::Partition;
use finch_deep::data::{Cells, Dropped, Input, WriteError, missing_folders, write_atomically};
use serde_json::{Number, Value};

use crate::output::Unusable;
use crate::report::Labels;

/// The column of the finest labels, which tells files of this command from others.
const FIRST: &str = "partition_0";

/// Bytes of a file in which that column is looked for.
const START: u64 = 1 << 16;

/// How labels are written as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextFormat {
    Csv,
    Tsv,
    Json,
    JsonLines,
}

impl TextFormat {
    /// None where the name is that of a directory.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let format = match extension.as_str() {
            "csv" => TextFormat::Csv,
            "tsv" => TextFormat::Tsv,
            "json" => TextFormat::Json,
            "jsonl" => TextFormat::JsonLines,
            _ => return None,
        };
        (!path.is_dir()).then_some(format)
    }
}

/// The labels of all rows of the input.
pub(crate) struct Records<'a> {
    input: &'a Input,
    /// Each labelling of the samples, and its name.
    labellings: Vec<(String, &'a [u32])>,
    /// Whether the columns of the input come first.
    append: bool,
}

/// A row of the input.
#[derive(Clone, Copy)]
struct Record<'a> {
    row: usize,
    /// The number of the sample; none for a row that was left out.
    sample: Option<usize>,
    name: Option<&'a str>,
}

/// The table has a column already that the labels would be written as.
#[derive(Debug, thiserror::Error)]
#[error(
    "the input has a column {0:?} already, as the labels have: leave --append out, or rename it"
)]
struct SameColumn(String);

impl<'a> Records<'a> {
    pub(crate) fn new(
        input: &'a Input,
        partitions: &'a [Partition],
        further: [(&str, Option<&'a Partition>); 2],
        append: bool,
    ) -> Self {
        let numbered = partitions.iter().enumerate();
        let mut labellings: Vec<_> =
            numbered.map(|(at, one)| (format!("partition_{at}"), one.labels())).collect();
        for (name, partition) in further {
            labellings.extend(partition.map(|one| (name.to_string(), one.labels())));
        }
        Self { input, labellings, append }
    }

    /// The rows of the input, with those that were left out.
    fn rows(&self) -> impl Iterator<Item = Record<'a>> {
        let (names, dropped) = (self.input.names(), self.input.dropped());
        let mut left_out = dropped.iter().peekable();
        let mut samples = 0;
        (0..self.input.samples() + dropped.len()).map(move |row| {
            let gone: Option<&Dropped> = left_out.next_if(|dropped| dropped.row == row);
            match gone {
                Some(dropped) => Record { row, sample: None, name: dropped.name.as_deref() },
                None => {
                    let sample = samples;
                    samples += 1;
                    let name = names.map(|names| names[sample].as_str());
                    Record { row, sample: Some(sample), name }
                }
            }
        })
    }

    fn has_names(&self) -> bool {
        self.input.names().is_some()
    }

    /// The names of the rows, if they have names.
    pub(crate) fn names(&self) -> Option<Vec<Option<&'a str>>> {
        self.has_names().then(|| self.rows().map(|row| row.name).collect())
    }

    /// The labels of the rows.
    pub(crate) fn labels(&self) -> Labels {
        let of = |(name, labels): &(String, &'a [u32])| {
            let labels = self.rows().map(|row| row.sample.map(|sample| labels[sample]));
            (name.clone(), labels.collect())
        };
        self.labellings.iter().map(of).collect()
    }

    /// The columns before those of labels.
    fn first_columns(&self) -> Vec<String> {
        match self.cells() {
            None if self.has_names() => vec!["name".into()],
            None => vec!["row".into()],
            Some(cells) => match cells.header() {
                Some(header) => header.to_vec(),
                None => (0..cells.columns()).map(|column| format!("column_{column}")).collect(),
            },
        }
    }

    fn cells(&self) -> Option<&'a Cells> {
        self.input.cells().filter(|_| self.append)
    }

    fn write(&self, format: TextFormat, file: &mut BufWriter<&File>) -> io::Result<()> {
        match format {
            TextFormat::Csv => self.write_table(b',', file),
            TextFormat::Tsv => self.write_table(b'\t', file),
            TextFormat::Json => self.write_json(file, ["[\n", ",\n", "\n]\n"]),
            TextFormat::JsonLines => self.write_json(file, ["", "\n", "\n"]),
        }
    }

    fn write_table(&self, delimiter: u8, file: &mut BufWriter<&File>) -> io::Result<()> {
        let mut writer = WriterBuilder::new().delimiter(delimiter).from_writer(file);
        for column in self.first_columns() {
            writer.write_field(column)?;
        }
        writer.write_record(self.labellings.iter().map(|(name, _)| name))?;
        let cells = self.cells();
        for record in self.rows() {
            match cells {
                Some(cells) => {
                    cells.row(record.row).try_for_each(|cell| writer.write_field(&*cell))?;
                }
                None => match record.name {
                    Some(name) => writer.write_field(name)?,
                    None => writer.write_field(record.row.to_string())?,
                },
            }
            let label = |labels: &[u32]| record.sample.map(|sample| labels[sample].to_string());
            let labels =
                self.labellings.iter().map(|(_, labels)| label(labels).unwrap_or_default());
            writer.write_record(labels)?;
        }
        writer.flush()
    }

    /// Writes a JSON object for each row, with text before, between and after the objects.
    fn write_json(&self, file: &mut BufWriter<&File>, around: [&str; 3]) -> io::Result<()> {
        let [before, between, after] = around;
        let (columns, cells) = (self.first_columns(), self.cells());
        file.write_all(before.as_bytes())?;
        for record in self.rows() {
            if record.row > 0 {
                file.write_all(between.as_bytes())?;
            }
            let first: Vec<Value> = match cells {
                Some(cells) => cells.row(record.row).map(|cell| value(&cell)).collect(),
                None => vec![record.name.map_or_else(|| record.row.into(), Value::from)],
            };
            // Written by hand, so that the columns keep their order.
            file.write_all(b"{")?;
            let labels = self.labellings.iter().map(|(name, labels)| {
                let label = record.sample.map(|sample| labels[sample]);
                (name, label.map_or(Value::Null, Value::from))
            });
            for (at, (name, value)) in columns.iter().zip(first).chain(labels).enumerate() {
                let comma = if at > 0 { ", " } else { "" };
                write!(file, "{comma}{}: {value}", Value::from(name.as_str()))?;
            }
            file.write_all(b"}")?;
        }
        file.write_all(after.as_bytes())
    }
}

/// A field as JSON: a number where it is one, nothing where it is empty, else text.
fn value(field: &str) -> Value {
    // JSON has no numbers such as +1, 007 or .5; they stay as they are.
    let plain = serde_json::from_str::<Number>(field).ok().filter(|number| {
        number.is_i64() || number.is_u64() || number.as_f64().is_some_and(f64::is_finite)
    });
    match plain {
        Some(number) => Value::Number(number),
        None if field.is_empty() => Value::Null,
        None => field.into(),
    }
}

/// A file of labels as text that can be written, from before a long run until after it.
pub(crate) struct LabelFile {
    path: PathBuf,
    format: TextFormat,
    /// The folders made for this run, innermost first. They are removed if the run fails.
    made: Vec<PathBuf>,
}

impl LabelFile {
    /// Makes the folder if need be, and tries whether files can be made in it.
    pub(crate) fn prepare(
        path: &Path,
        format: TextFormat,
        inputs: &[PathBuf],
    ) -> Result<Self, Unusable> {
        expect_own(path, inputs)?;
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let made = missing_folders(folder);
        let file = Self { path: path.into(), format, made };
        std::fs::create_dir_all(folder)
            .and_then(|()| tempfile::tempfile_in(folder).map(drop))
            .map_err(|source| Unusable::Unwritable { directory: folder.into(), source })?;
        Ok(file)
    }

    /// Writes the labels beside, and renames the file.
    pub(crate) fn write(
        mut self,
        records: &Records<'_>,
        inputs: &[PathBuf],
    ) -> Result<(), Box<dyn std::error::Error>> {
        // A file may have come there during the run.
        expect_own(&self.path, inputs)?;
        if records.append {
            let columns = records.first_columns();
            let same = records.labellings.iter().find(|(name, _)| columns.contains(name));
            if let Some((name, _)) = same {
                return Err(SameColumn(name.clone()).into());
            }
        }
        let written: Result<(), WriteError> =
            write_atomically(&self.path, |file| records.write(self.format, file));
        written?;
        self.made.clear();
        Ok(())
    }
}

impl Drop for LabelFile {
    fn drop(&mut self) {
        for folder in &self.made {
            // Removes only empty folders. There is nobody left to tell of an error.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// Checks that the file to be overwritten is of an earlier run, and neither an input nor a user's own.
fn expect_own(path: &Path, inputs: &[PathBuf]) -> Result<(), Unusable> {
    let Ok(there) = path.canonicalize() else { return Ok(()) };
    let is_input = |input: &PathBuf| input.canonicalize().is_ok_and(|input| input == there);
    if inputs.iter().any(is_input) {
        return Err(Unusable::Input(path.into()));
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(START).read_to_end(&mut start));
    let first = FIRST.as_bytes();
    match there.is_file() && read.is_ok() && start.windows(first.len()).any(|part| part == first) {
        true => Ok(()),
        false => Err(Unusable::Foreign(path.into())),
    }
}
