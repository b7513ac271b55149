//! The number of principal axes that a sketch needs.
//!
//! Where the intrinsic dimension of the data is high, a few principal axes hold so little of a distance that a
//! row's nearest is not among the nearest by their sketches, and no pass can find it: of 250,000 rows
//! of a mixture, 63 axes of 256 lose 12 of 100 nearest neighbours, and of texts 31. A sample tells.
//! The share that is lost hardly depends on the number of rows (where sets of rows look alike at any
//! scale, it would not at all): a sample of 16,384 of 250,000 rows tells it within two percent. That is
//! too much where a few rows lie alone: of the mixture as many ask for 255 axes, and 32,768 for 191,
//! by which the search takes 13.2 s in place of 18.5. Of 20,000 rows a quarter tells as much:
//! of patches, texts and a mixture it asks for as many axes as all rows do, of augmented images for 63 in place
//! of 95, which find 0.997 of the neighbours; and to ask all took a third of the search.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::cells::drawn;
use super::group::Group;
use super::request::Breadth;
use super::sketches::{Numbers, Sketches};
use super::truth;
use super::tuning::{
    CROWD_ASKED, CROWD_AT_ONCE, CROWD_SHARE, CROWD_STEPS, FEWEST_AXES, LOOK_ASKED, LOOK_AT_LEAST,
    LOOK_AT_ONCE, LOOK_PER_CANDIDATE, LOOK_SAMPLE, LOOK_SHARE, LOOK_VALUES, MAY_BE_CROWDED,
    MAY_BE_LOST, SKETCH_AXES, SPARE,
};
use crate::neighbors::kernel::{Candidate, squared_distance};
use crate::neighbors::lists::Nearest;
use crate::run::progress::Meter;
use crate::samples::element::AnyMatrix;
use crate::samples::principal_axes::Projection;
use crate::samples::rows::Rows;
use crate::support::memory::{collected, collected_in_parallel, copied, filled, gathered};
use crate::support::parallel::SharedSplitting as _;
use crate::support::random::scrambled;
use crate::support::simd::vectorized;

/// The number of axes, of those that a projection has, that keep enough of the nearest of each
/// row among the candidates for them; and the share that these lose of a sample, 0 where it is little. To tell so
/// is a `part` of the work.
pub(super) fn axes_needed(
    rows: &Rows<'_>,
    breadth: Breadth,
    recall: f64,
    projection: &Projection,
    part: f64,
    meter: &Meter,
) -> (usize, f64) {
    let all = projection.axes().nrows();
    if all <= FEWEST_AXES {
        meter.advance(part as u64);
        return (all, 0.0);
    }
    let fewer = SKETCH_AXES.into_iter().filter(|&axes| axes < all);
    let counts: Vec<usize> = gathered(fewer.chain([all]));
    let candidates = breadth.k + breadth.spare;
    let fewest = usize::max(LOOK_AT_LEAST, LOOK_PER_CANDIDATE * candidates);
    let most = usize::max(rows.len() / LOOK_SHARE, fewest).min(LOOK_SAMPLE);
    let sample = rows.sample(most.min(LOOK_VALUES / rows.features()).max(1), || meter.stopped());
    if sample.nrows() <= candidates || meter.stopped() {
        meter.advance(part as u64);
        return (counts[0], 0.0);
    }
    let sample = Rows::new(AnyMatrix::F64(sample.view()), rows.metric);
    let sketches = Sketches::in_real_numbers(&sample, projection, all, meter);
    let Numbers::Real(values) = sketches.numbers() else { unreachable!("numbers are real") };
    let look = Look::new(values, counts);
    let asked = drawn(sketches.len(), LOOK_ASKED, 0);
    let k = breadth.k;
    // All sketches, of which each is in the place of its row, tell the nearest where their distances are
    // about those of rows.
    let nearest = (!rows.metric.has_products()).then(|| {
        let places: Vec<u32> = collected(0..sketches.len() as u32);
        truth::nearest_by_features(&sample, &sketches, [&places, &asked], k, meter)
    });
    let advance = (part / asked.len().div_ceil(LOOK_AT_ONCE) as f64) as u64;
    let none = || filled(0, look.counts.len());
    let add = |mut sums: Vec<usize>, kept: Vec<usize>| {
        sums.iter_mut().zip(kept).for_each(|(sum, kept)| *sum += kept);
        sums
    };
    let kept = asked.par_chunks(LOOK_AT_ONCE).with_max_len(1).enumerate().map_init(
        || filled(0.0, LOOK_AT_ONCE * look.counts.len() * sketches.len()),
        |distances, (part, places)| {
            if meter.stopped() {
                return none();
            }
            look.compare(places, distances);
            let of_rows = distances.chunks_exact(look.counts.len() * sketches.len());
            let of_rows = of_rows.take(places.len()).zip(part * LOOK_AT_ONCE..);
            let kept = of_rows.map(|(distances, number)| {
                let nearest =
                    nearest.as_ref().map(|nearest| numbers_of(&nearest[number * k..][..k]));
                look.kept(distances, nearest, [k, candidates])
            });
            let kept = kept.fold(none(), add);
            meter.advance(advance);
            kept
        },
    );
    let kept = collected_in_parallel::<Vec<usize>>(kept).into_iter().fold(none(), add);
    let needed = (1.0 - (1.0 - recall) * MAY_BE_LOST) * (asked.len() * k) as f64;
    match kept.iter().position(|&kept| kept as f64 >= needed) {
        Some(enough) => (look.counts[enough], 0.0),
        None => {
            let last = look.counts.len() - 1;
            (look.counts[last], 1.0 - kept[last] as f64 / (asked.len() * k) as f64)
        }
    }
}

