//! Options for reading samples.

pub(crate) mod choices;
pub(crate) mod feature;
pub(crate) mod recipe;
pub(crate) mod writing;

use std::path::Path;

use choices::{Categorical, Column, Delimiter, Missing, NameColumn, Standardize};
use recipe::Recipe;

use super::error::{Fault, ReadError};
use super::format::Format;

/// Options for reading samples. The default recognises whatever it can.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The format of all files. `None`: as the name of each says.
    pub format: Option<Format>,
    /// Text: whether the first row names the columns. `None`: it does if no feature in it is a
    /// number and some of later rows is, or if another option refers to a column by its name. A
    /// first row that may as well be a sample that lacks a value is an error.
    pub header: Option<bool>,
    /// Text: what separates the fields. `None`: the first of tab, semicolon and comma that the
    /// first line has, else white space; a bar where there is none of them.
    pub delimiter: Option<Delimiter>,
    /// Text: numbers have a decimal comma, `2,5`. A comma then separates no fields, unless
    /// `delimiter` says so.
    pub decimal_comma: bool,
    /// Tables: the column of the samples' names.
    pub names: NameColumn,
    /// Tables: the columns that are features, if not all that remain.
    pub select: Vec<Column>,
    /// Tables: columns to leave out, such as one of labels.
    pub exclude: Vec<Column>,
    /// Tables: columns of words that become a column of 0 and 1 for each of their words.
    pub categorical: Categorical,
    /// Tables: columns of numbers, dates, times or words with an order, as people write them: see
    /// [`Writing`](crate::data::Writing).
    pub numeric: Vec<Column>,
    /// The treatment of missing values: in text those that say so (`NA`, `NaN`, `null`, `none`, `?`,
    /// nothing) and [`missing_words`](Self::missing_words), in arrays NaN.
    pub missing: Missing,
    /// Tables: further words of missing values, in capitals or not.
    pub missing_words: Vec<String>,
    /// Text: lines to skip before the table, such as a title.
    pub skip: usize,
    /// Text: lines to leave out at the end of the table, such as a total; blank ones do not count.
    pub skip_last: usize,
    /// Text: fields that a row lacks at its end are missing values, and empty ones beyond the last column
    /// are nothing.
    pub fill_rows: bool,
    /// Numeric columns: the first number of `3/4/2024` is the day, or it is the month. `None`: as the
    /// other dates of the column tell.
    pub day_first: Option<bool>,
    /// Tables: look at all rows first, and choose by them every option on the layout and the columns that is
    /// not given: [`Survey`](crate::data::Survey).
    pub auto: bool,
    /// Tables: where a column is at fault, look at all of them:
    /// [`ReadError::advice`](crate::data::ReadError::advice).
    pub advise: bool,
    /// Tables: read every column as words.
    pub(super) as_words: bool,
    /// The scaling of features.
    pub standardize: Standardize,
    /// The recipe by which other samples were read, to read these the same way: columns, categories,
    /// missing values and scales are then as the recipe has them, whatever the other options say.
    pub recipe: Option<Recipe>,
    /// Tables: keep the fields of all columns, [`Input::cells`](crate::data::Input::cells).
    pub keep_cells: bool,
    /// Look at each column of features, [`Input::profile`](crate::data::Input::profile).
    pub profile: bool,
    /// `.npz` and `.mat`: the variable to read. `None`: `X`, else the only matrix that there is.
    pub variable: Option<String>,
    /// True if sparse matrices stay sparse, [`Input::sparse`](crate::data::Input::sparse); by default they are
    /// made dense. Missing values and scales are then left alone.
    pub sparse: bool,
    /// The bytes of memory that reading may take; files that are mapped take none. `None`: nine
    /// tenths of what is available by the system, the control groups and the limits of the process,
    /// where the system tells (Linux does).
    pub memory_limit: Option<u64>,
    /// Threads that text is read by. `None`: one for each core.
    pub threads: Option<usize>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            header: None,
            delimiter: None,
            decimal_comma: false,
            names: NameColumn::Auto,
            select: Vec::new(),
            exclude: Vec::new(),
            categorical: Categorical::None,
            numeric: Vec::new(),
            missing: Missing::Error,
            missing_words: Vec::new(),
            skip: 0,
            skip_last: 0,
            fill_rows: false,
            day_first: None,
            auto: false,
            advise: false,
            as_words: false,
            standardize: Standardize::None,
            recipe: None,
            keep_cells: false,
            profile: false,
            variable: None,
            sparse: false,
            memory_limit: None,
            threads: None,
        }
    }
}

