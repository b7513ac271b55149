//! Sparse matrices, made dense.

use super::elements::Elements;
use super::error::Fault;
use super::memory::Memory;

/// A compressed sparse matrix: lines are rows in SciPy's CSR, and columns in MATLAB.
pub(super) struct Compressed {
    /// The format, for errors.
    pub(super) format: &'static str,
    pub(super) lines: usize,
    /// The length of a line.
    pub(super) length: usize,
    /// Where in `positions` and `values` each line starts, and the end of the last: `lines + 1`.
    pub(super) starts: Vec<usize>,
    /// Where in its line each value is.
    pub(super) positions: Vec<usize>,
    pub(super) values: Elements,
}

impl Compressed {
    /// All values, line by line.
    pub(super) fn dense(self, memory: &Memory) -> Result<Elements, Fault> {
        match &self.values {
            Elements::U8(values) => self.scatter(values, memory).map(Elements::U8),
            Elements::F32(values) => self.scatter(values, memory).map(Elements::F32),
            Elements::F64(values) => self.scatter(values, memory).map(Elements::F64),
        }
    }

    fn scatter<T: Copy + Default>(&self, values: &[T], memory: &Memory) -> Result<Vec<T>, Fault> {
        let malformed = |reason: &str| Err(Fault::malformed(self.format, reason));
        let Self { lines, length, starts, positions, .. } = self;
        if starts.len().checked_sub(1) != Some(*lines) || starts[0] != 0 || !starts.is_sorted() {
            return malformed(
                "the line starts of the sparse matrix are not one per line, ascending",
            );
        }
        if positions.len() != starts[*lines] || values.len() != positions.len() {
            return malformed("the sparse matrix has not as many values as its line starts say");
        }
        let shape = vec![*lines, *length];
        let Some(elements) = lines.checked_mul(*length) else {
            return Err(Fault::Overflow { shape });
        };
        let mut dense = Vec::new();
        memory.reserve(&mut dense, elements).map_err(|fault| match fault {
            Fault::MemoryLimit { wanted, limit, of_machine, .. } => {
                Fault::MemoryLimit { wanted, limit, of_machine, dense: Some(shape) }
            }
            fault => fault,
        })?;
        dense.resize(elements, T::default());
        let mut sorted = Vec::new();
        for line in 0..*lines {
            let entries = starts[line]..starts[line + 1];
            sorted.clear();
            sorted.extend_from_slice(&positions[entries.clone()]);
            sorted.sort_unstable();
            if sorted.last().is_some_and(|last| last >= length) {
                return malformed("the sparse matrix has a value beyond the end of its line");
            }
            if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
                return malformed("the sparse matrix has two values in one place: add them up");
            }
            for entry in entries {
                dense[line * length + positions[entry]] = values[entry];
            }
        }
        Ok(dense)
    }
}
