//! Reading a table of columns, as a table of text is read.

use std::collections::HashSet;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use serde_json::Value;

use super::batches::Batches;
use super::column::{self, is_known, is_number, is_text};
use super::layout::Layout;
use crate::data::error::Fault;
use crate::data::error::column::ColumnFault;
use crate::data::format::Format;
use crate::data::formats::csv::Raw;
use crate::data::formats::csv::blocks::{Part, Plan, Rows};
use crate::data::formats::csv::chosen::Chosen;
use crate::data::formats::csv::field::{boolean, date, is_missing, number};
use crate::data::formats::csv::missing::MissingWords;
use crate::data::formats::csv::row::SHOWN;
use crate::data::formats::csv::written::is_measured;
use crate::data::options::ReadOptions;
use crate::data::options::choices::{Categorical, Column, Delimiter, NameColumn};
use crate::data::options::label_column::LabelColumn;
use crate::data::source::Source;
use crate::data::source::memory::Memory;

/// Rows by which columns of text are recognised as numbers, as in a table of text.
const HEAD: usize = 100;

/// Reads a table: numbers, words by their numbers, and the samples' names if there is a column of
/// them. Faults have the number of a row, from 1, for a line.
pub(in crate::data) fn read(
    source: Source,
    format: Format,
    options: &ReadOptions,
    memory: &Memory,
) -> Result<Raw, Fault> {
    let wants = |schema: &Schema| wanted(schema, options);
    let mut batches = Batches::open(source, format, wants, memory)?;
    let first = next(&mut batches)?.ok_or(Fault::Empty)?;
    let layout = Layout::of(&batches.schema, &batches.places, &first);
    let (plan, names_recognised) = plan(&batches, &layout, &first, options)?;
    let auto = options.categorical == Categorical::Auto || options.as_words;
    let (mut all, mut batch) = (plan.no_rows(), Some(first));
    while let Some(found) = batch {
        let columns = layout.columns(&batches.places, &found, all.rows)?;
        let start = all.rows;
        all.append(rows(&columns, &plan, &layout, start, found.num_rows())?, memory)?;
        if start == 0 && !auto {
            // A column that is no category is told before the whole file is read.
            plan.expect_no_categories(&all)?;
        }
        batch = next(&mut batches)?;
    }
    if !auto {
        plan.expect_no_categories(&all)?;
    }
    Ok(Raw { plan, rows: all, names_recognised, notes: batches.note.into_iter().collect() })
}

/// Reads columns of labels, by default the last one, and hands each label on, with the place of its column among those
/// that were asked for. The column that is told is the first.
pub(in crate::data) fn labels(
    source: Source,
    format: Format,
    columns: &[Column],
    memory: &Memory,
    mut push: impl FnMut(usize, &str) -> Result<(), Fault>,
) -> Result<LabelColumn, Fault> {
    let all = |schema: &Schema| (0..schema.fields().len()).collect();
    let mut batches = Batches::open(source, format, all, memory)?;
    let mut batch = next(&mut batches)?;
    let layout = Layout::of(&batches.schema, &batches.places, batch.as_ref().ok_or(Fault::Empty)?);
    let places = match columns {
        [] => {
            let last = layout.names.len().checked_sub(1).ok_or(Fault::Empty)?;
            vec![LabelColumn::last_of(&layout.names).unwrap_or(last)]
        }
        some => {
            let place = |column: &Column| layout.find(column)?.next().ok_or(Fault::Empty);
            some.iter().map(place).collect::<Result<_, _>>()?
        }
    };
    places.iter().try_for_each(|&at| expect_known(&layout, at))?;
    let mut row = 0;
    while let Some(found) = batch {
        let columns = layout.columns(&batches.places, &found, row)?;
        for (number, &at) in places.iter().enumerate() {
            let labels = columns[at].as_ref().expect("all fields were asked for");
            for within in 0..found.num_rows() {
                let text = labels.text(within).filter(|text| !is_missing(text.as_bytes()));
                let (row, column) = ((row + within) as u64, layout.at(at));
                let text = text.ok_or(ColumnFault::NoLabel { row, column })?;
                push(number, &text)?;
            }
        }
        row += found.num_rows();
        batch = next(&mut batches)?;
    }
    Ok(LabelColumn { at: layout.at(places[0]), columns: layout.names.len() })
}

/// The next rows, at least one.
fn next(batches: &mut Batches) -> Result<Option<RecordBatch>, Fault> {
    loop {
        match batches.next()? {
            Some(batch) if batch.num_rows() == 0 => {}
            other => return Ok(other),
        }
    }
}

