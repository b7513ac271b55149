//! A look at all columns of a table, and the options that it leads to.

mod arguments;
mod column;
mod looked;
mod said;
mod summed;
mod words;

pub use column::{ColumnSurvey, Role};

use std::collections::HashMap;

use column::Words;
use looked::Looked;
use summed::sum_of_others;

use crate::data::columns::profile::MOST_MEASURED;
use crate::data::columns::sentinel;
use crate::data::error::advice::{Advice, OddColumn};
use crate::data::error::note::Note;
use crate::data::formats::csv::Raw;
use crate::data::formats::csv::chosen::Chosen;
use crate::data::formats::csv::layout::Layout;
use crate::data::formats::csv::layout::totals::calls_sum;
use crate::data::options::ReadOptions;
use crate::data::options::choices::{
    Categorical, Column, Delimiter, Missing, NameColumn, Standardize,
};
use crate::data::options::writing::Writing;

/// The share of missing values beyond which a column says next to nothing of most rows.
const MOSTLY_MISSING: f64 = 0.8;

/// The columns of a table as people have them, the part that each can take in a clustering, and the options
/// that read the table so.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Survey {
    /// The rows of the table.
    pub rows: usize,
    /// The columns, in the order of the file.
    pub columns: Vec<ColumnSurvey>,
    /// The layout of a table of text.
    layout: Option<Layout>,
    missing_words: Vec<String>,
    /// The rows with too few fields, or with empty ones beyond the last column.
    filled: usize,
    /// The notes on rows that may be sums of others, and on numbers that may stand for missing values.
    doubts: Vec<Note>,
    /// True if the table shows that numbers have a decimal comma, and no option says so.
    decimal_comma: bool,
    given: ReadOptions,
}

impl Survey {
    /// Looks at the rows of a table that was read as words.
    pub(in crate::data) fn of(raw: &Raw, layout: Option<Layout>, given: &ReadOptions) -> Self {
        let given = ReadOptions { auto: false, ..given.clone() };
        let mut looked = Looked::at(raw, &given);
        // Where one column has commas before decimals, and none a point, `1.250` in another one is a number of
        // thousands. Where fields are apart by commas, a column of `2,7` alone may be one of lists.
        let told = looked.decimal_commas();
        let is_of_commas = |layout: &Layout| layout.delimiter == Delimiter::Byte(b',');
        let is_of_commas = layout.as_ref().is_none_or(is_of_commas);
        let fewest = if is_of_commas { 2 } else { 1 };
        let are_commas = told.iter().all(|&comma| comma);
        let decimal_comma = !given.decimal_comma && told.len() >= fewest && are_commas;
        match () {
            () if decimal_comma => {
                looked = Looked::at(raw, &ReadOptions { decimal_comma, ..given.clone() });
            }
            () if given.decimal_comma => {}
            () => looked.doubt_points(!are_commas || is_of_commas && told.is_empty()),
        }
        let Looked { all, missing_words, mut columns } = looked;
        let chosen = &raw.plan.chosen;
        take_as_given(&mut columns, &all, chosen);
        let names = match &given.names {
            NameColumn::At(_) => chosen.name,
            NameColumn::None => None,
            NameColumn::Auto => {
                let possible =
                    |&at: &usize| columns[at].role == Role::Names && !chosen.is_chosen(at);
                let named = (0..all.len()).filter(possible);
                named.min_by_key(|&at| all[at].rank_of_names())
            }
        };
        for (at, column) in columns.iter_mut().enumerate() {
            match column.role {
                _ if Some(at) == names => column.role = Role::Names,
                Role::Names => column.role = Role::LeftOut,
                _ => {}
            }
        }
        let doubts = doubts(raw, &all, &columns, &missing_words);
        let (rows, filled) = (raw.rows.rows, raw.rows.filled);
        let mut survey =
            Self { rows, columns, layout, missing_words, filled, doubts, decimal_comma, given };
        survey.leave_out_what_is_mostly_missing(|at| chosen.is_chosen(at));
        if !survey.has_features() {
            survey.take_ids();
        }
        survey
    }

    /// Takes numbers that look like an id: they are better than nothing.
    fn take_ids(&mut self) {
        let counts = |column: &&mut ColumnSurvey| {
            column.is_plain && column.role == Role::LeftOut && column.distinct > 1 && !column.given
        };
        for column in self.columns.iter_mut().filter(counts) {
            (column.role, column.why) = (Role::Number, String::new());
        }
    }

