//! Sums of a few queries and the rows of a base in f32 or f64, and which pairs they leave to be compared by key.
//!
//! Both types hold all values as given: f32 those of f32 and of 16 and 8 bits, f64 those of f64. With u, half a unit
//! in the last place of the type, d features and n = d + 16, every term of a sum is rounded n times at most on its
//! way, in whatever order terms are added and whether products are fused. Terms that are too small for the type may be
//! lost, at most t in all ([`Real::LOST`]). As long as 8nu ≤ 1, which [`MOST_FILTERED`] makes sure of:
//!
//! ```text
//! Euclidean, Manhattan   S = Σ(xᵢ−yᵢ)² or Σ|xᵢ−yᵢ|, whose differences are rounded by a share of themselves:
//!                        S ≤ (1 + 2nu)·key + t, and the key in f64 is below that by as small a share
//! Hamming                the same, of d·key
//! cosine                 S = −ŷ·x/‖x‖, of ŷ = y/‖y‖ rounded to the type: |S + cos| ≤ 4nu, of which 2nu are those
//!                        of both sums, by Σ|xᵢŷᵢ| ≤ ‖x‖, and the rest those of ŷ in f64, whose length is 1 within
//!                        28 units; where ‖x‖² is 0 or unsound, S is not a number
//! ```
//!
//! So all rows whose key is at most some number have
//!
//! ```text
//! S ≤ (1 + 4nu)·key + t,   or   S ≤ ½key − 1 + 8nu,   or an S that is not a number,
//! ```
//!
//! and the key decides, which is that of brute force. Where S overflows, so does what it is compared with.
//!
//! Rejected: products for Euclidean distances, which take an instruction less. Their rounding is a share of the
//! squared lengths of rows, which had to be known, too.
//!
//! [`MOST_FILTERED`]: crate::neighbors::exact::tuning

use std::ops::Range;

use super::parts::{Compare, blocks};
use crate::neighbors::exact::tuning::{MOST_FILTERED, ROWS_OF_BLOCK, VALUES_OF_BLOCK};
use crate::neighbors::kernel::{Beside, Found, Real, RowTerms};
use crate::neighbors::lists::{Nearest, Ranking};
use crate::run::progress::Meter;
use crate::samples::element::AnyMatrix;
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;
use crate::support::memory::{collected, filled, resize, room};

/// n·u of so many features.
const fn rounding(features: usize, of_one: f64) -> f64 {
    (features + 16) as f64 * of_one
}
const _: () = assert!(8.0 * rounding(MOST_FILTERED, <f32 as Real>::ROUNDED) <= 1.0);

/// The numbers of a base, in which it is filtered.
pub(super) trait Stored: Real {
    /// Rows of the base, where they are of this type and follow each other; else a copy of them.
    fn rows<'r>(
        samples: &'r AnyMatrix<'_>,
        rows: Range<usize>,
        copy: &'r mut Vec<Self>,
    ) -> &'r [Self];
}

impl Stored for f32 {
    fn rows<'r>(
        samples: &'r AnyMatrix<'_>,
        rows: Range<usize>,
        copy: &'r mut Vec<f32>,
    ) -> &'r [f32] {
        samples.rows_as_singles(rows, copy)
    }
}

impl Stored for f64 {
    fn rows<'r>(
        samples: &'r AnyMatrix<'_>,
        rows: Range<usize>,
        copy: &'r mut Vec<f64>,
    ) -> &'r [f64] {
        samples.rows_as_doubles(rows, copy)
    }
}

/// Queries, a base, and the sums by which they are filtered.
pub(super) struct Filter<'a, F> {
    queries: Rows<'a>,
    base: Rows<'a>,
    /// None under Jaccard, whose keys are quotients: each pair is compared by key.
    terms: Option<RowTerms>,
    /// The queries as given.
    loaded: Vec<Vec<f64>>,
    /// The queries in the type of the sums, under cosine scaled to length 1: Q × d.
    points: Vec<F>,
    /// For each query, true for a zero row under cosine.
    zeros: Vec<bool>,
}

