//! The place of a JSON value in a table, and the value at it.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::table::{ABOUT, ENTRY, Kind, Table, has_names};
use crate::data::error::Fault;
use crate::data::error::table::TableFault;
use crate::data::formats::as_text::guard::Guard;

/// The keys of pandas.DataFrame.to_json(orient="split") beside `data`.
const SPLIT: [&str; 2] = ["columns", "index"];

/// The kind of a value that is a string.
const TEXT: &str = "a text";

/// The kind of several tables in a file.
const SEVERAL: &str = "several objects of lists (write each record on a line of its own)";

/// The kind of an array of both cells and records.
const MIXED: &str = "an array of values beside arrays or objects";

/// The place of a value that is being read.
#[derive(Clone, Copy)]
pub(super) enum Place<'k> {
    /// A value that is in no other.
    Top,
    /// A value of an array that is in no other, and what kind the values before are.
    InArray,
    /// A value of `data`, by its number: a row of pandas, or a value of a column of this name.
    InData(usize),
    /// A field of an object, which is in no other if `top`.
    Field { key: &'k str, top: bool },
    /// A value of a list within an object, by its key; of an object that is in no other if `top`.
    InList { key: &'k str, top: bool },
    /// A value of a record that is an array.
    InRecord(usize),
    /// A value of a column, of a file of columns.
    InColumn { column: usize, name: &'k str, row: Row<'k> },
    /// A name of pandas: of a column, or of a row.
    Name { of_columns: bool },
}

/// The row of a value.
#[derive(Clone, Copy)]
pub(super) enum Row<'k> {
    Named(&'k str),
    Number(usize),
}

impl<'k> Place<'k> {
    /// The key of the field that it is of.
    fn key(self) -> &'k str {
        match self {
            Place::Field { key, .. } | Place::InList { key, .. } => key,
            Place::InColumn { name, .. } => name,
            Place::Name { of_columns: true } => "columns",
            Place::Name { of_columns: false } => "index",
            Place::InData(_) => "data",
            Place::Top | Place::InArray | Place::InRecord(_) => "",
        }
    }

    /// True of a value of a list that a field of an only object has.
    fn is_of_list(self) -> bool {
        matches!(
            self,
            Place::InData(_)
                | Place::InColumn { row: Row::Number(_), .. }
                | Place::InList { top: true, .. }
        )
    }

    /// True of one that may be the first of such a list.
    fn is_first(self) -> bool {
        let is_later = matches!(self, Place::InData(row) | Place::InColumn { row: Row::Number(row), .. } if row > 0);
        self.is_of_list() && !is_later
    }

    pub(super) fn seed<'t, 'g, 'm>(self, table: &'t mut Table<'g, 'm>) -> Value<'t, 'k, 'g, 'm> {
        Value { table, place: self }
    }
}

/// A value that is read into a table. It says whether it was no array and no object.
pub(super) struct Value<'t, 'k, 'g, 'm> {
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
            place if table.wrapped.is_some() && place.is_of_list() => {
                Err(TableFault::NoTable { found: MIXED }.into())
            }
            Place::InArray | Place::InRecord(_) => table.push(text),
            Place::InData(row) => {
                let column = table.column("data");
                column.and_then(|column| table.cell_of(column, &row.to_string(), text))
            }
            Place::Field { key, .. } => table.cell(key, text),
            Place::InList { key, .. } => table.item(key, text, found == TEXT),
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

