//! Samples of a table made in the same way as those of a table before.

use std::collections::HashSet;

use super::columns::features::{Featured, Make, expect_no_gaps, made, read_as, values};
use super::columns::prepare::{Preparation, logged};
use super::error::Fault;
use super::error::column::Mismatch;
use super::error::column_at::ColumnAt;
use super::error::note::Note;
use super::formats::csv::Raw;
use super::formats::csv::blocks::Part;
use super::input::Input;
use super::matrix::elements::{Array, Elements};
use super::options::ReadOptions;
use super::options::choices::{Categorical, Column, Missing, NameColumn, Standardize};
use super::options::feature::{Feature, FeatureKind};
use super::options::recipe::{Columns, Recipe};
use super::source::memory::Memory;

impl Input {
    /// The recipe by which the samples are read with these options.
    pub fn recipe(&self, options: &ReadOptions) -> Recipe {
        // The options that were chosen by a look at the table.
        let options = self.options(options);
        if let Some(recipe) = &options.recipe {
            return recipe.clone();
        }
        let width = self.features();
        let [fill, shift, scale] = match self.preparation() {
            Some(Preparation { fill, shift, scale, .. }) => {
                [fill.clone(), shift.clone(), scale.clone()]
            }
            // Of sparse samples there may be more features than anybody can list.
            None if self.is_sparse() => [const { Vec::new() }; 3],
            None => [vec![f64::NAN; width], vec![0.0; width], vec![1.0; width]],
        };
        let fill = fill.into_iter().map(|value| Some(value).filter(|value| !value.is_nan()));
        let names = match &options.names {
            NameColumn::At(Column::Name(name)) => Some((0, Some(name.clone()))),
            NameColumn::At(Column::Index(index)) => Some((*index, None)),
            _ => None,
        };
        let table =
            self.feature_columns().zip(self.table()).map(|(features, (columns, header))| Columns {
                features: features.to_vec(),
                columns,
                header,
                names: names.map(|(position, name)| ColumnAt { position, name }),
                likely_names: self.likely_names.clone(),
                decimal_comma: options.decimal_comma,
                missing_words: options.missing_words.clone(),
            });
        let missing = options.missing.unwrap_or_default();
        let standardize = options.standardize.unwrap_or_default();
        let variable = options.variable.clone();
        let (log, fill) = (options.log, fill.collect());
        Recipe { width, table, variable, missing, standardize, log, fill, shift, scale }
    }
}

impl Recipe {
    /// The number of features.
    pub fn features(&self) -> usize {
        self.width
    }

    /// The name of each feature, if the samples are of a table of text with a header.
    pub fn names(&self) -> Option<Vec<String>> {
        let table = self.table.as_ref().filter(|table| table.header)?;
        Some(table.features.iter().map(Feature::title).collect())
    }

    /// The features, if the samples are of a table of text.
    pub fn columns(&self) -> Option<&[Feature]> {
        self.table.as_ref().map(|table| &table.features[..])
    }

    /// The changes made to the features.
    pub fn preparation(&self) -> Preparation {
        let fill = self.fill.iter().map(|fill| fill.unwrap_or(f64::NAN)).collect();
        let log = match (self.log, &self.table) {
            (true, table) => {
                logged(table.as_ref().map(|table| &table.features[..]), self.fill.len())
            }
            (false, _) => vec![false; self.fill.len()],
        };
        Preparation { log, fill, shift: self.shift.clone(), scale: self.scale.clone() }
    }

    /// True if the lists have a number for each feature, or are empty where nothing was done: what is read
    /// from a file need not.
    pub fn is_sound(&self) -> bool {
        if self.fill.is_empty() && self.shift.is_empty() && self.scale.is_empty() {
            return self.table.is_none() && self.missing == Missing::Error && !self.scales();
        }
        let of_table = self.table.as_ref().map_or(self.width, |table| table.features.len());
        let lengths = [self.fill.len(), self.shift.len(), self.scale.len(), of_table];
        let sound = |&scale: &f64| scale.is_finite() && scale != 0.0;
        lengths.iter().all(|&length| length == self.width) && self.scale.iter().all(sound)
    }

    /// True if the samples are of a table of text.
    pub(super) fn is_of_table(&self) -> bool {
        self.table.is_some()
    }

    /// The treatment of samples with missing values.
    pub(super) fn missing(&self) -> Missing {
        self.missing
    }

    /// True if logarithms are taken of features.
    pub fn takes_logarithms(&self) -> bool {
        self.log
    }

    /// True if features are scaled.
    pub(super) fn scales(&self) -> bool {
        self.standardize != Standardize::None
    }

    /// Checks the number of features.
    pub(super) fn expect_features(&self, found: usize) -> Result<(), Fault> {
        match (found, self.width) {
            (found, expected) if found != expected => {
                let names = self.names().unwrap_or_default();
                Err(Mismatch::Features { found, expected, names }.into())
            }
            _ => Ok(()),
        }
    }

