//! FINCH: clustering without a parameter, by first neighbours.
//!
//! FINCH links each sample to its *first neighbour*, the sample nearest to it. Linked samples form a
//! cluster. FINCH then links the means of the clusters in the same way, until one cluster would be
//! left. You choose no threshold and no number of clusters. The result is a hierarchy of a few
//! partitions from fine to coarse.
//!
//! M. S. Sarfraz, V. Sharma, R. Stiefelhagen: *Efficient Parameter-free Clustering Using First
//! Neighbor Relations*, CVPR 2019, <https://arxiv.org/abs/1902.11266>. "The paper", below.
//!
//! # The clusters that you want
//!
//! - **Suggestion**: you do not know how many. [`Hierarchy::suggest`] takes the number that fits best;
//!   [`Suggestion::clustered`] tells if the data has clusters at all.
//! - **Exactly K**: you know how many. [`Refine`] merges the clusters that share the most neighbours
//!   until K are left.
//! - **Partition**: you want levels of detail. [`Hierarchy::partitions`] are the partitions, the finest
//!   first. The data decides how many clusters each has.
//!
//! # The planets
//!
//! Fig. 1 of the paper clusters the planets and the Moon by fifteen of their attributes. The file
//! has a header, and the name of a planet before its attributes:
//!
//! ```
//! use finch_core::{Finch, Samples};
//! use ndarray::Array2;
//!
//! let file = include_str!("../../examples/data/planets.csv");
//! let lines: Vec<Vec<&str>> = file.lines().skip(1).map(|line| line.split(',').collect()).collect();
//! let attributes = Array2::from_shape_fn((lines.len(), 15), |(planet, attribute)| {
//!     lines[planet][1 + attribute].parse::<f64>().unwrap()
//! });
//!
//! // Samples are checked once: rows are samples, columns features.
//! let samples = Samples::new(attributes.view())?;
//! let hierarchy = Finch::new().fit(&samples)?;
//!
//! // Mercury, Venus, Earth, the Moon and Mars; Jupiter and Saturn; Uranus and Neptune.
//! assert_eq!(hierarchy.finest().labels(), [0, 0, 0, 0, 0, 1, 1, 2, 2]);
//!
//! // Why: Mercury (0) is nearest to the Moon (3), Venus (1) to the Earth (2), the Earth to Mars (4), …
//! let first = hierarchy.first_neighbors();
//! assert_eq!(first.index(), [3, 2, 4, 4, 3, 6, 5, 8, 7]);
//! println!("that far away: {:?}", first.distance());
//! # assert_eq!(hierarchy.cluster_counts()[0], 3);
//! # Ok::<(), finch_core::Error>(())
//! ```
//!
//! # Exactly K clusters
//!
//! [`Refine`] merges the clusters of a partition, one pair at a time, or splits the finest partition at
//! its longest links. By default the two clusters merge whose samples share the most neighbours
//! ([`Linkage::Neighbor`]), or clusters are those of k-means where the data asks for means
//! ([`Linkage::Auto`]); the paper's Algorithm 2, by the closest means, is [`Linkage::Centroid`]. A
//! [`Dendrogram`] has the results for all K. Clusters may have to keep rules: pairs of samples that are
//! together or apart ([`Refine::must_link`]), and sizes.
//!
//! ```
//! # use finch_core::{Finch, Linkage, Refine, Run, Samples};
//! # let points = ndarray::array![[0.0], [1.0], [10.0], [11.0], [20.0], [21.0], [90.0], [91.0]];
//! # let samples = Samples::new(points.view())?;
//! // The hierarchy keeps the neighbours: refining and suggesting search none.
//! let hierarchy = Finch::new().refinable(Linkage::Neighbor).fit(&samples)?;
//!
//! let three = Refine::new(3).run(&samples, &hierarchy)?;
//! assert_eq!(three.clusters(), 3);
//! let dendrogram = Refine::new(1).dendrogram(&samples, &hierarchy, &mut Run::new())?;
//! assert_eq!(dendrogram.cut(3)?, three);
//! println!("how about {} clusters?", hierarchy.suggest(&samples)?.cut.clusters());
//! # Ok::<(), finch_core::Error>(())
//! ```
//!
//! # Trees
//!
//! A [`Tree`] joins single samples, or clusters, two nodes at a time up to one root. It is written as
//! SciPy's linkage matrix, which other programs cut and draw, or as Newick, JSON or Graphviz text.
//! [`Hierarchy::tree`], [`Dendrogram::tree`] and [`Dendrogram::tree_of_samples`] make trees.
//!
//! # Neighbours or distances of other programs
//!
//! [`Finch::fit_neighbors`] takes the k nearest neighbours that another program has found
//! ([`Neighbors::given`]), beside the samples. Without samples, [`Finch::fit_graph`] takes the
//! neighbours alone, and [`Finch::fit_distances`] a matrix of all distances. Their first partition is
//! that of the samples; later ones link clusters by mean distance, which is not in the paper.
//! [`Refine::run_without_samples`] and [`Hierarchy::suggest_without_samples`] go on from there.
//!
//! # Sparse samples
//!
//! [`SparseSamples`] store only the values that are not 0, for tables of words and the like. [`Finch::fit`],
//! [`Finch::fit_weighted`], [`Finch::extend`], [`Finch::nearest_neighbors`], [`Refine`],
//! [`Hierarchy::suggest`], [`Hierarchy::outlier_scores`], [`Model`] and [`Predict`] take them in place of
//! [`Samples`], and give the same results; time and memory grow with the stored values.
//!
//! # Times
//!
//! [`Finch::fit_timed`] takes a time stamp for each sample, such as a frame of a video. Time weights the
//! distances (TW-FINCH), and clusters may have to be contiguous segments ([`Times`]).
//!
//! # Weights
//!
//! [`Finch::fit_weighted`] takes a weight for each sample: the number of equal rows that it stands for in
//! partitions, means, sizes and all linkages. [`Contingency::weighted`] takes weights for the measures
//! below.
//!
//! # Quality of the clusters
//!
//! [`Contingency`] compares a partition with known classes, by every measure of the paper and a few
//! others:
//!
//! ```
//! use finch_core::{Average, Contingency};
//!
//! let table = Contingency::new(&[0, 0, 1, 1, 2], &["a", "a", "b", "b", "b"])?;
//! assert_eq!(table.purity(), 1.0);
//! assert_eq!(table.accuracy()?, Some(0.8));
//! assert!(table.nmi(Average::Geometric) < 1.0);
//! # Ok::<(), finch_core::Error>(())
//! ```
//!
//! # Promises
//!
//! - **Exact.** First neighbours, and the k nearest ([`Neighbors`]), are the nearest by a distance summed
//!   directly in f64; equal distances go to the smaller index. Every exact [`Search`] gives the same
//!   answer bit for bit. If all exact searches would take long, an approximate search finds most of the
//!   nearest, and measures the share that it finds ([`Recall`]). If that is less than you asked for, the
//!   hierarchy says so ([`Hierarchy::warnings`]).
//! - **The same everywhere.** Thread count, memory layout and machine never change the result.
//! - **Checked.** NaN, an empty matrix, K = 0 and the like are an [`Error`] that says where. Long
//!   operations tell their [`Progress`] to the callback of a [`Run`], which can stop them.
//!
//! # Testing
//!
//! The tests compare
//!
//! - searches with brute force, on random, tied, repeated, constant, huge and tiny inputs;
//! - merging with Algorithm 2 as listed, and with the definition of neighbour linkage;
//! - weights with repeated rows, and sparse samples with dense ones;
//! - measures with scikit-learn;
//! - tables of the paper with those on its data (in `finch-deep`, which has the readers of files).
//!
//! Benchmarks, but no tests, cover millions of samples, and more than fit in memory.

