//! The text of SVMlight and LIBSVM. Features are counted from 1, or from 0 if a file has a feature 0.

use std::io::BufRead;

use super::csv::lines::read_line;
use crate::data::error::Fault;
use crate::data::error::sparse::SparseFault;
use crate::data::matrix::elements::Elements;
use crate::data::matrix::sparse_file::{Compressed, Held};
use crate::data::source::Source;
use crate::data::source::memory::Memory;
use crate::data::svmlight_line::{content, entries};

const FORMAT: &str = "an SVMlight file";

/// The content that a line should have.
const LINE: &str = "a label and feature:value after it";

/// Reads a matrix of f64; sparse, unless half of its values or more are given.
pub(in crate::data) fn samples(source: Source, memory: &Memory) -> Result<Held, Fault> {
    let mut lines = Lines { reader: source.reader(), line: Vec::new(), number: 0 };
    let (mut starts, mut positions, mut values) = (vec![0], Vec::new(), Vec::new());
    let (mut least, mut end) = (1, 1);
    while lines.next(memory)? {
        for entry in entries(content(&lines.line)).1 {
            let Some((feature, value)) = entry else {
                return Err(lines.wrong(LINE));
            };
            let of_line = starts[starts.len() - 1]..;
            if positions[of_line].last().is_some_and(|&last| last >= feature) {
                return Err(lines.wrong("a line whose features rise"));
            }
            memory.push(&mut positions, feature)?;
            memory.push(&mut values, value)?;
            (least, end) = (feature.min(least), end.max(feature.saturating_add(1)));
        }
        memory.push(&mut starts, positions.len())?;
    }
    positions.iter_mut().for_each(|position| *position -= least);
    let (rows, features) = (starts.len() - 1, end - least);
    if rows == 0 || features == 0 {
        return Err(Fault::Empty);
    }
    let is_full = positions.len() as f64 >= 0.5 * rows as f64 * features as f64;
    let values = Elements::F64(values);
    let matrix = Held::Compressed(Compressed {
        format: FORMAT,
        by_column: false,
        lines: rows,
        length: features,
        starts,
        positions,
        values,
    });
    match is_full {
        true => matrix.array(memory).map(Held::Full),
        false => Ok(matrix),
    }
}

/// Calls `label` with the label of each line, and the number of the line.
pub(in crate::data) fn labels(
    source: Source,
    memory: &Memory,
    mut label: impl FnMut(&[u8], u64) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut lines = Lines { reader: source.reader(), line: Vec::new(), number: 0 };
    let mut is_empty = true;
    while lines.next(memory)? {
        let (found, mut entries) = entries(content(&lines.line));
        match found.filter(|_| entries.all(|entry| entry.is_some())) {
            Some(found) => label(found, lines.number)?,
            None => return Err(lines.wrong(LINE)),
        }
        is_empty = false;
    }
    if is_empty { Err(Fault::Empty) } else { Ok(()) }
}

struct Lines {
    reader: Box<dyn BufRead>,
    /// The line that was read last.
    line: Vec<u8>,
    /// Its number, from 1.
    number: u64,
}

impl Lines {
    /// Reads up to a line that is neither blank nor a remark, and says whether there was one.
    fn next(&mut self, memory: &Memory) -> Result<bool, Fault> {
        loop {
            self.line.clear();
            self.number += 1;
            if read_line(&mut self.reader, &mut self.line, self.number, memory)? == 0 {
                return Ok(false);
            }
            if self.number == 1 && self.line.starts_with(b"\xef\xbb\xbf") {
                self.line.drain(..3);
            }
            if !content(&self.line).trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    fn wrong(&self, expected: &'static str) -> Fault {
        SparseFault::of_line(self.number, &self.line, expected).into()
    }
}
