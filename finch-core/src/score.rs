//! How well a clustering agrees with known classes.

use std::hash::Hash;

use crate::error::{Error, Result};
use crate::matching::{Cell, largest_matching};
use crate::memory::{caught, collected, filled, gathered};
use crate::partition::Partition;

/// How many samples each cluster shares with each class: all that the measures need to know of two
/// labellings.
///
/// Only pairs that share a sample are stored, so memory grows with the samples, never with
/// clusters × classes. Every measure is a fraction, and none depends on what the labels are or how
/// they sort: other names for the same groups give the same bits.
///
/// ```
/// use finch_core::{Average, Contingency};
///
/// let table = Contingency::new(&[0, 0, 1, 1, 2, 2], &["a", "a", "a", "b", "b", "b"])?;
/// assert_eq!((table.clusters(), table.classes()), (3, 2));
/// assert_eq!(table.purity(), 5.0 / 6.0);
/// assert_eq!(table.accuracy()?, Some(4.0 / 6.0));
/// assert!((table.nmi(Average::Geometric) - 0.5295).abs() < 1e-4);
/// # Ok::<(), finch_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Contingency {
    /// The cells that are not empty, by cluster and then class.
    cells: Vec<Cell>,
    /// Samples in each cluster.
    clusters: Vec<u64>,
    /// Samples in each class.
    classes: Vec<u64>,
    /// At most `i32::MAX`, so that a product of two counts fits u64, and of four i128.
    samples: u64,
}

/// The mean of two entropies that [`Contingency::nmi`] divides by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Average {
    /// √(H(U)·H(V)), of Strehl & Ghosh 2002. The FINCH paper's tables have this mean.
    Geometric,
    /// (H(U) + H(V)) / 2, the default of scikit-learn; NMI with this mean is the V-measure.
    Arithmetic,
}

/// Precision and recall, each in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrecisionRecall {
    /// Falls where a cluster mixes classes.
    pub precision: f64,
    /// Falls where a class is spread over clusters.
    pub recall: f64,
}

/// Every measure of one clustering, from [`Contingency::scores`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Scores {
    /// [`Contingency::nmi`] with [`Average::Geometric`].
    pub nmi: f64,
    /// [`Contingency::nmi`] with [`Average::Arithmetic`].
    pub nmi_arithmetic: f64,
    /// [`Contingency::accuracy`].
    pub accuracy: Option<f64>,
    /// [`Contingency::purity`].
    pub purity: f64,
    /// [`Contingency::ari`].
    pub ari: f64,
    /// [`Contingency::pairwise`].
    pub pairwise: PrecisionRecall,
    /// [`Contingency::bcubed`].
    pub bcubed: PrecisionRecall,
}

impl PrecisionRecall {
    /// The F-measure 2PR / (P + R), in [0, 1]; 0 where both are 0.
    pub fn f(&self) -> f64 {
        let sum = self.precision + self.recall;
        if sum == 0.0 { 0.0 } else { 2.0 * self.precision * self.recall / sum }
    }
}

impl Contingency {
    /// Counts a clustering (`labels`) against the classes of the same samples (`truth`).
    ///
    /// # Errors
    /// [`Error::SampleCount`] if the two differ in length, [`Error::NoSamples`] if they are empty,
    /// [`Error::TooManySamples`] above `i32::MAX`; [`Error::OutOfMemory`].
    pub fn new<A, B>(labels: &[A], truth: &[B]) -> Result<Self>
    where
        A: Eq + Hash,
        B: Eq + Hash,
    {
        let samples = labels.len();
        if truth.len() != samples {
            return Err(Error::SampleCount { expected: samples, found: truth.len() });
        }
        // Numbered by first appearance, so that sums over groups run in an order that neither their
        // names nor a hash have a part in.
        let [labels, truth] = [Partition::new(labels)?, Partition::new(truth)?];
        caught(|| {
            let pairs = labels.labels().iter().copied().zip(truth.labels().iter().copied());
            let mut pairs: Vec<(u32, u32)> = collected(pairs);
            pairs.sort_unstable();
            let cells = pairs.chunk_by(|a, b| a == b);
            let cells = gathered(cells.map(|same| Cell {
                cluster: same[0].0,
                class: same[0].1,
                count: same.len() as u64,
            }));
            let sizes = |groups: &Partition| {
                collected(groups.cluster_sizes().into_iter().map(|size| size as u64))
            };
            let (clusters, classes) = (sizes(&labels), sizes(&truth));
            Ok(Self { cells, clusters, classes, samples: samples as u64 })
        })
    }

