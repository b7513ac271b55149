//! Options on how files are read, shared by the commands.

#[cfg(feature = "train")]
mod arguments;

use std::io::Write;
use std::path::PathBuf;

use finch_deep::data::{
    self, Categorical, Column, Delimiter, Escaped, Format, Input, LabelOptions, Missing,
    NameColumn, ReadError, ReadOptions, Standardize, hints,
};

use super::values::{bytes, whole, word};

// Options for text tables and archives; by default the file's layout is recognised. Not a doc comment:
// clap would make that the description of the command.
#[derive(Clone, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// Tables: look at all rows first, and choose header, delimiter, names, columns, missing values and
    /// scales, where no option says; a few lines tell of each column
    #[arg(long)]
    auto: bool,

    #[command(flatten)]
    files: FileReading,

    /// Tables: columns to leave out, by name or by number from 0: a,b; may be repeated
    #[arg(long, visible_alias = "drop", value_name = "COLUMNS", value_parser = column)]
    exclude: Vec<Column>,

    /// Tables: columns to cluster by, by name or by number from 0, instead of by all; may be repeated
    #[arg(long, value_name = "COLUMNS", value_parser = column)]
    select: Vec<Column>,

    /// Tables: columns of words (or of numbers that stand for words) to make a column of 0 and 1 for
    /// each word of, by name or by number from 0; may be repeated; auto for every column of words
    #[arg(long, value_name = "COLUMNS|auto", value_parser = column)]
    categorical: Vec<Column>,

    /// Tables: columns of numbers as people write them ($1,234.50, 1.299,99, 12 %, (5), 1.2M, 25 kg), of
    /// dates (31.12.2024), of times, or of words with an order (small, medium, large); may be repeated
    #[arg(long, value_name = "COLUMNS", value_parser = column)]
    numeric: Vec<Column>,

    /// Numeric columns of dates such as 3/4/2024: the order, where no date of the column tells
    #[arg(long, value_name = "ORDER", value_parser = word(WORDS_OF_DATES))]
    dates: Option<DateOrder>,

    /// Tables: a further word of missing values, such as -, Unknown or -999; may be repeated
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    missing_word: Vec<String>,

    /// What becomes of missing values (in text: NA, NaN, null, none, ?, or nothing): drop leaves out
    /// the sample, mean and median stand for the value [default: error, by --auto median]
    #[arg(long, value_name = "WHAT", value_parser = word(WORDS_OF_MISSING))]
    missing: Option<Missing>,

    /// Take the logarithm of 1 + x of numbers x from 0 on, before missing values and scales are seen to, as for
    /// counts and amounts; dates, booleans and categories stay as they are
    #[arg(long)]
    log: bool,

    /// How features are scaled: zscore to mean 0 and standard deviation 1, robust by median and
    /// quartiles, minmax to 0 and 1; booleans and categories stay 0 and 1. With mixed, numbers are scaled by
    /// median and quartiles, and each category weighs as one column of them [default: none, by --auto mixed
    /// where columns differ in kind]
    #[arg(long, value_name = "HOW", value_parser = word(WORDS_OF_STANDARDIZE))]
    standardize: Option<Standardize>,
}