/// Coordinates of a sample along all axes, and how far its rows are from the first of these.
struct Look {
    /// The coordinates of each row follow a 0, so that those along the first axes end where a vector does.
    values: Vec<f32>,
    width: usize,
    /// Numbers of axes that would do, ascending; the last is all of them.
    counts: Vec<usize>,
    /// For each row, its distance to the first axes, for each of these numbers.
    beside: Vec<f32>,
}

impl Look {
    /// Of sketches along all axes.
    fn new(sketches: &[f32], counts: Vec<usize>) -> Self {
        let width = counts[counts.len() - 1] + 1;
        let length = |values: &[f32]| values.iter().map(|x| x * x).sum::<f32>().sqrt();
        let rows = sketches.chunks_exact(width);
        let beside = gathered(rows.flat_map(|row| counts.iter().map(|&axes| length(&row[axes..]))));
        let mut values = copied(sketches);
        values.chunks_exact_mut(width).for_each(|row| {
            row.rotate_right(1);
            row[0] = 0.0;
        });
        Self { values, width, counts, beside }
    }

    /// Writes the squared distances of each of some rows to all: row by row, and for each number of axes.
    fn compare(&self, places: &[u32], distances: &mut [f32]) {
        compare(&self.values, self.width, &self.counts, &self.beside, places, distances);
    }

    /// The number of the `k` nearest of a row that are among so many `candidates` by its distances to
    /// all, for each number of axes. Where `nearest` does not tell which they are, the distances along all axes do.
    fn kept(
        &self,
        distances: &[f32],
        nearest: Option<Vec<u32>>,
        [k, candidates]: [usize; 2],
    ) -> Vec<usize> {
        let by_count = distances.chunks_exact(distances.len() / self.counts.len());
        let by_all = by_count.clone().last().expect("there is a number of axes");
        let nearest = nearest.unwrap_or_else(|| nearest_of(by_all, k));
        collected(by_count.map(|distances| kept_among(candidates, &nearest, distances)))
    }
}

fn numbers_of(nearest: &[Nearest]) -> Vec<u32> {
    collected(nearest.iter().map(|near| near.index))
}

