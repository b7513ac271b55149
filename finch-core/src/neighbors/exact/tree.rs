//! Exact search in few dimensions, on kiddo's immutable k-d tree.
//!
//! kiddo breaks ties by its own order, may leave a query's own point out of its nearest two among
//! equal points, and slows down where thousands of points coincide. So the tree holds each
//! *distinct* row once, and only proposes: every row within the distance at which there are enough
//! samples, with room for rounding, is compared by key, and the smallest index wins. (Where all
//! distances are below about 1e-145, the room takes in all rows: exact still, but slow.)

use std::num::NonZero;

use kiddo::dist::DistanceMetric;
use kiddo::{ImmutableKdTree, Manhattan, SquaredEuclidean};
use rayon::prelude::*;

use crate::element::Element;
use crate::memory::{collected, collected_in_parallel, expect_room, filled, room};
use crate::metric::Metric;
use crate::neighbors::nearest::{Nearest, offer};
use crate::progress::Meter;
use crate::rows::Rows;

/// The most features that a tree was compiled for.
pub(crate) const MAX_FEATURES: usize = 16;

/// Lists of the `k` nearest of each row. Rows without a direction have empty lists, and are in no
/// other row's list.
pub(crate) fn search<A: Element>(rows: &Rows<'_, A>, k: usize, meter: &Meter) -> Vec<Nearest> {
    let mut values = room(rows.len() * rows.features());
    rows.load_block(0..rows.len(), &mut values);
    search_values(rows.metric, &values, rows.features(), k, meter)
}

/// [`search`] on values in f64, row by row: not generic, so that the trees of all dimensions are
/// compiled once, and not for each type of elements.
fn search_values(
    metric: Metric,
    values: &[f64],
    features: usize,
    k: usize,
    meter: &Meter,
) -> Vec<Nearest> {
    macro_rules! in_dimension {
        ($($features:literal)*) => {
            match features {
                $($features => {
                    let (points, _) = values.as_chunks::<$features>();
                    match metric {
                        Metric::Euclidean | Metric::Cosine => {
                            search_points::<SquaredEuclidean<f64>, _>(metric, points, k, meter)
                        }
                        Metric::Manhattan => {
                            search_points::<Manhattan<f64>, _>(metric, points, k, meter)
                        }
                    }
                })*
                _ => unreachable!("more features than a k-d tree was compiled for"),
            }
        };
    }
    in_dimension!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
}

/// [`search`] on points of `D` coordinates, by the distance `M` that the tree is asked for.
fn search_points<M, const D: usize>(
    metric: Metric,
    points: &[[f64; D]],
    k: usize,
    meter: &Meter,
) -> Vec<Nearest>
where
    M: DistanceMetric<f64, Output = f64>,
{
    let distinct = Distinct::of(points);
    let point = |row| points[distinct.samples(row)[0] as usize];
    let coordinates: Vec<[f64; D]> = collected((0..distinct.len()).map(point));
    // The tree copies the points, and has an item for each.
    expect_room(coordinates.len() * (size_of::<[f64; D]>() + size_of::<u64>()));
    let tree = ImmutableKdTree::new_from_slice(&coordinates)
        .expect("an immutable tree takes any number of distinct finite points");

    let found = (0..distinct.len()).into_par_iter().map(|row| {
        if meter.stopped() {
            return Vec::new();
        }
        let here = &coordinates[row];
        let samples = distinct.samples(row);
        let near = proposals::<M, D>(&tree, here, row, &distinct, k);
        meter.advance(samples.len() as u64 * points.len() as u64);
        let mut lists = room(samples.len() * k);
        lists.resize(samples.len() * k, Nearest::NONE);
        for (&sample, list) in samples.iter().zip(lists.chunks_exact_mut(k)) {
            for &other in &near {
                let key = metric.key(here, &coordinates[other]);
                let samples = distinct.samples_but(other, sample).take(k);
                samples.for_each(|other| offer(list, key, other));
            }
        }
        lists
    });
    let found: Vec<Vec<Nearest>> = collected_in_parallel(found);

    let mut nearest = filled(Nearest::NONE, points.len() * k);
    for (row, lists) in found.iter().enumerate() {
        for (&sample, list) in distinct.samples(row).iter().zip(lists.chunks_exact(k)) {
            nearest[sample as usize * k..][..k].copy_from_slice(list);
        }
    }
    nearest
}

/// The distinct rows that may stand for the `k` samples nearest to a sample of distinct row `row`:
/// at least all up to the distance of the k-th sample, and `row` itself if it stands for several.
fn proposals<M, const D: usize>(
    tree: &ImmutableKdTree<f64, D>,
    here: &[f64; D],
    row: usize,
    distinct: &Distinct,
    k: usize,
) -> Vec<usize>
where
    M: DistanceMetric<f64, Output = f64>,
{
    // One for the row itself, k for its neighbours, and one beyond to tell that no tie is left.
    let most = NonZero::new(k + 2).expect("k and two more are at least two");
    let nearest = tree.query(here).nearest_n::<M>(most).execute();
    let mut samples = 0;
    // In ascending order. Where all that were found are too few samples, no more exist.
    let enough = nearest.iter().find(|found| {
        let item = found.item as usize;
        samples += distinct.samples(item).len() - usize::from(item == row);
        samples >= k
    });
    // Room for the rounding of kiddo's sums, and for squares too small for f64.
    let radius = enough.map_or(f64::INFINITY, |found| found.distance * (1.0 + 1e-9) + 1e-290);
    let complete = nearest.len() < most.get() || nearest.iter().any(|f| f.distance > radius);
    let items: Vec<usize> = if complete {
        nearest.iter().map(|found| found.item as usize).collect()
    } else {
        let within = tree.query(here).within::<M>(radius).unsorted().execute();
        within.iter().map(|found| found.item as usize).collect()
    };
    let repeated = distinct.samples(row).len() > 1;
    items.into_iter().filter(|&item| item != row || repeated).collect()
}

/// Samples grouped by equal rows, so that each row enters the tree once.
struct Distinct {
    /// Samples with a direction: samples of equal rows together, and by index among these.
    samples: Vec<u32>,
    /// Where the samples of each distinct row begin in `samples`, and where the last ones end.
    starts: Vec<usize>,
}

impl Distinct {
    fn of<const D: usize>(points: &[[f64; D]]) -> Self {
        let row = |sample: u32| &points[sample as usize];
        let mut samples: Vec<u32> = collected(0..points.len() as u32);
        samples.retain(|&sample| !row(sample)[0].is_nan());
        samples.par_sort_unstable_by(|&a, &b| {
            let by_value = row(a).partial_cmp(row(b));
            by_value.expect("rows with a direction are finite").then(a.cmp(&b))
        });
        let mut starts = room(samples.len() + 1);
        let is_new = |&i: &usize| i == 0 || row(samples[i - 1]) != row(samples[i]);
        starts.extend((0..samples.len()).filter(is_new));
        starts.push(samples.len());
        Self { samples, starts }
    }

    /// The number of distinct rows.
    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The samples that a distinct row stands for, by index.
    fn samples(&self, row: usize) -> &[u32] {
        &self.samples[self.starts[row]..self.starts[row + 1]]
    }

    /// The samples of a distinct row except `but`, by index.
    fn samples_but(&self, row: usize, but: u32) -> impl Iterator<Item = u32> {
        self.samples(row).iter().copied().filter(move |&sample| sample != but)
    }
}