// Options for the layout of files.
#[derive(Clone, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct FileReading {
    /// The format of the inputs, where neither their names nor their first bytes tell
    #[arg(
        id = "input_format",
        long = "format",
        value_name = "FORMAT",
        value_parser = word(Format::WORDS)
    )]
    format: Option<Format>,

    /// Text and spreadsheets: the first line names the columns
    #[arg(long, conflicts_with = "no_header")]
    header: bool,

    /// Text and spreadsheets: the first line is a sample
    #[arg(long)]
    no_header: bool,

    /// Tables: the column that names the samples, by name or by number from 0
    #[arg(long, value_name = "COLUMN", value_parser = column, conflicts_with = "no_names")]
    names: Option<Column>,

    /// Tables: no column names the samples
    #[arg(long)]
    no_names: bool,

    /// Text: what separates fields: one character, or tab, space, comma, semicolon, or aligned for
    /// columns at fixed positions [default: the first of tab, semicolon and comma that the first line has, else space]
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    delimiter: Option<Delimiter>,

    /// Text and spreadsheets: what is before the decimals of a number: point, or comma
    #[arg(
        long,
        value_name = "CHARACTER",
        default_value = "point",
        value_parser = word(WORDS_OF_DECIMAL)
    )]
    decimal: Decimal,

    /// Text and spreadsheets: lines to skip above the table, such as a title
    #[arg(long, value_name = "LINES", default_value = "0", value_parser = whole::<usize>, hide_default_value = true)]
    skip: usize,

    /// Text and spreadsheets: lines to leave out at the end, such as a total; blank ones do not count
    #[arg(long, value_name = "LINES", default_value = "0", value_parser = whole::<usize>, hide_default_value = true)]
    skip_last: usize,

    /// Text: fields that a row lacks at its end are missing values
    #[arg(long)]
    fill_rows: bool,

    /// Spreadsheets: the sheet, by name or by number from 0 [default: the first of several columns]
    #[arg(long, value_name = "SHEET")]
    sheet: Option<String>,

    /// Rows of the files are features, and columns are samples, as in most tables of genes: the first line
    /// names the samples, the first column the features. Other options are of the transposed table
    #[arg(long)]
    transpose: bool,

    /// Make sparse rows (.npz of SciPy, .mtx, .svmlight, .mat) dense, with all their zeros in memory: some options
    /// take dense rows alone, such as --standardize and --report
    #[arg(long)]
    dense: bool,

    /// .npz and .mat: the variable that holds the samples [default: X, or the only matrix]
    #[arg(long, value_name = "NAME")]
    variable: Option<String>,

    #[command(flatten)]
    memory: MemoryLimit,
}

// The memory that reading may take.
#[derive(Clone, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct MemoryLimit {
    /// Memory that reading samples or labels may take, such as 500M or 1.5G (of 2^30 bytes); large
    /// .npy files take none [default: nine tenths of what is available]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub(crate) memory_limit: Option<u64>,
}

// Options for files of labels.
#[derive(Clone, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct LabelReading {
    /// Labels: the format of their files, where the names do not tell
    #[arg(long, value_name = "FORMAT", value_parser = word(Format::WORDS), requires = "labels")]
    label_format: Option<Format>,

    /// Labels in tables: the column, by name or by number from 0 [default: the last]
    #[arg(long, value_name = "COLUMN", value_parser = column, requires = "labels")]
    label_column: Option<Column>,

    /// Labels in text and spreadsheets: the first line is a header
    #[arg(long, requires = "labels")]
    label_header: bool,

    /// Labels in .npz and .mat: the variable [default: y, or the only list]
    #[arg(long, value_name = "NAME", requires = "labels")]
    label_variable: Option<String>,

    /// Labels in spreadsheets: the sheet, by name or by number from 0 [default: the first of several columns]
    #[arg(long, value_name = "SHEET", requires = "labels")]
    label_sheet: Option<String>,
}

/// The word that stands for all columns of words.
const AUTO: &str = "auto";

const WORDS_OF_MISSING: &[(&str, Missing)] = &[
    (Missing::Error.name(), Missing::Error),
    (Missing::Drop.name(), Missing::Drop),
    (Missing::Mean.name(), Missing::Mean),
    (Missing::Median.name(), Missing::Median),
];

/// The order of day and month in a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DateOrder {
    Day,
    Month,
}

const WORDS_OF_DATES: &[(&str, DateOrder)] =
    &[("day-first", DateOrder::Day), ("month-first", DateOrder::Month)];

