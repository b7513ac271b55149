//! The means of the clusters of all labellings of a model.

use std::ops::Range;

use ndarray::Array2;

use crate::partition::Partition;
use crate::partition::labels::Labels;
use crate::partition::means::{LevelMeans, means};
use crate::partition::undirected::clear_undirected;
use crate::run::progress::Meter;
use crate::samples::element::{AnyArray, AnyMatrix, Element, ElementType};
use crate::samples::metric::Metric;
use crate::samples::owned::OwnedSamples;
use crate::samples::sparse::SparseMatrix;
use crate::samples::weights::Weights;
use crate::samples::{AnySamples, Kind};
use crate::support::memory::{collected, room};

/// The means of the clusters of all labellings: ΣC × d.
///
/// Means of sparse samples are sparse, also where few clusters of many samples have most features: sparse
/// means take 1.5 times the memory of dense ones at most (in f64, beside the starts of rows).
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Means {
    /// One labelling below the other.
    Dense(AnyArray),
    /// For each labelling.
    Sparse(Vec<SparseMatrix>),
}

impl Means {
    /// The means of partitions, each a coarsening of the one before, and of other labellings, in which noise has none.
    pub(super) fn of(
        samples: AnySamples<'_>,
        weights: Option<&Weights>,
        partitions: &[Partition],
        refined: &[Labels],
        metric: Metric,
    ) -> Self {
        // Noise is one more cluster, whose mean, the last one, is left out.
        let with_noise = |labels: &Labels| (labels.with_noise_last(), labels.clusters());
        let refined = &*collected(refined.iter().map(with_noise));
        // Without a direction, a mean is near to nothing.
        let cleared = |mut means: OwnedSamples, labels: &Partition| {
            clear_undirected(&mut means, &samples, weights, labels, metric);
            means
        };
        match samples.0 {
            Kind::Dense(matrix) => {
                let cleared = |means: AnyArray, labels: &Partition| match cleared(
                    OwnedSamples::Dense(means),
                    labels,
                ) {
                    OwnedSamples::Dense(means) => means,
                    OwnedSamples::Sparse(_) => unreachable!("means are dense"),
                };
                let sides = (partitions, refined);
                Self::Dense(match matrix.element().of_means() {
                    ElementType::F64 => stacked::<f64>(&matrix, weights, sides, cleared),
                    _ => stacked::<f32>(&matrix, weights, sides, cleared),
                })
            }
            Kind::Sparse(of_samples) => {
                let means = |labels: &Partition| {
                    let means = SparseMatrix::means(&of_samples, weights, labels);
                    match cleared(OwnedSamples::Sparse(means), labels) {
                        OwnedSamples::Sparse(means) => means,
                        OwnedSamples::Dense(_) => unreachable!("means are sparse"),
                    }
                };
                let of_refined = refined.iter().map(|(labels, clusters)| {
                    let found = means(labels);
                    match *clusters == labels.clusters() {
                        true => found,
                        false => found.rows(0..*clusters),
                    }
                });
                Self::Sparse(partitions.iter().map(means).chain(of_refined).collect())
            }
        }
    }

    pub(super) fn of_no_features(clusters: usize) -> Self {
        Self::Dense(AnyArray::F64(Array2::zeros((clusters, 0))))
    }

    pub(super) fn are_sparse(&self) -> bool {
        matches!(self, Self::Sparse(_))
    }

    /// The means of a labelling, of which the clusters are these among those of all labellings.
    pub(super) fn of_labelling(&self, labelling: usize, clusters: Range<usize>) -> AnySamples<'_> {
        AnySamples(match self {
            Self::Sparse(means) => Kind::Sparse(means[labelling].samples()),
            Self::Dense(means) => Kind::Dense(means.view().part(clusters)),
        })
    }
}

/// The means of all labellings of dense samples, one below the other.
fn stacked<M: Element>(
    samples: &AnyMatrix<'_>,
    weights: Option<&Weights>,
    (partitions, refined): (&[Partition], &[(Partition, usize)]),
    cleared: impl Fn(AnyArray, &Partition) -> AnyArray,
) -> AnyArray {
    let of_partitions = partitions.iter().map(Partition::clusters);
    let clusters =
        of_partitions.chain(refined.iter().map(|(_, clusters)| *clusters)).sum::<usize>();
    let mut rows: Vec<M> = room(clusters * samples.features());
    let mut add = |means: AnyArray, clusters: usize| {
        rows.extend(means.of_type::<M>().into_iter().take(clusters * samples.features()));
    };
    let mut levels = LevelMeans::default();
    for count in 1..=partitions.len() {
        let means = levels.of_last(samples, weights, &partitions[..count], &Meter::new(1));
        let labels = &partitions[count - 1];
        add(cleared(means, labels), labels.clusters());
    }
    for (labels, clusters) in refined {
        add(cleared(means(samples, weights, labels), labels), *clusters);
    }
    let means = Array2::from_shape_vec((clusters, samples.features()), rows);
    AnyArray::of(means.expect("a row for each cluster of each labelling"))
}

/// Where the rows of several matrices begin, one matrix below the other, and where the last row ends.
pub(super) fn stacked_starts(matrices: &[SparseMatrix]) -> Vec<i64> {
    let rows: usize = matrices.iter().map(|matrix| matrix.samples().len()).sum();
    let mut starts = room(rows + 1);
    starts.push(0);
    let mut before = 0;
    for matrix in matrices {
        let of_matrix = &matrix.starts()[1..];
        starts.extend(of_matrix.iter().map(|start| before + start));
        before += matrix.columns().len() as i64;
    }
    starts
}
