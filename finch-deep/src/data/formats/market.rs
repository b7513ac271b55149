//! Matrix Market's `.mtx`: a line for each value of a sparse matrix, or of a full one.
//!
//! The format is that of R. F. Boisvert, R. Pozo, K. A. Remington: *The Matrix Market Exchange Formats:
//! Initial Design*, NISTIR 5935, 1996, <https://math.nist.gov/MatrixMarket/formats.html>.

use std::io::{BufRead, Read};

use super::csv::field::number;
use crate::data::error::Fault;
use crate::data::error::sparse::SparseFault;
use crate::data::matrix::elements::{Array, Elements};
use crate::data::matrix::sparse_file::{Coordinates, Held};
use crate::data::source::Source;
use crate::data::source::memory::Memory;

const FORMAT: &str = "a Matrix Market file";

/// The beginning of such files, in capitals or not.
const BEGINNING: &str = "%%MatrixMarket";

/// The format allows 1,024 bytes a line; comments of some programs are longer.
const LONGEST_LINE: usize = 1 << 16;

/// Reads a matrix. Values are f64; those of a pattern are 1.
pub(in crate::data) fn samples(source: Source, memory: &Memory) -> Result<Held, Fault> {
    let mut lines = Lines { reader: source.reader(), line: Vec::new(), number: 0 };
    let kind = lines.kind()?;
    match kind.layout {
        Layout::Coordinate => {
            let [rows, columns, expected] =
                lines.size("the numbers of rows, columns and values")?;
            kind.expect_shape([rows, columns], lines.number)?;
            coordinates(&mut lines, &kind, [rows, columns], expected, memory)
        }
        Layout::Array => {
            let shape = lines.size("the numbers of rows and columns")?;
            kind.expect_shape(shape, lines.number)?;
            array(&mut lines, &kind, shape, memory)
        }
    }
}

/// Reads a value a line, column by column: of a symmetric matrix those of the lower triangle.
fn array(
    lines: &mut Lines,
    kind: &Kind,
    [rows, columns]: [usize; 2],
    memory: &Memory,
) -> Result<Held, Fault> {
    let first = |column: usize| match kind.symmetry {
        Symmetry::General => 0,
        Symmetry::Symmetric => column,
        // The diagonal is 0, and left out.
        Symmetry::Skew => column + 1,
    };
    let overflow = || Fault::Overflow { shape: vec![rows, columns] };
    let all = rows.checked_mul(columns).ok_or_else(overflow)?;
    let expected = match kind.symmetry {
        Symmetry::General => all,
        Symmetry::Symmetric => (all - rows) / 2 + rows,
        Symmetry::Skew => (all - rows) / 2,
    };
    // The size that the file declares may be any.
    let mut given = Vec::new();
    while lines.next_filled()? && given.len() <= expected {
        memory.push(&mut given, lines.value(kind.field)?)?;
    }
    if given.len() != expected {
        let (line, found) = (lines.number, given.len());
        return Err(SparseFault::MarketCount { line, found, expected }.into());
    }
    let values = match kind.symmetry {
        Symmetry::General => given,
        symmetry => {
            let mut values = Vec::new();
            memory.reserve(&mut values, all)?;
            values.resize(all, 0.0);
            let mut given = given.into_iter();
            for column in 0..columns {
                for row in first(column)..rows {
                    let value = given.next().expect("they were counted");
                    values[column * rows + row] = value;
                    values[row * rows + column] = symmetry.mirrored(value).unwrap_or(value);
                }
            }
            values
        }
    };
    let (elements, shape) = (Elements::F64(values), vec![rows, columns]);
    Ok(Held::Full(Array { elements, shape, column_major: true }))
}

/// Reads a row, a column and a value a line.
fn coordinates(
    lines: &mut Lines,
    kind: &Kind,
    shape: [usize; 2],
    expected: usize,
    memory: &Memory,
) -> Result<Held, Fault> {
    let (mut of_rows, mut of_columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut push = |row, column, value| {
        memory.push(&mut of_rows, row)?;
        memory.push(&mut of_columns, column)?;
        memory.push(&mut values, value)
    };
    let mut found = 0;
    while lines.next_filled()? {
        found += 1;
        if found > expected {
            break;
        }
        let (place, value) = lines.entry(kind.field)?;
        let inside =
            place.iter().zip(shape).all(|(&from_1, length)| (1..=length).contains(&from_1));
        if !inside {
            return Err(SparseFault::MarketPlace { line: lines.number, place, shape }.into());
        }
        let [row, column] = place.map(|from_1| from_1 - 1);
        if kind.symmetry == Symmetry::Skew && row == column {
            return Err(SparseFault::SkewDiagonal { line: lines.number }.into());
        }
        push(row, column, value)?;
        if let Some(mirrored) = kind.symmetry.mirrored(value).filter(|_| row != column) {
            push(column, row, mirrored)?;
        }
    }
    if found != expected {
        return Err(SparseFault::MarketCount { line: lines.number, found, expected }.into());
    }
    let values = Elements::F64(values);
    Ok(Held::Coordinates(Coordinates { shape, rows: of_rows, columns: of_columns, values }))
}

/// The type of the values of a matrix.
#[derive(Clone, Copy)]
enum Field {
    Real,
    Integer,
    /// There are none.
    Pattern,
}

/// The values that the file has: some with their places, or all.
#[derive(Clone, Copy)]
enum Layout {
    Coordinate,
    Array,
}

/// The value of a row and a column beside that of the column and the row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    General,
    /// The same.
    Symmetric,
    /// Of the other sign.
    Skew,
}

