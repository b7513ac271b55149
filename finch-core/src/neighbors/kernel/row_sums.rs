//! The pairs of a few queries and rows as they are stored whose sums are within the limits of the queries.
//!
//! A panel pays where a row is compared with hundreds of others. Here rows are read in their own order, once, and
//! nothing is written but the pairs that are found: the memory of the rows sets the time, not the sums.

use std::ops::{Mul, Neg};

use pulp::{Simd, WithSimd};

use crate::support::memory::{push, resize};
use crate::support::simd::{multiplies_and_adds, multiply_add, widest};

/// The type of the numbers that sums are taken in.
pub(crate) trait Real:
    Copy + PartialOrd + Into<f64> + Neg<Output = Self> + Mul<Output = Self> + Send + Sync + 'static
{
    /// Numbers side by side.
    type Vector<S: Simd>: Copy;
    /// u, the most that one operation may add to a number of 1 by rounding.
    const ROUNDED: f64;
    /// A bound of all that a sum of up to 2²⁰ terms loses where terms are too small for the type.
    const LOST: f64;
    /// Σxᵢ² from here to there neither overflows nor loses digits.
    const SOUND: [Self; 2];
    const ZERO: Self;
    const NAN: Self;

    /// The nearest number of the type.
    fn of(value: f64) -> Self;

    /// A number that is not below this one.
    fn not_below(value: f64) -> Self;

    /// 1/√square.
    fn inverse_root(square: Self) -> Self;

    fn split<S: Simd>(values: &[Self]) -> (&[Self::Vector<S>], &[Self]);
    /// Fewer numbers than a vector has, and zeros after them.
    fn partial<S: Simd>(simd: S, values: &[Self]) -> Self::Vector<S>;
    fn zeros<S: Simd>(simd: S) -> Self::Vector<S>;
    fn difference<S: Simd>(simd: S, x: Self::Vector<S>, y: Self::Vector<S>) -> Self::Vector<S>;
    /// sums + xy, rounded once or twice.
    fn with_product<S: Simd>(
        simd: S,
        x: Self::Vector<S>,
        y: Self::Vector<S>,
        sums: Self::Vector<S>,
    ) -> Self::Vector<S>;
    /// sums + |x|.
    fn with_magnitude<S: Simd>(
        simd: S,
        x: Self::Vector<S>,
        sums: Self::Vector<S>,
    ) -> Self::Vector<S>;
    fn total<S: Simd>(simd: S, sums: Self::Vector<S>) -> Self;
}

impl Real for f32 {
    type Vector<S: Simd> = S::f32s;
    const ROUNDED: f64 = (f32::EPSILON / 2.0) as f64;
    const LOST: f64 = 1.0 / (1_u128 << 100) as f64;
    const SOUND: [Self; 2] = [1e-20, 1e30];
    const ZERO: Self = 0.0;
    const NAN: Self = f32::NAN;

    fn of(value: f64) -> Self {
        value as f32
    }

    fn not_below(value: f64) -> Self {
        (value as f32).next_up()
    }

    #[inline(always)]
    fn inverse_root(square: Self) -> Self {
        1.0 / square.sqrt()
    }

    #[inline(always)]
    fn split<S: Simd>(values: &[Self]) -> (&[S::f32s], &[Self]) {
        S::as_simd_f32s(values)
    }

    #[inline(always)]
    fn partial<S: Simd>(simd: S, values: &[Self]) -> S::f32s {
        simd.partial_load_f32s(values)
    }

    #[inline(always)]
    fn zeros<S: Simd>(simd: S) -> S::f32s {
        simd.splat_f32s(0.0)
    }

    #[inline(always)]
    fn difference<S: Simd>(simd: S, x: S::f32s, y: S::f32s) -> S::f32s {
        simd.sub_f32s(x, y)
    }

    #[inline(always)]
    fn with_product<S: Simd>(simd: S, x: S::f32s, y: S::f32s, sums: S::f32s) -> S::f32s {
        multiply_add(simd, x, y, sums)
    }

