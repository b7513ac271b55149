//! The recipe by which the samples of a table were made.

use serde::{Deserialize, Serialize};

use super::choices::{Missing, Standardize};
use super::feature::Feature;
use crate::data::error::column_at::ColumnAt;

/// The recipe by which samples were read: which columns of a table they are of, what stands for missing values,
/// and how features were scaled. With it, [`ReadOptions::recipe`](crate::data::ReadOptions::recipe), other files are
/// read the same way.
///
/// Columns are found by their names where the first table had a header whose names differ, and else by
/// their places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// The number of features.
    pub(in crate::data) width: usize,
    /// The columns of the samples, if they are of a table of text.
    pub(in crate::data) table: Option<Columns>,
    /// The variable of an archive that an option named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::data) variable: Option<String>,
    pub(in crate::data) missing: Missing,
    pub(in crate::data) standardize: Standardize,
    /// True if the logarithm of 1 + x is taken of numbers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::data) log: bool,
    /// The numbers that stand for missing values; none where nothing does.
    pub(in crate::data) fill: Vec<Option<f64>>,
    pub(in crate::data) shift: Vec<f64>,
    pub(in crate::data) scale: Vec<f64>,
}

/// The columns of a table of text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::data) struct Columns {
    pub(in crate::data) features: Vec<Feature>,
    /// The number of all columns.
    pub(in crate::data) columns: usize,
    pub(in crate::data) header: bool,
    /// The column of names, if an option told it.
    pub(in crate::data) names: Option<ColumnAt>,
    /// The name of the column that was taken for that of names, if no option told it: other tables may lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::data) likely_names: Option<String>,
    pub(in crate::data) decimal_comma: bool,
    /// Further words of missing values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::data) missing_words: Vec<String>,
}