    /// Leaves out columns that say next to nothing of most rows, unless an option chose them. Where most columns are
    /// such, they are counts without their zeros, say.
    fn leave_out_what_is_mostly_missing(&mut self, is_chosen: impl Fn(usize) -> bool) {
        let is_feature = |column: &ColumnSurvey| {
            !is_chosen(column.column) && !matches!(column.role, Role::Names | Role::LeftOut)
        };
        let is_bare = |column: &ColumnSurvey| {
            let is_mostly = column.missing as f64 > MOSTLY_MISSING * self.rows as f64;
            // A box that few ticked says something of all.
            is_feature(column) && is_mostly && column.distinct > 1
        };
        let places = |part: &dyn Fn(&ColumnSurvey) -> bool| -> Vec<usize> {
            (0..self.columns.len()).filter(|&at| part(&self.columns[at])).collect()
        };
        let (bare, all) = (places(&is_bare), places(&is_feature));
        if 2 * bare.len() > all.len() {
            return;
        }
        for at in bare {
            let column = &mut self.columns[at];
            column.why = format!("{} of {} missing", column.missing, self.rows);
            column.role = Role::LeftOut;
        }
    }

    /// The options that read the table so.
    pub fn options(&self) -> ReadOptions {
        let mut options = self.given.clone();
        if let Some(layout) = &self.layout {
            // Lines of a file that is transposed are skipped before, as they were given.
            if !options.transpose {
                (options.skip, options.skip_last) = (layout.skip, layout.skip_last);
            }
            options.delimiter = Some(layout.delimiter);
            options.header = Some(layout.header);
            options.fill_rows |= self.filled > 0 || layout.short_header;
        }
        let at = |column: &&ColumnSurvey| Column::Index(column.column);
        let of = |role: Role| self.columns.iter().filter(move |column| column.role == role);
        options.names = match of(Role::Names).next() {
            // A model finds the column of names by its name.
            Some(column) => NameColumn::At(match &column.name {
                Some(name) if column.is_unique => Column::Name(name.clone()),
                _ => Column::Index(column.column),
            }),
            None => NameColumn::None,
        };
        // The columns that are left out are all that a selection does not name.
        options.select.clear();
        options.exclude = of(Role::LeftOut).map(|column| at(&column)).collect();
        options.categorical = match of(Role::Category).map(|column| at(&column)).collect::<Vec<_>>()
        {
            columns if columns.is_empty() => Categorical::None,
            columns => Categorical::Columns(columns),
        };
        options.decimal_comma |= self.decimal_comma;
        options.numeric = self.written().map(|column| at(&column)).collect();
        options.missing_words.extend_from_slice(&self.missing_words);
        options.missing.get_or_insert(Missing::Median);
        if options.standardize.is_none() && self.is_scaled() {
            options.standardize = Some(Standardize::Mixed);
        }
        options
    }

    /// True if the options read the table: a column can take a part, and those that an option says are numeric
    /// have numbers.
    pub(in crate::data) fn is_sound(&self) -> bool {
        let reads = |column: &ColumnSurvey| {
            column.is_plain || column.writing.is_some() || column.distinct == 0 || column.is_typed
        };
        self.has_features() && self.written().all(reads)
    }

    /// True if a column can take a part.
    pub fn has_features(&self) -> bool {
        let is_feature = |role| !matches!(role, Role::Names | Role::LeftOut);
        self.columns.iter().any(|column| is_feature(column.role))
    }

    /// The columns of numbers as people write them, and those that an option says are such.
    fn written(&self) -> impl Iterator<Item = &ColumnSurvey> {
        let is_numeric = |role| matches!(role, Role::Number | Role::Date);
        let is_told = |column: &ColumnSurvey| column.writing.is_some() || column.given;
        self.columns.iter().filter(move |column| is_numeric(column.role) && is_told(column))
    }

    /// True if columns are not all numbers of one kind.
    fn is_scaled(&self) -> bool {
        let of = |role| self.columns.iter().filter(|column| column.role == role).count();
        of(Role::Number) <= MOST_MEASURED || of(Role::Category) + of(Role::Date) > 0
    }

