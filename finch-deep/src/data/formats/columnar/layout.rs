//! The columns of a table of columns, in which each place of a list is a column of its own.

use std::ops::Range;
use std::rc::Rc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};

use super::column::Column;
use crate::data::error::Fault;
use crate::data::error::column::ColumnFault;
use crate::data::error::column_at::ColumnAt;
use crate::data::options::choices;

/// A field of the file, and the columns that it is.
pub(super) struct Field {
    pub(super) name: String,
    pub(super) columns: Range<usize>,
    /// The type of the values, of a list those in it.
    pub(super) of: DataType,
    is_list: bool,
}

/// The columns of a table.
pub(super) struct Layout {
    pub(super) fields: Vec<Field>,
    pub(super) names: Vec<String>,
}

impl Layout {
    /// Lists are as long as the first one of `batch`, in which `places` tells where fields are.
    pub(super) fn of(schema: &Schema, places: &[Option<usize>], batch: &RecordBatch) -> Self {
        let (mut fields, mut names) = (Vec::new(), Vec::<String>::new());
        for (field, place) in schema.fields().iter().zip(places) {
            let start = names.len();
            let length = place.and_then(|place| first_length(batch.column(place)));
            let of = match field.data_type() {
                DataType::List(item) | DataType::LargeList(item) => item.data_type(),
                DataType::FixedSizeList(item, _) => item.data_type(),
                other => other,
            };
            match length {
                None => names.push(field.name().clone()),
                Some(length) => {
                    names.extend((0..length).map(|at| format!("{}[{at}]", field.name())))
                }
            }
            fields.push(Field {
                name: field.name().clone(),
                columns: start..names.len(),
                of: of.clone(),
                is_list: length.is_some(),
            });
        }
        Self { fields, names }
    }

    pub(super) fn at(&self, position: usize) -> ColumnAt {
        let name = self.names.get(position).cloned();
        ColumnAt { position, name: name.filter(|name| !name.is_empty()) }
    }

    /// The field that a column is of.
    pub(super) fn field(&self, column: usize) -> &Field {
        let found = self.fields.iter().find(|field| field.columns.contains(&column));
        found.expect("each column is of a field")
    }

    /// The columns that an option refers to: one, or all of a list.
    pub(super) fn find(&self, column: &choices::Column) -> Result<Range<usize>, Fault> {
        let name = match column {
            choices::Column::Index(index) if *index < self.names.len() => {
                return Ok(*index..index + 1);
            }
            choices::Column::Index(_) => None,
            choices::Column::Name(name) => Some(name),
        };
        let mut fields = self.fields.iter().filter(|field| Some(&field.name) == name);
        match (fields.next(), fields.next()) {
            (Some(first), Some(second)) => Err(Fault::AmbiguousColumn {
                name: first.name.clone(),
                first: first.columns.start,
                second: second.columns.start,
            }),
            (Some(field), None) => Ok(field.columns.clone()),
            _ => match self.names.iter().position(|other| Some(other) == name) {
                Some(at) => Ok(at..at + 1),
                None => Err(Fault::NoSuchColumn {
                    column: column.to_string(),
                    columns: match name {
                        Some(_) => self.names.join(", "),
                        None => self.names.len().to_string(),
                    },
                }),
            },
        }
    }

    /// The columns of some rows, of which the first is row `start` of the file; none where a field was
    /// not asked for.
    pub(super) fn columns(
        &self,
        places: &[Option<usize>],
        batch: &RecordBatch,
        start: usize,
    ) -> Result<Vec<Option<Column>>, Fault> {
        let mut columns = Vec::with_capacity(self.names.len());
        for (field, place) in self.fields.iter().zip(places) {
            match place.map(|place| batch.column(place)) {
                None => columns.extend(field.columns.clone().map(|_| None)),
                Some(array) if field.is_list => {
                    let (values, starts) = self.lists(array, field, start)?;
                    let of = |at| Some(Column::of_lists(values.clone(), &starts, at));
                    columns.extend((0..field.columns.len()).map(of));
                }
                Some(array) => columns.push(Some(Column::new(array.clone()))),
            }
        }
        Ok(columns)
    }

    /// The values of lists, and where the list of each row begins.
    #[expect(clippy::type_complexity)]
    fn lists(
        &self,
        array: &ArrayRef,
        field: &Field,
        start: usize,
    ) -> Result<(ArrayRef, Rc<Vec<Option<usize>>>), Fault> {
        let expected = field.columns.len();
        let list = |row: usize| {
            if array.is_null(row) {
                return Ok(None);
            }
            let (at, found) = extent(array, row);
            match found == expected {
                true => Ok(Some(at)),
                false => {
                    let (row, column) = ((start + row) as u64, self.at(field.columns.start));
                    Err(ColumnFault::List { row, column, found, expected })
                }
            }
        };
        let starts: Result<Vec<_>, ColumnFault> = (0..array.len()).map(list).collect();
        let values = match array.data_type() {
            DataType::List(_) => array.as_list::<i32>().values(),
            DataType::LargeList(_) => array.as_list::<i64>().values(),
            _ => array.as_fixed_size_list().values(),
        };
        Ok((values.clone(), Rc::new(starts?)))
    }
}

/// Where the list of a row begins among the values, and how long it is.
fn extent(array: &ArrayRef, row: usize) -> (usize, usize) {
    match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            (list.value_offsets()[row] as usize, list.value_length(row) as usize)
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            (list.value_offsets()[row] as usize, list.value_length(row) as usize)
        }
        _ => {
            let list = array.as_fixed_size_list();
            (list.value_offset_at(row), list.value_length() as usize)
        }
    }
}

/// The values in the first list; none where there are no lists.
fn first_length(array: &ArrayRef) -> Option<usize> {
    match array.data_type() {
        DataType::List(_) | DataType::LargeList(_) => {
            let first = (0..array.len()).find(|&row| array.is_valid(row));
            Some(first.map_or(0, |row| extent(array, row).1))
        }
        DataType::FixedSizeList(_, length) => usize::try_from(*length).ok(),
        _ => None,
    }
}
