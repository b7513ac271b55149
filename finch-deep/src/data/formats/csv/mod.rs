//! Tables of text: `.csv`, `.tsv`, `.txt`.

pub(crate) mod blocks;
pub(crate) mod cells;
pub(crate) mod chosen;
mod dates;
mod delimiter;
pub(crate) mod encoding;
pub(crate) mod field;
pub(crate) mod layout;
pub(crate) mod lines;
pub(crate) mod missing;
mod quotes;
pub(crate) mod remarks;
pub(crate) mod row;
pub(crate) mod table;
pub(crate) mod words;
pub(crate) mod written;

use std::collections::HashSet;

use blocks::{Part, Plan, Rows};
use chosen::Chosen;
use field::{is_missing, number};
use layout::header::{FEWEST, names_by_numbers};
use missing::MissingWords;
use row::Row;
use table::{Table, has_number};
use written::is_measured;

use crate::data::error::Fault;
use crate::data::error::note::Note;
use crate::data::options::ReadOptions;
use crate::data::options::choices::{Categorical, Column, NameColumn};
use crate::data::source::Source;
use crate::data::source::memory::Memory;

/// The words that a first row may have instead of names, where a value is missing.
const MISSING: [&str; 9] = ["", "NA", "N/A", "<NA>", "null", "none", "missing", "?", "-"];

/// The words by which headers call the column of names, and hardly anybody calls a sample.
const NAMES_OF_NAMES: [&str; 8] = ["", "name", "names", "id", "ids", "index", "sample", "samples"];

/// The rows of one file or of several, as they were read.
pub(in crate::data) struct Raw {
    pub(in crate::data) plan: Plan,
    pub(in crate::data) rows: Rows,
    /// True if the column of names was recognised, and not named by an option.
    pub(in crate::data) names_recognised: bool,
    /// The notes on the file beside its rows.
    pub(in crate::data) notes: Vec<Note>,
}

/// Reads a table: numbers, words by their numbers, and the samples' names if there is a column of
/// them.
pub(in crate::data) fn read(
    source: Source,
    options: &ReadOptions,
    memory: &Memory,
) -> Result<Raw, Fault> {
    let header = options.header.or(options.is_by_name().then_some(true));
    let missing = MissingWords::new(&options.missing_words, options.decimal_comma);
    let recognise = |head: &[Row]| header_of_samples(head, options, &missing);
    let table = Table::open(source, header, options, recognise, memory)?;

    let chosen = Chosen::new(options, |column| table.find(column).map(Some))?;
    let auto_names = options.names == NameColumn::Auto && !options.as_words;
    let may_be_first = auto_names && chosen.name.is_none() && !chosen.is_chosen(0);
    let first = may_be_first && names_are_first(&table, &missing);
    let name = chosen.name.or(first.then_some(0));
    let part = |column: usize| {
        // A look at the words of all columns is one at those that are left out, too.
        if options.as_words {
            return Part::Words;
        }
        if chosen.is_left_out(column) || name == Some(column) {
            return Part::Skipped;
        }
        if chosen.numeric.contains(&column) {
            return Part::Words;
        }
        let (mut numbers, mut words) = (false, false);
        let there = |row: &&Row| !missing.is_missing(row.field(column));
        for row in table.head().iter().filter(there) {
            let is_number = row.is_number(column);
            (numbers, words) = (numbers | is_number, words | !is_number);
        }
        let auto = options.categorical == Categorical::Auto;
        match chosen.categories.contains(&column) || words && (!numbers || auto) {
            true => Part::Words,
            false => Part::Number,
        }
    };
    let mut parts = Vec::new();
    memory.reserve(&mut parts, table.columns)?;
    parts.extend((0..table.columns).map(part));
    let plan = Plan {
        parts,
        name,
        chosen,
        missing,
        fill_rows: options.fill_rows,
        header: table.header(),
        repeats: table.repeats.clone(),
        delimiter: table.delimiter(),
        decimal_comma: options.decimal_comma,
        keep_cells: options.keep_cells,
        threads: options.threads.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
        }),
    };
    if plan.features().next().is_none() {
        return Err(Fault::NoFeatures { columns: plan.parts.len() });
    }
    let auto = options.categorical == Categorical::Auto || options.as_words;
    let (note, repeated, below) = (table.note.clone(), table.repeated, table.below);
    let (head, lines) = table.into_rows();
    let encoding = lines.encoding.clone();
    if !auto {
        // A column that is no category is told before the whole file is read.
        let mut first = plan.no_rows();
        head.iter().try_for_each(|row| first.push(row, &plan))?;
        plan.expect_no_categories(&first)?;
    }
    let rows = plan.read(&head, lines, memory)?;
    if !auto {
        plan.expect_no_categories(&rows)?;
    }
    let names_recognised = options.names == NameColumn::Auto && name.is_some();
    let repeated = repeated + rows.repeated;
    let repeated = (repeated > 0).then_some(Note::Repeated(repeated));
    let numbers =
        plan.header.iter().flatten().filter(|name| number(name.as_bytes()).is_some()).count();
    let by_numbers = header.is_none() && numbers > 0;
    let by_numbers = by_numbers.then_some(Note::NumberedHeader);
    let below = (below > 0).then_some(Note::BelowHeader(below));
    let notes = note.into_iter().chain(encoding.note()).chain(by_numbers).chain(below);
    let notes = notes.chain(repeated).collect();
    Ok(Raw { plan, rows, names_recognised, notes })
}