    /// Gives up for an array or an object where a cell is to be; at the end of an only object, if another field of it may
    /// have the records.
    fn nested<E: serde::de::Error>(self, found: &'static str) -> Result<bool, E> {
        let key = match self.place {
            Place::InRecord(place) => place.to_string(),
            place => place.key().to_string(),
        };
        let record = match self.place {
            Place::InColumn { row: Row::Number(row), .. } | Place::InData(row) => row as u64,
            _ => self.table.records,
        };
        let fault = TableFault::Nested { record, key, found }.into();
        let is_of_field =
            !matches!(self.place, Place::InArray | Place::InRecord(_) | Place::Name { .. });
        if self.table.may_be_wrapped() && is_of_field {
            self.table.deferred.get_or_insert(fault);
            return Ok(false);
        }
        Err(given_up(self.table.guard, fault))
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
        self.keep(value.into(), TEXT)
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
            Place::Top if table.frame || table.wrapped.is_some() => return no_table(SEVERAL),
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
                let of_cells = list(table, &mut values, Place::InData)?.0;
                if table.wrapped.is_none() {
                    table.split = of_cells.map_or(table.pending[0].is_some(), |is_cell| !is_cell);
                }
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
            // A list within a record, such as an embedding: each of its values is a column; words, such as tags, are
            // one value.
            Place::Field { key, top } if !table.frame => {
                let top = top && table.may_be_wrapped();
                while values.next_element_seed(Place::InList { key, top }.seed(table))?.is_some() {}
                if top && table.wrapped.is_some() {
                    return Ok(false);
                }
                let count = table.items.len();
                end(table.end_list(key))?;
                if count == 0 || table.tags.contains(key) {
                    return Ok(true);
                }
                let expected = *table.lists.entry(key.to_string()).or_insert(count);
                if expected != count {
                    return place.seed(table).nested("a list of another length");
                }
                return Ok(true);
            }
            // A list deeper within, which may have the records: `{"data": {"items": [{…}]}}`.
            Place::InColumn { row: Row::Named(key), name, .. }
                if table.may_be_wrapped() && !ABOUT.contains(&name) =>
            {
                table.within = Some(name.into());
                let item = Place::InList { key, top: true };
                while values.next_element_seed(item.seed(table))?.is_some() {}
                table.within = None;
                if table.wrapped.is_none() {
                    table.items.clear();
                    return place.seed(table).nested("an array");
                }
            }
            place => {
                while values.next_element::<IgnoredAny>()?.is_some() {}
                return place.seed(table).nested("an array");
            }
        }
        Ok(false)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<bool, A::Error> {
        let Self { table, place } = self;
        let guard = table.guard;
        let end = |kept: Result<(), Fault>| kept.map_err(|fault| given_up(guard, fault));
        let top = matches!(place, Place::Top);
        let is_record = match table.wrapped {
            None if place.is_first() => {
                table.unwrap(place.key()).or_else(|fault| end(Err(fault)).map(|()| false))?
            }
            None => false,
            Some(_) => place.is_of_list(),
        };
        match place {
            Place::Top if table.frame || table.wrapped.is_some() => {
                end(Err(TableFault::NoTable { found: SEVERAL }.into()))?;
            }
            _ if matches!(place, Place::Top | Place::InArray) || is_record => {
                while let Some(key) = fields.next_key::<String>()? {
                    if top && table.wrapped.is_some() {
                        fields.next_value::<IgnoredAny>()?;
                        end(table.memory.take(key.len() as u64 + ENTRY))?;
                        table.beside.push(key);
                        continue;
                    }
                    let of_frame = table.frame;
                    let field = Place::Field { key: &key, top };
                    let is_cell = fields.next_value_seed(field.seed(table))?;
                    if is_cell && of_frame && table.wrapped.is_none() {
                        table.deferred.get_or_insert_with(|| {
                            TableFault::NoTable { found: "columns beside values" }.into()
                        });
                    }
                }
                end(match (table.deferred.take(), table.wrapped.is_some() && top) {
                    (_, true) => Ok(()),
                    (Some(_), _) if table.split => table.end_frame(),
                    (Some(fault), _) => Err(fault),
                    _ if table.frame => table.end_frame(),
                    _ => table.end_record(Kind::Objects),
                })?;
            }
            Place::Field { key, top: true } if table.is_frame() => {
                table.frame = true;
                let column = match table.column(key) {
                    Ok(column) => column,
                    Err(fault) => return end(Err(fault)).map(|()| false),
                };
                while let Some(row) = fields.next_key::<String>()? {
                    if table.wrapped.is_some() {
                        fields.next_value::<IgnoredAny>()?;
                        continue;
                    }
                    let place = Place::InColumn { column, name: key, row: Row::Named(&row) };
                    fields.next_value_seed(place.seed(table))?;
                }
            }
            // The fields of an object within a record are columns, as pandas.json_normalize names them.
            Place::Field { key, top } if !table.frame => {
                let of_only = top && table.may_be_wrapped() && !ABOUT.contains(&key);
                while let Some(inner) = fields.next_key::<String>()? {
                    if of_only && table.wrapped.is_some() {
                        fields.next_value::<IgnoredAny>()?;
                        continue;
                    }
                    let key = format!("{key}.{inner}");
                    let field = Place::Field { key: &key, top: of_only };
                    fields.next_value_seed(field.seed(table))?;
                }
                return Ok(true);
            }
            place => {
                while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                return place.seed(table).nested("an object");
            }
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
            return Err(given_up(table.guard, TableFault::NoTable { found: MIXED }.into()));
        }
    }
    Ok((of_cells, count))
}
