//! Tables of several files as one.

use std::path::{Path, PathBuf};

use crate::data::error::Fault;
use crate::data::error::column::ColumnFault;
use crate::data::formats::csv::Raw;
use crate::data::formats::csv::blocks::Part;
use crate::data::formats::csv::words::Words;
use crate::data::source::memory::Memory;

/// Rows of a table that are of one file.
#[derive(Clone, Debug)]
pub(in crate::data) struct Stretch {
    pub(in crate::data) path: PathBuf,
    /// The first of the rows.
    pub(in crate::data) start: usize,
    /// The rows that are not on the line after that of the row before: the row, from the first of the
    /// file, and its line.
    pub(in crate::data) breaks: Vec<(usize, u64)>,
}

impl Raw {
    /// Where the rows are, as rows of one file.
    pub(in crate::data) fn stretch(&mut self, path: &Path, start: usize) -> Stretch {
        Stretch { path: path.into(), start, breaks: std::mem::take(&mut self.rows.breaks) }
    }

    /// Puts the rows of another file below these. The files have equally many features; their
    /// columns belong together by their place, and must have the same names where they have names.
    pub(in crate::data) fn stack(
        &mut self,
        mut below: Raw,
        file: usize,
        first: &Path,
        memory: &Memory,
    ) -> Result<(), Fault> {
        let columns: Vec<usize> = self.plan.features().collect();
        let theirs: Vec<usize> = below.plan.features().collect();
        let other = columns.iter().zip(&theirs).find(|&(&column, &of_below)| {
            let headers = self.plan.header.as_ref().zip(below.plan.header.as_ref());
            headers.is_some_and(|(ours, theirs)| ours[column] != theirs[of_below])
        });
        if let Some((&column, &of_below)) = other {
            let (column, expected) = (below.plan.at(of_below), self.plan.at(column).name);
            return Err(ColumnFault::Header { column, expected, other: first.into() }.into());
        }
        for (feature, (&column, &of_below)) in columns.iter().zip(&theirs).enumerate() {
            match (self.plan.parts[column], below.plan.parts[of_below]) {
                // A column without any value is of what the other file has.
                (Part::Number, Part::Words) if self.is_empty(feature) => self.take_words(feature),
                (Part::Words, Part::Number) if below.is_empty(feature) => below.take_words(feature),
                (Part::Number, Part::Words) => {
                    let words = below.rows.of_words.iter().position(|&other| other == feature);
                    let first = words.and_then(|at| below.rows.words[at].list.first());
                    let (text, line) = first.cloned().unwrap_or_default();
                    return Err(Fault::NotANumber { line, column: of_below + 1, text });
                }
                (Part::Words, Part::Number) => {
                    let reason = format!(
                        "{} has numbers, and words in the first file",
                        below.plan.at(of_below)
                    );
                    return Err(Fault::malformed("a part of a table", reason));
                }
                _ => {}
            }
        }
        below.rows.gaps.iter_mut().for_each(|gaps| gaps.file = file);
        below.rows.breaks.clear();
        if self.plan.keep_cells && self.plan.parts.len() != below.plan.parts.len() {
            let (found, expected) = (below.plan.parts.len(), self.plan.parts.len());
            let other = first.to_path_buf();
            return Err(Fault::ColumnCount { what: "columns", found, expected, other });
        }
        if self.plan.name.is_none() || below.plan.name.is_none() {
            // Names that some samples lack are none.
            (self.plan.name, self.rows.names) = (None, Vec::new());
            below.rows.names.clear();
        }
        self.rows.append(below.rows, memory)?;
        self.rows.breaks.clear();
        Ok(())
    }

    fn is_empty(&self, feature: usize) -> bool {
        self.rows.gaps[feature].count == self.rows.rows
    }

    /// Makes a column without any value one of words.
    fn take_words(&mut self, feature: usize) {
        let column = self.plan.features().nth(feature);
        let column = column.expect("a feature is of a column");
        self.plan.parts[column] = Part::Words;
        let at = self.rows.of_words.partition_point(|&other| other < feature);
        self.rows.of_words.insert(at, feature);
        self.rows.words.insert(at, Words::default());
    }
}