impl<'a, F: Stored> Filter<'a, F> {
    pub(super) fn of([queries, base]: [Rows<'a>; 2]) -> Self {
        let (count, features) = (queries.len(), queries.features());
        let is_cosine = base.metric == Metric::Cosine;
        let terms = match base.metric {
            Metric::Euclidean => Some(RowTerms::Squares),
            Metric::Manhattan | Metric::Hamming => Some(RowTerms::Magnitudes),
            Metric::Cosine => Some(RowTerms::Cosines),
            Metric::Jaccard => None,
        };
        let (mut points, mut zeros) = (room(count * features), room(count));
        let mut point = filled(0.0, features);
        for query in 0..count {
            queries.load_point(query, &mut point);
            zeros.push(is_cosine && point[0].is_nan());
            points.extend(point.iter().map(|&value| F::of(value)));
        }
        let loaded = loaded(&queries);
        Self { queries, base, terms, loaded, points, zeros }
    }

    /// The largest sum of a row whose key is at most this one.
    fn limit(&self, key: f64) -> F {
        let slack = 4.0 * rounding(self.base.features(), F::ROUNDED);
        F::not_below(match self.base.metric {
            Metric::Cosine => 0.5 * key - 1.0 + 2.0 * slack,
            Metric::Hamming => key * self.base.features() as f64 * (1.0 + slack) + F::LOST,
            _ => key * (1.0 + slack) + F::LOST,
        })
    }

    /// The limit of a query whose list this is, for any row.
    fn limit_of(&self, query: usize, key: f64) -> F {
        match self.zeros[query] {
            // Only rows whose length is not sound, of which some may be zeros.
            true => F::not_below(f64::NEG_INFINITY),
            false => self.limit(key),
        }
    }
}

/// The rows of queries as given, one after the other.
fn loaded(queries: &Rows<'_>) -> Vec<Vec<f64>> {
    collected((0..queries.len()).map(|query| {
        let mut values = Vec::new();
        queries.load_values(query..query + 1, &mut values);
        values
    }))
}

/// The memory in which one thread filters a block.
pub(super) struct Room<F> {
    /// Rows of another type than that of the sums.
    copy: Vec<F>,
    inverses: Vec<F>,
    limits: Vec<F>,
    found: Vec<Found>,
    buffer: Vec<f64>,
}

impl<F: Stored> Compare for Filter<'_, F> {
    type Room = Room<F>;

    fn queries(&self) -> usize {
        self.queries.len()
    }

    fn base(&self) -> Rows<'_> {
        self.base.reborrow()
    }

    fn room(&self) -> Room<F> {
        Room {
            copy: Vec::new(),
            inverses: Vec::new(),
            limits: filled(F::ZERO, self.queries.len()),
            found: Vec::new(),
            buffer: filled(0.0, self.base.features()),
        }
    }

    fn compare(
        &self,
        ranking: impl Ranking,
        rows: Range<usize>,
        lists: &mut [Nearest],
        room: &mut Room<F>,
        meter: &Meter,
    ) {
        let features = self.base.features();
        let (queries, k) = (self.queries.len(), lists.len() / self.queries.len());
        for block in blocks(rows, (VALUES_OF_BLOCK / features).clamp(1, ROWS_OF_BLOCK)) {
            if meter.stopped() {
                return;
            }
            room.found.clear();
            match self.terms {
                Some(terms) => {
                    for (query, list) in lists.chunks_exact(k).enumerate() {
                        let bar = ranking.bar_of_block(list, None);
                        room.limits[query] = self.limit_of(query, bar.key);
                    }
                    let Room { copy, inverses, limits, found, .. } = &mut *room;
                    let rows = F::rows(&self.base.samples, block.clone(), copy);
                    Beside { features, rows, queries: &self.points, limits, inverses }
                        .find(terms, found);
                }
                None => self.find_all(block.len(), &mut room.found),
            }
            let Room { found, buffer, .. } = &mut *room;
            for found in found.iter() {
                let list = &mut lists[found.query as usize * k..][..k];
                self.compare_by_key(ranking, block.start, *found, list, buffer);
            }
            meter.advance((block.len() * queries) as u64);
        }
    }
}

impl<F: Stored> Filter<'_, F> {
    /// Leaves all pairs of so many rows.
    fn find_all(&self, rows: usize, found: &mut Vec<Found>) {
        resize(found, rows * self.queries.len(), Found { query: 0, row: 0, sum: f64::NAN });
        for (place, found) in found.iter_mut().enumerate() {
            let (query, row) = ((place / rows) as u32, (place % rows) as u32);
            *found = Found { query, row, ..*found };
        }
    }

    /// Compares a pair by key, unless the list has become too near meanwhile.
    fn compare_by_key(
        &self,
        ranking: impl Ranking,
        first: usize,
        found: Found,
        list: &mut [Nearest],
        buffer: &mut [f64],
    ) {
        let (query, row) = (found.query as usize, first + found.row as usize);
        let number = self.base.first + row;
        let bar = ranking.bar(list, number as u32).key;
        let is_beyond = found.sum > self.limit(bar).into();
        if is_beyond || number == self.queries.first + query {
            return;
        }
        // A zero row has no direction that another row could be near. The key would tell so, too, by a detour.
        let is_cosine = self.base.metric == Metric::Cosine;
        if is_cosine && found.sum.is_nan() && !self.zeros[query] && self.base.samples.is_zero(row) {
            return;
        }
        let key = self.base.key_within(&self.loaded[query], row, bar, buffer);
        ranking.offer(list, key, number as u32);
    }
}
