//! A look at all columns of a table, and the options that it leads to.

mod arguments;
mod column;
mod summed;
mod words;

pub use column::{ColumnSurvey, Role};

use std::collections::HashMap;
use std::fmt::Write as _;

use column::Words;
use summed::sum_of_others;

use crate::data::columns::profile::MOST_MEASURED;
use crate::data::columns::sentinel;
use crate::data::error::advice::{Advice, OddColumn};
use crate::data::error::note::Note;
use crate::data::formats::csv::Raw;
use crate::data::formats::csv::blocks::Part;
use crate::data::formats::csv::layout::Layout;
use crate::data::formats::csv::missing::MissingWords;
use crate::data::formats::csv::totals::calls_sum;
use crate::data::formats::csv::written::read_either_way;
use crate::data::options::ReadOptions;
use crate::data::options::choices::{
    Categorical, Column, Delimiter, Missing, NameColumn, Standardize,
};
use crate::data::options::writing::Writing;

/// Columns that a line names.
const NAMED: usize = 12;

/// The doubt of plain numbers with a point.
const DOUBT: &str = ", unless points are between thousands: --decimal comma";

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

/// A look at the words of a table.
struct Looked<'a> {
    /// The words of each column, without those of missing values.
    all: Vec<Words<'a>>,
    missing_words: Vec<String>,
    columns: Vec<ColumnSurvey>,
}

impl<'a> Looked<'a> {
    fn at(raw: &'a Raw, options: &ReadOptions) -> Self {
        let mut all = columns(raw);
        let missing_words = missing_words(&all, options);
        let missing = MissingWords::new(&missing_words, options.decimal_comma);
        all.iter_mut().for_each(|words| words.take_out(&missing));
        let columns = all.iter().map(|words| words.survey(options)).collect();
        Self { all, missing_words, columns }
    }

    /// True for each column of numbers that has commas before decimals, false for each that has points. Columns that
    /// may be read either way do not tell.
    fn decimal_commas(&self) -> Vec<bool> {
        let sign = |(words, column): (&Words<'_>, &ColumnSurvey)| {
            let comma = match column.writing {
                Some(Writing::Number { decimal_comma }) => decimal_comma,
                _ if column.is_plain => false,
                _ => return None,
            };
            (!read_either_way(&words.texts(), comma)).then_some(comma)
        };
        self.all.iter().zip(&self.columns).filter_map(sign).collect()
    }

