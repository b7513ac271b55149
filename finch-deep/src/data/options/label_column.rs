//! The column of a table that labels are of.

use crate::data::error::column_at::ColumnAt;

/// The column of a table that labels are of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LabelColumn {
    /// The place of the column, and its name.
    pub at: ColumnAt,
    /// The number of columns of the table.
    pub columns: usize,
}

impl LabelColumn {
    /// The last column that may have labels: none of how sure they are, which stand behind them.
    pub(in crate::data) fn last_of(names: &[String]) -> Option<usize> {
        names.iter().rposition(|name| !name.ends_with("_probability"))
    }
}
