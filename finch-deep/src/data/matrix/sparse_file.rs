//! Sparse matrices, as files have them: to sparse rows, or made dense.

use super::Kept;
use super::elements::{Array, Elements};
use super::sparse_rows::{SparseRows, SparseValues, room_for_all};
use crate::data::error::Fault;
use crate::data::error::sparse::SparseFault;
use crate::data::source::memory::Memory;

/// The message for a line that has a place twice.
const REPEATED: &str = "the sparse matrix has two values in one place: add them up";

/// A matrix as a file has it.
pub(in crate::data) enum Held {
    Full(Array),
    Compressed(Compressed),
    Coordinates(Coordinates),
}

impl Held {
    /// The matrix of columns for rows.
    pub(in crate::data) fn transposed(mut self) -> Self {
        match &mut self {
            Self::Full(array) => array.transpose(),
            Self::Compressed(matrix) => matrix.by_column = !matrix.by_column,
            Self::Coordinates(matrix) => matrix.transpose(),
        }
        self
    }

    /// All values.
    pub(in crate::data) fn array(self, memory: &Memory) -> Result<Array, Fault> {
        match self {
            Self::Full(array) => Ok(array),
            Self::Compressed(matrix) => matrix.array(memory),
            Self::Coordinates(matrix) => matrix.rows(memory)?.dense(memory),
        }
    }
}

/// A compressed sparse matrix: lines are rows in SciPy's CSR, and columns in its CSC and in MATLAB.
pub(in crate::data) struct Compressed {
    /// The format, for errors.
    pub(in crate::data) format: &'static str,
    pub(in crate::data) by_column: bool,
    pub(in crate::data) lines: usize,
    /// The length of a line.
    pub(in crate::data) length: usize,
    /// Where in `positions` and `values` each line starts, and the end of the last: `lines + 1`.
    pub(in crate::data) starts: Vec<usize>,
    /// Where in its line each value is.
    pub(in crate::data) positions: Vec<usize>,
    pub(in crate::data) values: Elements,
}

impl Compressed {
    /// All values, line by line.
    fn array(self, memory: &Memory) -> Result<Array, Fault> {
        let elements = match &self.values {
            Elements::U8(values) => Elements::U8(self.scatter(values, memory)?),
            Elements::F32(values) => Elements::F32(self.scatter(values, memory)?),
            Elements::F64(values) => Elements::F64(self.scatter(values, memory)?),
        };
        let shape = self.shape().to_vec();
        Ok(Array { elements, shape, column_major: self.by_column })
    }

    /// Rows × columns.
    fn shape(&self) -> [usize; 2] {
        if self.by_column { [self.length, self.lines] } else { [self.lines, self.length] }
    }

    fn scatter<T: Copy + Default>(&self, values: &[T], memory: &Memory) -> Result<Vec<T>, Fault> {
        self.expect_sound()?;
        let Self { lines, length, starts, positions, .. } = self;
        let mut dense = room_for_all([*lines, *length], memory)?;
        dense.resize(lines * length, T::default());
        let mut sorted = Vec::new();
        for line in 0..*lines {
            let entries = starts[line]..starts[line + 1];
            sorted.clear();
            sorted.extend_from_slice(&positions[entries.clone()]);
            sorted.sort_unstable();
            if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(Fault::malformed(self.format, REPEATED));
            }
            for entry in entries {
                dense[line * length + positions[entry]] = values[entry];
            }
        }
        Ok(dense)
    }

    /// The values as sparse rows: those of lines, or those across lines.
    pub(in crate::data) fn rows(self, memory: &Memory) -> Result<SparseRows, Fault> {
        self.expect_sound()?;
        let shape = self.shape();
        let Self { format, by_column, length, starts, positions, values, .. } = self;
        let mut rows = match by_column {
            true => {
                let mut line = 0;
                let line_of = |at| {
                    while starts[line + 1] <= at {
                        line += 1;
                    }
                    line
                };
                grouped(shape, &positions, line_of, values, memory)?
            }
            false => {
                expect_features(length)?;
                let starts = converted(&starts, memory)?;
                let columns = converted(&positions, memory)?;
                memory.give_back(size_of_val(&positions[..]) as u64);
                drop(positions);
                SparseRows::new(length, starts, columns, sparse_values(values, memory)?)
            }
        };
        rows.sort();
        match rows.has_repeated() {
            true => Err(Fault::malformed(format, REPEATED)),
            false => Ok(rows),
        }
    }

    /// Checks that starts and positions are inside, and as many as there are values.
    fn expect_sound(&self) -> Result<(), Fault> {
        let malformed = |reason: &str| Err(Fault::malformed(self.format, reason));
        let Self { lines, length, starts, positions, values, .. } = self;
        if starts.len().checked_sub(1) != Some(*lines) || starts[0] != 0 || !starts.is_sorted() {
            return malformed(
                "the line starts of the sparse matrix are not one per line, ascending",
            );
        }
        if positions.len() != starts[*lines] || values.len() != positions.len() {
            return malformed("the sparse matrix has not as many values as its line starts say");
        }
        match positions.iter().any(|position| position >= length) {
            true => malformed("the sparse matrix has a value beyond the end of its line"),
            false => Ok(()),
        }
    }
}

