//! Options on how files are read, spelt as arguments again: a training run stores them.

use finch_deep::data::{Column, Format};

use super::{DateOrder, Decimal, LabelReading, Reading};

impl Reading {
    /// The arguments that give these options.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let flags = [
            ("--auto", self.auto),
            ("--log", self.log),
            ("--header", self.files.header),
            ("--no-header", self.files.no_header),
            ("--no-names", self.files.no_names),
            ("--fill-rows", self.files.fill_rows),
            ("--dense", self.files.dense),
            ("--transpose", self.files.transpose),
        ];
        let flags = flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag.into());
        let excluded = self.exclude.iter().map(|column| valued("exclude", &spelt(column)));
        let selected = self.select.iter().map(|column| valued("select", &spelt(column)));
        let of_words = self.categorical.iter().map(|column| valued("categorical", &spelt(column)));
        let numeric = self.numeric.iter().map(|column| valued("numeric", &spelt(column)));
        let words = self.missing_word.iter().map(|word| valued("missing-word", word));
        let lines = [("skip", self.files.skip), ("skip-last", self.files.skip_last)];
        let lines = lines.into_iter().filter(|(_, lines)| *lines > 0);
        let lines = lines.map(|(option, lines)| valued(option, &lines.to_string()));
        let dates = self.dates.map(|order| match order {
            DateOrder::Day => "day-first",
            DateOrder::Month => "month-first",
        });
        let decimal = (self.files.decimal == Decimal::Comma).then_some("comma");
        let chosen = [
            self.files.format.map(|format| valued("format", word(format))),
            self.missing.map(|missing| valued("missing", missing.name())),
            self.standardize.map(|how| valued("standardize", how.name())),
            self.files.delimiter.map(|delimiter| valued("delimiter", &delimiter.spelt())),
            decimal.map(|decimal| valued("decimal", decimal)),
            dates.map(|dates| valued("dates", dates)),
        ];
        let columns = selected.chain(of_words).chain(numeric).chain(words).chain(lines);
        let columns = columns.chain(chosen.into_iter().flatten());
        let names = self.files.names.iter().map(|column| valued("names", &spelt(column)));
        let variable = self.files.variable.iter().map(|name| valued("variable", name));
        let sheet = self.files.sheet.iter().map(|name| valued("sheet", name));
        flags.chain(names).chain(excluded).chain(columns).chain(variable).chain(sheet).collect()
    }
}

/// A word that stands for a format.
fn word(format: Format) -> &'static str {
    let found = Format::WORDS.iter().find(|(_, other)| *other == format);
    found.expect("each format has a word").0
}

impl LabelReading {
    /// The arguments that give these options.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let column = self.label_column.iter().map(|column| valued("label-column", &spelt(column)));
        let header = self.label_header.then(|| "--label-header".into());
        let variable = self.label_variable.iter().map(|name| valued("label-variable", name));
        let format = self.label_format.map(|format| valued("label-format", word(format)));
        let sheet = self.label_sheet.iter().map(|name| valued("label-sheet", name));
        format.into_iter().chain(column).chain(header).chain(variable).chain(sheet).collect()
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
