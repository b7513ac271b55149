//! Options on how files are read, spelt as arguments again: a training run stores them.

use finch_deep::data::Column;

use super::{LabelReading, Reading};

impl Reading {
    /// The arguments that give these options.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let flags = [
            ("--header", self.header),
            ("--no-header", self.no_header),
            ("--no-names", self.no_names),
        ];
        let flags = flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag.into());
        let excluded = self.exclude.iter().map(|column| valued("exclude", &spelt(column)));
        let names = self.names.iter().map(|column| valued("names", &spelt(column)));
        let variable = self.variable.iter().map(|name| valued("variable", name));
        flags.chain(names).chain(excluded).chain(variable).collect()
    }
}

impl LabelReading {
    /// The arguments that give these options.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let column = self.label_column.iter().map(|column| valued("label-column", &spelt(column)));
        let header = self.label_header.then(|| "--label-header".into());
        let variable = self.label_variable.iter().map(|name| valued("label-variable", name));
        column.chain(header).chain(variable).collect()
    }
}

/// An option and its value in one word, since the value may begin with a dash.
fn valued(option: &str, value: &str) -> String {
    format!("--{option}={value}")
}

/// A column as the options take it.
fn spelt(column: &Column) -> String {
    match column {
        Column::Index(index) => index.to_string(),
        Column::Name(name) => name.clone(),
    }
}