impl ReadOptions {
    /// True if an option refers to a column by its name.
    pub(super) fn is_by_name(&self) -> bool {
        let named = |column: &Column| matches!(column, Column::Name(_));
        let categories = match &self.categorical {
            Categorical::Columns(columns) => &columns[..],
            Categorical::None | Categorical::Auto => &[],
        };
        let columns = [&self.exclude[..], &self.select, &self.numeric, categories];
        columns.into_iter().flatten().any(named)
            || matches!(&self.names, NameColumn::At(column) if named(column))
    }

    /// Checks that each option serves a file: a column that was to be left out, and is not, makes a
    /// result that is wrong and looks right.
    pub(super) fn expect_useful(&self, paths: &[impl AsRef<Path>]) -> Result<(), ReadError> {
        let of_text = [
            ("header", self.header == Some(true)),
            ("delimiter", self.delimiter.is_some()),
            ("decimal", self.decimal_comma),
            ("skip", self.skip > 0),
            ("skip-last", self.skip_last > 0),
            ("fill-rows", self.fill_rows),
        ];
        let of_tables = [
            ("names", matches!(self.names, NameColumn::At(_))),
            ("exclude", !self.exclude.is_empty()),
            ("select", !self.select.is_empty()),
            ("categorical", self.categorical != Categorical::None),
            ("numeric", !self.numeric.is_empty()),
            ("missing-word", !self.missing_words.is_empty()),
            ("dates", self.day_first.is_some()),
            ("auto", self.auto),
            ("append", self.keep_cells),
        ];
        let of_archives = ("variable", self.variable.is_some());
        expect_useful(paths, self.format, &of_text, &of_tables, of_archives)
    }
}

/// Checks that each option that is given, of those for text, for tables and the one for archives,
/// serves at least one of the files.
pub(super) fn expect_useful(
    paths: &[impl AsRef<Path>],
    format: Option<Format>,
    of_text: &[(&'static str, bool)],
    of_tables: &[(&'static str, bool)],
    of_archives: (&'static str, bool),
) -> Result<(), ReadError> {
    let formats = paths.iter().map(|path| format.or_else(|| Format::of(path.as_ref())));
    // Files that cannot be read have errors of their own.
    let Some(formats) = formats.collect::<Option<Vec<_>>>() else { return Ok(()) };
    let text = formats.contains(&Format::Text);
    let archive = formats.contains(&Format::Npz) || formats.contains(&Format::Mat);
    let table = formats.iter().any(|format| format.is_table());
    let useless = [
        (of_text, !text, "text (.csv, .tsv, .txt)"),
        (of_tables, !table, "tables (.csv, .tsv, .txt, .parquet, .arrow, .feather)"),
        (&[of_archives], !archive, ".npz and .mat"),
    ];
    let given = |&(options, useless, of): &(&[(&'static str, bool)], bool, &'static str)| {
        let given = options.iter().find(|(_, given)| *given && useless);
        given.map(|&(option, _)| Fault::UselessOption { option, of })
    };
    match (useless.iter().find_map(given), paths.first()) {
        (Some(fault), Some(path)) => Err(ReadError::new(path.as_ref(), fault)),
        _ => Ok(()),
    }
}
