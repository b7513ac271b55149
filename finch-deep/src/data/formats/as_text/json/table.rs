//! The rows of JSON that is being read.

use std::collections::{HashMap, HashSet};

use crate::data::error::Fault;
use crate::data::error::note::Note;
use crate::data::error::table::TableFault;
use crate::data::formats::as_text::guard::Guard;
use crate::data::formats::as_text::rows::Rows;
use crate::data::formats::csv::field::{is_missing, number};
use crate::data::formats::csv::written::is_measured;
use crate::data::source::memory::Memory;
use crate::data::source::spool::MadeText;

/// The bytes of an entry of a list or a map beside its text.
pub(super) const ENTRY: u64 = 64;

/// Keys of objects that are about the records, and have lists of other things.
pub(super) const ABOUT: [&str; 8] =
    ["schema", "meta", "metadata", "links", "_links", "info", "errors", "warnings"];

/// The kind of the records of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Objects, whose keys are the columns.
    Objects,
    /// Arrays of so many values.
    Arrays(usize),
}

/// The rows of JSON that is being read.
pub(super) struct Table<'g, 'm> {
    pub(super) guard: &'g Guard<'m>,
    pub(super) memory: &'m Memory,
    rows: Rows<'m>,
    kind: Option<Kind>,
    /// The columns by their names.
    columns: HashMap<String, usize>,
    names: Vec<String>,
    /// The cells of the record that is being read.
    record: Vec<String>,
    /// The number, from 1, of the last record that has each column.
    last: Vec<u64>,
    /// The values of each list within records, by its key.
    pub(super) lists: HashMap<String, usize>,
    /// The values of the list that is being read.
    pub(super) items: Vec<String>,
    /// The keys of lists of words, each of which is one value.
    pub(super) tags: HashSet<String>,
    pub(super) records: u64,
    /// The bytes taken for the cells of the record.
    taken: u64,
    /// The names of the rows, of a file of columns.
    index: Vec<String>,
    by_index: HashMap<String, usize>,
    /// The cells of each column, of a file of columns.
    whole: Vec<Vec<String>>,
    /// True if each line is a record.
    of_lines: bool,
    /// True if an object of columns has begun.
    pub(super) frame: bool,
    /// The values of `columns` and `index`: of pandas, unless `data` is a column.
    pub(super) pending: [Option<Vec<String>>; 2],
    /// True if pandas split the table to columns, index and data.
    pub(super) split: bool,
    /// True if the names of its rows are a column.
    pub(super) has_row_names: bool,
    /// The field of an only object whose list has the records, as answers of services have it.
    pub(super) wrapped: Option<String>,
    /// The field within which a list is.
    pub(super) within: Option<String>,
    /// The bytes that were taken before the table.
    start: u64,
    /// The fields beside it, which are not read.
    pub(super) beside: Vec<String>,
    /// The fault of a field that is no column, unless another one has the records.
    pub(super) deferred: Option<Fault>,
    /// True if the first record may be a header: an array of words that differ.
    begins_with_words: bool,
    /// True if a value is a number: of words alone, the first array is one of data.
    has_numbers: bool,
}

impl<'g, 'm> Table<'g, 'm> {
    pub(super) fn new(
        of_lines: bool,
        guard: &'g Guard<'m>,
        memory: &'m Memory,
    ) -> Result<Self, Fault> {
        Ok(Self {
            guard,
            memory,
            rows: Rows::new(memory)?,
            kind: None,
            columns: HashMap::new(),
            names: Vec::new(),
            record: Vec::new(),
            last: Vec::new(),
            lists: HashMap::new(),
            items: Vec::new(),
            tags: HashSet::new(),
            records: 0,
            taken: 0,
            index: Vec::new(),
            by_index: HashMap::new(),
            whole: Vec::new(),
            of_lines,
            frame: false,
            pending: [None, None],
            split: false,
            has_row_names: false,
            wrapped: None,
            within: None,
            start: memory.taken(),
            beside: Vec::new(),
            deferred: None,
            begins_with_words: false,
            has_numbers: false,
        })
    }