    /// The options that read a table of the same columns: those of `given` that tell how the file is
    /// laid out, and the columns of the recipe.
    pub(super) fn options(&self, given: &ReadOptions) -> ReadOptions {
        let mut options = given.clone();
        (options.missing, options.standardize) = (Some(self.missing), None);
        // An archive has the same variables as the one before, and its default may be another.
        options.variable = options.variable.or_else(|| self.variable.clone());
        options.auto = false;
        let Some(table) = &self.table else { return options };
        let by_name = table.by_name(given);
        let column = |feature: &Feature| match &feature.name {
            Some(name) if by_name => Column::Name(name.clone()),
            _ => Column::Index(feature.column),
        };
        let mut selected: Vec<Column> = table.features.iter().map(column).collect();
        selected.dedup();
        options.select = selected;
        options.exclude.clear();
        let categories = table.features.iter().filter(|one| one.kind == FeatureKind::Category);
        let mut categories: Vec<Column> = categories.map(column).collect();
        categories.dedup();
        options.categorical = match categories.is_empty() {
            true => Categorical::None,
            false => Categorical::Columns(categories),
        };
        let numeric = table.features.iter().filter(|one| one.writing.is_some());
        options.numeric = numeric.map(column).collect();
        options.missing_words.extend_from_slice(&table.missing_words);
        if let (NameColumn::Auto, Some(names)) = (&given.names, &table.names) {
            options.names = NameColumn::At(match &names.name {
                Some(name) => Column::Name(name.clone()),
                None => Column::Index(names.position),
            });
        }
        options.likely_names = table.likely_names.clone().filter(|_| by_name);
        options.header = given.header.or(Some(table.header));
        options.decimal_comma |= table.decimal_comma;
        options
    }

    /// Makes the samples of the rows that were read, an error with the number of its file.
    pub(super) fn featured(
        &self,
        raw: &mut Raw,
        options: &ReadOptions,
        memory: &Memory,
    ) -> Result<Featured, (usize, Fault)> {
        let first = |fault| (0, fault);
        let Some(table) = &self.table else { unreachable!("a recipe without a table is for none") };
        let by_name = table.by_name(options);
        let mut rows = std::mem::take(&mut raw.rows);
        let plan = &raw.plan;
        let (found, expected) = (plan.parts.len(), table.columns);
        if !by_name && found != expected {
            return Err(first(Mismatch::Columns { found, expected }.into()));
        }
        expect_no_gaps(&rows, raw, options, usize::MAX)?;
        let columns: Vec<usize> = plan.features().collect();
        let (mut makes, mut features, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for feature in &table.features {
            let name = feature.name.as_ref().filter(|_| by_name);
            let of_name =
                name.and_then(|name| plan.header.as_ref()?.iter().position(|x| x == name));
            let column = of_name.unwrap_or(feature.column);
            let from = columns.iter().position(|&other| other == column);
            let from = from.ok_or((0, Fault::NoFeatures { columns: found }))?;
            let words = (plan.parts[column] == Part::Words)
                .then(|| rows.of_words.iter().position(|&of_words| of_words == from))
                .flatten()
                .map(|at| &rows.words[at]);
            let at = plan.at(column);
            let other = |found: &'static str| {
                let (column, expected) = (at.clone(), feature.kind.name());
                first(Mismatch::Kind { column, expected, found }.into())
            };
            let make = match (feature.kind, words) {
                (_, Some(words)) if words.list.is_empty() => Make::Same,
                (FeatureKind::Category, Some(words)) => {
                    let is = |(word, _): &(String, u64)| Some(word) == feature.word.as_ref();
                    match words.list.iter().position(is) {
                        Some(number) => Make::Is(number as u32),
                        None => Make::Is(u32::MAX),
                    }
                }
                (FeatureKind::Number | FeatureKind::Boolean, None) => Make::Same,
                (_, Some(words)) if feature.writing.is_some() => {
                    let writing = feature.writing.as_ref().expect("it was looked at");
                    let values = read_as(words, writing);
                    if let Some(odd) = values.iter().position(|value| value.is_nan()) {
                        let (text, line) = &words.list[odd];
                        let (line, column, text) = (*line, at.clone(), text.clone());
                        return Err(first(Fault::NotWritten { line, column, text }));
                    }
                    Make::Each(values)
                }
                (_, None) if rows.gaps[from].count == rows.rows => Make::Same,
                (_, None) => return Err(other("number")),
                (kind, Some(words)) => match values(words) {
                    Some((found, values)) if found == kind => Make::Each(values),
                    Some((found, _)) => return Err(other(found.name())),
                    None => return Err(other("word")),
                },
            };
            makes.push((from, make));
            features.push(Feature { column, ..feature.clone() });
        }
        for (&from, words) in rows.of_words.iter().zip(&rows.words) {
            let of_column = |feature: &&Feature| feature.column == columns[from];
            let known: HashSet<&str> =
                features.iter().filter(of_column).filter_map(|one| one.word.as_deref()).collect();
            let mut unknown = words.list.iter().filter(|(word, _)| !known.contains(word.as_str()));
            if let Some((word, _)) = unknown.next().filter(|_| !known.is_empty()) {
                let column = plan.at(columns[from]);
                notes.push(Note::UnknownWords {
                    column,
                    word: word.clone(),
                    more: unknown.count(),
                });
            }
        }
        let samples =
            made(std::mem::take(&mut rows.values), columns.len(), &makes, memory).map_err(first)?;
        let shape = vec![rows.rows, features.len()];
        let array = Array { elements: Elements::F64(samples), shape, column_major: false };
        raw.rows = rows;
        Ok(Featured { array, features, notes })
    }
}

impl Columns {
    /// True if columns are found by their names: they have some, all different, and the file has a
    /// header.
    fn by_name(&self, given: &ReadOptions) -> bool {
        let mut columns: Vec<_> = self.features.iter().map(|one| (one.column, &one.name)).collect();
        columns.dedup();
        let names: HashSet<&str> = columns.iter().filter_map(|(_, name)| name.as_deref()).collect();
        self.header && given.header != Some(false) && names.len() == columns.len()
    }
}
