//! The choices of the options of reading.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A column of a text table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// By position, from 0.
    Index(usize),
    /// By the name that the header gives it.
    Name(String),
}

impl Column {
    /// The column of a word: a number from 0, or a name.
    pub(in crate::data) fn of(word: &str) -> Self {
        word.parse().map_or_else(|_| Column::Name(word.into()), Column::Index)
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Column::Index(index) => write!(f, "{index} (from 0)"),
            Column::Name(name) => write!(f, "{name:?}"),
        }
    }
}

/// The column of a text table that names the samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NameColumn {
    /// The first column, if none of the first hundred rows has a number there.
    #[default]
    Auto,
    /// No column: every one is a feature.
    None,
    /// The column of this name or number.
    At(Column),
}

/// The separator of the fields of a text table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimiter {
    /// Any run of spaces and tabs.
    WhiteSpace,
    /// This byte, once. Fields may be quoted.
    Byte(u8),
    /// None: columns are at fixed positions of the lines, with blanks between them, and within fields, too.
    Aligned,
}

impl Delimiter {
    /// The byte, if it is one.
    pub(in crate::data) fn byte(self) -> Option<u8> {
        match self {
            Delimiter::Byte(byte) => Some(byte),
            Delimiter::WhiteSpace | Delimiter::Aligned => None,
        }
    }

    /// The word by which the option names it.
    pub fn spelt(self) -> String {
        match self {
            Delimiter::WhiteSpace => "space".into(),
            Delimiter::Aligned => "aligned".into(),
            Delimiter::Byte(b'\t') => "tab".into(),
            Delimiter::Byte(b';') => "semicolon".into(),
            Delimiter::Byte(b',') => "comma".into(),
            Delimiter::Byte(byte) => char::from(byte).into(),
        }
    }
}

/// The columns of words that become a column of 0 and 1 for each of their words, in the order of the
/// words ("one-hot").
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Categorical {
    /// None: a column of words is an error.
    #[default]
    None,
    /// Every one of words that are neither booleans nor dates, of at most 100 different words.
    Auto,
    /// These; of numbers, too.
    Columns(Vec<Column>),
}

impl Categorical {
    /// The columns that are named.
    pub(in crate::data) fn columns(&self) -> &[Column] {
        match self {
            Self::Columns(columns) => columns,
            Self::None | Self::Auto => &[],
        }
    }
}

/// Options that are one of some words.
macro_rules! words {
    ($type:ident: $($variant:ident $word:literal),*) => {
        impl $type {
            /// Every one.
            pub const ALL: &'static [Self] = &[$($type::$variant),*];

            /// The word that stands for it on the command line.
            pub const fn name(self) -> &'static str {
                match self { $($type::$variant => $word),* }
            }
        }
    };
}

/// The treatment of missing values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// One in text is an error; one in an array stays NaN.
    #[default]
    Error,
    /// Samples with one are left out: [`Input::dropped`](crate::data::Input::dropped).
    Drop,
    /// The mean of its column stands for it (of a category: the share of each word).
    Mean,
    /// The median of its column stands for it.
    Median,
}
words!(Missing: Error "error", Drop "drop", Mean "mean", Median "median");

/// The scaling of features. Columns of booleans and of categories stay 0 and 1; a column whose values
/// are all the same becomes 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standardize {
    /// Not at all.
    #[default]
    None,
    /// To mean 0 and standard deviation 1 (of the population).
    Zscore,
    /// To median 0 and a distance of 1 between the quartiles, so that outliers count less.
    Robust,
    /// To least 0 and largest 1.
    Minmax,
    /// So that columns of numbers and of words weigh alike: numbers to median 0, and by the quartiles to the
    /// spread of a standard deviation of 1; and two different words of a category are as far apart as two
    /// typical numbers. A category that lacks a value has the share of each word.
    Mixed,
}
words!(Standardize: None "none", Zscore "zscore", Robust "robust", Minmax "minmax", Mixed "mixed");
