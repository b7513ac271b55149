//! Rows of short numbers, in the order in which the kernels of exact searches read them.

use pulp::{Simd, WithSimd};

use crate::support::memory::filled;
use crate::support::simd::widest;

/// The terms that the columns of two rows x and y add to the sum of the pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Terms {
    /// xᵢyᵢ: with ends of −½Σxᵢ² the sum is −½ of the squared Euclidean distance.
    Products,
    /// −max(xᵢ, yᵢ): with ends of ½Σxᵢ the sum is −½ of the Manhattan distance, since |xᵢ−yᵢ| is
    /// 2max(xᵢ, yᵢ) − xᵢ − yᵢ. (The difference itself takes three instructions where the larger value
    /// takes two.)
    Larger,
    /// −(xᵢ−yᵢ)²: with ends of 0 the sum is the squared Euclidean distance, negated. It takes two instructions, and
    /// is rounded by a share of itself.
    Squares,
    /// −½|xᵢ−yᵢ| of whole numbers from 0 to 255: with ends of 0 the sum is −½ of the Manhattan distance.
    Bytes,
}

/// Bytes of a word, in which columns of bytes are stored.
pub(super) const BYTES: usize = size_of::<u64>();

/// The numbers of all rows of some panels.
enum Values {
    Floats(Vec<f32>),
    /// Eight columns in a word, the first in its lowest byte.
    Words(Vec<u64>),
}

/// Rows in f32 or bytes, cut into panels of as many rows as a line has numbers. A panel is stored line by
/// line, and a line holds one column of the panel's rows, or eight columns of bytes.
pub(crate) struct Panels {
    rows: usize,
    columns: usize,
    /// Rows of a panel.
    width: usize,
    terms: Terms,
    values: Values,
    /// The end of each row: a number that is added to every product of the row. −∞ for rows that
    /// the last panel lacks.
    ends: Vec<f32>,
}

impl Panels {
    /// Makes room for rows of at least one column, each of which has to be [`set`](Self::set).
    pub(crate) fn new(rows: usize, columns: usize, terms: Terms) -> Self {
        Self::of_width(rows, columns, terms, widest(PanelWidth))
    }

    pub(super) fn of_width(rows: usize, columns: usize, terms: Terms, width: usize) -> Self {
        assert!(columns > 0, "rows have columns");
        let places = rows.div_ceil(width) * width;
        let values = match terms {
            Terms::Bytes => Values::Words(filled(0, places * columns.div_ceil(BYTES))),
            Terms::Products | Terms::Larger | Terms::Squares => {
                Values::Floats(filled(0.0, places * columns))
            }
        };
        Self { rows, columns, width, terms, values, ends: filled(f32::NEG_INFINITY, places) }
    }

    /// Writes a row and its end. Bytes are given as f32, too.
    #[inline(always)]
    pub(crate) fn set(&mut self, row: usize, values: &[f32], end: f32) {
        debug_assert!(row < self.rows && values.len() == self.columns, "a row is whole");
        let (panel, place) = (row / self.width, row % self.width);
        match &mut self.values {
            Values::Floats(floats) => {
                let lines =
                    floats[panel * self.width * self.columns..].chunks_exact_mut(self.width);
                lines.zip(values).for_each(|(line, value)| line[place] = *value);
            }
            Values::Words(words) => {
                let lines = self.columns.div_ceil(BYTES);
                let lines = words[panel * self.width * lines..].chunks_exact_mut(self.width);
                for (line, values) in lines.zip(values.chunks(BYTES)) {
                    let mut bytes = [0; BYTES];
                    bytes.iter_mut().zip(values).for_each(|(byte, value)| *byte = *value as u8);
                    line[place] = u64::from_le_bytes(bytes);
                }
            }
        }
        self.ends[row] = end;
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn terms(&self) -> Terms {
        self.terms
    }

    /// The numbers of a row in f32, without its end.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = f32> {
        self.floats()[self.first(row)..].iter().step_by(self.width).take(self.columns).copied()
    }

    /// The numbers of all rows.
    pub(super) fn floats(&self) -> &[f32] {
        match &self.values {
            Values::Floats(floats) => floats,
            Values::Words(_) => panic!("the rows are of f32"),
        }
    }

    /// The words of all rows of bytes.
    pub(super) fn words(&self) -> &[u64] {
        match &self.values {
            Values::Words(words) => words,
            Values::Floats(_) => panic!("the rows are of bytes"),
        }
    }

    /// The end of each row.
    pub(crate) fn ends(&self) -> &[f32] {
        &self.ends[..self.rows]
    }

    /// The ends of all rows, and of those that the last panel lacks.
    pub(super) fn all_ends(&self) -> &[f32] {
        &self.ends
    }

    /// Rows of a panel, on this processor.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The number of rows that there would be if the last panel were full.
    pub(crate) fn places(&self) -> usize {
        self.ends.len()
    }

    /// Where the first number of a row in f32 is.
    #[inline(always)]
    pub(super) fn first(&self, row: usize) -> usize {
        row / self.width * self.width * self.columns + row % self.width
    }
}

/// Asks how many rows a panel has on this processor.
struct PanelWidth;

impl WithSimd for PanelWidth {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        VECTORS * S::F32_LANES
    }
}

/// Vectors in a line. Their product with the rows that are compared with a line at a time is the number of
/// vectors of sums under way: as many as keep a processor busy, and as fit its registers beside what is
/// multiplied.
pub(crate) const VECTORS: usize = 3;
/// Numbers in the longest line there is: of vectors of 16 numbers, as AVX-512 has them.
pub(crate) const LONGEST_LINE: usize = VECTORS * 16;

/// A line of a panel, or the sums of one row with a line.
pub(crate) type Line<S> = [<S as Simd>::f32s; VECTORS];

/// Numbers as lines; what does not fill the last line is left out.
#[inline(always)]
pub(crate) fn lines<S: Simd>(numbers: &[f32]) -> &[Line<S>] {
    S::as_simd_f32s(numbers).0.as_chunks().0
}

/// Numbers as lines that can be written; what does not fill the last line is left out.
#[inline(always)]
pub(crate) fn lines_mut<S: Simd>(numbers: &mut [f32]) -> &mut [Line<S>] {
    S::as_mut_simd_f32s(numbers).0.as_chunks_mut().0
}

/// An observer of the pairs of a product.
pub(crate) trait Pairs {
    /// Is shown the sums of the ends a and b and all terms of a pair: of one row x of the left,
    /// number `row`, which ends with a, and a line of rows y of the right, from number `first` on,
    /// which end with b. The sum is −∞ for a row that the last panel lacks. Has to be
    /// `#[inline(always)]`.
    fn look<S: Simd>(&mut self, simd: S, row: usize, first: usize, sums: &Line<S>);
}