/// Values with their rows and columns, in any order.
pub(in crate::data) struct Coordinates {
    /// Rows × columns.
    pub(in crate::data) shape: [usize; 2],
    /// The row of each value, below the number of rows.
    pub(in crate::data) rows: Vec<usize>,
    pub(in crate::data) columns: Vec<usize>,
    pub(in crate::data) values: Elements,
}

impl Coordinates {
    fn transpose(&mut self) {
        self.shape.reverse();
        std::mem::swap(&mut self.rows, &mut self.columns);
    }

    /// The values as sparse rows. Values of one place are added up in their order, as SciPy does.
    pub(in crate::data) fn rows(self, memory: &Memory) -> Result<SparseRows, Fault> {
        let Self { shape, rows, columns, values } = self;
        let mut sparse = grouped(shape, &rows, |at| columns[at], values, memory)?;
        memory.give_back((size_of_val(&rows[..]) + size_of_val(&columns[..])) as u64);
        sparse.sort();
        sparse.add_up();
        Ok(sparse)
    }
}

/// Sparse rows of values in any order. Values of a row stay in their order.
fn grouped(
    [samples, features]: [usize; 2],
    rows: &[usize],
    column_of: impl FnMut(usize) -> usize,
    values: Elements,
    memory: &Memory,
) -> Result<SparseRows, Fault> {
    expect_features(features)?;
    let mut starts = Vec::new();
    memory.reserve(&mut starts, samples.saturating_add(1))?;
    starts.resize(samples + 1, 0);
    rows.iter().for_each(|&row| starts[row + 1] += 1);
    (0..samples).for_each(|row| starts[row + 1] += starts[row]);
    let mut columns = Vec::new();
    memory.reserve(&mut columns, rows.len())?;
    columns.resize(rows.len(), 0);
    let places = Places { starts: &mut starts, rows, column_of, columns: &mut columns };
    let values = match sparse_values(values, memory)? {
        SparseValues::F32(values) => SparseValues::F32(places.fill(&values, memory)?),
        SparseValues::F64(values) => SparseValues::F64(places.fill(&values, memory)?),
    };
    // Each start has moved to the end of its row.
    starts.rotate_right(1);
    starts[0] = 0;
    Ok(SparseRows::new(features, starts, columns, values))
}

/// Where values go.
struct Places<'a, F> {
    /// The next place of each row.
    starts: &'a mut [i64],
    rows: &'a [usize],
    column_of: F,
    columns: &'a mut [i32],
}

impl<F: FnMut(usize) -> usize> Places<'_, F> {
    fn fill<T: Copy + Default>(mut self, values: &[T], memory: &Memory) -> Result<Vec<T>, Fault> {
        let mut placed = Vec::new();
        memory.reserve(&mut placed, values.len())?;
        placed.resize(values.len(), T::default());
        for (at, (&row, &value)) in self.rows.iter().zip(values).enumerate() {
            let place = self.starts[row] as usize;
            self.starts[row] += 1;
            (self.columns[place], placed[place]) = ((self.column_of)(at) as i32, value);
        }
        memory.give_back(size_of_val(values) as u64);
        Ok(placed)
    }
}

fn expect_features(features: usize) -> Result<(), Fault> {
    match i32::try_from(features) {
        Ok(_) => Ok(()),
        Err(_) => Err(SparseFault::TooManyFeatures { features }.into()),
    }
}

/// Values of f32 or f64.
fn sparse_values(values: Elements, memory: &Memory) -> Result<SparseValues, Fault> {
    Ok(match values.widened(Kept::F32, memory)? {
        Elements::F32(values) => SparseValues::F32(values),
        Elements::F64(values) => SparseValues::F64(values),
        Elements::U8(_) => unreachable!("bytes were widened"),
    })
}

/// Numbers that were checked to fit.
fn converted<T: TryFrom<usize>>(numbers: &[usize], memory: &Memory) -> Result<Vec<T>, Fault> {
    let mut converted = Vec::new();
    memory.reserve(&mut converted, numbers.len())?;
    let number = |&number: &usize| T::try_from(number).ok().expect("numbers are below 2^31");
    converted.extend(numbers.iter().map(number));
    Ok(converted)
}