/// True if the first column is one of names: it has no number, dates alone or words that differ, and others
/// are beside it.
fn names_are_first(table: &Table<'_>, missing: &MissingWords) -> bool {
    let there = || table.head().iter().filter(|row| !missing.is_missing(row.field(0)));
    let differ = || there().map(|row| row.text(0)).collect::<HashSet<_>>().len() == there().count();
    let measured = || {
        let mut there = there().peekable();
        there.peek().is_some() && there.all(|row| !row.is_typed(0) && is_measured(&row.text(0)))
    };
    let named = || there().next().is_some() && differ() && !measured();
    table.columns > 1 && !has_number(table.head(), 0, missing) && named()
}

/// True if the first row names the columns: if no feature of it is a number, and some of later rows is.
/// An error if it might as well be a sample that lacks a value.
fn header_of_samples(
    head: &[Row],
    options: &ReadOptions,
    missing_words: &MissingWords,
) -> Result<bool, Fault> {
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
            (first.fields.len() > 1 && !has_number(rows, 0, missing_words)).then_some(0)
        }
        NameColumn::None => None,
        NameColumn::At(column) => at(column),
    };
    let within = |columns: &[Column], column| columns.iter().any(|x| at(x) == Some(column));
    let is_feature = |&column: &usize| {
        let chosen = options.select.is_empty() || within(&options.select, column);
        Some(column) != name_column && chosen && !within(&options.exclude, column)
    };
    // A further word of missing values names no column.
    let of_sample =
        |&column: &usize| first.is_number(column) || missing_words.has(first.field(column));
    let (numbers, others): (Vec<_>, Vec<_>) =
        (0..first.fields.len()).filter(is_feature).partition(of_sample);
    let texts: Vec<String> =
        (0..first.fields.len()).map(|at| first.text(at).into_owned()).collect();
    if later.len() >= FEWEST && names_by_numbers(&texts, &later.iter().collect::<Vec<_>>()) {
        return Ok(true);
    }
    // A field lacks a number only if a later row has a number in the field's column, or all of them
    // have a boolean or a date there.
    let is_missing = |row: &Row, column| missing_words.is_missing(row.field(column));
    let typed = |row: &Row, column| is_missing(row, column) || row.is_typed(column);
    let lacks = |column| {
        has_number(later, column, missing_words)
            || !later.is_empty()
                && !typed(first, column)
                && later.iter().all(|row| typed(row, column))
                && later.iter().any(|row| row.is_typed(column))
    };
    let missing = others.iter().copied().find(|&column| lacks(column));
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
        // Of words alone, which are no error where some are categories.
        (None, _) if options.categorical != Categorical::None && numbers.is_empty() => {
            match names_of_words(first, later, &others) {
                Some(false) => ambiguous(others[0]),
                names => Ok(names.is_some()),
            }
        }
        (None, _) => Ok(false),
    }
}

/// True if words in the first row are names of columns, since later rows repeat other words; false where
/// no row repeats any, and none if the first row has a word of later rows.
fn names_of_words(first: &Row, later: &[Row], columns: &[usize]) -> Option<bool> {
    let words =
        |column: usize| -> HashSet<_> { later.iter().map(|row| row.text(column)).collect() };
    let names: HashSet<_> = columns.iter().map(|&column| first.text(column)).collect();
    let is_new = |&column: &usize| {
        !is_missing(first.field(column)) && !words(column).contains(&first.text(column))
    };
    let possible = !later.is_empty() && !columns.is_empty() && names.len() == columns.len();
    let repeated = |&column: &usize| 2 * words(column).len() <= later.len();
    (possible && columns.iter().all(is_new)).then(|| columns.iter().any(repeated))
}

/// True if the first row of a table of labels names the columns: if it has no number, and later rows
/// have one. An error if the first row has a number, but none in a column of labels, by default the last, where later
/// rows have one.
pub(in crate::data) fn header_of_labels(head: &[Row], of_labels: &[Column]) -> Result<bool, Fault> {
    let Some((first, later)) = head.split_first() else {
        return Ok(false);
    };
    let columns = 0..first.fields.len();
    let none = MissingWords::default();
    let lacks = |column| !first.is_number(column) && has_number(later, column, &none);
    if !columns.clone().any(|column| first.is_number(column)) {
        return Ok(columns.clone().any(lacks));
    }
    let last = columns.end - 1;
    let place = |column: &Column| match column {
        Column::Index(index) => *index,
        Column::Name(_) => last,
    };
    let default = of_labels.is_empty().then_some(last);
    let mut places = of_labels.iter().map(place).chain(default);
    match places.find(|&label| columns.contains(&label) && lacks(label)) {
        Some(label) => {
            let (line, text) = (first.line, first.shown(label));
            Err(Fault::Header { line, column: label + 1, text })
        }
        None => Ok(false),
    }
}
