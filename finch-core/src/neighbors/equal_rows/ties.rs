//! Ties: first neighbours of which another sample, not equal to them, is exactly as near.
//!
//! Of a tie the sample with the smallest number counts, so that the order of samples shows. Where the
//! first neighbour is at distance 0, all samples at this distance are in one cluster, whichever counts:
//! that is no tie.

use rayon::prelude::*;

use super::Alike;
use crate::neighbors::lists::Nearest;
use crate::neighbors::table::Neighbors;
use crate::run::progress::Meter;
use crate::run::work::{is_little, mapped};
use crate::samples::AnySamples;
use crate::samples::comparable::Keyed;
use crate::samples::weights::Weights;
use crate::support::memory::{collected, collected_in_parallel, gathered};
use crate::support::random::spread;

/// Distances to first neighbours that are looked at for repeated ones. Where samples have whole numbers,
/// or rounded ones, most of these distances are repeated; where numbers are not, none is, so that nothing
/// else needs to be done.
const GLANCE: usize = 1 << 10;
/// One distance of so many has to be repeated, for samples to be compared.
const REPEATED: usize = 16;
/// Samples that are compared with all others: a share of ¼ is then told to within 0.03 (two standard
/// deviations); and the fewest, to within 0.15, where samples are many.
const COMPARED: usize = 1 << 10;
const LEAST_COMPARED: usize = 32;
/// Values that are compared before samples are many: about half a second's work of one core.
const VALUES: usize = 1 << 29;

/// A sample, and the mark that its first neighbour is tied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tied {
    sample: u32,
    tied: bool,
}

/// Of some samples, whether the first neighbours that a search found are tied; of none, where distances
/// tell that hardly any are. A row has so many values.
pub(in crate::neighbors) fn of_first<R: Keyed>(
    rows: &R,
    values: usize,
    alike: &impl Alike,
    first: &[Nearest],
    meter: &Meter,
) -> Vec<Tied> {
    if !are_repeated(first) {
        return Vec::new();
    }
    let most = VALUES / values.saturating_mul(rows.len()).max(1);
    let compared = most.clamp(LEAST_COMPARED, COMPARED);
    let samples: Vec<usize> = collected(spread(rows.len(), rows.len().div_ceil(compared)));
    let rooms = || [(); 2].map(|()| rows.room());
    let tied = |[row, room]: &mut [R::Row; 2], at: usize| {
        let sample = samples[at];
        let neighbor = first[sample].index;
        if neighbor == Nearest::NONE.index {
            return Tied { sample: sample as u32, tied: false };
        }
        let unlike = |other: u32| other != neighbor && !alike.are_equal([neighbor, other]);
        rows.load(sample, row);
        let key = rows.key(row, neighbor as usize, room);
        let mut others = (0..rows.len()).filter(|&other| other != sample && key > 0.0);
        let tied = others.any(|other| {
            !meter.stopped() && rows.key(row, other, room) == key && unlike(other as u32)
        });
        Tied { sample: sample as u32, tied }
    };
    mapped(samples.len(), is_little(rows.len(), values), rooms, tied)
}

/// True if many of the distances to first neighbours are repeated, beside those of pairs that are first
/// neighbours of each other.
fn are_repeated(first: &[Nearest]) -> bool {
    let seen = spread(first.len(), first.len().div_ceil(GLANCE)).filter(|&sample| {
        let Nearest { key, index } = first[sample];
        let is_mutual = || first[index as usize].index as usize == sample;
        key > 0.0 && key < f64::INFINITY && (index as usize > sample || !is_mutual())
    });
    let mut keys: Vec<f64> = gathered(seen.map(|sample| first[sample].key));
    keys.sort_unstable_by(f64::total_cmp);
    let repeated = keys.array_windows().filter(|[a, b]| a == b).count();
    repeated > 0 && REPEATED * repeated >= keys.len()
}

/// Of all samples, whether their first neighbours are tied, by a table of two neighbours or more: of
/// these samples, or where there are none, of those whose equal ones are at distance 0.
pub(crate) fn of_table(neighbors: &Neighbors, samples: Option<AnySamples<'_>>) -> Vec<Tied> {
    let (index, distance) = (neighbors.index(), neighbors.distance());
    let are_equal = |pair: [u32; 2]| match &samples {
        Some(samples) => samples.are_equal(pair),
        None => {
            let row = pair[0] as usize;
            let equal = index.row(row).into_iter().zip(distance.row(row));
            equal.take_while(|&(_, &distance)| distance == 0.0).any(|(&at, _)| at == pair[1])
        }
    };
    if neighbors.k() < 2 {
        return Vec::new();
    }
    collected_in_parallel((0..neighbors.samples()).into_par_iter().map(|sample| {
        let (index, distance) = (index.row(sample), distance.row(sample));
        let mut as_near = (1..index.len()).take_while(|&rank| distance[rank] == distance[0]);
        let tied = distance[0] > 0.0
            && distance[0] < f64::INFINITY
            && as_near.any(|rank| !are_equal([index[0], index[rank]]));
        Tied { sample: sample as u32, tied }
    }))
}

/// The share of the first neighbours that are tied, a sample counting for its copies; `None` where no
/// sample was looked at. A sample of several copies has one of them as its first neighbour, without a tie.
pub(crate) fn share(looked_at: &[Tied], weights: Option<&Weights>) -> Option<f64> {
    let copies = |sample| weights.map_or(1, |weights| weights.of(sample).count);
    let (mut tied, mut all) = (0, 0);
    for at in looked_at {
        let copies = copies(at.sample);
        all += copies;
        tied += u64::from(at.tied && copies == 1);
    }
    // Never by 0, since compilers divide before they ask, and a program may trap 0/0.
    (all > 0).then(|| tied as f64 / all.max(1) as f64)
}