#![deny(unsafe_code)]

// From the top down: a module uses those below it, and none above.

// A hierarchy to save, and to label new samples by.
mod model;

// The content of clusters.
mod describe;

// Exactly K clusters, and the suggestion.
mod merging;

// Algorithm 1, and its entry points.
mod fit;

// The result.
mod hierarchy;

// Agreement with known classes.
mod score;

// The searches.
mod neighbors;

// Labels, their means and sums.
mod partition;

// The input, and the key of two rows.
mod samples;

// Threads, progress, and the end of both.
mod run;

// Tools that know nothing of clustering.
mod support;

mod error;

pub use describe::{Describe, Description, Membership, Noise, SmallClusters};
pub use error::number::Number;
pub use error::sparse::SparseFault;
pub use error::times::TimeFault;
pub use error::warning::Warning;
pub use error::{Error, Result};
pub use fit::Finch;
pub use half::{bf16, f16};
pub use hierarchy::dendrogram::{Dendrogram, Merge};
pub use hierarchy::link_bound::LinkBound;
pub use hierarchy::linkage::Linkage;
pub use hierarchy::tree::{Join, Tree, TreeFormat};
pub use hierarchy::{Hierarchy, Level};
pub use merging::{Clustered, Refine, Refined, Suggestion};
pub use model::{Certainty, Labelling, Model, Predict, Prediction};
pub use neighbors::{
    Choice, Evidence, FirstNeighbors, Nearest, Neighbors, NumberedNearest, NumberedSamples, Reason,
    Recall, Search, Shard,
};
pub use partition::Partition;
pub use partition::labels::Labels;
pub use partition::renaming::{Origin, Renaming};
pub use partition::sums::ClusterSums;
pub use partition::times::Times;
pub use run::Run;
pub use run::progress::{Callback, Progress, Stage};
pub use samples::bits::{BitMatrix, BitSamples};
pub use samples::element::{AnyMatrix, Element, ElementType};
pub use samples::metric::Metric;
pub use samples::sparse::{SparseIndices, SparseSamples, SparseValues};
pub use samples::{AnySamples, Samples};
pub use score::measures::{Average, PrecisionRecall};
pub use score::{Contingency, Scores};
#[cfg(feature = "files")]
pub use support::whole_file::{folder_of, link_target, pass_on, write_whole_file};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
