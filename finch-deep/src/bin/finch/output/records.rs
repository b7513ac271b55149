//! Labels as a table: a row for each row of the input.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table};
use csv::WriterBuilder;
use finch_core::{Labels, Neighbors, Partition};
use finch_deep::data::{Cells, ColumnValues, Dropped, Escaped, Input, write_columns};
use serde_json::{Number, Value};

use super::profiles::short;
use super::summary::{NamedLabels, plain};
use super::table_format::TableFormat;

/// A table about all rows of the input.
pub(crate) struct Records<'a> {
    rows: Rows<'a>,
    columns: Vec<(String, Values<'a>)>,
}

/// The rows that a table is about.
pub(crate) struct Rows<'a> {
    samples: usize,
    names: Option<&'a [String]>,
    /// The rows that are no samples.
    dropped: &'a [Dropped],
    /// The columns of the input, if they come first.
    cells: Option<&'a Cells>,
}

/// A column of a table: a value for each sample.
pub(crate) enum Values<'a> {
    Labels(&'a [u32]),
    Indices(Vec<u32>),
    Numbers(&'a [f64]),
    Texts(Vec<&'a str>),
}

/// A labelling with noise, and how sure it is.
pub(crate) struct Labelled {
    pub(crate) labels: Labels,
    /// The share of each sample's links that stay in its cluster.
    pub(crate) probabilities: Option<Vec<f64>>,
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
pub(crate) struct SameColumn(String);

impl<'a> Rows<'a> {
    /// The rows of an input, with all its columns if they are to come first.
    pub(crate) fn of(input: &'a Input, append: bool) -> Self {
        Self {
            samples: input.samples(),
            names: input.names(),
            dropped: input.dropped(),
            cells: input.cells().filter(|_| append),
        }
    }

    /// Rows that are all samples.
    pub(crate) fn named(samples: usize, names: Option<&'a [String]>) -> Self {
        Self { samples, names, dropped: &[], cells: None }
    }

    /// The rows, with those that were left out.
    fn all(&self) -> impl Iterator<Item = Record<'a>> {
        let (names, dropped) = (self.names, self.dropped);
        let mut left_out = dropped.iter().peekable();
        let mut samples = 0;
        (0..self.samples + dropped.len()).map(move |row| {
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

    /// The columns before those of values.
    fn first_columns(&self) -> Vec<String> {
        match self.cells {
            None if self.names.is_some() => vec!["name".into()],
            None => vec!["row".into()],
            Some(cells) => match cells.header() {
                Some(header) => header.to_vec(),
                None => (0..cells.columns()).map(|column| format!("column_{column}")).collect(),
            },
        }
    }
}

/// The number of a sample or a cluster; -1 for none.
fn number(index: u32) -> i64 {
    if index == Neighbors::NONE { -1 } else { i64::from(index) }
}

impl Values<'_> {
    /// The value of a sample as text, with all digits of a number.
    pub(crate) fn text(&self, sample: usize) -> String {
        match self {
            Values::Labels(labels) => number(labels[sample]).to_string(),
            Values::Indices(indices) => number(indices[sample]).to_string(),
            Values::Numbers(numbers) => finch_core::Number(numbers[sample]).to_string(),
            Values::Texts(texts) => texts[sample].into(),
        }
    }

    /// The value for people, a number in a few digits.
    fn shown(&self, sample: usize) -> String {
        match self {
            Values::Numbers(numbers) => short(numbers[sample]),
            Values::Texts(texts) => Escaped(texts[sample]).to_string(),
            _ => self.text(sample),
        }
    }

    /// The values of these samples; none where there is no sample.
    fn typed(&self, samples: impl Iterator<Item = Option<usize>>) -> io::Result<ColumnValues> {
        let large = |_| io::Error::other("a label does not fit int32");
        let label = |label: u32| i32::try_from(number(label)).map_err(large);
        Ok(match self {
            Values::Labels(labels) => {
                let labels = samples.map(|sample| sample.map(|at| label(labels[at])).transpose());
                ColumnValues::Labels(labels.collect::<io::Result<_>>()?)
            }
            Values::Indices(indices) => {
                let indices = samples.map(|sample| Some(number(indices[sample?])));
                ColumnValues::Integers(indices.collect())
            }
            Values::Numbers(numbers) => {
                ColumnValues::Numbers(samples.map(|sample| Some(numbers[sample?])).collect())
            }
            Values::Texts(texts) => {
                ColumnValues::Texts(samples.map(|sample| Some(texts[sample?].into())).collect())
            }
        })
    }

    /// As JSON, which has no infinite numbers.
    fn json(&self, sample: usize) -> Value {
        match self {
            Values::Labels(labels) => number(labels[sample]).into(),
            Values::Indices(indices) => number(indices[sample]).into(),
            Values::Numbers(numbers) => numbers[sample].into(),
            Values::Texts(texts) => texts[sample].into(),
        }
    }
}

impl<'a> Records<'a> {
    pub(crate) fn new(rows: Rows<'a>, columns: Vec<(String, Values<'a>)>) -> Self {
        Self { rows, columns }
    }

    /// The labels of partitions, and of further labellings by their names.
    pub(crate) fn of_labels(
        rows: Rows<'a>,
        partitions: &'a [Partition],
        further: [(&str, Option<&'a Labelled>); 2],
    ) -> Self {
        let numbered = partitions.iter().enumerate();
        let numbered =
            numbered.map(|(at, one)| (format!("partition_{at}"), Values::Labels(one.labels())));
        let mut columns: Vec<(String, Values<'a>)> = numbered.collect();
        for (name, labelled) in further {
            let Some(labelled) = labelled else { continue };
            columns.push((name.into(), Values::Labels(labelled.labels.labels())));
            if let Some(probabilities) = &labelled.probabilities {
                columns.push((format!("{name}_probability"), Values::Numbers(probabilities)));
            }
        }
        Self { rows, columns }
    }

    /// The names of the rows, if they have names.
    pub(crate) fn names(&self) -> Option<Vec<Option<&'a str>>> {
        self.rows.names.map(|_| self.rows.all().map(|row| row.name).collect())
    }

    /// The labels of the rows.
    pub(crate) fn labels(&self) -> NamedLabels {
        let of = |(name, values): &(String, Values<'_>)| {
            let Values::Labels(labels) = values else { return None };
            let labels = self.rows.all().map(|row| row.sample.map(|sample| number(labels[sample])));
            Some((name.clone(), labels.collect()))
        };
        self.columns.iter().filter_map(of).collect()
    }

    /// The columns of the table, for people.
    pub(crate) fn shown(&self) -> Table {
        let names = self.columns.iter().map(|(name, _)| name.clone());
        let header: Vec<String> = self.rows.first_columns().into_iter().chain(names).collect();
        let mut table = plain(&header);
        for record in self.rows.all() {
            let first = match record.name {
                Some(name) => Escaped(name).to_string(),
                None => record.row.to_string(),
            };
            let values = self.columns.iter().map(|(_, values)| {
                record.sample.map(|sample| values.shown(sample)).unwrap_or_default()
            });
            table.add_row([first].into_iter().chain(values));
        }
        if let Some(column) = table.column_mut(0).filter(|_| self.rows.names.is_some()) {
            column.set_cell_alignment(CellAlignment::Left);
        }
        table
    }

    /// Checks that no column of the input has the name of one that is written beside it.
    pub(crate) fn expect_other_columns(&self) -> Result<(), SameColumn> {
        if self.rows.cells.is_none() {
            return Ok(());
        }
        let columns = self.rows.first_columns();
        match self.columns.iter().find(|(name, _)| columns.contains(name)) {
            Some((name, _)) => Err(SameColumn(name.clone())),
            None => Ok(()),
        }
    }

    pub(crate) fn write(&self, format: TableFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            TableFormat::Csv => self.write_table(b',', out),
            TableFormat::Tsv => self.write_table(b'\t', out),
            TableFormat::Json => self.write_json(out, ["[\n", ",\n", "\n]\n"]),
            TableFormat::JsonLines => self.write_json(out, ["", "\n", "\n"]),
            TableFormat::Columns(format) => write_columns(format, &self.typed()?, out),
        }
    }

    /// The columns in types of their own.
    fn typed(&self) -> io::Result<Vec<(String, ColumnValues)>> {
        let mut first = self.rows.first_columns();
        let mut columns: Vec<(String, ColumnValues)> = match (self.rows.cells, self.rows.names) {
            (Some(cells), _) => {
                let values = (0..first.len()).map(|column| cells.values(column));
                first.drain(..).zip(values).collect()
            }
            (None, Some(_)) => {
                let names = self.rows.all().map(|row| row.name.map(String::from));
                vec![(first.remove(0), ColumnValues::Texts(names.collect()))]
            }
            (None, None) => {
                let rows = self.rows.all().map(|row| Some(row.row as i64));
                vec![(first.remove(0), ColumnValues::Integers(rows.collect()))]
            }
        };
        for (name, values) in &self.columns {
            let samples = self.rows.all().map(|row| row.sample);
            columns.push((name.clone(), values.typed(samples)?));
        }
        Ok(columns)
    }

    fn write_table(&self, delimiter: u8, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = WriterBuilder::new().delimiter(delimiter).from_writer(out);
        for column in self.rows.first_columns() {
            writer.write_field(column).map_err(of_system)?;
        }
        writer.write_record(self.columns.iter().map(|(name, _)| name)).map_err(of_system)?;
        for record in self.rows.all() {
            match self.rows.cells {
                Some(cells) => {
                    let mut cells = cells.row(record.row);
                    cells.try_for_each(|cell| writer.write_field(&*cell)).map_err(of_system)?;
                }
                None => match record.name {
                    Some(name) => writer.write_field(name).map_err(of_system)?,
                    None => writer.write_field(record.row.to_string()).map_err(of_system)?,
                },
            }
            let value = |values: &Values<'_>| record.sample.map(|sample| values.text(sample));
            let values = self.columns.iter().map(|(_, values)| value(values).unwrap_or_default());
            writer.write_record(values).map_err(of_system)?;
        }
        writer.flush()
    }

    /// Writes a JSON object for each row, with text before, between and after the objects.
    fn write_json(&self, out: &mut dyn Write, around: [&str; 3]) -> io::Result<()> {
        let [before, between, after] = around;
        let (columns, cells) = (self.rows.first_columns(), self.rows.cells);
        out.write_all(before.as_bytes())?;
        for record in self.rows.all() {
            if record.row > 0 {
                out.write_all(between.as_bytes())?;
            }
            let first: Vec<Value> = match cells {
                Some(cells) => cells.row(record.row).map(|cell| value(&cell)).collect(),
                None => vec![record.name.map_or_else(|| record.row.into(), Value::from)],
            };
            // Written by hand, so that the columns keep their order.
            out.write_all(b"{")?;
            let values = self.columns.iter().map(|(name, values)| {
                (name, record.sample.map_or(Value::Null, |sample| values.json(sample)))
            });
            for (at, (name, value)) in columns.iter().zip(first).chain(values).enumerate() {
                let comma = if at > 0 { ", " } else { "" };
                write!(out, "{comma}{}: {value}", Value::from(name.as_str()))?;
            }
            out.write_all(b"}")?;
        }
        out.write_all(after.as_bytes())
    }
}

/// The system's own error: the conversion of the crate hides that nobody reads a pipe any more.
fn of_system(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        _ => io::Error::other("the records of a table differ in length"),
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
