//! The arguments of the command line that read a table as a look at it says.

use super::{ColumnSurvey, Role, Survey};
use crate::data::options::choices::{Delimiter, Missing, NameColumn, Standardize};

impl Survey {
    /// The arguments of the command line that read the table so, beside those that were given.
    pub fn arguments(&self) -> Vec<String> {
        let (options, given) = (self.options(), &self.given);
        let mut all = Vec::new();
        let mut add = |option: &str, value: &str| match value {
            "" => all.push(format!("--{option}")),
            value if value.starts_with('-') => all.push(format!("--{option}={value}")),
            value => all.extend([format!("--{option}"), value.to_string()]),
        };
        if let Some(layout) = &self.layout {
            let mut listed = self.columns.iter().filter(|column| {
                matches!(column.role, Role::LeftOut | Role::Category) || column.writing.is_some()
            });
            let by_name = listed.any(|column| !column.given && self.named(column).is_some());
            match (given.header, layout.header) {
                (None, true) if !by_name => add("header", ""),
                (None, false) => add("no-header", ""),
                _ => {}
            }
            // Beside decimals with commas a comma is no delimiter, unless it is said.
            let is_comma =
                layout.delimiter == Delimiter::Byte(b',') && layout.is_plain && !self.decimal_comma;
            if given.delimiter.is_none() && !is_comma {
                add("delimiter", &layout.delimiter.spelt());
            }
            if given.skip == 0 && layout.skip > 0 {
                add("skip", &layout.skip.to_string());
            }
            if given.skip_last == 0 && layout.skip_last > 0 {
                add("skip-last", &layout.skip_last.to_string());
            }
        }
        if options.fill_rows && !given.fill_rows {
            add("fill-rows", "");
        }
        if self.decimal_comma {
            add("decimal", "comma");
        }
        if given.names == NameColumn::Auto {
            match self.columns.iter().find(|column| column.role == Role::Names) {
                Some(column) => add("names", &self.argument(column)),
                None => add("no-names", ""),
            }
        }
        let of = |role| self.columns.iter().filter(move |column| column.role == role);
        let own = |column: &&ColumnSurvey| !column.given;
        let lists = [
            ("exclude", of(Role::LeftOut).filter(own).collect::<Vec<_>>()),
            ("categorical", of(Role::Category).filter(own).collect()),
            ("numeric", self.written().filter(own).collect()),
        ];
        for (option, columns) in lists {
            let columns: Vec<String> = columns.into_iter().map(|one| self.argument(one)).collect();
            let list = columns.join(",");
            match self.columns.iter().any(|column| column.name.as_ref() == Some(&list)) {
                true => columns.iter().for_each(|column| add(option, column)),
                false if list.is_empty() => {}
                false => add(option, &list),
            }
        }
        for word in &self.missing_words {
            all.push(format!("--missing-word={word}"));
        }
        for (option, now, before) in [
            ("missing", options.missing.map(Missing::name), given.missing.map(Missing::name)),
            (
                "standardize",
                options.standardize.map(Standardize::name),
                given.standardize.map(Standardize::name),
            ),
        ] {
            if let Some(now) = now.filter(|_| before.is_none()) {
                all.extend([format!("--{option}"), now.into()]);
            }
        }
        all
    }

    /// The name by which options refer to a column, unless they would take it for something else: a list, or
    /// all columns of words.
    fn named<'c>(&self, column: &'c ColumnSurvey) -> Option<&'c str> {
        let name = column.name.as_deref().filter(|_| column.is_unique)?;
        let odd = name.contains([',', '\n', '\r']) || name == "auto" || name.trim() != name;
        (!odd).then_some(name)
    }

    /// The form in which options refer to a column.
    fn argument(&self, column: &ColumnSurvey) -> String {
        self.named(column).map_or_else(|| column.column.to_string(), String::from)
    }
}