    #[inline(always)]
    fn with_magnitude<S: Simd>(simd: S, x: S::f32s, sums: S::f32s) -> S::f32s {
        simd.add_f32s(sums, simd.abs_f32s(x))
    }

    #[inline(always)]
    fn total<S: Simd>(simd: S, sums: S::f32s) -> Self {
        simd.reduce_sum_f32s(sums)
    }
}

impl Real for f64 {
    type Vector<S: Simd> = S::f64s;
    const ROUNDED: f64 = f64::EPSILON / 2.0;
    const LOST: f64 = 1e-295;
    const SOUND: [Self; 2] = [1e-280, 1e290];
    const ZERO: Self = 0.0;
    const NAN: Self = f64::NAN;

    fn of(value: f64) -> Self {
        value
    }

    fn not_below(value: f64) -> Self {
        value.next_up()
    }

    #[inline(always)]
    fn inverse_root(square: Self) -> Self {
        1.0 / square.sqrt()
    }

    #[inline(always)]
    fn split<S: Simd>(values: &[Self]) -> (&[S::f64s], &[Self]) {
        S::as_simd_f64s(values)
    }

    #[inline(always)]
    fn partial<S: Simd>(simd: S, values: &[Self]) -> S::f64s {
        simd.partial_load_f64s(values)
    }

    #[inline(always)]
    fn zeros<S: Simd>(simd: S) -> S::f64s {
        simd.splat_f64s(0.0)
    }

    #[inline(always)]
    fn difference<S: Simd>(simd: S, x: S::f64s, y: S::f64s) -> S::f64s {
        simd.sub_f64s(x, y)
    }

    #[inline(always)]
    fn with_product<S: Simd>(simd: S, x: S::f64s, y: S::f64s, sums: S::f64s) -> S::f64s {
        match multiplies_and_adds::<S>() {
            true => simd.mul_add_f64s(x, y, sums),
            false => simd.add_f64s(simd.mul_f64s(x, y), sums),
        }
    }

    #[inline(always)]
    fn with_magnitude<S: Simd>(simd: S, x: S::f64s, sums: S::f64s) -> S::f64s {
        simd.add_f64s(sums, simd.abs_f64s(x))
    }

    #[inline(always)]
    fn total<S: Simd>(simd: S, sums: S::f64s) -> Self {
        simd.reduce_sum_f64s(sums)
    }
}

/// The sum of a pair: of a row x and a query y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowTerms {
    /// Σ(xᵢ−yᵢ)².
    Squares,
    /// Σ|xᵢ−yᵢ|.
    Magnitudes,
    /// −Σxᵢyᵢ/√Σxᵢ²; not a number where the square is 0, or beyond [`Real::SOUND`].
    Cosines,
}

/// A pair whose sum is not above the limit of the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) query: u32,
    /// The number of the row among the rows that were compared.
    pub(crate) row: u32,
    pub(crate) sum: f64,
}

/// Rows, one after the other, and queries, which have the same number of features.
pub(crate) struct Beside<'a, F> {
    pub(crate) features: usize,
    pub(crate) rows: &'a [F],
    pub(crate) queries: &'a [F],
    /// The limit of each query.
    pub(crate) limits: &'a [F],
    /// Room for a number of each row.
    pub(crate) inverses: &'a mut Vec<F>,
}

impl<F: Real> Beside<'_, F> {
    /// Appends all pairs whose sum is not above the limit of the query, or is not a number.
    pub(crate) fn find(self, terms: RowTerms, found: &mut Vec<Found>) {
        match terms {
            RowTerms::Squares => widest(Find { beside: self, found, add: Squares }),
            RowTerms::Magnitudes => widest(Find { beside: self, found, add: Magnitudes }),
            RowTerms::Cosines => widest(Find { beside: self, found, add: Cosines }),
        }
    }
}

