//! Keys of pairs of few rows, and the lists of either row.

use crate::neighbors::lists::{Nearest, offer};
use crate::samples::element::ElementType;
use crate::samples::metric::{Metric, is_sound_square, key_of_products};
use crate::samples::rows::Rows;
use crate::samples::twofold::{Twofold, product_of};
use crate::support::memory::{filled, room};

/// Rows, and what is known of each before it is compared.
pub(super) struct Keys<'a> {
    pub(super) rows: Rows<'a>,
    /// Under cosine the squared length of each row; no number under other metrics.
    squares: Vec<Twofold>,
}

impl<'a> Keys<'a> {
    pub(super) fn of(rows: Rows<'a>) -> Self {
        let is_cosine = rows.metric == Metric::Cosine;
        let (count, of) = (if is_cosine { rows.len() } else { 0 }, rows.samples.element());
        let (mut squares, mut loaded) = (room(count), filled(0.0, rows.features()));
        for row in 0..count {
            rows.load(row, &mut loaded);
            squares.push(product_of(&loaded, &loaded, of));
        }
        Self { rows, squares }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The type of the values as given.
    pub(super) fn element(&self) -> ElementType {
        self.rows.samples.element()
    }

    /// Under cosine the squared length of a row, rounded; `None` where that is 0, or has lost digits.
    pub(super) fn square(&self, row: usize) -> Option<f64> {
        let square = self.squares[row];
        is_sound_square(square).then(|| square.rounded())
    }

    /// The key of two rows, which are loaded: bit for bit that of [`Rows::key`].
    pub(super) fn of_pair(&self, pair: [usize; 2], [x, y]: [&[f64]; 2]) -> f64 {
        if self.rows.metric == Metric::Cosine {
            let squares = pair.map(|row| self.squares[row]);
            if squares.into_iter().all(is_sound_square) {
                return key_of_products(product_of(x, y, self.element()), squares);
            }
        }
        self.rows.key_of_loaded(x, y)
    }
}

/// Offers the rows of a pair to each other, whose lists are of `k`.
pub(super) fn offer_pair(nearest: &mut [Nearest], k: usize, [i, j]: [usize; 2], key: f64) {
    offer(&mut nearest[i * k..][..k], key, j as u32);
    offer(&mut nearest[j * k..][..k], key, i as u32);
}