    /// The columns that are no plain numbers, or lack values.
    pub fn odd(&self) -> impl Iterator<Item = &ColumnSurvey> {
        self.columns
            .iter()
            .filter(|column| !column.is_plain || column.missing > 0 || column.role == Role::LeftOut)
    }

    /// The columns that are no plain numbers, and the arguments that read the table.
    pub(in crate::data) fn advice(&self) -> Advice {
        let odd = self.odd().map(|column| {
            let part = match column.role {
                Role::Names => "names the samples",
                Role::LeftOut => "left out",
                Role::Number => "number",
                Role::Date => "date",
                Role::Boolean => "true or false",
                Role::Category => "category",
            };
            let part = match column.role {
                Role::Names => part.to_string(),
                _ if column.why.is_empty() => part.to_string(),
                _ => format!("{part}: {}", column.why),
            };
            let (distinct, missing) = (column.distinct, column.missing);
            let example = column.example.clone();
            OddColumn { title: self.title(column), part, distinct, missing, example }
        });
        Advice { columns: self.columns.len(), odd: odd.collect(), arguments: self.arguments() }
    }

    /// The name of a column for people.
    pub fn title(&self, column: &ColumnSurvey) -> String {
        match &column.name {
            Some(name) if !name.is_empty() => name.clone(),
            _ => format!("column {} (from 0)", column.column),
        }
    }
}

/// Gives columns the parts that options say.
fn take_as_given(columns: &mut [ColumnSurvey], all: &[Words<'_>], chosen: &Chosen) {
    let mut named: HashMap<&str, usize> = HashMap::new();
    let names = all.iter().filter_map(|words| words.at.name.as_deref());
    names.for_each(|name| *named.entry(name).or_default() += 1);
    for (at, column) in columns.iter_mut().enumerate() {
        let is_unique = |name: &str| named[name] == 1 && name.parse::<usize>().is_err();
        column.is_unique = all[at].at.name.as_deref().is_some_and(is_unique);
        let part = match () {
            () if chosen.is_left_out(at) => Role::LeftOut,
            () if chosen.categories.contains(&at) => Role::Category,
            () if chosen.numeric.contains(&at) && column.role != Role::Date => Role::Number,
            () if chosen.numeric.contains(&at) => Role::Date,
            // A number that was selected is none for its looks alone.
            () if chosen.is_chosen(at) && column.is_plain && column.distinct > 1 => {
                column.role = Role::Number;
                column.why.clear();
                continue;
            }
            () => continue,
        };
        column.given = true;
        if part == Role::LeftOut || part == Role::Category {
            (column.why, column.writing) = ("as you said".into(), None);
        } else if column.writing.is_none() {
            column.why.clear();
        }
        column.role = part;
    }
}

/// The notes on rows that may be sums of others, and on numbers that may stand for missing values.
fn doubts(
    raw: &Raw,
    all: &[Words<'_>],
    columns: &[ColumnSurvey],
    missing_words: &[String],
) -> Vec<Note> {
    let rows = raw.rows.rows;
    let is_text = |column: &ColumnSurvey| {
        matches!(column.role, Role::Names | Role::LeftOut | Role::Category) && !column.is_plain
    };
    let texts = columns.iter().zip(all).filter(|(column, _)| is_text(column));
    let mut found = texts.map(|(_, words)| words.sums()).find(|found| !found.is_empty());
    if found.is_none() && missing_words.iter().any(|word| calls_sum(word)) {
        // A sum is called so in a column of numbers.
        found = looked::columns(raw).iter().map(Words::sums).find(|found| !found.is_empty());
    }
    let of_words = Note::of_sums(found.unwrap_or_default(), rows);
    let sums = of_words.or_else(|| sum_of_others(all, columns, rows));
    let numbers = all.iter().zip(columns).filter_map(|(words, column)| {
        let values = words.numbers_by_row(column).filter(|_| column.is_plain)?;
        Some((words.at.clone(), values.filter(|value| !value.is_nan()).collect()))
    });
    sums.into_iter().chain(sentinel::told(numbers)).collect()
}

/// The way of writing of columns, for whoever looks at them.
impl ColumnSurvey {
    /// The way in which its numbers are written, if they are not plain.
    pub fn writing(&self) -> Option<&Writing> {
        self.writing.as_ref()
    }
}
