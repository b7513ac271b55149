//! Options for reading samples.

pub(crate) mod choices;
pub(crate) mod feature;
pub(crate) mod label_column;
pub(crate) mod recipe;
pub(crate) mod writing;

use std::path::Path;

use choices::{Categorical, Column, Delimiter, Missing, NameColumn, Standardize};
use recipe::Recipe;

use super::error::{Fault, ReadError};
use super::format::Format;
use super::recognise::format_of;

/// Options for reading samples. The default recognises whatever it can.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The format of all files. `None`: as the name of each says, or else its first bytes.
    pub format: Option<Format>,
    /// Text and spreadsheets: whether the first row names the columns. `None`: it does if no feature in it is a
    /// number and some of later rows is, or if another option refers to a column by its name. A
    /// first row that may as well be a sample that lacks a value is an error.
    pub header: Option<bool>,
    /// Text: what separates the fields. `None`: the first of tab, semicolon and comma that the
    /// first line has, else white space; a bar where there is none of them.
    pub delimiter: Option<Delimiter>,
    /// Text and spreadsheets: numbers have a decimal comma, `2,5`. A comma then separates no fields, unless
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
    /// nothing) and [`missing_words`](Self::missing_words), in arrays NaN. `None`: they are an error, or, by
    /// [`auto`](Self::auto), the median stands for them.
    pub missing: Option<Missing>,
    /// Tables: further words of missing values, in capitals or not. A number stands for all ways to write it.
    pub missing_words: Vec<String>,
    /// Text and spreadsheets: lines to skip before the table, such as a title.
    pub skip: usize,
    /// Text and spreadsheets: lines to leave out at the end of the table, such as a total; blank ones do not count.
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
    /// Tables: the name of the column that names the samples, where there is one and no option tells another.
    pub(super) likely_names: Option<String>,
    /// Tables: read every column as words.
    pub(super) as_words: bool,
    /// True if the table was made text: its header is no line that can be repeated.
    pub(super) is_made_text: bool,
    /// True if the logarithm of 1 + x is taken of the numbers x, before missing values and scales are seen to. A
    /// number below 0 is then an error. Dates, booleans and categories stay as they are.
    pub log: bool,
    /// The scaling of features. `None`: none, or, by [`auto`](Self::auto), as the columns ask for.
    pub standardize: Option<Standardize>,
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
    /// Spreadsheets: the sheet, by its name or by its number from 0. `None`: the first of several columns, or else with a value.
    pub sheet: Option<String>,
    /// `.npy` and IDX: a list of numbers is one column, as of weights. By default it is an error.
    pub lists: bool,
    /// True if the rows of files are features, and their columns are samples. Other options are those of the
    /// transposed table, but for `skip`, `skip_last`, `delimiter` and `fill_rows`.
    pub transpose: bool,
    /// The bytes of memory that reading may take; files that are mapped take none. `None`: nine
    /// tenths of what is available by the system, the control groups and the limits of the process,
    /// where the system tells (Linux does).
    pub memory_limit: Option<u64>,
    /// Threads that text is read by. `None`: one for each core.
    pub threads: Option<usize>,
}

impl ReadOptions {
    /// True if an option refers to a column by its name.
    pub(super) fn is_by_name(&self) -> bool {
        let named = |column: &Column| matches!(column, Column::Name(_));
        let categories = self.categorical.columns();
        let columns = [&self.exclude[..], &self.select, &self.numeric, categories];
        columns.into_iter().flatten().any(named)
            || matches!(&self.names, NameColumn::At(column) if named(column))
    }

    /// Checks that each option serves a file: a column that was to be left out, and is not, makes a
    /// result that is wrong and looks right.
    pub(super) fn expect_useful(&self, paths: &[impl AsRef<Path>]) -> Result<(), ReadError> {
        use Serves::{Archives, Rows, Sheets, Tables, Text};
        let options = [
            ("header", Rows, self.header == Some(true)),
            ("delimiter", Text, self.delimiter.is_some()),
            ("decimal", Rows, self.decimal_comma),
            ("skip", Rows, self.skip > 0),
            ("skip-last", Rows, self.skip_last > 0),
            ("fill-rows", Text, self.fill_rows),
            ("names", Tables, matches!(self.names, NameColumn::At(_))),
            ("exclude", Tables, !self.exclude.is_empty()),
            ("select", Tables, !self.select.is_empty()),
            ("categorical", Tables, self.categorical != Categorical::None),
            ("numeric", Tables, !self.numeric.is_empty()),
            ("missing-word", Tables, !self.missing_words.is_empty()),
            ("dates", Tables, self.day_first.is_some()),
            ("auto", Tables, self.auto),
            ("append", Tables, self.keep_cells),
            ("variable", Archives, self.variable.is_some()),
            ("sheet", Sheets, self.sheet.is_some()),
        ];
        expect_useful(paths, self.format, &options)
    }
}

/// The files that an option serves.
#[derive(Clone, Copy)]
pub(super) enum Serves {
    Text,
    /// Text and spreadsheets, whose first row may or may not name the columns.
    Rows,
    Tables,
    Archives,
    Sheets,
}

impl Serves {
    fn is_for(self, format: Format) -> bool {
        match self {
            Self::Text => format == Format::Text,
            Self::Rows => matches!(format, Format::Text | Format::Spreadsheet),
            Self::Tables => format.is_table(),
            Self::Archives => matches!(format, Format::Npz | Format::Mat),
            Self::Sheets => format == Format::Spreadsheet,
        }
    }

    fn files(self) -> &'static str {
        match self {
            Self::Text => "text (.csv, .tsv, .txt)",
            Self::Rows => "text (.csv, .tsv, .txt) and spreadsheets",
            Self::Tables => {
                "tables (.csv, .tsv, .txt, .xlsx, .ods, .json, .jsonl, .arff, .parquet, .arrow, .feather)"
            }
            Self::Archives => ".npz and .mat",
            Self::Sheets => "spreadsheets (.xlsx, .ods)",
        }
    }
}

/// Checks that each option that is given serves at least one of the files.
pub(super) fn expect_useful(
    paths: &[impl AsRef<Path>],
    format: Option<Format>,
    options: &[(&'static str, Serves, bool)],
) -> Result<(), ReadError> {
    let formats = paths.iter().map(|path| format_of(path.as_ref(), format));
    // Files that cannot be read have errors of their own.
    let Some(formats) = formats.collect::<Option<Vec<_>>>() else { return Ok(()) };
    let useless = |&&(_, serves, given): &&(&'static str, Serves, bool)| {
        given && !formats.iter().any(|&format| serves.is_for(format))
    };
    match (options.iter().find(useless), paths.first()) {
        (Some(&(option, serves, _)), Some(path)) => {
            let fault = Fault::UselessOption { option, of: serves.files() };
            Err(ReadError::new(path.as_ref(), fault))
        }
        _ => Ok(()),
    }
}