impl Symmetry {
    /// The value at the mirrored place, which the file leaves out.
    fn mirrored(self, value: f64) -> Option<f64> {
        match self {
            Self::General => None,
            Self::Symmetric => Some(value),
            Self::Skew => Some(-value),
        }
    }
}

/// The content of the first line.
struct Kind {
    layout: Layout,
    field: Field,
    symmetry: Symmetry,
}

impl Kind {
    /// Checks that a matrix with a symmetry has as many rows as columns.
    fn expect_shape(&self, shape: [usize; 2], line: u64) -> Result<(), SparseFault> {
        match self.symmetry != Symmetry::General && shape[0] != shape[1] {
            true => Err(SparseFault::NotSquare { line, shape }),
            false => Ok(()),
        }
    }
}

struct Lines {
    reader: Box<dyn BufRead>,
    /// The line that was read last.
    line: Vec<u8>,
    /// Its number, from 1.
    number: u64,
}

impl Lines {
    /// Reads a line, and says whether there was one.
    fn next(&mut self) -> Result<bool, Fault> {
        self.line.clear();
        let mut limited = (&mut self.reader).take(LONGEST_LINE as u64);
        limited.read_until(b'\n', &mut self.line)?;
        if self.line.is_empty() {
            return Ok(false);
        }
        self.number += 1;
        match self.line.len() == LONGEST_LINE && !self.line.ends_with(b"\n") {
            true => Err(Fault::LongLine { line: self.number, limit: LONGEST_LINE }),
            false => Ok(true),
        }
    }

    /// Reads up to a line that is neither blank nor a comment.
    fn next_filled(&mut self) -> Result<bool, Fault> {
        while self.next()? {
            let line = self.line.trim_ascii_start();
            if !line.is_empty() && !line.starts_with(b"%") {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn words(&self) -> impl Iterator<Item = &[u8]> {
        self.line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
    }

    fn kind(&mut self) -> Result<Kind, Fault> {
        let begins = |line: &[u8]| {
            line.get(..BEGINNING.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(BEGINNING.as_bytes()))
        };
        // A file without lines may be any file without an end.
        match self.next() {
            Ok(true) if begins(&self.line) => {}
            Ok(_) | Err(Fault::LongLine { .. }) => {
                return Err(Fault::magic(FORMAT, "\"%%MatrixMarket\"", &self.line));
            }
            Err(fault) => return Err(fault),
        }
        let words: Vec<String> = self
            .words()
            .skip(1)
            .map(|word| word.escape_ascii().to_string().to_lowercase())
            .collect();
        let unknown = || SparseFault::MarketKind { found: words.join(" ") };
        let [object, format, field, symmetry] = &words[..] else { return Err(unknown().into()) };
        let field = match field.as_str() {
            "real" | "double" => Field::Real,
            "integer" => Field::Integer,
            "pattern" => Field::Pattern,
            _ => return Err(unknown().into()),
        };
        let symmetry = match symmetry.as_str() {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            "skew-symmetric" => Symmetry::Skew,
            _ => return Err(unknown().into()),
        };
        match (object.as_str(), format.as_str(), field) {
            ("matrix", "coordinate", _) => Ok(Kind { layout: Layout::Coordinate, field, symmetry }),
            // A pattern is of places alone, and an array has none.
            ("matrix", "array", Field::Real | Field::Integer) => {
                Ok(Kind { layout: Layout::Array, field, symmetry })
            }
            _ => Err(unknown().into()),
        }
    }

    /// The numbers of rows and columns, and of values where the file does not have all.
    fn size<const N: usize>(&mut self, expected: &'static str) -> Result<[usize; N], Fault> {
        let there = self.next_filled()?;
        let numbers: Option<Vec<usize>> = self.words().map(whole).collect();
        let size = numbers.and_then(|numbers| numbers.try_into().ok());
        size.filter(|_| there).ok_or_else(|| self.wrong(expected))
    }

    /// A value alone.
    fn value(&self, field: Field) -> Result<f64, Fault> {
        let mut words = self.words();
        let (value, expected) = match field {
            Field::Integer => {
                (words.next().and_then(exact), "a whole number that float64 holds exactly")
            }
            Field::Real | Field::Pattern => (words.next().and_then(number), "a number"),
        };
        match (value, words.next()) {
            (Some(value), None) => Ok(value),
            _ => Err(self.wrong(expected)),
        }
    }

    /// A row and a column, from 1, and a value.
    fn entry(&self, field: Field) -> Result<([usize; 2], f64), Fault> {
        let mut words = self.words();
        let place = [words.next().and_then(whole), words.next().and_then(whole)];
        let value = match field {
            Field::Real => words.next().and_then(number),
            Field::Integer => words.next().and_then(exact),
            Field::Pattern => Some(1.0),
        };
        match (place, value, words.next()) {
            ([Some(row), Some(column)], Some(value), None) => Ok(([row, column], value)),
            _ => Err(self.wrong(match field {
                Field::Real => "a row, a column and a number",
                Field::Integer => "a row, a column and a whole number that float64 holds exactly",
                Field::Pattern => "a row and a column",
            })),
        }
    }

    fn wrong(&self, expected: &'static str) -> Fault {
        SparseFault::of_line(self.number, &self.line, expected).into()
    }
}

fn whole(word: &[u8]) -> Option<usize> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// A whole number, if f64 has it.
fn exact(word: &[u8]) -> Option<f64> {
    let integer: i64 = std::str::from_utf8(word).ok()?.parse().ok()?;
    (integer as f64 as i128 == i128::from(integer)).then_some(integer as f64)
}
