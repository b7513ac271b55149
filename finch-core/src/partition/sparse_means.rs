//! The sums and the means of clusters of sparse samples: sparse rows, too. All of them together have
//! no more values than the samples.

use rayon::prelude::*;

use super::Partition;
use super::means::cluster_sizes;
use super::members::Members;
use crate::samples::element::Element;
use crate::samples::sparse::matrix::{OwnedValues, SparseMatrix};
use crate::samples::sparse::samples::SparseSamples;
use crate::samples::weights::{Copies, Weights};
use crate::support::memory::{collected_in_parallel, gathered, push, reserve};
use crate::support::repeated_sum::added;

/// Clusters whose sums are held at a time, beside the means that are made of them.
const AT_A_TIME: usize = 1024;

impl SparseMatrix {
    /// The mean of each cluster, C × d, bit for bit that of dense rows.
    pub(crate) fn means(
        samples: &SparseSamples<'_>,
        weights: Option<&Weights>,
        partition: &Partition,
    ) -> Self {
        let members = Members::of(partition);
        let sizes = cluster_sizes(partition, weights);
        let mut starts = Vec::new();
        reserve(&mut starts, sizes.len() + 1);
        starts.push(0);
        let mut columns = Vec::new();
        let mut values = OwnedValues::none(samples.element());
        for first in (0..sizes.len()).step_by(AT_A_TIME) {
            let clusters = first..sizes.len().min(first + AT_A_TIME);
            let sums = clusters
                .clone()
                .into_par_iter()
                .map(|cluster| sums_of_cluster(samples, weights, members.cluster(cluster)));
            let sums: Vec<Vec<(u32, f64)>> = collected_in_parallel(sums);
            for (cluster, sums) in clusters.zip(sums) {
                reserve(&mut columns, sums.len());
                columns.extend(sums.iter().map(|&(feature, _)| feature as i32));
                let averages = sums.iter().map(|(_, sum)| sum / sizes[cluster]);
                match &mut values {
                    OwnedValues::F32(values) => {
                        reserve(values, sums.len());
                        values.extend(averages.map(<f32 as Element>::mean));
                    }
                    OwnedValues::F64(values) => {
                        reserve(values, sums.len());
                        values.extend(averages);
                    }
                }
                starts.push(columns.len() as i64);
            }
        }
        Self::of_parts(samples.features(), starts, columns, values)
    }
}

/// The sum of some samples, in ascending order: each feature that one of them has a value for, rising,
/// and the sum of its values in the order of the samples.
pub(crate) fn sums_of_cluster(
    samples: &SparseSamples<'_>,
    weights: Option<&Weights>,
    members: &[u32],
) -> Vec<(u32, f64)> {
    let mut terms = Vec::new();
    reserve(&mut terms, members.iter().map(|&member| samples.range(member as usize).len()).sum());
    for &member in members {
        let term =
            |feature, value| terms.push((u64::from(feature) << 32 | u64::from(member), value));
        samples.for_each(member as usize, term);
    }
    terms.par_sort_unstable_by_key(|&(place, _)| place);
    let sums = terms.chunk_by(|a, b| a.0 >> 32 == b.0 >> 32).map(|terms| {
        let sum = terms.iter().fold(0.0, |sum, &(place, value)| {
            match weights.map(|weights| weights.of(place as u32)) {
                None => sum + value,
                Some(Copies { count, weight }) => added(sum, weight * value, count),
            }
        });
        ((terms[0].0 >> 32) as u32, sum)
    });
    gathered(sums)
}

/// The sum of two sparse rows, as [`sums_of_cluster`] gives them.
pub(crate) fn joined(a: &[(u32, f64)], b: &[(u32, f64)]) -> Vec<(u32, f64)> {
    let (mut joined, [mut at, mut of_b]) = (Vec::new(), [0; 2]);
    reserve(&mut joined, a.len() + b.len());
    while at < a.len() || of_b < b.len() {
        let features = [a.get(at), b.get(of_b)].map(|term| term.map_or(u32::MAX, |term| term.0));
        let feature = features[0].min(features[1]);
        let mut sum = 0.0;
        if features[0] == feature {
            sum += a[at].1;
            at += 1;
        }
        if features[1] == feature {
            sum += b[of_b].1;
            of_b += 1;
        }
        push(&mut joined, (feature, sum));
    }
    joined
}
