//! The findings of a reader that its caller may not expect.

use std::fmt;

use finch_core::Number;

use super::column_at::ColumnAt;

/// The findings in the files that may not be meant so. The samples are read all the same.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Note {
    /// The first column has no number, and was taken as the names of the samples.
    Names(ColumnAt),
    /// No row has a value in the column, and it was left out.
    NoValues(ColumnAt),
    /// The column may only number the samples, and why.
    Id(ColumnAt, &'static str),
    /// A stream ends without the mark of its end, and may lack rows.
    NoEnd,
    /// Some samples have a missing value, and were left out.
    Dropped {
        /// Their number.
        dropped: usize,
        /// The number of all samples.
        of: usize,
    },
    /// Some samples have no value at all, and were left out where others have their missing values filled.
    Empty {
        /// Their number.
        dropped: usize,
        /// The number of all samples.
        of: usize,
    },
    /// Words of a category that the recipe does not have ([`Recipe`](crate::data::Recipe)).
    UnknownWords {
        /// The column.
        column: ColumnAt,
        /// The first such word.
        word: String,
        /// The number of other words.
        more: usize,
    },
    /// Each line of the file begins with a label, which is no feature.
    LabelsOfLines,
    /// Missing values that others stand for.
    Filled {
        /// Their number.
        filled: usize,
        /// The number that stands for them: `mean` or `median` of the column.
        by: &'static str,
    },
    /// Part of what was done with the columns by [`ReadOptions::auto`](crate::data::ReadOptions::auto).
    Surveyed(String),
    /// The text is no UTF-8, and was read in the encoding of this name.
    Encoding(&'static str),
    /// The workbook has further sheets with values, which were not read.
    Sheets {
        /// The sheet that was read.
        read: String,
        /// The names of the others.
        others: Vec<String>,
    },
    /// The records of a JSON file are those of one field of its only object.
    Wrapped {
        /// The field that was read.
        read: String,
        /// The other fields.
        others: Vec<String>,
    },
    /// Some rows repeat the header, and were left out.
    Repeated(usize),
    /// So many rows below the header describe the columns, and were left out.
    BelowHeader(usize),
    /// The first row has numbers, and was taken as the names of the columns all the same.
    NumberedHeader,
    /// The first rows begin with `#` as remarks do, and have the fields of a row.
    Hashed {
        /// Their number.
        rows: usize,
        /// The number of lines to skip to leave them out.
        skip: u64,
    },
    /// Rows with too few fields, or with empty ones beyond the last column, which were filled up or cut.
    FilledRows(usize),
    /// Samples that are called as sums of others.
    Sums {
        /// The first of them, from 0.
        sample: usize,
        /// Its name.
        name: String,
        /// The number of others.
        more: usize,
        /// True if it is the last of all samples.
        is_last: bool,
    },
    /// The first sample, or the last, has the sums of all others.
    SumOfOthers {
        /// Its number, from 0.
        sample: usize,
    },
    /// A number that may stand for missing values.
    Sentinel(ColumnAt, String),
    /// Words of numbers as people write them, and the way in which these were read.
    Written {
        /// The column.
        column: ColumnAt,
        /// A word.
        word: String,
        /// Its value.
        value: String,
        /// True if the words may be read in another way, too.
        ambiguous: bool,
    },
    /// The spread of one column is far larger than that of another, so that it alone decides.
    Scales {
        /// The column of the largest standard deviation, and that.
        widest: (ColumnAt, f64),
        /// The column of the smallest one that is above 0, and that.
        narrowest: (ColumnAt, f64),
    },
}

impl Note {
    /// The note on the samples, of so many, that are called sums.
    pub(in crate::data) fn of_sums(sums: Vec<(usize, String)>, of: usize) -> Option<Self> {
        let more = sums.len().checked_sub(1)?;
        let (sample, name) = sums.into_iter().next()?;
        Some(Note::Sums { sample, name, more, is_last: sample + 1 == of })
    }

    /// The column that the note is about, if it is about one.
    pub(super) fn column(&self) -> Option<&ColumnAt> {
        match self {
            Note::Names(column)
            | Note::NoValues(column)
            | Note::Id(column, _)
            | Note::Sentinel(column, _)
            | Note::Written { column, .. }
            | Note::UnknownWords { column, .. } => Some(column),
            _ => None,
        }
    }
}

/// The others, of which one is named; nothing without them.
fn and_more(more: usize) -> String {
    if more > 0 { format!(" and {more} more") } else { String::new() }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Names(column) => write!(
                f,
                "{column} is taken as the names of the samples: --no-names if it is a feature"
            ),
            Note::NoValues(column) => write!(f, "{column} has no value in it, and is left out"),
            Note::Id(column, why) => {
                let argument = column.argument();
                write!(
                    f,
                    "{column} looks like an id, since {why}: --exclude {argument} leaves it out"
                )
            }
            Note::Surveyed(line) => f.write_str(line),
            Note::LabelsOfLines => f.write_str(
                "the label at the beginning of each line is left out, since it is no feature",
            ),
            Note::Encoding(name) => write!(
                f,
                "the text is no UTF-8, and is read as {name}: if letters are wrong, save it as UTF-8"
            ),
            Note::Sheets { read, others } => {
                let (first, more) = (&others[0], others.len() - 1);
                let more = and_more(more);
                write!(
                    f,
                    "the sheet {read:?} is read, and not {first:?}{more}: --sheet chooses another"
                )
            }
            Note::Wrapped { read, others } => {
                let (first, more) = (&others[0], others.len() - 1);
                let more = and_more(more);
                write!(f, "the records of {read:?} are read, and not {first:?}{more}")
            }
            Note::BelowHeader(rows) => {
                let (s, have, are) = if *rows == 1 { ("", "has", "is") } else { ("s", "have", "are") };
                write!(
                    f,
                    "{rows} row{s} below the header {have} words where others have numbers, and {are} left out"
                )
            }
            Note::NumberedHeader => f.write_str(
                "the first row has numbers that rise, and is taken as the names of the columns: --no-header if it is a \
                 sample",
            ),
            Note::Repeated(rows) => {
                let repeat = if *rows == 1 { "row repeats" } else { "rows repeat" };
                let are = if *rows == 1 { "is" } else { "are" };
                write!(f, "{rows} {repeat} the header, and {are} left out")
            }
            Note::Hashed { rows, skip } => {
                let (are, they) = match *rows {
                    1 => ("row begins with # and is".to_string(), "it is a remark"),
                    _ => (format!("{rows} rows begin with # and are"), "they are remarks"),
                };
                write!(f, "the first {are} read as the others: --skip {skip} if {they}")
            }
            Note::FilledRows(rows) => {
                let (s, have) = if *rows == 1 { ("", "has") } else { ("s", "have") };
                write!(
                    f,
                    "{rows} row{s} {have} another number of fields, and are filled up or cut at the end"
                )
            }
            Note::Sums { name, is_last: true, .. } => write!(
                f,
                "the last sample is called {name:?}: --skip-last 1 leaves it out if it is a sum of the others"
            ),
            Note::Sums { sample, name, more, .. } => {
                let (more, they) = match *more {
                    0 => (String::new(), "if it is a sum of others, delete its row"),
                    more => (
                        and_more(more) + " like it",
                        "if they are sums of others, delete their rows",
                    ),
                };
                write!(f, "there is sample {sample} (from 0), called {name:?}{more}: {they}")
            }
            Note::SumOfOthers { sample } => write!(
                f,
                "sample {sample} (from 0) has the sums of all others: delete its row if it is no sample"
            ),
            Note::Sentinel(column, word) => write!(
                f,
                "{column} has {word}, unlike all other values: --missing-word={word} takes it as missing"
            ),
            Note::Written { column, word, value, ambiguous } => {
                let other = if *ambiguous { ", and may be meant otherwise" } else { "" };
                write!(f, "{column} is read as numbers: {word:?} as {value}{other}")
            }
            Note::NoEnd => f.write_str(
                "the stream has no mark of its end: if its writer was stopped, rows are missing",
            ),
            Note::Dropped { dropped, of } => {
                write!(f, "{dropped} of {of} samples have a missing value and are left out")
            }
            Note::Empty { dropped, of } => {
                write!(f, "{dropped} of {of} samples have no value at all and are left out")
            }
            Note::UnknownWords { column, word, more } => {
                let more = and_more(*more);
                write!(
                    f,
                    "{column} has words that the model does not know: {word:?}{more}; such samples are \
                     of none of its categories"
                )
            }
            Note::Filled { filled, by } => {
                let (s, have) = if *filled == 1 { ("", "has") } else { ("s", "have") };
                write!(f, "{filled} missing value{s} {have} the {by} of the column instead")
            }
            Note::Scales { widest: (wide, most), narrowest: (narrow, least) } => write!(
                f,
                "{wide} spreads {} times as far as {narrow} (standard deviations {most:.3e} and \
                 {least:.3e}) and decides almost alone: --standardize zscore lets each column count",
                Number((most / least).round())
            ),
        }
    }
}
