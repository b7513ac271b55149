//! Tables of text: `.csv`, `.tsv`, `.txt`.

use super::elements::{Array, Elements};
use super::error::Fault;
use super::memory::Memory;
use super::options::{Column, NameColumn, ReadOptions};
use super::row::{Row, number};
use super::source::Source;
use super::table::{Table, has_number};

/// How programs write that a value is missing, beside NaN, which is a number here.
const MISSING: [&str; 9] = ["", "NA", "N/A", "<NA>", "null", "none", "missing", "?", "-"];

/// What headers call the column of names, and hardly anybody calls a sample.
const NAMES_OF_NAMES: [&str; 8] = ["", "name", "names", "id", "ids", "index", "sample", "samples"];

/// Reads a table of numbers, and the samples' names if there is a column of them.
pub(super) fn samples(
    source: Source,
    options: &ReadOptions,
    memory: &Memory,
) -> Result<(Array, Option<Vec<String>>), Fault> {
    let named = |column: &Column| matches!(column, Column::Name(_));
    let by_name = options.exclude.iter().any(named)
        || matches!(&options.names, NameColumn::At(column) if named(column));
    let header = options.header.or(by_name.then_some(true));
    let recognise = |head: &[Row]| header_of_samples(head, options);
    let mut table = Table::open(source, header, options.delimiter, recognise, memory)?;

    let name_column = match &options.names {
        NameColumn::Auto => table.starts_with_names().then_some(0),
        NameColumn::None => None,
        NameColumn::At(column) => Some(table.find(column)?),
    };
    let (mut is_feature, mut features) = (Vec::new(), Vec::new());
    memory.reserve(&mut is_feature, table.columns)?;
    is_feature.resize(table.columns, true);
    for column in &options.exclude {
        is_feature[table.find(column)?] = false;
    }
    name_column.inspect(|&column| is_feature[column] = false);
    memory.reserve(&mut features, table.columns)?;
    features.extend((0..table.columns).filter(|&column| is_feature[column]));

    let (mut values, mut names, mut samples) = (Vec::new(), Vec::new(), 0);
    while let Some(row) = table.next_row()? {
        memory.reserve(&mut values, features.len())?;
        for &column in &features {
            values.push(number(row.field(column)).ok_or_else(|| Fault::NotANumber {
                line: row.line,
                column: column + 1,
                text: row.shown(column),
            })?);
        }
        if let Some(column) = name_column {
            memory.push(&mut names, memory.text(&row.text(column))?)?;
        }
        samples += 1;
    }
    let shape = vec![samples, features.len()];
    let array = Array { elements: Elements::F64(values), shape, column_major: false };
    Ok((array, name_column.map(|_| names)))
}

/// Whether the first row names the columns: if no feature of it is a number, and some of later rows
/// is. An error if it might as well be a sample that lacks a value.
fn header_of_samples(head: &[Row], options: &ReadOptions) -> Result<bool, Fault> {
    let Some((first, later)) = head.split_first() else {
        return Ok(false);
    };
    let at = |column: &Column| match column {
        Column::Index(index) => Some(*index),
        Column::Name(_) => None,
    };
    let name_column = match &options.names {
        NameColumn::Auto => {
            let rows = if later.is_empty() { head } else { later };
            (first.fields.len() > 1 && !has_number(rows, 0)).then_some(0)
        }
        NameColumn::None => None,
        NameColumn::At(column) => at(column),
    };
    let is_feature = |column: &usize| {
        Some(*column) != name_column && !options.exclude.iter().any(|x| at(x) == Some(*column))
    };
    let (numbers, others): (Vec<_>, Vec<_>) =
        (0..first.fields.len()).filter(is_feature).partition(|&column| first.is_number(column));
    // A field lacks a number only if a later row has a number in the field's column.
    let missing = others.iter().copied().find(|&column| has_number(later, column));
    let ambiguous = |column| {
        Err(Fault::Header { line: first.line, column: column + 1, text: first.shown(column) })
    };
    let unnamed = |&column: &usize| first.is_one_of(column, &MISSING);
    match (missing, name_column) {
        (Some(column), _) if !numbers.is_empty() || others.iter().all(unnamed) => ambiguous(column),
        (Some(_), _) => Ok(true),
        // A header of numbers: years, say, or the column numbers that pandas writes.
        (None, Some(0)) if !numbers.is_empty() && first.is_one_of(0, &NAMES_OF_NAMES) => {
            match later.iter().any(|row| !row.is_one_of(0, &NAMES_OF_NAMES)) {
                true => ambiguous(0),
                false => Ok(false),
            }
        }
        (None, _) if later.is_empty() && numbers.is_empty() && !others.iter().all(unnamed) => {
            Err(Fault::OnlyHeader)
        }
        (None, _) => Ok(false),
    }
}

/// Whether the first row of a table of labels names the columns: if it has no number, and later
/// rows have one. An error if the first row has a number, but none in the column of labels, where
/// later rows have one.
pub(super) fn header_of_labels(head: &[Row], column: Option<&Column>) -> Result<bool, Fault> {
    let Some((first, later)) = head.split_first() else {
        return Ok(false);
    };
    let columns = 0..first.fields.len();
    let lacks = |column| !first.is_number(column) && has_number(later, column);
    if !columns.clone().any(|column| first.is_number(column)) {
        return Ok(columns.clone().any(lacks));
    }
    let label = match column {
        Some(Column::Index(index)) => *index,
        _ => columns.end - 1,
    };
    match columns.contains(&label) && lacks(label) {
        true => {
            let (line, text) = (first.line, first.shown(label));
            Err(Fault::Header { line, column: label + 1, text })
        }
        false => Ok(false),
    }
}
