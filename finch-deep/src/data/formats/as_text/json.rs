//! JSON: an object on each line, an array of objects or of arrays, and what pandas writes.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::{BufRead, BufReader, Cursor, Read};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;

use super::guard::{Guard, Guarded};
use super::rows::Rows;
use crate::data::error::Fault;
use crate::data::error::table::TableFault;
use crate::data::formats::csv::encoding::decoded;
use crate::data::formats::csv::written::is_measured;
use crate::data::source::Source;
use crate::data::source::memory::Memory;
use crate::data::source::spool::MadeText;

/// The keys of pandas.DataFrame.to_json(orient="split") beside `data`.
const SPLIT: [&str; 2] = ["columns", "index"];

/// The kind of several tables in a file.
const SEVERAL: &str = "several objects of lists (write each record on a line of its own)";

/// Bytes of a first line that is a record, at most.
const LONGEST_RECORD: u64 = 16 << 20;

/// The bytes of an entry of a list or a map beside its text.
const ENTRY: u64 = 64;

/// Makes JSON text.
pub(super) fn text(source: Source, memory: &Memory) -> Result<MadeText, Fault> {
    let mut reader = decoded(source.reader(), memory)?;
    if reader.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
        reader.consume(3);
    }
    let guard = Guard::new(memory);
    let mut reader = BufReader::with_capacity(1 << 16, Guarded { reader, guard: &guard });
    // However long it is, the first line tells.
    let mut first = Vec::new();
    if reader.fill_buf()?.trim_ascii_start().starts_with(b"{") {
        (&mut reader).take(LONGEST_RECORD).read_until(b'\n', &mut first)?;
    }
    let of_lines = is_object(&first) && reader.fill_buf()?.trim_ascii_start().starts_with(b"{");
    let mut values = serde_json::Deserializer::from_reader(Cursor::new(first).chain(reader));
    let mut table = Table { of_lines, ..Table::new(&guard, memory)? };
    loop {
        let read = Place::Top.seed(&mut table).deserialize(&mut values);
        read.map_err(|error| fault(&guard, error))?;
        match values.end() {
            Ok(()) => break,
            Err(error) if error.classify() == Category::Syntax => {}
            Err(error) => return Err(fault(&guard, error)),
        }
    }
    table.finish()
}

/// True if a line is an object: where another one follows it, each line is a record, and a field that is an object is no
/// column.
fn is_object(line: &[u8]) -> bool {
    line.trim_ascii().starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

/// The fault that a parser gave up for.
fn fault(guard: &Guard<'_>, error: serde_json::Error) -> Fault {
    if let Some(fault) = guard.fault() {
        return fault;
    }
    let (line, column, reason) = (error.line(), error.column(), error.to_string());
    let place = format!(" at line {line} column {column}");
    let reason = reason.strip_suffix(&place).unwrap_or(&reason).to_string();
    TableFault::Json { line, column, reason }.into()
}

/// The kind of the records of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Objects, whose keys are the columns.
    Objects,
    /// Arrays of so many values.
    Arrays(usize),
}

/// The rows of JSON that is being read.
struct Table<'g, 'm> {
    guard: &'g Guard<'m>,
    memory: &'m Memory,
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
    lists: HashMap<String, usize>,
    records: u64,
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
    frame: bool,
    /// The values of `columns` and `index`: of pandas, unless `data` is a column.
    pending: [Option<Vec<String>>; 2],
    /// True if pandas split the table to columns, index and data.
    split: bool,
    /// True if the names of its rows are a column.
    has_row_names: bool,
    /// True if the first record may be a header: an array of words that differ.
    begins_with_words: bool,
}