const WORDS_OF_STANDARDIZE: &[(&str, Standardize)] = &[
    (Standardize::None.name(), Standardize::None),
    (Standardize::Zscore.name(), Standardize::Zscore),
    (Standardize::Robust.name(), Standardize::Robust),
    (Standardize::Minmax.name(), Standardize::Minmax),
    (Standardize::Mixed.name(), Standardize::Mixed),
];

/// The separator before the decimals of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decimal {
    Point,
    Comma,
}

const WORDS_OF_DECIMAL: &[(&str, Decimal)] = &[
    ("point", Decimal::Point),
    ("comma", Decimal::Comma),
    (".", Decimal::Point),
    (",", Decimal::Comma),
];

impl Reading {
    pub(crate) fn options(&self) -> ReadOptions {
        let mut options = self.files.options();
        options.exclude = numbered(&self.exclude);
        options.select = numbered(&self.select);
        options.categorical = match &self.categorical[..] {
            [] => Categorical::None,
            columns if columns.contains(&Column::Name(AUTO.into())) => Categorical::Auto,
            columns => Categorical::Columns(numbered(columns)),
        };
        options.numeric = numbered(&self.numeric);
        options.day_first = self.dates.map(|order| order == DateOrder::Day);
        options.missing_words.clone_from(&self.missing_word);
        (options.auto, options.advise) = (self.auto, true);
        options.missing = self.missing;
        options.log = self.log;
        options.standardize = self.standardize;
        options
    }

    /// True if an option says what is done with columns.
    pub(crate) fn is_of_columns(&self) -> bool {
        let Self {
            files: _,
            auto,
            exclude,
            select,
            categorical,
            numeric,
            dates,
            missing_word,
            missing,
            log,
            standardize,
        } = self;
        let columns = [exclude, select, categorical, numeric];
        *auto
            || *log
            || columns.into_iter().any(|columns| !columns.is_empty())
            || dates.is_some()
            || !missing_word.is_empty()
            || missing.is_some()
            || standardize.is_some()
    }

    /// True if an option changes the values of samples.
    pub(crate) fn changes_values(&self) -> bool {
        self.log
            || self.missing.is_some()
            || self.standardize.is_some_and(|how| how != Standardize::None)
    }

    /// The same options for a command that takes sparse rows.
    pub(crate) fn sparse_options(&self) -> ReadOptions {
        let mut options = self.options();
        options.sparse = !self.files.dense;
        options
    }

    /// The same options with another limit of memory.
    #[cfg(feature = "train")]
    pub(crate) fn within(self, memory_limit: Option<u64>) -> Self {
        let files = FileReading { memory: MemoryLimit { memory_limit }, ..self.files };
        Self { files, ..self }
    }

    /// The bytes that reading may take, if the command line says.
    pub(crate) fn memory_limit(&self) -> Option<u64> {
        self.files.memory.memory_limit
    }
}

impl FileReading {
    pub(crate) fn options(&self) -> ReadOptions {
        let mut options = ReadOptions::default();
        options.header = match (self.header, self.no_header) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        options.names = match &self.names {
            Some(column) => NameColumn::At(column.clone()),
            None if self.no_names => NameColumn::None,
            None => NameColumn::Auto,
        };
        options.format = self.format;
        (options.skip, options.skip_last) = (self.skip, self.skip_last);
        options.fill_rows = self.fill_rows;
        options.delimiter = self.delimiter;
        options.decimal_comma = self.decimal == Decimal::Comma;
        options.variable = self.variable.clone();
        (options.sheet, options.transpose) = (self.sheet.clone(), self.transpose);
        options.memory_limit = self.memory.memory_limit;
        options
    }

    /// The same options for samples beside others, which may be sparse.
    pub(crate) fn options_beside(&self, sparse: bool) -> ReadOptions {
        let mut options = self.options();
        options.sparse = sparse && !self.dense;
        options
    }
}