    /// The number of a column.
    pub(super) fn column(&mut self, name: &str) -> Result<usize, Fault> {
        if let Some(&column) = self.columns.get(name) {
            return Ok(column);
        }
        self.memory.take(2 * name.len() as u64 + 2 * ENTRY)?;
        let column = self.names.len();
        self.names.push(name.into());
        self.columns.insert(name.into(), column);
        Ok(column)
    }

    pub(super) fn cell(&mut self, key: &str, text: String) -> Result<(), Fault> {
        let column = self.column(key)?;
        if self.last.len() <= column {
            let lacking = column + 1 - self.last.len();
            self.memory.reserve(&mut self.last, lacking)?;
            self.last.resize(column + 1, 0);
        }
        let record = self.records + 1;
        if std::mem::replace(&mut self.last[column], record) == record {
            let (record, key) = (self.records, key.to_string());
            return Err(TableFault::Twice { record, key }.into());
        }
        if self.record.len() <= column {
            let lacking = column + 1 - self.record.len();
            self.memory.reserve(&mut self.record, lacking)?;
            self.record.resize(column + 1, String::new());
        }
        self.count(&text)?;
        self.record[column] = text;
        Ok(())
    }

    /// Appends a value to the list of a key. One that is a word makes all lists of the key such of words.
    pub(super) fn item(&mut self, key: &str, text: String, is_text: bool) -> Result<(), Fault> {
        let is_word = is_text && number(text.as_bytes()).is_none() && !is_missing(text.as_bytes());
        if is_word && !self.tags.contains(key) && !self.lists.contains_key(key) {
            self.memory.take(key.len() as u64 + ENTRY)?;
            self.tags.insert(key.into());
        }
        self.memory.push(&mut self.items, text)
    }

    /// Makes the list that has been read cells: one of all its words, or one for each of its values.
    pub(super) fn end_list(&mut self, key: &str) -> Result<(), Fault> {
        if self.tags.contains(key) {
            let words = self.items.join(", ");
            self.items.clear();
            return self.cell(key, words);
        }
        // The memory of the list is of the next one, too, and is counted once.
        let mut items = std::mem::take(&mut self.items);
        for (place, text) in items.iter_mut().enumerate() {
            self.cell(&format!("{key}.{place}"), std::mem::take(text))?;
        }
        items.clear();
        self.items = items;
        Ok(())
    }

    /// Appends a cell to the record.
    pub(super) fn push(&mut self, text: String) -> Result<(), Fault> {
        self.count(&text)?;
        self.memory.push(&mut self.record, text)
    }

    /// Takes the memory of a cell, up to the end of the record.
    fn count(&mut self, text: &str) -> Result<(), Fault> {
        let bytes = text.len() as u64;
        self.memory.take(bytes)?;
        self.taken += bytes;
        Ok(())
    }

    /// Writes the record.
    pub(super) fn end_record(&mut self, kind: Kind) -> Result<(), Fault> {
        match (self.kind, kind) {
            (None, _) => self.kind = Some(kind),
            (Some(before), now) if before == now => {}
            (Some(Kind::Arrays(expected)), Kind::Arrays(found)) => {
                let record = self.records;
                return Err(TableFault::Width { record, expected, found }.into());
            }
            _ => return Err(TableFault::NoTable { found: "objects beside arrays" }.into()),
        }
        if self.records == 0 && matches!(kind, Kind::Arrays(_)) {
            let differ = self.record.iter().collect::<HashSet<_>>().len() == self.record.len();
            let is_word = |text: &String| !is_missing(text.as_bytes()) && !is_measured(text);
            self.begins_with_words = differ && self.record.iter().all(is_word);
        }
        if self.begins_with_words && !self.has_numbers {
            self.has_numbers = self.record.iter().any(|text| number(text.as_bytes()).is_some());
        }
        for text in &mut self.record {
            self.rows.field(text)?;
            *text = String::new();
        }
        self.memory.give_back(std::mem::take(&mut self.taken));
        if matches!(kind, Kind::Arrays(_)) {
            self.record.clear();
        }
        self.records += 1;
        self.rows.end_sample()
    }

