//! The parts that a table lacks beside the one that a recipe is of.

use super::column_at::ColumnAt;

/// A table that lacks what the samples of a recipe are made of.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// Another number of features.
    #[error("{found} features here, and {expected} where the model was made{}", of_names(names))]
    Features {
        /// Features of this file.
        found: usize,
        /// Features of the recipe.
        expected: usize,
        /// The columns of the recipe, if they have names.
        names: Vec<String>,
    },
    /// Another number of columns, where columns go by their places.
    #[error(
        "{found} columns here, and {expected} where the model was made: columns without names go by their places"
    )]
    Columns {
        /// Columns of this file.
        found: usize,
        /// Columns of the table of the recipe.
        expected: usize,
    },
    /// A column is of something else.
    #[error("{column} is of {found}s here, and of {expected}s where the model was made")]
    Kind {
        /// The column.
        column: ColumnAt,
        /// The kind that it was of.
        expected: &'static str,
        /// The kind that it is of.
        found: &'static str,
    },
}

fn of_names(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) }
}