impl LabelReading {
    /// The options for labels that may take this much memory.
    pub(crate) fn options(&self, memory_limit: Option<u64>) -> LabelOptions {
        let mut options = LabelOptions::default();
        options.format = self.label_format;
        options.header = self.label_header.then_some(true);
        options.columns = self.label_column.iter().cloned().collect();
        options.variable = self.label_variable.clone();
        options.sheet = self.label_sheet.clone();
        options.memory_limit = memory_limit;
        options
    }

    /// Reads files that hold one labelling, and checks that each option serves one of them.
    pub(crate) fn read_truth(
        &self,
        files: &[PathBuf],
        memory_limit: Option<u64>,
    ) -> Result<Vec<u32>, TruthError> {
        let options = self.options(memory_limit);
        options.expect_useful(files)?;
        one_labelling(files, &options)
    }
}

/// The true classes without those of samples that were left out.
pub(crate) fn of_samples(truth: Vec<u32>, input: &Input) -> Vec<u32> {
    let dropped = input.dropped();
    if truth.len() != input.samples() + dropped.len() {
        return truth;
    }
    let mut dropped = dropped.iter().peekable();
    let rows = truth.into_iter().enumerate();
    let kept = rows.filter(|(row, _)| dropped.next_if(|dropped| dropped.row == *row).is_none());
    kept.map(|(_, class)| class).collect()
}

/// Says what was found in an input that may not be meant so. It is no error if nobody reads that.
pub(crate) fn tell_notes(input: &Input, err: &mut dyn Write) {
    for hint in hints(input.notes()) {
        let _ = writeln!(err, "finch: {}", Escaped(hint));
    }
}

/// Reads files that hold one labelling.
pub(crate) fn one_labelling(
    files: &[PathBuf],
    options: &LabelOptions,
) -> Result<Vec<u32>, TruthError> {
    let mut labels = data::read_labels(files, options)?.columns;
    match labels.len() {
        1 => Ok(labels.remove(0).labels),
        // Stacked files have equally many columns.
        columns => {
            let file = files.first().cloned().unwrap_or_default();
            Err(TruthError::Several { file, columns })
        }
    }
}

/// Why the true classes cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TruthError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(
        "{}: true classes are one label for each sample, and here are {columns}",
        Escaped(file.display())
    )]
    Several { file: PathBuf, columns: usize },
}

fn delimiter(text: &str) -> Result<Delimiter, &'static str> {
    match text {
        "tab" | "\\t" => Ok(Delimiter::Byte(b'\t')),
        "space" | " " => Ok(Delimiter::WhiteSpace),
        "comma" => Ok(Delimiter::Byte(b',')),
        "semicolon" => Ok(Delimiter::Byte(b';')),
        "aligned" => Ok(Delimiter::Aligned),
        _ => match text.as_bytes() {
            [byte] if *byte != b'"' && !byte.is_ascii_alphanumeric() => Ok(Delimiter::Byte(*byte)),
            _ => Err("give one character, or tab, space, comma, semicolon or aligned"),
        },
    }
}

/// Columns, where a list of numbers alone, `0,2`, is of one column each. Other lists are told from names when
/// the names are known.
fn numbered(columns: &[Column]) -> Vec<Column> {
    let parts = |column: &Column| match column {
        Column::Name(list) => {
            let numbers: Result<Vec<usize>, _> =
                list.split(',').map(|part| part.trim().parse()).collect();
            numbers.map_or_else(
                |_| vec![column.clone()],
                |numbers| numbers.into_iter().map(Column::Index).collect(),
            )
        }
        Column::Index(_) => vec![column.clone()],
    };
    columns.iter().flat_map(parts).collect()
}

pub(crate) fn column(text: &str) -> Result<Column, String> {
    match text.parse() {
        Ok(index) => Ok(Column::Index(index)),
        Err(_) if text.is_empty() => Err("name a column, or give its number from 0".into()),
        Err(_) => Ok(Column::Name(text.into())),
    }
}