impl<'g, 'm> Table<'g, 'm> {
    fn new(guard: &'g Guard<'m>, memory: &'m Memory) -> Result<Self, Fault> {
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
            records: 0,
            taken: 0,
            index: Vec::new(),
            by_index: HashMap::new(),
            whole: Vec::new(),
            of_lines: false,
            frame: false,
            pending: [None, None],
            split: false,
            has_row_names: false,
            begins_with_words: false,
        })
    }

    /// The number of a column.
    fn column(&mut self, name: &str) -> Result<usize, Fault> {
        if let Some(&column) = self.columns.get(name) {
            return Ok(column);
        }
        self.memory.take(2 * name.len() as u64 + 2 * ENTRY)?;
        let column = self.names.len();
        self.names.push(name.into());
        self.columns.insert(name.into(), column);
        Ok(column)
    }

    fn cell(&mut self, key: &str, text: String) -> Result<(), Fault> {
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

    /// Appends a cell to the record.
    fn push(&mut self, text: String) -> Result<(), Fault> {
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
    fn end_record(&mut self, kind: Kind) -> Result<(), Fault> {
        match (self.kind, kind) {
            (None, _) => self.kind = Some(kind),
            (Some(before), now) if before == now => {}
            (Some(Kind::Arrays(expected)), Kind::Arrays(found)) => {
                let record = self.records;
                return Err(TableFault::Width { record, expected, found }.into());
            }
            _ => return Err(TableFault::NoTable { found: "objects beside arrays" }.into()),
        }
        if self.records == 0 {
            let differ = self.record.iter().collect::<HashSet<_>>().len() == self.record.len();
            let is_word = |text: &String| !text.is_empty() && !is_measured(text);
            self.begins_with_words = differ && self.record.iter().all(is_word);
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
    fn cell_of(&mut self, column: usize, row: &str, text: String) -> Result<(), Fault> {
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

    /// True if a list is a column: no flat record is before it.
    fn is_frame(&self) -> bool {
        self.frame || !self.of_lines && self.records == 0 && self.record.is_empty()
    }

    /// Ends an object of columns: `columns` and `index` are columns if `data` has no rows.
    fn end_frame(&mut self) -> Result<(), Fault> {
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

    fn finish(mut self) -> Result<MadeText, Fault> {
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
        // Services that answer with arrays have the names in the first.
        let header = (has_names || !self.begins_with_words).then_some(has_names);
        Ok(MadeText { file, header, notes: Vec::new() })
    }
}

/// True if the rows have names that are not their numbers.
fn has_names(index: &[String]) -> bool {
    index.iter().any(|name| name.parse::<f64>().is_err())
}

/// The place of a value that is being read.
#[derive(Clone, Copy)]
enum Place<'k> {
    /// A value that is in no other.
    Top,
    /// A value of an array that is in no other, and what kind the values before are.
    InArray,
    /// A value of `data`, by its number: a row of pandas, or a value of a column of this name.
    InData(usize),
    /// A field of an object, which is in no other if `top`.
    Field { key: &'k str, top: bool },
    /// A value of a list within a record that is an object, and its column.
    InList(&'k str),
    /// A value of a record that is an array.
    InRecord(usize),
    /// A value of a column, of a file of columns.
    InColumn { column: usize, name: &'k str, row: Row<'k> },
    /// A name of pandas: of a column, or of a row.
    Name { of_columns: bool },
}

/// The row of a value.
#[derive(Clone, Copy)]
enum Row<'k> {
    Named(&'k str),
    Number(usize),
}

impl<'k> Place<'k> {
    fn seed<'t, 'g, 'm>(self, table: &'t mut Table<'g, 'm>) -> Value<'t, 'k, 'g, 'm> {
        Value { table, place: self }
    }
}

/// A value that is read into a table. It says whether it was no array and no object.
struct Value<'t, 'k, 'g, 'm> {
    table: &'t mut Table<'g, 'm>,
    place: Place<'k>,
}

impl<'de> DeserializeSeed<'de> for Value<'_, '_, '_, '_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Value<'_, '_, '_, '_> {
    /// Keeps the text of a cell.
    fn keep<E: serde::de::Error>(self, text: String, found: &'static str) -> Result<bool, E> {
        let table = self.table;
        table.guard.ended();
        let kept = match self.place {
            Place::Top => Err(TableFault::NoTable { found }.into()),
            Place::InArray | Place::InRecord(_) => table.push(text),
            Place::InData(row) => {
                let column = table.column("data");
                column.and_then(|column| table.cell_of(column, &row.to_string(), text))
            }
            Place::Field { key, .. } | Place::InList(key) => table.cell(key, text),
            Place::InColumn { column, row: Row::Named(row), .. } => {
                table.cell_of(column, row, text)
            }
            Place::InColumn { column, row: Row::Number(row), .. } => {
                table.cell_of(column, &row.to_string(), text)
            }
            Place::Name { of_columns } => {
                let taken = table.memory.take(text.len() as u64 + ENTRY);
                let list = &mut table.pending[usize::from(!of_columns)];
                list.get_or_insert_default().push(text);
                taken
            }
        };
        let guard = table.guard;
        kept.map(|()| true).map_err(|fault| given_up(guard, fault))
    }

    /// The fault of an array or an object where a cell is to be.
    fn nested<E: serde::de::Error>(self, found: &'static str) -> E {
        let key = match self.place {
            Place::Field { key, .. } | Place::InList(key) => key.to_string(),
            Place::InColumn { name, .. } => name.to_string(),
            Place::InRecord(place) => place.to_string(),
            Place::Name { of_columns: true } => "columns".into(),
            Place::Name { of_columns: false } => "index".into(),
            Place::InData(_) => "data".into(),
            Place::Top | Place::InArray => String::new(),
        };
        let record = match self.place {
            Place::InColumn { row: Row::Number(row), .. } | Place::InData(row) => row as u64,
            _ => self.table.records,
        };
        given_up(self.table.guard, TableFault::Nested { record, key, found }.into())
    }
}

/// The error by which a parser is ended.
fn given_up<E: serde::de::Error>(guard: &Guard<'_>, fault: Fault) -> E {
    guard.fail(fault);
    E::custom("the reading was ended")
}

impl<'de> Visitor<'de> for Value<'_, '_, '_, '_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of a table")
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<bool, E> {
        self.keep(value.to_string(), "a truth value")
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<bool, E> {
        self.keep(value.to_string(), "a number")
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<bool, E> {
        self.keep(value.to_string(), "a number")
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<bool, E> {
        self.keep(format!("{value:?}"), "a number")
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<bool, E> {
        self.keep(value.into(), "a text")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<bool, E> {
        self.keep(String::new(), "null")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<bool, A::Error> {
        let Self { table, place } = self;
        let guard = table.guard;
        let end = |kept: Result<(), Fault>| kept.map_err(|fault| given_up(guard, fault));
        let no_table = |found| end(Err(TableFault::NoTable { found }.into())).map(|()| false);
        match place {
            Place::Top if table.frame => return no_table(SEVERAL),
            // Of arrays or objects; or one that is a row.
            Place::Top => {
                let (of_cells, count) = list(table, &mut values, |_| Place::InArray)?;
                if of_cells == Some(true) {
                    end(table.end_record(Kind::Arrays(count)))?;
                }
            }
            Place::InArray => record(table, &mut values)?,
            Place::InData(row) => {
                let named = table.pending[1].as_ref().filter(|_| table.has_row_names);
                if let Some(name) = named.and_then(|index| index.get(row)).cloned() {
                    end(table.push(name))?;
                }
                record(table, &mut values)?;
            }
            Place::Field { key: "data", top: true } if table.is_frame() => {
                table.frame = true;
                let index = table.pending[1].as_deref();
                table.has_row_names = index.is_some_and(has_names);
                table.split = match list(table, &mut values, Place::InData)?.0 {
                    Some(is_cell) => !is_cell,
                    None => table.pending[0].is_some(),
                };
            }
            Place::Field { key, top: true } if table.is_frame() && SPLIT.contains(&key) => {
                let of_columns = key == "columns";
                table.frame = true;
                end(table.column(key).map(drop))?;
                table.pending[usize::from(!of_columns)].get_or_insert_default();
                let name = Place::Name { of_columns };
                while values.next_element_seed(name.seed(table))?.is_some() {}
                if !of_columns && table.split && table.pending[1].as_deref().is_some_and(has_names)
                {
                    return no_table("data before the names of its rows: write the index first");
                }
            }
            Place::Field { key, top: true } if table.is_frame() => {
                table.frame = true;
                let column = match table.column(key) {
                    Ok(column) => column,
                    Err(fault) => return end(Err(fault)).map(|()| false),
                };
                let mut number = 0;
                loop {
                    let place = Place::InColumn { column, name: key, row: Row::Number(number) };
                    if values.next_element_seed(place.seed(table))?.is_none() {
                        break;
                    }
                    number += 1;
                }
            }
            // A list within a record, such as an embedding: each of its values is a column.
            Place::Field { key, .. } if !table.frame => {
                let (mut name, mut count) = (format!("{key}.0"), 0);
                while values.next_element_seed(Place::InList(&name).seed(table))?.is_some() {
                    count += 1;
                    name = format!("{key}.{count}");
                }
                let expected = *table.lists.entry(key.to_string()).or_insert(count);
                if expected != count {
                    return Err(place.seed(table).nested("a list of another length"));
                }
                return Ok(true);
            }
            place => return Err(place.seed(table).nested("an array")),
        }
        Ok(false)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<bool, A::Error> {
        let Self { table, place } = self;
        let guard = table.guard;
        let end = |kept: Result<(), Fault>| kept.map_err(|fault| given_up(guard, fault));
        let top = matches!(place, Place::Top);
        match place {
            Place::Top if table.frame => {
                end(Err(TableFault::NoTable { found: SEVERAL }.into()))?;
            }
            Place::Top | Place::InArray => {
                while let Some(key) = fields.next_key::<String>()? {
                    let of_frame = table.frame;
                    let field = Place::Field { key: &key, top };
                    let is_cell = fields.next_value_seed(field.seed(table))?;
                    if is_cell && of_frame {
                        let found = "columns beside values";
                        return end(Err(TableFault::NoTable { found }.into())).map(|()| false);
                    }
                }
                end(match table.frame {
                    true => table.end_frame(),
                    false => table.end_record(Kind::Objects),
                })?;
            }
            Place::Field { key, top: true } if table.is_frame() => {
                table.frame = true;
                let column = match table.column(key) {
                    Ok(column) => column,
                    Err(fault) => return end(Err(fault)).map(|()| false),
                };
                while let Some(row) = fields.next_key::<String>()? {
                    let place = Place::InColumn { column, name: key, row: Row::Named(&row) };
                    fields.next_value_seed(place.seed(table))?;
                }
            }
            // The fields of an object within a record are columns, as pandas.json_normalize names them.
            Place::Field { key, .. } if !table.frame => {
                while let Some(inner) = fields.next_key::<String>()? {
                    let key = format!("{key}.{inner}");
                    let field = Place::Field { key: &key, top: false };
                    fields.next_value_seed(field.seed(table))?;
                }
                return Ok(true);
            }
            place => return Err(place.seed(table).nested("an object")),
        }
        Ok(false)
    }
}

/// Reads the values of a record that is an array.
fn record<'de, A: SeqAccess<'de>>(
    table: &mut Table<'_, '_>,
    values: &mut A,
) -> Result<(), A::Error> {
    let mut count = 0;
    while values.next_element_seed(Place::InRecord(count).seed(table))?.is_some() {
        count += 1;
    }
    let guard = table.guard;
    table.end_record(Kind::Arrays(count)).map_err(|fault| given_up(guard, fault))
}

/// Reads an array: true if it is of cells, none if it is empty; and the number of its values.
fn list<'de, A: SeqAccess<'de>>(
    table: &mut Table<'_, '_>,
    values: &mut A,
    place: fn(usize) -> Place<'static>,
) -> Result<(Option<bool>, usize), A::Error> {
    let (mut of_cells, mut count) = (None, 0);
    while let Some(is_cell) = values.next_element_seed(place(count).seed(table))? {
        count += 1;
        if *of_cells.get_or_insert(is_cell) != is_cell {
            let found = "an array of values beside arrays or objects";
            return Err(given_up(table.guard, TableFault::NoTable { found }.into()));
        }
    }
    Ok((of_cells, count))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::super::rows::text_of;
    use super::*;

    fn made(json: &str) -> Result<String, String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(json.as_bytes()).unwrap();
        std::io::Seek::rewind(&mut file).unwrap();
        let memory = Memory::new(None);
        let text = text(Source::of(file).unwrap(), &memory).map_err(|fault| fault.to_string())?;
        Ok(format!("{:?} {}", text.header, text_of(text.file)))
    }

    #[test]
    fn each_shape_of_a_table() {
        let table = "Some(true) a,b\n1,x\n2.5,\n";
        for json in [
            r#"{"a": 1, "b": "x"}
               {"a": 2.5}"#,
            r#"[{"a": 1, "b": "x"}, {"b": null, "a": 2.5}]"#,
            r#"{"a": {"0": 1, "1": 2.5}, "b": {"0": "x", "1": null}}"#,
            r#"{"a": [1, 2.5], "b": ["x", null]}"#,
            r#"{"columns": ["a", "b"], "index": [0, 1], "data": [[1, "x"], [2.5, null]]}"#,
        ] {
            assert_eq!(made(json).as_deref(), Ok(table), "{json}");
        }
        let named = "Some(true) ,a\nr,1\ns,\n";
        for json in [
            r#"{"a": {"r": 1, "s": null}}"#,
            r#"{"columns": ["a"], "index": ["r", "s"], "data": [[1], [null]]}"#,
        ] {
            assert_eq!(made(json).as_deref(), Ok(named), "{json}");
        }
        // Names may be the first of arrays, which the text tells.
        let answer = r#"[["NAME", "pop"], ["Alabama", "490"]]"#;
        assert_eq!(made(answer).as_deref(), Ok("None NAME,pop\nAlabama,490\n"));
        let rows = r#"[["a", 1], ["b", 2]]"#;
        assert_eq!(made(rows).as_deref(), Ok("Some(false) a,1\nb,2\n"));
        // Of a record within a record, each field is a column.
        let nested = "Some(true) u.x,u.v.w,n\n1,a,\n2,,5\n";
        for json in [
            "{\"u\": {\"x\": 1, \"v\": {\"w\": \"a\"}}}\n{\"u\": {\"x\": 2}, \"n\": 5}",
            r#"[{"u": {"x": 1, "v": {"w": "a"}}}, {"n": 5, "u": {"x": 2, "v": {}}}]"#,
        ] {
            assert_eq!(made(json).as_deref(), Ok(nested), "{json}");
        }
        let lists = "Some(true) e.0,e.1,n\n1,2,\n3,4,5\n";
        for json in [
            "{\"e\": [1, 2]}\n{\"e\": [3, 4], \"n\": 5}",
            r#"[{"e": [1, 2]}, {"n": 5, "e": [3, 4]}]"#,
        ] {
            assert_eq!(made(json).as_deref(), Ok(lists), "{json}");
        }
        for (json, said) in [
            (r#"{"n": 2, "results": [{"a": 1}, {"a": 2}]}"#, "\"results.0\": an object"),
            (
                r#"[{"e": [1, 2]}, {"e": [1]}]"#,
                "record 1 (from 0), \"e\": a list of another length",
            ),
            (r#"[{"u.x": 1, "u": {"x": 2}}]"#, "record 0 (from 0) has two values called \"u.x\""),
        ] {
            let told = made(json).unwrap_err();
            assert!(told.contains(said), "{json}: {told}");
        }
        let long = format!("{{\"e\": [{}1]}}\n", "1,".repeat(1 << 16)).repeat(2);
        assert!(made(&long).unwrap().starts_with("Some(true) e.0,e.1,"));
        let arrays = "Some(false) 1,2\n3,true\n";
        for json in ["[[1, 2], [3, true]]", "[1, 2]\n[3, true]\n", "\u{feff}[[1,2],[3,true]]"] {
            assert_eq!(made(json).as_deref(), Ok(arrays), "{json}");
        }
        assert_eq!(made(r#"[{"a": null}, {"a": 2}]"#).as_deref(), Ok("Some(true) a\n\"\"\n2\n"));
    }

    #[test]
    fn columns_may_be_called_as_those_of_pandas() {
        for (json, table) in [
            (r#"{"data": [1, 2], "y": [4, 5]}"#, "Some(true) data,y\n1,4\n2,5\n"),
            (r#"{"y": [4, 5], "data": [1, 2]}"#, "Some(true) y,data\n4,1\n5,2\n"),
            (r#"{"index": [7, 8], "x": [4, 5]}"#, "Some(true) index,x\n7,4\n8,5\n"),
            (r#"{"columns": [7, 8]}"#, "Some(true) columns\n7\n8\n"),
            (r#"{"data": [[1, 2]]}"#, "Some(false) 1,2\n"),
            (r#"{"data": [[1, 2]], "columns": ["a", "b"]}"#, "Some(true) a,b\n1,2\n"),
        ] {
            assert_eq!(made(json).as_deref(), Ok(table), "{json}");
        }
    }

    #[test]
    fn the_cells_of_a_record_are_counted_while_it_is_read() {
        let cell = format!("\"{}\",", "a".repeat(1 << 14));
        let memory = |limit: u64, json: String| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(json.as_bytes()).unwrap();
            std::io::Seek::rewind(&mut file).unwrap();
            let memory = Memory::new(Some(limit));
            text(Source::of(file).unwrap(), &memory).map(|_| memory.taken())
        };
        for open in ["[", "[["] {
            // The array has no end.
            let read = memory(4 << 20, format!("{open}{}", cell.repeat(1 << 9)));
            assert!(matches!(read, Err(Fault::MemoryLimit { .. })), "{read:?}");
        }
        let whole = memory(16 << 20, format!("[{}1]\n", cell.repeat(1 << 8)));
        assert!(whole.unwrap() < 1 << 16);
    }

    #[test]
    fn each_refusal_says_where() {
        for (json, said) in [
            (r#"{"a": [1, [2]]}"#, "record 1 (from 0), \"a\": an array"),
            ("[[1, [2]]]", "record 0 (from 0), \"1\": an array"),
            ("[[1, 2], [3]]", "record 1 (from 0) has 1 values, and the first has 2"),
            ("[[1], {\"a\": 1}]", "objects beside arrays"),
            ("[1, [2]]", "an array of values beside arrays"),
            ("17", "the JSON is a number"),
            ("{\"e\": [1, 2]} {\"e\": [3, 4]}", "several objects of lists"),
            ("{\"e\": {\"x\": 1}} {\"e\": {\"x\": 3}}", "several objects of lists"),
            ("{\"e\": [1, 2]}\n[3, 4]", "several objects of lists"),
            ("{\"e\": []} {\"e\": []}", "several objects of lists"),
            (r#"{"data": [[1], [2]], "y": [3, 4]}"#, "data of rows beside columns"),
            (r#"{"y": [3, 4], "data": [[1], [2]]}"#, "data of rows beside columns"),
            (r#"{"data": [[1], 2]}"#, "an array of values beside arrays"),
            (r#"{"data": [[1]], "index": ["r"]}"#, "write the index first"),
            (r#"{"data": [{"a": 1}]}"#, "record 0 (from 0), \"data\": an object"),
            ("[]", "the file is empty"),
            ("{\"a\": 1}\n{\"a\": NaN}", "no JSON at line 2, column 7: expected"),
            ("[{\"a\": 1}", "no JSON at line 1, column 9: EOF"),
        ] {
            let told = made(json).unwrap_err();
            assert!(told.contains(said), "{json}: {told}");
        }
    }
}
