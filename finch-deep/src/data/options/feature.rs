//! A feature: what a column of a table is.

use serde::{Deserialize, Serialize};

use super::writing::Writing;

/// A feature: a column of the samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Feature {
    /// The column of the table that it is of, from 0.
    pub column: usize,
    /// The name of the column in the header.
    pub name: Option<String>,
    /// The kind of the column.
    pub kind: FeatureKind,
    /// Of a category: the word that the feature is 1 for.
    pub word: Option<String>,
    /// The way in which its numbers are written, if they are not plain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writing: Option<Writing>,
}

impl Feature {
    /// The title of the feature: by the name of its column, or the column's number from 0, and of a
    /// category with the word.
    pub fn title(&self) -> String {
        let name = self.name.clone().unwrap_or_else(|| format!("column_{}", self.column));
        match &self.word {
            Some(word) => format!("{name}={word}"),
            None => name,
        }
    }
}

/// The kind of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FeatureKind {
    /// Numbers.
    Number,
    /// True and false, as 1 and 0.
    Boolean,
    /// Dates, as days from 1970-01-01.
    Date,
    /// Words, with a feature of 0 and 1 for each.
    Category,
}

impl FeatureKind {
    /// One word for it.
    pub const fn name(self) -> &'static str {
        match self {
            FeatureKind::Number => "number",
            FeatureKind::Boolean => "boolean",
            FeatureKind::Date => "date",
            FeatureKind::Category => "category",
        }
    }
}
