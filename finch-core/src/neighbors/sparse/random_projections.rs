//! Most of the k nearest of sparse rows, by their projections on random directions.
//!
//! The distance of two rows is about that of their projections, whatever the number of features (Johnson
//! and Lindenstrauss, *Extensions of Lipschitz mappings into a Hilbert space*, 1984); directions of 1
//! and −1 do as well as any (Achlioptas, *Database-friendly random projections*, 2003). The approximate
//! search of dense rows finds near rows by the projections, and they are compared by the sparse keys.
//!
//! Of texts of some hundred terms among 2,000, the nearest of 200,000 is among the 12 nearest by 256
//! directions for 99 of 100, and among the 32 nearest for all. Principal axes of the texts in place of random
//! directions have it among 32 for 92 of 100 (255 axes), and 64 axes for 61: what is left of a text
//! beside the axes decides. Where neighbours have little in common, of 100,000 features say, they are lost in
//! the noise of the projections; `rare_features.rs` finds these.

use ndarray::{Array2, ArrayView1};
use rayon::prelude::*;

use super::inverted_index::InvertedIndex;
use super::nearest_of;
use crate::neighbors::approximate::{self, Aim, Breadth, Sides, Sketched, Sketches, drawn};
use crate::neighbors::kernel::squared_distance;
use crate::neighbors::lists::Nearest;
use crate::neighbors::search::Recall;
use crate::run::progress::Meter;
use crate::samples::element::AnyMatrix;
use crate::samples::metric::Metric;
use crate::samples::principal_axes::power_of_two_above;
use crate::samples::rows::Rows;
use crate::samples::sparse::{SparseRow, SparseRows};
use crate::support::memory::{collected, filled};
use crate::support::parallel::SharedSplitting as _;
use crate::support::random::scrambled;
use crate::support::simd::vectorized;

/// Random directions.
const DIRECTIONS: usize = 256;
/// Rows compared with a row by key beyond the k that are asked for.
const SPARE: usize = 31;
/// Rows whose true neighbours tell whether projections serve, and others beside which they are looked
/// for, at most; and the share of these rows that has to find its own.
const LOOK_ASKED: usize = 256;
const LOOK_OTHERS: usize = 8192;
const MOST: f64 = 0.8;
/// Rows whose true neighbours tell the recall, at most. The true neighbours of twice as many others tell
/// after each move whether to stop.
const ASKED: usize = 1024;

/// Bits of a word, each the sign of one direction.
const WORD: usize = 64;

/// The time of a search by projections, in times of the search of as many rows of 64 intrinsic dimensions one
/// by one: their sketches are four times as wide, and it takes more moves. 100,000 texts took 4 to 10 times
/// as long.
const TIMES: f64 = 5.0;

/// Seconds that a search is expected to take on one core.
pub(super) fn seconds(rows: &SparseRows<'_>, k: usize, recall: f64) -> f64 {
    TIMES * approximate::seconds(rows.len(), DIRECTIONS, None, breadth(k), recall)
}

fn breadth(k: usize) -> Breadth {
    Breadth { k, spare: SPARE, asked: ASKED }
}

/// Lists of near rows of each row of the base, as [`approximate::search`].
pub(super) fn search(
    base: &InvertedIndex<'_>,
    k: usize,
    aim: Aim,
    instead: Option<f64>,
    meter: &Meter,
) -> Option<(Vec<Nearest>, Option<Recall>)> {
    let rows = base.rows.len();
    let aim = aim.for_moves();
    let meter = &meter.until(aim.deadline);
    let scale = scale(base);
    let projections = projections(base.rows, 0..rows as u32, scale, aim.seed, meter);
    let of_projections = Rows::new(AnyMatrix::F32(projections.view()), Metric::Euclidean);
    let axes = |_: &_, part: f64| {
        meter.advance(part as u64);
        DIRECTIONS - 1
    };
    let pairs = (rows as f64).powi(2);
    let Some(sketches) = approximate::sketched(&of_projections, axes, aim.seed, pairs, meter)
    else {
        return Some((filled(Nearest::NONE, rows * k), None));
    };
    drop(projections);
    let sketches = sketches.of_scaled(scale);
    let sides = Sides::one(rows);
    approximate::search_sketched(base, sides, breadth(k), sketches, aim, instead, meter)
}

