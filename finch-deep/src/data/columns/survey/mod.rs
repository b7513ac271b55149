//! A look at all columns of a table, and the options that it leads to.

mod column;
mod words;

pub use column::{ColumnSurvey, Role};

use std::collections::HashMap;
use std::fmt::Write as _;

use column::Words;

use crate::data::error::advice::{Advice, OddColumn};
use crate::data::error::column_at::ColumnAt;
use crate::data::formats::csv::Raw;
use crate::data::formats::csv::blocks::Part;
use crate::data::formats::csv::layout::Layout;
use crate::data::options::ReadOptions;
use crate::data::options::choices::{
    Categorical, Column, Delimiter, Missing, NameColumn, Standardize,
};
use crate::data::options::writing::Writing;

/// Columns that a line names.
const NAMED: usize = 12;

/// Tables of more columns of numbers are of one kind of them, such as pixels or genes, whose scales are a part
/// of what they say.
const MOST_MEASURED: usize = 200;

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
    given: ReadOptions,
}

impl Survey {
    /// Looks at the rows of a table that was read as words.
    pub(in crate::data) fn of(raw: &Raw, layout: Option<Layout>, given: &ReadOptions) -> Self {
        let mut given = given.clone();
        given.auto = false;
        let of_column = |columns: &[Column], at: &ColumnAt| {
            let mut named = columns.iter().flat_map(|column| match column {
                Column::Name(list) if Some(list) != at.name.as_ref() && list.contains(',') => {
                    list.split(',').map(|part| Column::of(part.trim())).collect()
                }
                other => vec![other.clone()],
            });
            named.any(|column| match column {
                Column::Index(index) => index == at.position,
                Column::Name(name) => Some(&name) == at.name.as_ref(),
            })
        };
        let mut all = columns(raw);
        let mut missing_words: Vec<String> = all.iter().flat_map(Words::missing).collect();
        let sentinels: Vec<String> = all.iter().flat_map(Words::sentinels).collect();
        let is_sentinel = |word: &String| {
            let holds = |words: &&Words<'_>| words.list.iter().any(|(other, _)| other == word);
            all.iter().filter(holds).all(|words| words.sentinels().contains(word))
        };
        missing_words.extend(sentinels.into_iter().filter(is_sentinel));
        missing_words.sort_unstable();
        missing_words.dedup();
        let is_given = |word: &String| {
            given.missing_words.iter().any(|other| other.eq_ignore_ascii_case(word))
        };
        missing_words.retain(|word| !is_given(word));
        all.iter_mut().for_each(|words| words.take_out(&missing_words));
        let mut columns: Vec<ColumnSurvey> =
            all.iter().map(|words| words.survey(given.day_first)).collect();
        let categorical = match &given.categorical {
            Categorical::Columns(columns) => &columns[..],
            Categorical::None | Categorical::Auto => &[],
        };
        for (column, words) in columns.iter_mut().zip(&all) {
            let at = &words.at;
            let chosen = given.select.is_empty() || of_column(&given.select, at);
            if !chosen || of_column(&given.exclude, at) {
                (column.role, column.why) = (Role::LeftOut, "as you said".into());
            } else if of_column(categorical, at) {
                (column.role, column.why) = (Role::Category, "as you said".into());
                column.writing = None;
            }
        }
        let names = match &given.names {
            NameColumn::At(column) => {
                all.iter().position(|words| of_column(std::slice::from_ref(column), &words.at))
            }
            NameColumn::None => None,
            NameColumn::Auto => {
                let named = (0..all.len()).filter(|&at| columns[at].role == Role::Names);
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
        let (rows, filled) = (raw.rows.rows, raw.rows.filled);
        let mut survey = Self { rows, columns, layout, missing_words, filled, given };
        if !survey.has_features() {
            // Numbers that look like an id are better than nothing.
            let counts = |column: &&mut ColumnSurvey| {
                column.is_plain && column.role == Role::LeftOut && column.distinct > 1
            };
            for column in survey.columns.iter_mut().filter(counts) {
                if column.why != "as you said" {
                    (column.role, column.why) = (Role::Number, String::new());
                }
            }
        }
        survey
    }

    /// The options that read the table so.
    pub fn options(&self) -> ReadOptions {
        let mut options = self.given.clone();
        if let Some(layout) = &self.layout {
            (options.skip, options.skip_last) = (layout.skip, layout.skip_last);
            options.delimiter = Some(layout.delimiter);
            options.header = Some(layout.header);
            options.fill_rows |= self.filled > 0 || layout.short_header;
        }
        let at = |column: &&ColumnSurvey| Column::Index(column.column);
        let of = |role: Role| self.columns.iter().filter(move |column| column.role == role);
        options.names = match of(Role::Names).next() {
            // A model finds the column of names by its name.
            Some(column) => NameColumn::At(match &column.name {
                Some(name) if self.is_unique(name) => Column::Name(name.clone()),
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
        options.numeric = self.written().map(|column| at(&column)).collect();
        options.missing_words.extend_from_slice(&self.missing_words);
        if options.missing == Missing::Error {
            options.missing = Missing::Median;
        }
        if options.standardize == Standardize::None && self.is_scaled() {
            options.standardize = Standardize::Mixed;
        }
        options
    }

    /// True if a column can take a part.
    pub fn has_features(&self) -> bool {
        let is_feature = |role| !matches!(role, Role::Names | Role::LeftOut);
        self.columns.iter().any(|column| is_feature(column.role))
    }

    /// The columns of numbers as people write them.
    fn written(&self) -> impl Iterator<Item = &ColumnSurvey> {
        self.columns.iter().filter(|column| column.writing.is_some())
    }

    fn is_unique(&self, name: &str) -> bool {
        let called = self.columns.iter().filter(|column| column.name.as_deref() == Some(name));
        called.count() == 1 && name.parse::<usize>().is_err() && !name.is_empty()
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
            let counts = [column.distinct, column.missing];
            OddColumn::new(self.title(column), part, counts, column.example.clone())
        });
        Advice::new(self.columns.len(), odd.collect(), self.arguments())
    }

    /// The arguments of the command line that read the table so, beside those that were given.
    pub fn arguments(&self) -> Vec<String> {
        let (options, given) = (self.options(), &self.given);
        let mut all = Vec::new();
        let mut add = |option: &str, value: &str| {
            all.push(format!("--{option}"));
            all.extend((!value.is_empty()).then(|| value.to_string()));
        };
        if let Some(layout) = &self.layout {
            let by_name = self.columns.iter().any(|column| {
                let is_named = column.name.as_deref().is_some_and(|name| self.is_unique(name));
                is_named && (column.role == Role::LeftOut || column.role == Role::Category)
            });
            match (given.header, layout.header) {
                (None, true) if !by_name => add("header", ""),
                (None, false) => add("no-header", ""),
                _ => {}
            }
            if given.delimiter.is_none() && layout.delimiter != Delimiter::Byte(b',') {
                add("delimiter", &spelt(layout.delimiter));
            }
            if given.skip == 0 && layout.skip > 0 {
                add("skip", &layout.skip.to_string());
            }
            if given.skip_last == 0 && layout.skip_last > 0 {
                add("skip-last", &layout.skip_last.to_string());
            }
        }
        if options.fill_rows && !given.fill_rows {
            add("fill-rows", "");
        }
        if given.names == NameColumn::Auto {
            match self.columns.iter().find(|column| column.role == Role::Names) {
                Some(column) => add("names", &self.argument(column)),
                None => add("no-names", ""),
            }
        }
        let of = |role| self.columns.iter().filter(move |column| column.role == role);
        let own = |column: &&ColumnSurvey| column.why != "as you said";
        let lists = [
            ("exclude", of(Role::LeftOut).filter(own).collect::<Vec<_>>()),
            ("categorical", of(Role::Category).filter(own).collect()),
            ("numeric", self.written().collect()),
        ];
        for (option, columns) in lists {
            let (plain, others): (Vec<String>, Vec<String>) = columns
                .into_iter()
                .map(|column| self.argument(column))
                .partition(|argument| !argument.contains(','));
            if !plain.is_empty() {
                add(option, &plain.join(","));
            }
            others.iter().for_each(|argument| add(option, argument));
        }
        for word in &self.missing_words {
            all.push(format!("--missing-word={word}"));
        }
        for (option, now, before) in [
            ("missing", options.missing.name(), given.missing.name()),
            ("standardize", options.standardize.name(), given.standardize.name()),
        ] {
            if now != before {
                all.extend([format!("--{option}"), now.into()]);
            }
        }
        all
    }

    /// The form in which options refer to a column.
    fn argument(&self, column: &ColumnSurvey) -> String {
        match &column.name {
            Some(name) if self.is_unique(name) => name.clone(),
            _ => column.column.to_string(),
        }
    }

    /// The name of a column for people.
    pub fn title(&self, column: &ColumnSurvey) -> String {
        match &column.name {
            Some(name) if !name.is_empty() => name.clone(),
            _ => format!("column {}", column.column + 1),
        }
    }

    /// The lines that say what is done with the table and with each column.
    pub fn lines(&self) -> Vec<String> {
        let options = self.options();
        let columns = match self.columns.len() {
            1 => "1 column".to_string(),
            many => format!("{many} columns"),
        };
        let mut table = format!("{} rows of {columns}", self.rows);
        if let Some(layout) = &self.layout {
            table += match layout.header {
                true => ", named by the first line",
                false => ", without a header",
            };
            if layout.delimiter != Delimiter::Byte(b',') {
                let by = match layout.delimiter {
                    Delimiter::WhiteSpace => "blanks".into(),
                    Delimiter::Byte(b'\t') => "tabs".into(),
                    Delimiter::Byte(b';') => "semicolons".into(),
                    other => spelt(other),
                };
                let _ = write!(table, ", fields apart by {by}");
            }
            if layout.skip > 0 {
                let _ = write!(table, ", below {}", lines(layout.skip));
            }
            if layout.skip_last > 0 {
                let _ = write!(table, ", above {} (a total, or a remark)", lines(layout.skip_last));
            }
        }
        if self.filled > 0 {
            let rows = if self.filled == 1 { "row" } else { "rows" };
            let _ = write!(table, "; {} {rows} filled up at the end", self.filled);
        }
        let mut all = vec![table];
        for (title, role) in [
            ("names of the samples", Role::Names),
            ("left out", Role::LeftOut),
            ("numbers", Role::Number),
            ("dates", Role::Date),
            ("true or false", Role::Boolean),
            ("categories", Role::Category),
        ] {
            let columns: Vec<&ColumnSurvey> =
                self.columns.iter().filter(|column| column.role == role).collect();
            if columns.is_empty() {
                continue;
            }
            let about = |column: &&ColumnSurvey| {
                let mut said = Vec::new();
                if role == Role::Category {
                    said.push(format!("{} words", column.distinct));
                }
                if !column.why.is_empty() && role != Role::Names {
                    said.push(column.why.clone());
                }
                if column.missing > 0 && !matches!(role, Role::Names | Role::LeftOut) {
                    said.push(format!("{} missing", column.missing));
                }
                match said.is_empty() {
                    true => self.title(column),
                    false => format!("{} ({})", self.title(column), said.join(", ")),
                }
            };
            // Columns with something to say come first where not all have a place.
            let mut columns = columns;
            if columns.len() > NAMED {
                columns.sort_by_key(|column| column.why.is_empty() && column.missing == 0);
            }
            let named: Vec<String> = columns.iter().take(NAMED).map(about).collect();
            let more = columns.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            all.push(format!("{title}: {}{more}", named.join(", ")));
        }
        let mut done = Vec::new();
        if !self.missing_words.is_empty() {
            let words: Vec<String> =
                self.missing_words.iter().take(NAMED).map(|word| format!("{word:?}")).collect();
            done.push(format!("{} taken as missing", words.join(", ")));
        }
        if self.columns.iter().any(|column| column.missing > 0 && column.role != Role::LeftOut) {
            done.push(match options.missing {
                Missing::Drop => "samples that lack a value are left out".into(),
                other => format!("the {} stands for missing numbers", other.name()),
            });
        }
        done.push(match options.standardize {
            Standardize::None => "nothing is scaled".into(),
            Standardize::Mixed => {
                "numbers are scaled by median and quartiles, and each category weighs as one column"
                    .into()
            }
            other => format!("numbers are scaled by {}", other.name()),
        });
        all.push(done.join("; "));
        let classes: Vec<String> = self
            .columns
            .iter()
            .filter(|column| column.class_like && column.role != Role::LeftOut)
            .map(|column| self.title(column))
            .collect();
        if !classes.is_empty() {
            let names = classes.join(", ");
            all.push(format!("may be true classes, which --exclude leaves out: {names}"));
        }
        all
    }
}

impl Words<'_> {
    /// Makes some words missing values.
    fn take_out(&mut self, missing: &[String]) {
        let is = |word: &str| missing.iter().any(|other| other.eq_ignore_ascii_case(word));
        if !self.list.iter().any(|(word, _)| is(word)) {
            return;
        }
        let mut places = HashMap::new();
        let mut kept = Vec::new();
        for (at, &(word, count)) in self.list.iter().enumerate() {
            if !is(word) {
                places.insert(at, kept.len());
                kept.push((word, count));
            }
        }
        self.list = kept;
        self.order.iter_mut().for_each(|word| *word = word.and_then(|at| places.get(&at).copied()));
    }
}

/// The words of all columns that were read.
fn columns(raw: &Raw) -> Vec<Words<'_>> {
    let (plan, rows) = (&raw.plan, &raw.rows);
    let features = plan.features().count();
    let mut words = rows.words.iter().enumerate();
    let mut all = Vec::new();
    for column in 0..plan.parts.len() {
        let mut found = Words { at: plan.at(column), list: Vec::new(), order: Vec::new() };
        // All columns are of words, but those of types that are not read.
        if plan.parts[column] == Part::Words
            && let Some((feature, words)) = words.next()
        {
            found.list = words.list.iter().map(|(word, _)| (&word[..], 0)).collect();
            for value in rows.values.iter().skip(feature).step_by(features) {
                let word = (!value.is_nan()).then_some(*value as usize);
                found.order.push(word);
                if let Some(word) = word {
                    found.list[word].1 += 1;
                }
            }
        } else {
            found.order = vec![None; rows.rows];
        }
        all.push(found);
    }
    all
}

fn lines(count: usize) -> String {
    if count == 1 { "1 line".into() } else { format!("{count} lines") }
}

/// A delimiter as the option takes it.
fn spelt(delimiter: Delimiter) -> String {
    match delimiter {
        Delimiter::WhiteSpace => "space".into(),
        Delimiter::Byte(b'\t') => "tab".into(),
        Delimiter::Byte(b';') => "semicolon".into(),
        Delimiter::Byte(b',') => "comma".into(),
        Delimiter::Byte(byte) => char::from(byte).into(),
    }
}

/// The way of writing of columns, for whoever looks at them.
impl ColumnSurvey {
    /// The way in which its numbers are written, if they are not plain.
    pub fn writing(&self) -> Option<&Writing> {
        self.writing.as_ref()
    }
}