/// The fields to read: all, unless options name the few that are needed.
fn wanted(schema: &Schema, options: &ReadOptions) -> Vec<usize> {
    let categories = options.categorical.columns();
    let names = match &options.names {
        NameColumn::At(column) => std::slice::from_ref(column),
        NameColumn::Auto | NameColumn::None => &[],
    };
    let numeric = &options.numeric;
    let named = || options.select.iter().chain(categories).chain(names).chain(numeric);
    let likely = |field: &str| options.likely_names.as_deref() == Some(field);
    // The meaning of a number from 0 is known when lists are.
    // So is that of a list of names.
    let single = |column: &Column| matches!(column, Column::Name(name) if !name.contains(','));
    let by_name = named().chain(&options.exclude).all(single);
    let all = options.keep_cells || options.as_words || !by_name;
    let is = |field: &str, column: &Column| match column {
        Column::Index(_) => true,
        Column::Name(name) => {
            name.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        }
    };
    let index = pandas_index(schema);
    let fields = schema.fields().iter().enumerate();
    let needed = fields.filter(|(at, field)| {
        let may_name = options.names == NameColumn::Auto && (*at == 0 || index == Some(*at));
        let excluded = options.exclude.contains(&Column::Name(field.name().clone()));
        let chosen = options.select.is_empty() && !excluded;
        all || chosen
            || may_name
            || likely(field.name())
            || named().any(|column| is(field.name(), column))
    });
    needed.map(|(at, _)| at).collect()
}

/// The field that pandas stored the index of a frame in.
fn pandas_index(schema: &Schema) -> Option<usize> {
    let of_pandas: Value = serde_json::from_str(schema.metadata().get("pandas")?).ok()?;
    match &of_pandas["index_columns"].as_array()?[..] {
        [Value::String(name)] => schema.fields().iter().position(|field| field.name() == name),
        _ => None,
    }
}

/// The plan for reading each column, and whether the column of names was recognised.
fn plan(
    batches: &Batches,
    layout: &Layout,
    batch: &RecordBatch,
    options: &ReadOptions,
) -> Result<(Plan, bool), Fault> {
    let columns = layout.columns(&batches.places, batch, 0)?;
    let chosen = Chosen::new(options, |column| layout.find(column))?;
    let missing = MissingWords::new(&options.missing_words, false);
    let is_missing = |text: &String| missing.is_missing(text.trim().as_bytes());
    let auto = options.categorical == Categorical::Auto;
    let head = |column: usize| {
        let texts = (0..batch.num_rows().min(HEAD)).map(move |row| (row, column));
        texts.filter_map(|(row, column)| columns[column].as_ref()?.text(row))
    };
    let there = |column| head(column).filter(|text| !is_missing(text));
    let is_number_of = |text: &String| number(text.trim().as_bytes()).is_some();
    // The usual words of missing values are numbers, too: NaN.
    let has_number = |column| {
        head(column).any(|text| is_number_of(&text) && !missing.has(text.trim().as_bytes()))
    };
    let names = |&column: &usize| {
        let there = || there(column);
        let differ = || there().collect::<HashSet<_>>().len() == there().count();
        let measured = || {
            let typed =
                |text: &str| boolean(text.as_bytes()).is_some() || date(text.as_bytes()).is_some();
            let mut there = there().peekable();
            there.peek().is_some() && there.all(|text| !typed(&text) && is_measured(&text))
        };
        let text = layout.names.len() > 1 && is_text(&layout.field(column).of);
        let meant = chosen.is_chosen(column) || chosen.is_excluded(column);
        let possible = !meant && !options.as_words;
        let named = || there().next().is_some() && differ() && !measured();
        possible && text && !has_number(column) && named()
    };
    let name = match &options.names {
        NameColumn::Auto => {
            let of_pandas = pandas_index(&batches.schema);
            let of_pandas = of_pandas.map(|field| layout.fields[field].columns.start);
            chosen.name.or_else(|| of_pandas.into_iter().chain([0]).find(names))
        }
        NameColumn::None | NameColumn::At(_) => chosen.name,
    };
    let mut parts = Vec::with_capacity(layout.names.len());
    for column in 0..layout.names.len() {
        // A look at the words of all columns is one at those that are left out, too.
        let left_out = match options.as_words {
            true => !is_known(&layout.field(column).of),
            false => chosen.is_left_out(column) || name == Some(column),
        };
        if !left_out || options.keep_cells || name == Some(column) {
            expect_known(layout, column)?;
        }
        let of = &layout.field(column).of;
        let words = || {
            let numbers = has_number(column);
            let words = there(column).any(|text| !is_number_of(&text));
            !is_number(of) && words && (!numbers || auto)
        };
        parts.push(match left_out {
            true => Part::Skipped,
            false if options.as_words || chosen.numeric.contains(&column) => Part::Words,
            false if chosen.categories.contains(&column) || words() => Part::Words,
            false => Part::Number,
        });
    }
    let names_recognised = options.names == NameColumn::Auto && name.is_some();
    let plan = Plan {
        parts,
        name,
        chosen,
        missing,
        fill_rows: false,
        header: Some(layout.names.clone()),
        repeats: None,
        delimiter: Delimiter::Byte(b','),
        decimal_comma: false,
        keep_cells: options.keep_cells,
        threads: 1,
    };
    if plan.features().next().is_none() {
        return Err(Fault::NoFeatures { columns: plan.parts.len() });
    }
    Ok((plan, names_recognised))
}