    /// The cell of a column in a row, of a file of columns.
    pub(super) fn cell_of(&mut self, column: usize, row: &str, text: String) -> Result<(), Fault> {
        let row = match self.by_index.get(row) {
            Some(&row) => row,
            None => {
                self.memory.take(2 * row.len() as u64 + 2 * ENTRY)?;
                self.by_index.insert(row.into(), self.index.len());
                self.index.push(row.into());
                self.index.len() - 1
            }
        };
        if self.whole.len() <= column {
            self.whole.resize_with(column + 1, Vec::new);
        }
        let cells = &mut self.whole[column];
        if cells.len() <= row {
            self.memory.reserve(cells, row + 1 - cells.len())?;
            cells.resize(row + 1, String::new());
        }
        self.memory.take(text.len() as u64)?;
        cells[row] = text;
        Ok(())
    }

    /// True if a field of the only object so far may have the records, as answers of services have it.
    pub(super) fn may_be_wrapped(&self) -> bool {
        !self.of_lines && self.records == 0 && self.wrapped.is_none()
    }

    /// Makes the list of a field that of the records, unless a list before may be a column. Says whether it is.
    pub(super) fn unwrap(&mut self, key: &str) -> Result<bool, Fault> {
        let has_column = self.frame && self.by_index.contains_key("0");
        let is_other = has_column || !self.items.is_empty() || ABOUT.contains(&key);
        if !self.may_be_wrapped() || is_other {
            return Ok(false);
        }
        self.guard.ended();
        let fresh = Table::new(false, self.guard, self.memory)?;
        let before = std::mem::replace(self, fresh);
        self.memory.settle(before.start);
        self.start = before.start;
        let path = before.within.map_or_else(|| key.into(), |outer| format!("{outer}.{key}"));
        let of_path = |name: &String| {
            path.strip_prefix(&name[..])
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.beside = before.names;
        self.beside.retain(|name| !of_path(name));
        self.wrapped = Some(path);
        Ok(true)
    }

    /// True if a list is a column: no flat record is before it.
    pub(super) fn is_frame(&self) -> bool {
        self.frame || !self.of_lines && self.records == 0 && self.record.is_empty()
    }

    /// Ends an object of columns: `columns` and `index` are columns if `data` has no rows.
    pub(super) fn end_frame(&mut self) -> Result<(), Fault> {
        let [names, index] = std::mem::take(&mut self.pending);
        if !self.split {
            for (key, list) in [("columns", names), ("index", index)] {
                let Some(list) = list else { continue };
                let column = self.column(key)?;
                for (row, text) in list.into_iter().enumerate() {
                    self.cell_of(column, &row.to_string(), text)?;
                }
            }
            return Ok(());
        }
        if !self.whole.is_empty() {
            return Err(TableFault::NoTable { found: "data of rows beside columns" }.into());
        }
        let named = index.as_deref().is_some_and(has_names);
        self.names = names.unwrap_or_default();
        if named {
            self.names.insert(0, String::new());
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<MadeText, Fault> {
        if !self.whole.is_empty() {
            let named = has_names(&self.index);
            if named {
                self.names.insert(0, String::new());
            }
            for row in 0..self.index.len() {
                if named {
                    self.rows.field(&self.index[row])?;
                }
                for cells in &self.whole {
                    self.rows.field(cells.get(row).map_or("", String::as_str))?;
                }
                self.rows.end_sample()?;
            }
            let file = self.rows.finish(Some(&self.names))?;
            return Ok(MadeText { file, header: Some(true), notes: Vec::new() });
        }
        if self.records == 0 {
            return Err(Fault::Empty);
        }
        let has_names = !self.names.is_empty() || self.kind == Some(Kind::Objects);
        let file = self.rows.finish(has_names.then_some(&self.names[..]))?;
        let note = self.wrapped.filter(|_| !self.beside.is_empty());
        let notes = note.map(|read| Note::Wrapped { read, others: self.beside });
        // Services that answer with arrays have the names in the first.
        let header =
            (has_names || !self.begins_with_words || !self.has_numbers).then_some(has_names);
        Ok(MadeText { file, header, notes: notes.into_iter().collect() })
    }
}

/// True if the rows have names that are not their numbers.
pub(super) fn has_names(index: &[String]) -> bool {
    index.iter().any(|name| name.parse::<f64>().is_err())
}
