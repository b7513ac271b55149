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

    /// The feature of the other word, for one of a column of exactly two words: as much as a sample has of
    /// the one, it lacks of the other.
    pub fn of_other_word(features: &[Feature], at: usize) -> Option<usize> {
        let this = features.get(at).filter(|this| this.kind == FeatureKind::Category)?;
        let is_same = |other: &Feature| other.kind == this.kind && other.column == this.column;
        let first = features[..at].iter().rposition(|other| !is_same(other)).map_or(0, |it| it + 1);
        let words = features[first..].iter().take_while(|other| is_same(other)).count();
        (words == 2).then(|| 2 * first + 1 - at)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_column_of_two_words_has_another_word() {
        let category = |column, word: &str| Feature {
            column,
            name: None,
            kind: FeatureKind::Category,
            word: Some(word.into()),
            writing: None,
        };
        let number = Feature { kind: FeatureKind::Number, word: None, ..category(3, "") };
        let words = [(0, "f"), (0, "m"), (1, "a"), (1, "b"), (1, "c"), (2, "no"), (2, "yes")];
        let mut features: Vec<Feature> =
            words.iter().map(|&(column, word)| category(column, word)).collect();
        features.push(number);
        let found: Vec<_> = (0..9).map(|at| Feature::of_other_word(&features, at)).collect();
        let none = None;
        assert_eq!(found, [Some(1), Some(0), none, none, none, Some(6), Some(5), none, none]);
        // Also of a first column.
        assert!((0..3).all(|at| Feature::of_other_word(&features[2..5], at).is_none()));
    }
}
