//! How many main axes a sketch needs.
//!
//! Where the true dimension of the data is high, a few main axes hold so little of a distance that a
//! row's nearest is not among the nearest by their sketches, and no pass can find it: of 250,000 rows
//! of a mixture, 63 axes of 256 lose 12 of 100 nearest neighbours, and of texts 31. A sample tells.
//! The share that is lost hardly depends on the number of rows (where sets of rows look alike at any
//! scale, it would not at all): a sample of 16,384 of 250,000 rows tells it within two percent. That is
//! too much where a few rows lie alone: of the mixture as many ask for 255 axes, and 32,768 for 191,
//! by which the search takes 13.2 s in place of 18.5.

use rayon::prelude::*;

use super::breadth::Breadth;
use super::cells::drawn;
use super::sketches::{Numbers, Sketches};
use super::truth;
use super::tuning::{FEWEST_AXES, LOOK_ASKED, LOOK_SAMPLE, LOOK_VALUES, MAY_BE_LOST, SKETCH_AXES};
use crate::element::AnyMatrix;
use crate::memory::{collected, collected_in_parallel, filled, gathered};
use crate::neighbors::kernel::squared_distance;
use crate::neighbors::nearest::Nearest;
use crate::progress::Meter;
use crate::projection::Projection;
use crate::rows::Rows;
use crate::vector::vectorized;

/// The number of axes, of those that a projection has, that keep enough of the nearest of each
/// row among the candidates for them.
pub(super) fn axes_needed(
    rows: &Rows<'_>,
    breadth: Breadth,
    recall: f64,
    projection: &Projection,
    meter: &Meter,
) -> usize {
    let all = projection.axes().nrows();
    if all <= FEWEST_AXES {
        return all;
    }
    let fewer = SKETCH_AXES.into_iter().filter(|&axes| axes < all);
    let counts: Vec<usize> = gathered(fewer.chain([all]));
    let sample = rows.sample(LOOK_SAMPLE.min(LOOK_VALUES / rows.features()), || meter.stopped());
    let candidates = breadth.k + breadth.spare;
    if sample.nrows() <= candidates || meter.stopped() {
        return counts[0];
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
    let none = || filled(0, look.counts.len());
    let kept = asked.par_iter().enumerate().map_init(
        || -> Vec<Vec<f32>> { collected(look.counts.iter().map(|_| filled(0.0, sketches.len()))) },
        |distances, (number, &place)| {
            if meter.stopped() {
                return none();
            }
            look.compare(place as usize, distances);
            let nearest = match &nearest {
                Some(nearest) => numbers_of(&nearest[number * k..][..k]),
                None => nearest_of(distances.last().expect("there is a number of axes"), k),
            };
            kept(&nearest, distances, candidates)
        },
    );
    let add = |mut sums: Vec<usize>, kept: Vec<usize>| {
        sums.iter_mut().zip(kept).for_each(|(sum, kept)| *sum += kept);
        sums
    };
    let kept = collected_in_parallel::<Vec<usize>>(kept).into_iter().fold(none(), add);
    let needed = (1.0 - (1.0 - recall) * MAY_BE_LOST) * (asked.len() * k) as f64;
    let enough = kept.iter().position(|&kept| kept as f64 >= needed);
    look.counts[enough.unwrap_or(look.counts.len() - 1)]
}

/// Sketches of a sample, along all axes, and how far their rows are from the first of these.
struct Look<'a> {
    values: &'a [f32],
    width: usize,
    /// Numbers of axes that would do, ascending; the last is all of them.
    counts: Vec<usize>,
    /// For each row, its distance to the first axes, for each of these numbers.
    beside: Vec<f32>,
}

impl<'a> Look<'a> {
    fn new(values: &'a [f32], counts: Vec<usize>) -> Self {
        let width = counts[counts.len() - 1] + 1;
        let beside = |sketch: &'a [f32]| {
            let length = |&axes: &usize| sketch[axes..].iter().map(|x| x * x).sum::<f32>().sqrt();
            collected(counts.iter().map(length))
        };
        let beside = gathered(values.chunks_exact(width).flat_map(beside));
        Self { values, width, counts, beside }
    }

    /// Writes the squared distances of a row to all, for each number of axes.
    fn compare(&self, place: usize, distances: &mut [Vec<f32>]) {
        compare(self.values, self.width, &self.counts, &self.beside, place, distances);
    }
}

fn numbers_of(nearest: &[Nearest]) -> Vec<u32> {
    collected(nearest.iter().map(|near| near.index))
}

/// The numbers of the `k` least of some distances.
fn nearest_of(distances: &[f32], k: usize) -> Vec<u32> {
    let mut nearest: Vec<u32> = collected(0..distances.len() as u32);
    let order = |a: &u32, b: &u32| distances[*a as usize].total_cmp(&distances[*b as usize]);
    nearest.select_nth_unstable_by(k - 1, order);
    nearest.truncate(k);
    nearest
}

/// How many of the nearest of a row are among so many candidates, for each number of axes.
fn kept(nearest: &[u32], distances: &mut [Vec<f32>], candidates: usize) -> Vec<usize> {
    let kept = |distances: &mut Vec<f32>| {
        let of_nearest: Vec<f32> = collected(nearest.iter().map(|&i| distances[i as usize]));
        let (_, last, _) = distances.select_nth_unstable_by(candidates - 1, f32::total_cmp);
        of_nearest.iter().filter(|distance| **distance <= *last).count()
    };
    distances.iter_mut().map(kept).collect()
}

vectorized! {
    /// Writes the squared distances of a sketch to all, for each number of axes; infinity for that
    /// to itself.
    fn compare<'a>(
        values: &'a [f32],
        width: usize,
        counts: &'a [usize],
        beside: &'a [f32],
        place: usize,
        distances: &'a mut [Vec<f32>],
    ) -> () {
        let of_place = &values[place * width..][..width];
        let beside_place = &beside[place * counts.len()..][..counts.len()];
        for (other, sketch) in values.chunks_exact(width).enumerate() {
            let beside = &beside[other * counts.len()..][..counts.len()];
            let (mut along, mut first) = (0.0, 0);
            for (i, &end) in counts.iter().enumerate() {
                along += squared_distance(&of_place[first..end], &sketch[first..end]);
                first = end;
                let beside = beside[i] - beside_place[i];
                distances[i][other] =
                    if other == place { f32::INFINITY } else { along + beside * beside };
            }
        }
    }
}
