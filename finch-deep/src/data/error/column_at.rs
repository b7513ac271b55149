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
    /// The form in which options refer to the column.
    pub(in crate::data) fn argument(&self) -> String {
        let plain = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        match &self.name {
            Some(name) if name.parse::<usize>().is_err() => match name.chars().all(plain) {
                true => name.clone(),
                false => format!("'{}'", name.replace('\'', "'\\''")),
            },
            _ => self.position.to_string(),
        }
    }
}

impl fmt::Display for ColumnAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}", self.position + 1)?;
        self.name.as_ref().map_or(Ok(()), |name| write!(f, " ({name:?})"))
    }
}