/// Adds the terms of some features to sums.
trait Add: Copy {
    const ARE_COSINES: bool;

    /// Has to be `#[inline(always)]`.
    fn add<F: Real, S: Simd>(
        self,
        simd: S,
        x: F::Vector<S>,
        y: F::Vector<S>,
        sums: F::Vector<S>,
    ) -> F::Vector<S>;
}

#[derive(Clone, Copy)]
struct Squares;

impl Add for Squares {
    const ARE_COSINES: bool = false;

    #[inline(always)]
    fn add<F: Real, S: Simd>(
        self,
        simd: S,
        x: F::Vector<S>,
        y: F::Vector<S>,
        sums: F::Vector<S>,
    ) -> F::Vector<S> {
        let difference = F::difference(simd, x, y);
        F::with_product(simd, difference, difference, sums)
    }
}

#[derive(Clone, Copy)]
struct Magnitudes;

impl Add for Magnitudes {
    const ARE_COSINES: bool = false;

    #[inline(always)]
    fn add<F: Real, S: Simd>(
        self,
        simd: S,
        x: F::Vector<S>,
        y: F::Vector<S>,
        sums: F::Vector<S>,
    ) -> F::Vector<S> {
        F::with_magnitude(simd, F::difference(simd, x, y), sums)
    }
}

#[derive(Clone, Copy)]
struct Cosines;

impl Add for Cosines {
    const ARE_COSINES: bool = true;

    #[inline(always)]
    fn add<F: Real, S: Simd>(
        self,
        simd: S,
        x: F::Vector<S>,
        y: F::Vector<S>,
        sums: F::Vector<S>,
    ) -> F::Vector<S> {
        F::with_product(simd, x, y, sums)
    }
}

struct Find<'a, 'f, F, A> {
    beside: Beside<'a, F>,
    found: &'f mut Vec<Found>,
    add: A,
}

/// Queries whose sums are in registers at a time.
const QUERIES: usize = 4;

impl<F: Real, A: Add> WithSimd for Find<'_, '_, F, A> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        if A::ARE_COSINES {
            self.write_inverses(simd);
        }
        let count = self.beside.limits.len();
        for first in (0..count).step_by(QUERIES) {
            match count - first {
                1 => self.of_queries::<S, 1>(simd, first),
                2 => self.of_queries::<S, 2>(simd, first),
                3 => self.of_queries::<S, 3>(simd, first),
                _ => self.of_queries::<S, QUERIES>(simd, first),
            }
        }
    }
}

impl<F: Real, A: Add> Find<'_, '_, F, A> {
    /// Writes 1/‖x‖ of each row.
    #[inline(always)]
    fn write_inverses<S: Simd>(&mut self, simd: S) {
        let Beside { features, rows, ref mut inverses, .. } = self.beside;
        inverses.clear();
        resize(inverses, rows.len() / features, F::NAN);
        let [least, most] = F::SOUND;
        for (row, inverse) in rows.chunks_exact(features).zip(inverses.iter_mut()) {
            let (vectors, rest) = F::split::<S>(row);
            let mut sums = F::zeros(simd);
            for &x in vectors {
                sums = F::with_product(simd, x, x, sums);
            }
            if !rest.is_empty() {
                let x = F::partial(simd, rest);
                sums = F::with_product(simd, x, x, sums);
            }
            let square = F::total(simd, sums);
            if square >= least && square <= most {
                *inverse = F::inverse_root(square);
            }
        }
    }

