//! The lines that say what is done with a table and with each column.

use std::fmt::Write as _;

use super::looked::DOUBT;
use super::{ColumnSurvey, Role, Survey};
use crate::data::error::note::Note;
use crate::data::formats::csv::layout::Layout;
use crate::data::options::ReadOptions;
use crate::data::options::choices::{Delimiter, Missing, Standardize};

/// Columns that a line names.
const NAMED: usize = 12;

/// The headings of columns that take one part each, in the order of the lines.
const HEADINGS: [(&str, Role); 6] = [
    ("names of the samples", Role::Names),
    ("left out", Role::LeftOut),
    ("numbers", Role::Number),
    ("dates", Role::Date),
    ("true or false", Role::Boolean),
    ("categories", Role::Category),
];

impl Survey {
    /// The lines that say what is done with the table and with each column.
    pub fn lines(&self) -> Vec<String> {
        let mut all = vec![self.line_of_table()];
        all.extend(HEADINGS.iter().filter_map(|&(heading, role)| self.line_of(role, heading)));
        all.push(self.line_of_values(&self.options()));
        all.extend(self.doubts.iter().map(Note::to_string));
        all.extend(self.line_of_classes());
        all
    }

    /// The rows, and their place in the file.
    fn line_of_table(&self) -> String {
        let mut line =
            format!("{} of {}", counted(self.rows, "row"), counted(self.columns.len(), "column"));
        line += &self.layout.as_ref().map_or(String::new(), laid_out);
        if self.decimal_comma {
            line += ", commas before decimals";
        }
        if self.filled > 0 {
            let _ = write!(line, "; {} filled up at the end", counted(self.filled, "row"));
        }
        line
    }

    /// The columns that take one part, of many the first that have something to say.
    fn line_of(&self, role: Role, heading: &str) -> Option<String> {
        let mut columns: Vec<&ColumnSurvey> =
            self.columns.iter().filter(|column| column.role == role).collect();
        if columns.is_empty() {
            return None;
        }
        let more = columns.len().saturating_sub(NAMED);
        if more > 0 {
            columns.sort_by_key(|column| column.why.is_empty() && column.missing == 0);
        }
        let mut named: Vec<String> =
            columns.iter().take(NAMED).map(|column| self.about(column)).collect();
        // The doubt of one column is that of all.
        let doubted = named.iter().position(|about| about.contains(DOUBT));
        for about in named.iter_mut().skip(doubted.map_or(NAMED, |at| at + 1)) {
            *about = about.replace(DOUBT, "");
        }
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Some(format!("{heading}: {}{more}", named.join(", ")))
    }

    /// The name of a column, and what is to be said of it.
    fn about(&self, column: &ColumnSurvey) -> String {
        let mut said = Vec::new();
        if column.role == Role::Category && column.distinct > 1 {
            said.push(format!("{} words", column.distinct));
        }
        if !column.why.is_empty() && column.role != Role::Names {
            said.push(column.why.clone());
        }
        if column.missing > 0 && !matches!(column.role, Role::Names | Role::LeftOut) {
            said.push(format!("{} missing", column.missing));
        }
        match said.is_empty() {
            true => self.title(column),
            false => format!("{} ({})", self.title(column), said.join(", ")),
        }
    }

    /// The words of missing values, what stands for them, and what numbers are scaled by.
    fn line_of_values(&self, options: &ReadOptions) -> String {
        let mut done = Vec::new();
        if !self.missing_words.is_empty() {
            let words = self.missing_words.iter().take(NAMED).map(|word| format!("{word:?}"));
            done.push(format!("{} taken as missing", words.collect::<Vec<_>>().join(", ")));
        }
        if self.columns.iter().any(|column| column.missing > 0 && column.role != Role::LeftOut) {
            done.push(match options.missing.unwrap_or_default() {
                Missing::Drop => "samples that lack a value are left out".into(),
                Missing::Error => "a missing value is an error".into(),
                other => format!("the {} stands for missing numbers", other.name()),
            });
        }
        if options.log {
            done.push("the logarithm of 1 + x is taken of numbers".into());
        }
        done.push(self.scaled(options.standardize.unwrap_or_default()));
        done.join("; ")
    }

    fn scaled(&self, standardize: Standardize) -> String {
        let has = |role| self.columns.iter().any(|column| column.role == role);
        match standardize {
            Standardize::None => "nothing is scaled".into(),
            Standardize::Mixed => match [has(Role::Number) || has(Role::Date), has(Role::Category)] {
                [false, _] => "each category weighs as one column",
                [true, true] => "numbers are scaled by median and quartiles, and each category weighs as one column",
                [true, false] => "numbers are scaled by median and quartiles",
            }
            .into(),
            other => format!("numbers are scaled by {}", other.name()),
        }
    }

    /// The features that look like the classes that are sought.
    fn line_of_classes(&self) -> Option<String> {
        let is_class = |column: &&ColumnSurvey| column.class_like && column.role != Role::LeftOut;
        let classes = self.columns.iter().filter(is_class).map(|column| self.title(column));
        let names = classes.collect::<Vec<_>>().join(", ");
        (!names.is_empty())
            .then(|| format!("may be true classes, which --exclude leaves out: {names}"))
    }
}

/// The place of a table in its file, and what its fields are apart by.
fn laid_out(layout: &Layout) -> String {
    let mut line = match layout.header {
        true => ", named by the first line".to_string(),
        false => ", without a header".to_string(),
    };
    if layout.delimiter != Delimiter::Byte(b',') {
        let by = match layout.delimiter {
            Delimiter::WhiteSpace | Delimiter::Aligned => "blanks".into(),
            Delimiter::Byte(b'\t') => "tabs".into(),
            Delimiter::Byte(b';') => "semicolons".into(),
            other => other.spelt(),
        };
        let _ = write!(line, ", fields apart by {by}");
    }
    if layout.skip > 0 {
        let _ = write!(line, ", below {}", counted(layout.skip, "line"));
    }
    if layout.skip_last > 0 {
        let _ =
            write!(line, ", above {} (a total, or a remark)", counted(layout.skip_last, "line"));
    }
    line
}

/// A number of things.
fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}
