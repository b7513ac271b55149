//! The recipe by which the samples of a table were made.

use serde::{Deserialize, Serialize};

use super::choices::{Missing, Standardize};
use super::column_at::ColumnAt;
use super::feature::Feature;

/// The recipe by which samples were read: which columns of a table they are of, what stands for missing values,
/// and how features were scaled. With it, [`ReadOptions::recipe`](super::ReadOptions::recipe), other files are
/// read the same way.
///
/// Columns are found by their names where the first table had a header whose names differ, and else by
/// their places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// The number of features.
    pub(super) width: usize,
    /// The columns of the samples, if they are of a table of text.
    pub(super) table: Option<Columns>,
    /// The variable of an archive that an option named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) variable: Option<String>,
    pub(super) missing: Missing,
    pub(super) standardize: Standardize,
    /// The numbers that stand for missing values; none where nothing does.
    pub(super) fill: Vec<Option<f64>>,
    pub(super) shift: Vec<f64>,
    pub(super) scale: Vec<f64>,
}

/// The columns of a table of text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Columns {
    pub(super) features: Vec<Feature>,
    /// The number of all columns.
    pub(super) columns: usize,
    pub(super) header: bool,
    /// The column of names, if an option told it.
    pub(super) names: Option<ColumnAt>,
    pub(super) decimal_comma: bool,
}
