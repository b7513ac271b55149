//! Rows of a text table, all with as many fields as the first.

use super::layout::header::{HEAD, below_names, lacks_first_name};
use super::lines::Lines;
use super::missing::MissingWords;
use super::row::{Row, may_be_repeated};
use crate::data::error::Fault;
use crate::data::error::note::Note;
use crate::data::options::ReadOptions;
use crate::data::options::choices::{Column, Delimiter};
use crate::data::source::Source;
use crate::data::source::memory::Memory;
use crate::data::source::spool::LONGEST_LINE;

/// A table whose rows are read one by one; all have as many fields as the first.
pub(in crate::data) struct Table<'a> {
    lines: Lines<'a>,
    pub(in crate::data) note: Option<Note>,
    pub(in crate::data) columns: usize,
    header: Option<Row>,
    /// The header, if rows that repeat it are left out, as between tables that were joined.
    pub(in crate::data) repeats: Option<Vec<String>>,
    /// Rows that were read ahead, the next one last.
    head: Vec<Row>,
    /// Rows of these that repeated the header, and are gone.
    pub(in crate::data) repeated: usize,
    /// Rows below the header that described the columns, and are gone.
    pub(in crate::data) below: usize,
    row: Row,
    fill: bool,
}

impl<'a> Table<'a> {
    /// Reads the first rows. Without `header`, `recognise` tells by them whether there is one; and
    /// without a delimiter of the options, it is recognised.
    pub(in crate::data) fn open(
        source: Source,
        header: Option<bool>,
        options: &ReadOptions,
        recognise: impl FnOnce(&[Row]) -> Result<bool, Fault>,
        memory: &'a Memory,
    ) -> Result<Self, Fault> {
        let mut lines = Lines::open(source, options, memory)?;
        let note = lines.note_on_start();
        let header = header.or(lines.is_named.then_some(true));
        let (mut head, mut bytes) = (Vec::new(), 0);
        while head.len() <= HEAD && bytes < LONGEST_LINE {
            let mut row = Row::default();
            if !lines.read(&mut row)? {
                break;
            }
            bytes += row.content.len();
            head.push(row);
        }
        let fill = options.fill_rows;
        let mut columns = head.first().ok_or(Fault::Empty)?.fields.len();
        if fill && header == Some(true) && lacks_first_name(&head) {
            head[0].fields.insert(0, 0..0);
            columns += 1;
        }
        head.iter().try_for_each(|row: &Row| row.check(columns, fill))?;
        let has_header = header.map_or_else(|| recognise(&head), Ok)?;
        let missing = MissingWords::new(&options.missing_words, options.decimal_comma);
        let below = if has_header { below_names(&head[1..], &missing) } else { 0 };
        head.drain(1..=below);
        head.reverse();
        let header = if has_header { head.pop() } else { None };
        let (repeated, row) = (0, Row::default());
        let mut table =
            Self { lines, note, columns, header, repeats: None, head, repeated, below, row, fill };
        if !options.is_made_text {
            table.repeats = table.header().filter(|header| may_be_repeated(header));
        }
        if let Some(header) = &table.repeats {
            let before = table.head.len();
            table.head.retain(|row| !row.is(header));
            table.repeated = before - table.head.len();
        }
        match table.head.is_empty() {
            true => Err(Fault::OnlyHeader),
            false => Ok(table),
        }
    }

    /// The next row, or none after the last.
    pub(in crate::data) fn next_row(&mut self) -> Result<Option<&Row>, Fault> {
        if let Some(row) = self.head.pop() {
            self.row = row;
            return Ok(Some(&self.row));
        }
        loop {
            if !self.lines.read(&mut self.row)? {
                return Ok(None);
            }
            self.row.check(self.columns, self.fill)?;
            if !self.repeats.as_ref().is_some_and(|header| self.row.is(header)) {
                return Ok(Some(&self.row));
            }
        }
    }

    /// The rows that were read ahead, the last first.
    pub(in crate::data) fn head(&self) -> &[Row] {
        &self.head
    }

    pub(in crate::data) fn delimiter(&self) -> Delimiter {
        self.lines.delimiter
    }

    /// The names of the columns, if the first row names them.
    pub(in crate::data) fn header(&self) -> Option<Vec<String>> {
        let row = self.header.as_ref()?;
        Some((0..self.columns).map(|at| row.text(at).into_owned()).collect())
    }

    /// The rows that were read ahead, the first first, and the lines after them.
    pub(in crate::data) fn into_rows(mut self) -> (Vec<Row>, Lines<'a>) {
        self.head.reverse();
        (self.head, self.lines)
    }

    /// The position of a column.
    pub(in crate::data) fn find(&self, column: &Column) -> Result<usize, Fault> {
        let header = || self.header.iter().flat_map(|row| (0..self.columns).map(|at| row.text(at)));
        let found = match column {
            Column::Index(index) => (*index < self.columns).then_some(*index),
            Column::Name(name) => {
                let mut found = header().enumerate().filter(|(_, other)| other == name);
                let first = found.next().map(|(at, _)| at);
                if let (Some(first), Some((second, _))) = (first, found.next()) {
                    let name = name.clone();
                    return Err(Fault::AmbiguousColumn { name, first, second });
                }
                first
            }
        };
        found.ok_or_else(|| Fault::NoSuchColumn {
            column: column.to_string(),
            columns: match column {
                Column::Index(_) => self.columns.to_string(),
                Column::Name(name) => {
                    let names: Vec<_> = header().collect();
                    let nearest = nearest(name, names.iter().map(AsRef::as_ref));
                    let meant = nearest.map(|name| format!("; did you mean {name:?}?"));
                    names.join(", ") + &meant.unwrap_or_default()
                }
            },
        })
    }
}

/// The name that is nearest to one that is not there: the same but for capitals, or of few other letters.
pub(in crate::data) fn nearest<'n>(
    name: &str,
    names: impl Iterator<Item = &'n str>,
) -> Option<&'n str> {
    let lower = name.to_lowercase();
    let distance = |other: &str| strsim::damerau_levenshtein(&lower, &other.to_lowercase());
    let nearest = names.map(|other| (distance(other), other)).min_by_key(|(off, _)| *off);
    nearest.filter(|(off, _)| 3 * off <= name.chars().count()).map(|(_, other)| other)
}

/// True if one of `rows` has a number in a column, and not one that is a word of missing values.
pub(in crate::data) fn has_number(rows: &[Row], column: usize, missing: &MissingWords) -> bool {
    rows.iter().any(|row| row.is_number(column) && !missing.has(row.field(column)))
}