    /// Says of columns of plain numbers that points may be between thousands; or only of those where some numbers
    /// have none.
    fn doubt_points(&mut self, if_mixed: bool) {
        let all = self.all.iter().zip(&mut self.columns);
        for (words, column) in all.filter(|(_, one)| one.is_plain && one.role == Role::Number) {
            let texts = words.texts();
            let has_point = texts.iter().find(|text| text.contains('.'));
            let is_mixed = texts.iter().any(|text| !text.contains('.'));
            let is_doubted = |_: &&&str| (is_mixed || !if_mixed) && read_either_way(&texts, false);
            if let Some(example) = has_point.filter(is_doubted) {
                column.why = format!("{example:?} as {example}{DOUBT}");
            }
        }
    }
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
        let mut named: HashMap<&str, usize> = HashMap::new();
        let names = all.iter().filter_map(|words| words.at.name.as_deref());
        names.for_each(|name| *named.entry(name).or_default() += 1);
        let chosen = &raw.plan.chosen;
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
        let (rows, filled) = (raw.rows.rows, raw.rows.filled);
        let is_text = |column: &ColumnSurvey| {
            matches!(column.role, Role::Names | Role::LeftOut | Role::Category) && !column.is_plain
        };
        let texts = columns.iter().zip(&all).filter(|(column, _)| is_text(column));
        let mut found = texts.map(|(_, words)| words.sums()).find(|found| !found.is_empty());
        if found.is_none() && missing_words.iter().any(|word| calls_sum(word)) {
            // A sum is called so in a column of numbers.
            found = self::columns(raw).iter().map(Words::sums).find(|found| !found.is_empty());
        }
        let of_words = Note::of_sums(found.unwrap_or_default(), rows);
        let sums = of_words.or_else(|| sum_of_others(&all, &columns, rows));
        let numbers = all.iter().zip(&columns).filter_map(|(words, column)| {
            let values = words.numbers_by_row(column).filter(|_| column.is_plain)?;
            Some((words.at.clone(), values.filter(|value| !value.is_nan()).collect()))
        });
        let doubts = sums.into_iter().chain(sentinel::told(numbers)).collect();
        let mut survey =
            Self { rows, columns, layout, missing_words, filled, doubts, decimal_comma, given };
        survey.leave_out_what_is_mostly_missing(|at| chosen.is_chosen(at));
        if !survey.has_features() {
            // Numbers that look like an id are better than nothing.
            let counts = |column: &&mut ColumnSurvey| {
                column.is_plain
                    && column.role == Role::LeftOut
                    && column.distinct > 1
                    && !column.given
            };
            for column in survey.columns.iter_mut().filter(counts) {
                (column.role, column.why) = (Role::Number, String::new());
            }
        }
        survey
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
                    Delimiter::WhiteSpace | Delimiter::Aligned => "blanks".into(),
                    Delimiter::Byte(b'\t') => "tabs".into(),
                    Delimiter::Byte(b';') => "semicolons".into(),
                    other => other.spelt(),
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
        if self.decimal_comma {
            table += ", commas before decimals";
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
                if role == Role::Category && column.distinct > 1 {
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
            let mut named: Vec<String> = columns.iter().take(NAMED).map(about).collect();
            // The doubt of one column is that of all.
            let doubted = named.iter().position(|about| about.contains(DOUBT));
            for about in named.iter_mut().skip(doubted.map_or(NAMED, |at| at + 1)) {
                *about = about.replace(DOUBT, "");
            }
            let more = columns.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            all.push(format!("{title}: {}{more}", named.join(", ")));
        }
        let has = |role| self.columns.iter().any(|column| column.role == role);
        let mut done = Vec::new();
        if !self.missing_words.is_empty() {
            let words: Vec<String> =
                self.missing_words.iter().take(NAMED).map(|word| format!("{word:?}")).collect();
            done.push(format!("{} taken as missing", words.join(", ")));
        }
        if self.columns.iter().any(|column| column.missing > 0 && column.role != Role::LeftOut) {
            done.push(match options.missing.unwrap_or_default() {
                Missing::Drop => "samples that lack a value are left out".into(),
                Missing::Error => "a missing value is an error".into(),
                other => format!("the {} stands for missing numbers", other.name()),
            });
        }
        if options.log {
            done.push("the logarithm of 1 + x is taken of numbers".into());
        }
        done.push(match options.standardize.unwrap_or_default() {
            Standardize::None => "nothing is scaled".into(),
            Standardize::Mixed => match [Role::Number, Role::Date].map(has) {
                [false, false] => "each category weighs as one column".into(),
                _ if has(Role::Category) => {
                    "numbers are scaled by median and quartiles, and each category weighs as one column".into()
                }
                _ => "numbers are scaled by median and quartiles".into(),
            },
            other => format!("numbers are scaled by {}", other.name()),
        });
        all.push(done.join("; "));
        let classes: Vec<String> = self
            .columns
            .iter()
            .filter(|column| column.class_like && column.role != Role::LeftOut)
            .map(|column| self.title(column))
            .collect();
        all.extend(self.doubts.iter().map(Note::to_string));
        if !classes.is_empty() {
            let names = classes.join(", ");
            all.push(format!("may be true classes, which --exclude leaves out: {names}"));
        }
        all
    }
}

