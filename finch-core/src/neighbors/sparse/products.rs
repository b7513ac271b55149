//! The sums of a query: a column of the base is added to them, and the sums are looked at.

use crate::support::memory::resize;
use crate::support::simd::vectorized;

/// Adds a multiple of a column to the sums of the rows.
pub(super) fn add_products(sums: &mut [f64], rows: &[u32], values: &[f64], factor: f64) {
    for (&row, value) in rows.iter().zip(values) {
        sums[row as usize] += factor * value;
    }
}

/// [`add_products`], and the rows whose sums were 0 are appended to `touched`. A row whose sum becomes 0
/// again may be appended once more.
pub(super) fn add_touching(
    sums: &mut [f64],
    touched: &mut Vec<u32>,
    rows: &[u32],
    values: &[f64],
    factor: f64,
) {
    add_terms(sums, touched, rows, values, |value| factor * value);
}

/// [`add_least`], as [`add_touching`].
pub(super) fn add_least_touching(
    sums: &mut [f64],
    touched: &mut Vec<u32>,
    rows: &[u32],
    values: &[f64],
    value: f64,
) {
    add_terms(sums, touched, rows, values, |other| 2.0 * least(value, other));
}

#[inline(always)]
fn add_terms(
    sums: &mut [f64],
    touched: &mut Vec<u32>,
    rows: &[u32],
    values: &[f64],
    term: impl Fn(f64) -> f64,
) {
    let mut count = touched.len();
    resize(touched, count + rows.len(), 0);
    for (&row, &value) in rows.iter().zip(values) {
        let (sum, term) = (&mut sums[row as usize], term(value));
        // No branch, since a processor cannot foretell it before the sum is there.
        touched[count] = row;
        count += usize::from(*sum == 0.0 && term != 0.0);
        *sum += term;
    }
    touched.truncate(count);
}

/// Adds twice the smaller magnitude of a value and the value of each row, where both have one sign.
pub(super) fn add_least(sums: &mut [f64], rows: &[u32], values: &[f64], value: f64) {
    for (&row, &other) in rows.iter().zip(values) {
        sums[row as usize] += 2.0 * least(value, other);
    }
}

/// The smaller magnitude of two values of one sign; 0 for values of different signs.
#[inline(always)]
fn least(value: f64, other: f64) -> f64 {
    if value < 0.0 {
        f64::min(-value, f64::max(-other, 0.0))
    } else {
        f64::min(value, f64::max(other, 0.0))
    }
}

vectorized! {
    /// [`add_products`] of a column that is kept dense.
    pub(super) fn add_dense_products<'a>(sums: &'a mut [f64], column: &'a [f64], factor: f64) -> () {
        sums.iter_mut().zip(column).for_each(|(sum, value)| *sum += factor * value);
    }
}

vectorized! {
    /// [`add_least`] of a column that is kept dense.
    pub(super) fn add_dense_least<'a>(sums: &'a mut [f64], column: &'a [f64], value: f64) -> () {
        sums.iter_mut().zip(column).for_each(|(sum, &other)| *sum += 2.0 * least(value, other));
    }
}

vectorized! {
    /// The first place from `from` on where `least` times a factor, less `shared`, is at most a limit; the
    /// number of places, if there is none.
    pub(super) fn next_within<'a>(
        shared: &'a [f64],
        least: &'a [f64],
        from: usize,
        bound: [f64; 2],
    ) -> usize {
        const WIDE: usize = 32;
        let [factor, limit] = bound;
        let within = |at: &usize| factor * least[*at] - shared[*at] <= limit;
        // Up to where groups begin.
        let first = from.next_multiple_of(WIDE).min(shared.len());
        if let Some(at) = (from..first).find(within) {
            return at;
        }
        let groups = shared[first..].as_chunks::<WIDE>().0.iter();
        let groups = groups.zip(least[first..].as_chunks::<WIDE>().0);
        let mut at = first;
        for (shared, least) in groups {
            let mut any = false;
            for lane in 0..WIDE {
                any |= factor * least[lane] - shared[lane] <= limit;
            }
            if any {
                return (at..at + WIDE).find(within).expect("found a moment ago");
            }
            at += WIDE;
        }
        (at..shared.len()).find(within).unwrap_or(shared.len())
    }
}
