//! Few rows: the keys of the pairs that squared distances in f32 leave.
//!
//! Up to some hundreds of rows the distances of all pairs fit in a cache, and nothing has to be known of the data
//! beforehand: no frame, no groups, no order of blocks. Each pair is looked at once, and serves both of its rows.
//!
//! - Under [`FEWEST_FILTERED`] rows, `pairs.rs` takes the key of each pair; under cosine only of those that products
//!   in f64 leave.
//! - From there on, `filter.rs` takes squared distances in f32, and keys where these leave a doubt.
//!
//! Both take keys from `keys.rs`, which sums the squared length of a row under cosine once.

mod filter;
mod keys;
mod pairs;

use keys::Keys;

use super::tuning::{FEW_ROWS, FEWEST_FILTERED, VALUES_OF_FEW};
use crate::neighbors::lists::Nearest;
use crate::neighbors::zero_rows;
use crate::run::progress::Meter;
use crate::samples::element::AnyMatrix;
use crate::samples::rows::Rows;

/// True for rows that [`search`] serves.
pub(crate) fn serves(rows: &Rows<'_>) -> bool {
    let is_small = rows.len() <= FEW_ROWS && rows.len() * rows.features() <= VALUES_OF_FEW;
    let are_numbers = !matches!(rows.samples, AnyMatrix::Bits(_)) && !rows.metric.is_of_bits();
    is_small && are_numbers && (rows.metric.has_products() || rows.len() < FEWEST_FILTERED)
}

/// Lists of the `k` nearest of each of few rows, also of zero rows.
pub(crate) fn search(rows: &Rows<'_>, k: usize, meter: &Meter) -> Vec<Nearest> {
    let keys = Keys::of(rows.reborrow());
    let nearest = match rows.len() < FEWEST_FILTERED {
        true => pairs::search(&keys, k, meter),
        false => {
            let nearest = filter::search(&keys, k, meter);
            zero_rows::added(&rows.zero_rows(), nearest, rows.len())
        }
    };
    meter.advance((rows.len() as u64).pow(2));
    nearest
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::neighbors::exact::brute;
    use crate::samples::Samples;
    use crate::samples::element::Element;
    use crate::samples::metric::Metric;
    use crate::support::random::scrambled;

    fn check<A: Element>(matrix: &Array2<A>, context: &str) {
        for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
            let rows = Rows::new(Samples::new(matrix.view()).unwrap(), metric);
            if !serves(&rows) {
                continue;
            }
            for k in [1, 2, 7, rows.len() - 1].into_iter().filter(|&k| k < rows.len()) {
                let meter = &Meter::stopped_at_once(false);
                let found = search(&rows, k, meter);
                let expected = brute::search(&rows, k, meter);
                assert!(found == expected, "{context}, {metric:?}, {k}");
            }
        }
    }

    fn noise(number: usize) -> f64 {
        (scrambled(number as u64) >> 11) as f64 / 2f64.powi(52) - 1.0
    }

    /// Noise, a grid full of ties, rows that are equal or all zero or multiples of others, near each other and far
    /// from the origin, and of any size.
    fn rows_of(kind: &str, [rows, features]: [usize; 2]) -> Array2<f64> {
        Array2::from_shape_fn((rows, features), |(i, j)| {
            let value = noise(i * features + j);
            match kind {
                "noise" => value,
                "grid" => (value * 2.0).round(),
                "equal" => noise(i / 3 * features + j),
                "all equal" => noise(j),
                "zeros" if i % 3 == 0 => 0.0,
                "zeros" => value,
                "multiples" => {
                    noise(j) * f64::from(i as u32 + 1) + if i % 4 == 0 { value } else { 0.0 }
                }
                "near" => 1e3 + noise(i / 8 * features + j) + 1e-7 * value,
                "twins" => noise(i / 2 * features + j) + 1e-9 * value,
                "far out" => value * if i % 7 == 3 { 1e30 } else { 1.0 },
                "huge" => value * 1e139,
                "tiny" => value * 1e-135,
                "mixed" => value * 10f64.powi((i * 37 % 200) as i32 - 100),
                _ => unreachable!("{kind} is a kind"),
            }
        })
    }

    #[test]
    fn few_rows_are_found_as_by_brute_force() {
        let kinds = [
            "noise",
            "grid",
            "equal",
            "all equal",
            "zeros",
            "multiples",
            "near",
            "twins",
            "far out",
            "huge",
            "tiny",
            "mixed",
        ];
        let shapes = [[2, 1], [2, 40], [3, 7], [15, 33], [16, 5], [17, 200], [48, 64], [130, 3]];
        for kind in kinds {
            for shape in shapes {
                let matrix = rows_of(kind, shape);
                let context = format!("{kind} of {shape:?}");
                check(&matrix, &context);
                if matrix.iter().all(|value| value.abs() < 1e30) {
                    check(&matrix.mapv(|value| value as f32), &context);
                }
                if matrix.iter().all(|value| value.abs() < 6e4) {
                    check(&matrix.mapv(half::f16::from_f64), &context);
                }
                check(&matrix.mapv(|value| (value * 3.0) as i8), &context);
                check(&matrix.mapv(|value| (value * 100.0).abs() as u8), &context);
            }
        }
    }

    /// More rows than are compared on one thread, and columns that follow each other in memory.
    #[test]
    fn some_hundred_rows_are_found_as_by_brute_force() {
        for (kind, shape) in [("noise", [600, 40]), ("equal", [300, 300]), ("zeros", [250, 17])] {
            let matrix = rows_of(kind, shape);
            check(&matrix, kind);
            let singles = matrix.mapv(|value| value as f32);
            check(&singles, kind);
            let mut by_columns = singles.t().to_owned();
            by_columns.swap_axes(0, 1);
            check(&by_columns, kind);
        }
    }
}