/// The words, beside those that are given, by which columns of numbers say that a value is missing.
fn missing_words(all: &[Words<'_>], given: &ReadOptions) -> Vec<String> {
    let decimal_comma = given.decimal_comma;
    let found: Vec<_> = all.iter().map(|words| words.missing()).collect();
    let sentinels: Vec<Vec<(f64, bool)>> = all.iter().map(|words| words.sentinels(given)).collect();
    let mut missing: Vec<String> =
        found.iter().flat_map(|[known, _]| known.iter().map(|word| word.to_string())).collect();
    // A word is one of missing values in all columns. A stray word in one may be a category of another, or
    // name a sample, and so may a number. One that a column of numbers repeats is no category where few have it, nor
    // where no more than a third have it if two columns repeat it.
    let is_free = |word: &String, of: &dyn Fn(usize) -> bool| {
        let one = MissingWords::new(std::slice::from_ref(word), decimal_comma);
        let of_numbers = (0..all.len()).filter(|&at| of(at)).map(|at| all[at].rows_with(&one));
        let repeats = of_numbers.clone().filter(|&rows| rows > 1).count();
        let of_numbers = of_numbers.max().unwrap_or_default();
        let mut others = all.iter().enumerate().filter(|&(at, _)| !of(at));
        others.all(|(_, words)| {
            let (with, role) = (words.rows_with(&one), || words.survey(given).role);
            let is_rare = || {
                let are_few = repeats > 0 && with <= of_numbers && 10 * with <= words.rows;
                (are_few || repeats > 1 && 3 * with <= words.rows) && role() == Role::Category
            };
            with == 0 || role() == Role::LeftOut || is_rare()
        })
    };
    let mut strays: Vec<String> =
        found.iter().flat_map(|[_, strays]| strays.iter().map(|word| word.to_string())).collect();
    strays.sort_unstable();
    strays.dedup();
    missing.extend(strays.into_iter().filter(|word| {
        let is = |other: &&str| other.eq_ignore_ascii_case(word);
        is_free(word, &|at| found[at][1].iter().any(is))
    }));
    // One that is far from all others in two columns is sure, too.
    let of_two = |value: f64| {
        let has = |found: &&Vec<(f64, bool)>| found.iter().any(|(other, _)| *other == value);
        sentinels.iter().filter(has).nth(1).is_some()
    };
    let sure = sentinels.iter().flatten().filter(|(value, is_sure)| *is_sure || of_two(*value));
    let mut numbers: Vec<f64> = sure.map(|(value, _)| *value).collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.dedup();
    let may_be = |at: usize, value: f64| sentinels[at].iter().any(|(other, _)| *other == value);
    let is_sentinel = |value: &f64| is_free(&value.to_string(), &|at| may_be(at, *value));
    missing.extend(numbers.iter().filter(|value| is_sentinel(value)).map(f64::to_string));
    missing.sort_unstable();
    missing.dedup();
    missing
}

/// The words of all columns that were read.
fn columns(raw: &Raw) -> Vec<Words<'_>> {
    let (plan, rows) = (&raw.plan, &raw.rows);
    let features = plan.features().count();
    let mut words = rows.words.iter().enumerate();
    let mut all = Vec::new();
    for column in 0..plan.parts.len() {
        // All columns are of words, but those of types that are not read.
        let read = (plan.parts[column] == Part::Words).then(|| words.next()).flatten();
        let (values, of): (&[f64], _) = match read {
            Some((feature, words)) => (&rows.values, Some((feature, words))),
            None => (&[], None),
        };
        let values =
            values.iter().skip(of.map_or(0, |(feature, _)| feature)).step_by(features.max(1));
        let words = of.map_or(&[][..], |(_, words)| &words.list);
        let mut list: Vec<(&str, usize)> = words.iter().map(|(word, _)| (&word[..], 0)).collect();
        for &value in values.clone().filter(|value| !value.is_nan()) {
            list[value as usize].1 += 1;
        }
        let places = (0..list.len()).map(Some).collect();
        all.push(Words { at: plan.at(column), rows: rows.rows, list, places, values });
    }
    all
}

fn lines(count: usize) -> String {
    if count == 1 { "1 line".into() } else { format!("{count} lines") }
}

/// The way of writing of columns, for whoever looks at them.
impl ColumnSurvey {
    /// The way in which its numbers are written, if they are not plain.
    pub fn writing(&self) -> Option<&Writing> {
        self.writing.as_ref()
    }
}