/// True if projections tell neighbours from others: if the true `k` nearest of some rows are, by their
/// projections, among the others that are compared by key, for most of these rows. A sample of the others
/// tells.
pub(super) fn serve(
    base: &InvertedIndex<'_>,
    asked: &[u32],
    truth: &[Nearest],
    k: usize,
    seed: u64,
    meter: &Meter,
) -> bool {
    let asked = &asked[..asked.len().min(LOOK_ASKED)];
    let others = drawn(base.rows.len(), LOOK_OTHERS, scrambled(seed));
    let farthest: Vec<u32> = collected(truth.chunks_exact(k).take(asked.len()).map(|list| {
        let there = list.iter().rev().find(|near| **near != Nearest::NONE);
        there.map_or(0, |near| near.index)
    }));
    let scale = scale(base);
    let [of_asked, of_farthest, of_others] = [asked, &farthest, &others]
        .map(|numbers| projections(base.rows, numbers.iter().copied(), scale, seed, meter));
    let nearer = (k + SPARE) as f64 * others.len() as f64 / base.rows.len() as f64;
    let keeps = |number: usize| {
        let row = of_asked.row(number);
        let distance = |other: ArrayView1<'_, f32>| {
            squared_distance(row.to_slice().expect("a row"), other.to_slice().expect("a row"))
        };
        let limit = distance(of_farthest.row(number));
        let of_others = others.iter().zip(of_others.outer_iter());
        let of_others = of_others.filter(|(other, _)| **other != asked[number]);
        of_others.filter(|(_, other)| distance(*other) < limit).count() as f64 <= nearer
    };
    let kept = (0..asked.len()).into_par_iter().shared().filter(|&number| keeps(number)).count();
    kept as f64 >= MOST * asked.len() as f64
}

/// The factor of rows before they are projected: a power of two that makes none longer than 1.
fn scale(base: &InvertedIndex<'_>) -> f64 {
    1.0 / power_of_two_above(
        base.alone.iter().copied().filter(|alone| alone.is_finite()).fold(0.0, f64::max).sqrt(),
    )
}

/// The projections of rows of these numbers, which are multiplied by `scale`; NaN for rows without a
/// direction.
fn projections(
    rows: &SparseRows<'_>,
    numbers: impl ExactSizeIterator<Item = u32>,
    scale: f64,
    seed: u64,
    meter: &Meter,
) -> Array2<f32> {
    // Distances are those of rows, and not larger by the number of directions.
    let scale = scale / (DIRECTIONS as f64).sqrt();
    let numbers: Vec<u32> = collected(numbers);
    let mut projections = filled(0.0, numbers.len() * DIRECTIONS);
    projections.par_chunks_exact_mut(DIRECTIONS).zip(&numbers).shared().for_each_init(
        || (SparseRow::default(), filled(0.0, DIRECTIONS)),
        |(row, sums), (projection, &number)| {
            if meter.stopped() {
                return;
            }
            rows.load(number as usize, row);
            if row.is_zero() {
                projection.fill(f32::NAN);
                return;
            }
            sums.fill(0.0);
            for (feature, value) in row.terms() {
                add_signed(sums, signs(feature, seed), value * scale);
            }
            projection.iter_mut().zip(&*sums).for_each(|(to, &sum)| *to = sum as f32);
        },
    );
    Array2::from_shape_vec((numbers.len(), DIRECTIONS), projections).expect("a row for each row")
}

/// The signs of a feature in all directions.
fn signs(feature: u32, seed: u64) -> [u64; DIRECTIONS / WORD] {
    std::array::from_fn(|word| scrambled(seed ^ scrambled(u64::from(feature) << 8 | word as u64)))
}

vectorized! {
    /// Adds a value to sums, or takes it from them, by the bits of `signs`.
    fn add_signed<'a>(sums: &'a mut [f64], signs: [u64; DIRECTIONS / WORD], value: f64) -> () {
        for (sums, signs) in sums.chunks_exact_mut(WORD).zip(signs) {
            for (bit, sum) in sums.iter_mut().enumerate() {
                *sum += f64::from_bits(value.to_bits() ^ (signs >> bit) << 63);
            }
        }
    }
}

impl<'a> Sketched for InvertedIndex<'a> {
    type Rows = SparseRows<'a>;

    fn rows(&self) -> &SparseRows<'a> {
        self.rows
    }

    /// Projections are of rows whose key is that distance.
    fn squared(&self, key: f64) -> f64 {
        key
    }

    /// Bounds by sketches do not hold, and sums of products need none.
    fn truth(
        &self,
        sketches: &Sketches,
        [_, asked]: [&[u32]; 2],
        k: usize,
        _: &(impl Fn(usize) -> f64 + Sync),
        _: usize,
        meter: &Meter,
    ) -> Vec<Nearest> {
        let asked: Vec<u32> = collected(asked.iter().map(|&place| sketches.row(place)));
        nearest_of(self, &asked, k, meter)
    }
}
