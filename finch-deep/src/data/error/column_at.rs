//! A column of a text table, as errors and notes name it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A column of a text table: where it is, and what the header calls it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnAt {
    /// The position, from 0.
    pub position: usize,
    /// The name, if there is a header and it is not empty.
    pub name: Option<String>,
}

impl ColumnAt {
    /// The name, or the number where there is none.
    pub(in crate::data) fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.position.to_string())
    }

    /// The form in which options refer to the column.
    pub(in crate::data) fn argument(&self) -> String {
        let plain = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        match &self.name {
            // A number, an option and the word for all columns of words are no names to options.
            Some(name)
                if name.parse::<usize>().is_err() && name != "auto" && !name.starts_with('-') =>
            {
                match name.chars().all(plain) {
                    true => name.clone(),
                    false => format!("'{}'", name.replace('\'', "'\\''")),
                }
            }
            _ => self.position.to_string(),
        }
    }
}

impl fmt::Display for ColumnAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Options take a name or a number from 0.
        match &self.name {
            Some(name) if name.parse::<usize>().is_err() => write!(f, "column {name:?}"),
            Some(name) => write!(f, "column {} (from 0) called {name:?}", self.position),
            None => write!(f, "column {} (from 0)", self.position),
        }
    }
}