fn expect_known(layout: &Layout, column: usize) -> Result<(), ColumnFault> {
    let field = layout.field(column);
    match is_known(&field.of) {
        true => Ok(()),
        false => {
            let (column, found) = (layout.at(field.columns.start), field.of.to_string());
            Err(ColumnFault::Type { column, found })
        }
    }
}

/// Some rows, of which the first is row `start` of the file.
fn rows(
    columns: &[Option<column::Column>],
    plan: &Plan,
    layout: &Layout,
    start: usize,
    count: usize,
) -> Result<Rows, Fault> {
    let mut rows = plan.no_rows();
    let features: Vec<usize> = plan.features().collect();
    rows.rows = count;
    rows.values = vec![f64::NAN; count * features.len()];
    let mut words = rows.words.iter_mut();
    for (feature, &at) in features.iter().enumerate() {
        let column = columns[at].as_ref().expect("features were asked for");
        let (gaps, line) = (&mut rows.gaps[feature], |row: usize| (start + row + 1) as u64);
        let mut miss = |row, text: &str| {
            gaps.count += 1;
            gaps.first.get_or_insert_with(|| (line(row), shown(text)));
            f64::NAN
        };
        let infinite = |row, text: &str| {
            let (column, text) = (layout.at(at), shown(text));
            Fault::Infinite { line: line(row), column, text }
        };
        let mut values = rows.values.iter_mut().skip(feature).step_by(features.len());
        let numbers = match plan.parts[at] {
            Part::Words => None,
            _ => column.numbers(count),
        };
        if let Some(numbers) = numbers {
            let inexact = |(row, value)| Fault::Inexact { row: start + row, column: at, value };
            let missing = plan.missing.numbers().iter().map(|&number| column.held(number));
            let missing: Vec<f64> = missing.collect();
            for (row, number) in numbers.map_err(inexact)?.into_iter().enumerate() {
                if number.is_infinite() {
                    return Err(infinite(row, &number.to_string()));
                }
                let value = values.next().expect("a value for each row");
                *value = match () {
                    () if number.is_nan() => miss(row, ""),
                    () if missing.contains(&number) => miss(row, &number.to_string()),
                    () => number,
                };
            }
            continue;
        }
        let mut words = if plan.parts[at] == Part::Words { words.next() } else { None };
        for (row, value) in values.enumerate() {
            let text = column.text(row).unwrap_or_default();
            let text = text.trim_ascii();
            *value = match &mut words {
                _ if plan.missing.is_missing(text.as_bytes()) => miss(row, text),
                Some(words) => f64::from(words.number(text, line(row))),
                None => match number(text.as_bytes()) {
                    Some(number) if number.is_finite() => number,
                    Some(_) => return Err(infinite(row, text)),
                    None => {
                        let (column, text) = (at + 1, shown(text));
                        return Err(Fault::NotANumber { line: line(row), column, text });
                    }
                },
            };
        }
    }
    if let Some(name) = plan.name {
        let column = columns[name].as_ref().expect("names were asked for");
        rows.names.extend((0..count).map(|row| column.text(row).unwrap_or_default()));
    }
    if plan.keep_cells {
        for row in 0..count {
            for column in columns {
                let text = column.as_ref().and_then(|column| column.text(row));
                rows.cells.push(text.unwrap_or_default().as_bytes());
            }
        }
    }
    Ok(rows)
}

/// As much of a text as an error should show.
fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}