    #[expect(
        clippy::neg_cmp_op_on_partial_ord,
        reason = "a sum that is not a number is found, too"
    )]
    #[inline(always)]
    fn of_queries<S: Simd, const N: usize>(&mut self, simd: S, first: usize) {
        let Beside { features, rows, queries, limits, ref inverses } = self.beside;
        let query =
            |query: usize| F::split::<S>(&queries[(first + query) * features..][..features]);
        let queries: [_; N] = std::array::from_fn(query);
        let last = queries.map(|(_, rest)| F::partial(simd, rest));
        let limits: [F; N] = std::array::from_fn(|query| limits[first + query]);
        for (number, row) in rows.chunks_exact(features).enumerate() {
            let (vectors, rest) = F::split::<S>(row);
            let queries = queries.map(|(query, _)| &query[..vectors.len()]);
            let mut sums = [F::zeros(simd); N];
            for (place, &x) in vectors.iter().enumerate() {
                for query in 0..N {
                    sums[query] = self.add.add::<F, S>(simd, x, queries[query][place], sums[query]);
                }
            }
            if !rest.is_empty() {
                let x = F::partial(simd, rest);
                for query in 0..N {
                    sums[query] = self.add.add::<F, S>(simd, x, last[query], sums[query]);
                }
            }
            for query in 0..N {
                let mut sum = F::total(simd, sums[query]);
                if A::ARE_COSINES {
                    sum = -sum * inverses[number];
                }
                if !(sum > limits[query]) {
                    let query = (first + query) as u32;
                    push(self.found, Found { query, row: number as u32, sum: sum.into() });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(row: usize, feature: usize) -> f64 {
        ((row * 7919 + feature * 104_729 + row * feature * 31) % 41) as f64 - 20.0
    }

    fn check<F: Real + Default>() {
        for (rows, queries, features) in
            [(1, 1, 1), (9, 2, 7), (30, 3, 16), (12, 4, 33), (7, 9, 70)]
        {
            let of = |rows: usize, first: usize| -> Vec<F> {
                let all =
                    (0..rows).flat_map(|row| (0..features).map(move |j| value(row + first, j)));
                all.map(F::of).collect()
            };
            let (values, of_queries) = (of(rows, 0), of(queries, 100));
            for terms in [RowTerms::Squares, RowTerms::Magnitudes, RowTerms::Cosines] {
                let sum = |query: usize, row: usize| -> f64 {
                    let pairs = (0..features).map(|j| (value(row, j), value(query + 100, j)));
                    match terms {
                        RowTerms::Squares => pairs.map(|(x, y)| (x - y) * (x - y)).sum(),
                        RowTerms::Magnitudes => pairs.map(|(x, y)| (x - y).abs()).sum(),
                        RowTerms::Cosines => {
                            let square: f64 = pairs.clone().map(|(x, _)| x * x).sum();
                            -pairs.map(|(x, y)| x * y).sum::<f64>() / square.sqrt()
                        }
                    }
                };
                // Half a unit above a sum, which rounding does not bridge.
                let limits: Vec<F> =
                    (0..queries).map(|query| F::of(sum(query, query % rows) + 1e-3)).collect();
                let (mut found, mut inverses) = (Vec::new(), Vec::new());
                let beside = Beside {
                    features,
                    rows: &values,
                    queries: &of_queries,
                    limits: &limits,
                    inverses: &mut inverses,
                };
                beside.find(terms, &mut found);
                found.sort_by_key(|found| (found.query, found.row));
                let mut expected =
                    (0..queries).flat_map(|query| (0..rows).map(move |row| (query, row)));
                let within = expected.by_ref().filter(|&(query, row)| {
                    let sum = sum(query, row);
                    sum.is_nan() || sum <= limits[query].into()
                });
                let within: Vec<(usize, usize)> = within.collect();
                let pairs = found.iter().map(|found| (found.query as usize, found.row as usize));
                assert_eq!(
                    pairs.collect::<Vec<_>>(),
                    within,
                    "{rows} {queries} {features} {terms:?}"
                );
                for Found { query, row, sum: found } in found {
                    let sum = sum(query as usize, row as usize);
                    assert!(sum.is_nan() && found.is_nan() || (found - sum).abs() < 1e-4);
                }
            }
        }
    }

    #[test]
    fn pairs_within_the_limits_are_found_in_either_type() {
        check::<f32>();
        check::<f64>();
    }
}