/// The numbers of the `k` least of some distances.
fn nearest_of(distances: &[f32], k: usize) -> Vec<u32> {
    let mut least = copied(distances);
    let (_, last, _) = least.select_nth_unstable_by(k - 1, f32::total_cmp);
    let within = (0..).zip(distances).filter(|(_, distance)| **distance <= *last);
    let mut nearest: Vec<u32> = gathered(within.map(|(number, _)| number));
    nearest.sort_by(|a, b| distances[*a as usize].total_cmp(&distances[*b as usize]));
    nearest.truncate(k);
    nearest
}

/// The number of the nearest of a row that are among so many candidates, by these distances.
fn kept_among(candidates: usize, nearest: &[u32], distances: &[f32]) -> usize {
    let of_nearest = nearest.iter().map(|&i| distances[i as usize]);
    let farthest = of_nearest.clone().fold(0.0, f32::max);
    // Hardly more than there are candidates, in most cases.
    let mut within: Vec<f32> = gathered(distances.iter().copied().filter(|x| *x <= farthest));
    if within.len() <= candidates {
        return nearest.len();
    }
    let (_, last, _) = within.select_nth_unstable_by(candidates - 1, f32::total_cmp);
    of_nearest.filter(|distance| distance <= last).count()
}

vectorized! {
    /// Writes the squared distances of each of some sketches to all: sketch by sketch, and for each number of
    /// axes; infinity for that to itself.
    fn compare<'a>(
        values: &'a [f32],
        width: usize,
        counts: &'a [usize],
        beside_all: &'a [f32],
        places: &'a [u32],
        distances: &'a mut [f32],
    ) -> () {
        let all = values.len() / width;
        for (other, sketch) in values.chunks_exact(width).enumerate() {
            let beside = &beside_all[other * counts.len()..][..counts.len()];
            for (&place, distances) in places.iter().zip(distances.chunks_exact_mut(counts.len() * all)) {
                let place = place as usize;
                let of_place = &values[place * width..][..width];
                let beside_place = &beside_all[place * counts.len()..][..counts.len()];
                let (mut along, mut first) = (0.0, 0);
                for (i, &axes) in counts.iter().enumerate() {
                    let end = axes + 1;
                    along += squared_distance(&of_place[first..end], &sketch[first..end]);
                    first = end;
                    let beside = beside[i] - beside_place[i];
                    distances[i * all + other] =
                        if other == place { f32::INFINITY } else { along + beside * beside };
                }
            }
        }
    }
}

/// True if some rows have more others within a few steps of their sketch than are compared by key, so
/// that steps are too coarse to tell which of these are nearest: in data with nearly equal rows, but
/// spread far. Equal rows do not count, since any of them will do.
pub(super) fn are_crowded(sketches: &Sketches, seed: u64, meter: &Meter) -> bool {
    let asked = drawn(sketches.len(), CROWD_ASKED, seed);
    let others = (sketches.len() / CROWD_SHARE).max(sketches.len().min(CROWD_SHARE * CROWD_ASKED));
    let others = drawn(sketches.len(), others, scrambled(seed));
    let counts: Vec<AtomicUsize> = collected(asked.iter().map(|_| AtomicUsize::new(0)));
    let count = |(group, found): &mut (Group, Vec<Candidate>), others: &[u32]| {
        if meter.stopped() {
            return;
        }
        group.gather(sketches, others, &asked);
        group.compare(sketches, others, |_, to_asked| {
            to_asked.find_within(CROWD_STEPS * CROWD_STEPS, &[], found);
            for near in found.iter().filter(|near| near.distance() > 0.0) {
                counts[near.number() as usize].fetch_add(1, Relaxed);
            }
        });
    };
    others
        .par_chunks(CROWD_AT_ONCE)
        .with_max_len(1)
        .shared()
        .for_each_init(Default::default, count);
    let most = SPARE * others.len() / sketches.len().max(1);
    let crowded = counts.into_iter().filter(|count| count.load(Relaxed) > most).count();
    crowded * MAY_BE_CROWDED > asked.len()
}