    /// The number of clusters.
    pub fn clusters(&self) -> usize {
        self.clusters.len()
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes.len()
    }

    /// The number of samples.
    pub fn samples(&self) -> usize {
        self.samples as usize
    }

    /// Normalised mutual information I(U; V) / mean(H(U), H(V)), in [0, 1] and symmetric.
    ///
    /// As in scikit-learn, one cluster against one class scores 1, and one against several 0.
    pub fn nmi(&self, average: Average) -> f64 {
        if self.clusters() == 1 || self.classes() == 1 {
            return f64::from(self.clusters() == self.classes());
        }
        // The entropy is the information a labelling has on itself. Computed as such, the entropy
        // has the rounding of the information, and equal labellings score exactly 1.
        let entropy = |sizes: &[u64]| self.information(sizes.iter().map(|&n| (n, n, n)));
        let (h, k) = (entropy(&self.clusters), entropy(&self.classes));
        let mean = match average {
            Average::Geometric => (h * k).sqrt(),
            Average::Arithmetic => (h + k) / 2.0,
        };
        (self.information(self.sized()) / mean).clamp(0.0, 1.0)
    }

    /// Clustering accuracy (ACC), in (0, 1]: the fraction of samples that are in the class of their
    /// cluster, under the one-to-one matching of clusters and classes that makes it largest.
    /// Samples of a cluster left without a class count as wrong. The paper's table of deep
    /// clustering reports this measure.
    ///
    /// The matching is exact. Groups that a few passes over the cells cannot match go to the
    /// Hungarian algorithm (Kuhn 1955), in parts that share no sample. Labellings that resemble
    /// each other leave little or nothing to the Hungarian algorithm, however many groups they
    /// have; two random labellings leave nearly everything. `None` if a part would take more than
    /// seconds: of two unrelated labellings of several thousand groups each, which no matching
    /// makes sense of.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn accuracy(&self) -> Result<Option<f64>> {
        let count = |matched: Vec<Cell>| matched.iter().map(|cell| cell.count).sum();
        Ok(self.matched()?.map(|matched| self.fraction(count(matched))))
    }

    /// The class of each cluster under the matching that [`accuracy`](Contingency::accuracy) counts
    /// by, clusters and classes numbered in the order of their first samples. A cluster is without a
    /// class where all classes are taken, or where the classes left share no sample with it.
    ///
    /// Where several matchings share as many samples, one of them is returned, always the same for
    /// the same labels. `None` if the matching would take more than seconds.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    ///
    /// ```
    /// use finch_core::Contingency;
    ///
    /// let table = Contingency::new(&[5, 5, 7, 7, 6], &["a", "a", "b", "b", "b"])?;
    /// // Cluster 5 is number 0 and has class a, cluster 7 is number 1 and has class b.
    /// assert_eq!(table.matching()?, Some(vec![Some(0), Some(1), None]));
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    pub fn matching(&self) -> Result<Option<Vec<Option<u32>>>> {
        let Some(matched) = self.matched()? else { return Ok(None) };
        caught(|| {
            let mut class = filled(None, self.clusters());
            for cell in matched {
                class[cell.cluster as usize] = Some(cell.class);
            }
            Ok(Some(class))
        })
    }

    /// The cells of the matching, or `None` if it would take more than seconds.
    fn matched(&self) -> Result<Option<Vec<Cell>>> {
        caught(|| Ok(largest_matching(&self.cells, self.clusters(), self.classes())))
    }

    /// Purity, in (0, 1]: the fraction of samples in the largest class of their cluster (Manning,
    /// Raghavan & Schütze 2008, section 16.3). The paper's table of partitions prints it as ACC. It
    /// never falls as clusters are split, and is 1 for singletons.
    pub fn purity(&self) -> f64 {
        let clusters = self.cells.chunk_by(|a, b| a.cluster == b.cluster);
        let largest = |cells: &[Cell]| cells.iter().map(|cell| cell.count).max().unwrap_or(0);
        self.fraction(clusters.map(largest).sum())
    }

    /// Adjusted Rand index (Hubert & Arabie 1985), in [−1/2, 1] and symmetric; chance gives 0 on
    /// average.
    ///
    /// With S pairs of samples together in both labellings, P in the clusters, T in the classes and
    /// A in all, it is (S − PT/A) / ((P + T)/2 − PT/A). Two labellings of singletons, and two of
    /// one group each, score 1.
    pub fn ari(&self) -> f64 {
        let [both, clusters, classes] = self.pairs().map(i128::from);
        let all = i128::from(pairs(self.samples));
        let chance = clusters * classes;
        ratio(2 * (both * all - chance), (clusters + classes) * all - 2 * chance)
    }

    /// Pairwise precision S/P and recall S/T: of the P pairs of samples that share a cluster, and
    /// the T that share a class, the fraction that shares both (Manning, Raghavan & Schütze 2008,
    /// section 16.3). Each is in [0, 1].
    ///
    /// 0/0 is 1: clusters of one sample each claim no pair, so none of their claims is wrong.
    pub fn pairwise(&self) -> PrecisionRecall {
        let [both, clusters, classes] = self.pairs().map(i128::from);
        PrecisionRecall { precision: ratio(both, clusters), recall: ratio(both, classes) }
    }

    /// B-cubed precision and recall (Bagga & Baldwin 1998; Amigó et al. 2009), in (0, 1]: the mean
    /// over samples of the fraction of its cluster that is of its class, and of the fraction of its
    /// class that is in its cluster. The sample itself counts.
    pub fn bcubed(&self) -> PrecisionRecall {
        let samples = self.samples as f64;
        let mean = |over: fn((u64, u64, u64)) -> u64| {
            let share = |cell: (u64, u64, u64)| (cell.0 * cell.0) as f64 / over(cell) as f64;
            self.sized().map(share).sum::<f64>() / samples
        };
        PrecisionRecall {
            precision: mean(|(_, cluster, _)| cluster),
            recall: mean(|(_, _, class)| class),
        }
    }

    /// Every measure, each as its own method gives it.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn scores(&self) -> Result<Scores> {
        Ok(Scores {
            nmi: self.nmi(Average::Geometric),
            nmi_arithmetic: self.nmi(Average::Arithmetic),
            accuracy: self.accuracy()?,
            purity: self.purity(),
            ari: self.ari(),
            pairwise: self.pairwise(),
            bcubed: self.bcubed(),
        })
    }

    /// Each cell's count, with the size of its cluster and of its class.
    fn sized(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        self.cells.iter().map(|cell| {
            let cluster = self.clusters[cell.cluster as usize];
            (cell.count, cluster, self.classes[cell.class as usize])
        })
    }

    /// Mutual information in nats, Σ n/N · ln(nN / ab) over cells of n samples in a cluster of a
    /// and a class of b. The fraction is of whole numbers, so independence gives exactly 0.
    fn information(&self, cells: impl Iterator<Item = (u64, u64, u64)>) -> f64 {
        let term = |(n, a, b)| n as f64 * ((n * self.samples) as f64 / (a * b) as f64).ln();
        cells.map(term).sum::<f64>() / self.samples as f64
    }

    /// The pairs of samples that share cluster and class, that share a cluster, and a class.
    fn pairs(&self) -> [u64; 3] {
        [
            self.cells.iter().map(|cell| pairs(cell.count)).sum(),
            self.clusters.iter().copied().map(pairs).sum(),
            self.classes.iter().copied().map(pairs).sum(),
        ]
    }

    fn fraction(&self, samples: u64) -> f64 {
        samples as f64 / self.samples as f64
    }
}

fn pairs(samples: u64) -> u64 {
    samples * (samples - 1) / 2
}

/// The quotient, where 0/0 is 1.
fn ratio(part: i128, whole: i128) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_counts_do_not_overflow() {
        const MOST: u64 = i32::MAX as u64;
        for sizes in [vec![MOST], vec![MOST / 2, MOST - MOST / 2]] {
            let cells = sizes.iter().zip(0..).map(|(&count, group)| Cell {
                cluster: group,
                class: group,
                count,
            });
            let scores = Contingency {
                cells: cells.collect(),
                clusters: sizes.clone(),
                classes: sizes.clone(),
                samples: MOST,
            }
            .scores()
            .unwrap();
            let fractions =
                [scores.nmi, scores.nmi_arithmetic, scores.accuracy.unwrap(), scores.purity];
            assert_eq!(fractions, [1.0; 4]);
            assert_eq!([scores.ari, scores.pairwise.f(), scores.bcubed.f()], [1.0; 3]);
        }
    }
}
