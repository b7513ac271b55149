//! The unit that the measures of agreement count: samples, or weights of samples.

use std::iter::Sum;
use std::ops::{Add, Mul, Sub};

use super::matching::{Cell, largest_matching};
use super::measures::{Average, PrecisionRecall};
use crate::error::Result;
use crate::partition::Partition;
use crate::samples::weights::{Copies, Weights};
use crate::support::memory::{caught, collected, filled, gathered};

/// The number of samples of some kind, and the number of pairs of them.
pub(crate) trait Count: Copy + Default + Send + Sync {
    /// Numbers of pairs.
    type Pairs: Pairs;

    /// Counts the copies of one more sample.
    fn add(&mut self, copies: Copies);

    fn to_f64(self) -> f64;

    fn product(self, other: Self) -> f64;

    /// The pairs of samples.
    fn pairs(self) -> Self::Pairs;

    /// A whole number to compare by, from the count of all samples.
    fn rank(self, all: Self) -> u64;
}

/// Numbers of pairs, and their products.
pub(crate) trait Pairs:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Sum
{
    /// The quotient, where 0/0 is 1.
    fn ratio(part: Self, whole: Self) -> f64;
}

/// At most `i32::MAX` rows, so that a product of two counts fits u64, and of four i128.
impl Count for u64 {
    type Pairs = i128;

    fn add(&mut self, copies: Copies) {
        *self += copies.count;
    }

    fn to_f64(self) -> f64 {
        self as f64
    }

    fn product(self, other: Self) -> f64 {
        (self * other) as f64
    }

    fn pairs(self) -> i128 {
        i128::from(self * self.saturating_sub(1) / 2)
    }

    fn rank(self, _: Self) -> u64 {
        self
    }
}

impl Pairs for i128 {
    fn ratio(part: Self, whole: Self) -> f64 {
        if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
    }
}

/// The weight of copies, and of pairs of copies. The weight of a pair is the product of the weights of
/// both.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mass {
    weight: f64,
    pairs: f64,
}

/// Ranks of weights, as many as the matching of clusters and classes can add up.
const RANKS: f64 = (1_u64 << 52) as f64;

impl Count for Mass {
    type Pairs = f64;

    /// The pairs are added up, and not (W² − Σw²) / 2 found in the end, since that would leave
    /// something of rounding where there is no pair.
    fn add(&mut self, Copies { count, weight }: Copies) {
        let (count, one) = (count as f64, weight);
        let added = count * one;
        self.pairs += self.weight * added + one * one * (count * (count - 1.0) / 2.0);
        self.weight += added;
    }

    fn to_f64(self) -> f64 {
        self.weight
    }

    fn product(self, other: Self) -> f64 {
        self.weight * other.weight
    }

    fn pairs(self) -> f64 {
        self.pairs
    }

    fn rank(self, all: Self) -> u64 {
        (self.weight / all.weight * RANKS) as u64
    }
}

impl Pairs for f64 {
    fn ratio(part: Self, whole: Self) -> f64 {
        // A part may be rounded above the whole.
        if whole == 0.0 { 1.0 } else { f64::min(part / whole, 1.0) }
    }
}

/// A contingency table: how much each cluster shares with each class, and how much there is.
#[derive(Clone, Debug)]
pub(crate) struct Tally<C> {
    /// The cells that are not empty, by cluster and then class.
    pub(crate) cells: Vec<Cell<C>>,
    pub(crate) clusters: Vec<C>,
    pub(crate) classes: Vec<C>,
    pub(crate) all: C,
}

/// The cell of a cluster and a class, which samples of so many copies share.
fn cell<C: Count>(
    (cluster, class): (u32, u32),
    copies: impl IntoIterator<Item = Copies>,
) -> Cell<C> {
    let mut count = C::default();
    copies.into_iter().for_each(|copies| count.add(copies));
    Cell { cluster, class, count }
}

/// A cell with its cluster and its class.
type Sized<C> = (C, C, C);

impl<C: Count> Tally<C> {
    /// Counts the clusters of some samples against their classes.
    pub(crate) fn of(
        labels: &Partition,
        truth: &Partition,
        weights: Option<&Weights>,
    ) -> Result<Self> {
        let one = Copies { count: 1, weight: 1.0 };
        let copies = |sample: u32| weights.map_or(one, |weights| weights.of(sample));
        caught(|| {
            let pairs = labels.labels().iter().copied().zip(truth.labels().iter().copied());
            let cells = match weights {
                None => {
                    let mut pairs: Vec<(u32, u32)> = collected(pairs);
                    pairs.sort_unstable();
                    let cells = pairs.chunk_by(|a, b| a == b);
                    gathered(cells.map(|same| {
                        cell(same[0], [Copies { count: same.len() as u64, weight: 1.0 }])
                    }))
                }
                Some(weights) => {
                    // Within a cell in sample order.
                    let mut pairs: Vec<((u32, u32), u32)> =
                        collected(pairs.zip(0..labels.samples() as u32));
                    pairs.sort_unstable();
                    let cells = pairs.chunk_by(|a, b| a.0 == b.0);
                    let copies = |&(_, sample): &(_, u32)| weights.of(sample);
                    gathered(cells.map(|same| cell(same[0].0, same.iter().map(copies))))
                }
            };
            let counts = |groups: &Partition| {
                let mut counts = filled(C::default(), groups.clusters());
                for (sample, &group) in (0..).zip(groups.labels()) {
                    counts[group as usize].add(copies(sample));
                }
                counts
            };
            let mut all = C::default();
            (0..labels.samples() as u32).for_each(|sample| all.add(copies(sample)));
            Ok(Self { cells, clusters: counts(labels), classes: counts(truth), all })
        })
    }

    pub(crate) fn nmi(&self, average: Average) -> f64 {
        if self.clusters.len() == 1 || self.classes.len() == 1 {
            return f64::from(self.clusters.len() == self.classes.len());
        }
        // The entropy is the information a labelling has on itself. Computed as such, the entropy
        // has the rounding of the information, and equal labellings score exactly 1.
        let entropy = |counts: &[C]| self.information(counts.iter().map(|&n| (n, n, n)));
        let (h, k) = (entropy(&self.clusters), entropy(&self.classes));
        let mean = match average {
            Average::Geometric => (h * k).sqrt(),
            Average::Arithmetic => (h + k) / 2.0,
        };
        (self.information(self.sized()) / mean).clamp(0.0, 1.0)
    }

    pub(crate) fn accuracy(&self) -> Result<Option<f64>> {
        let Some(matched) = self.matched()? else { return Ok(None) };
        let counts = matched.into_iter().map(|cell| {
            let place = (cell.cluster, cell.class);
            let at = self.cells.binary_search_by_key(&place, |cell| (cell.cluster, cell.class));
            self.cells[at.expect("a matched pair is a cell")].count.to_f64()
        });
        Ok(Some(self.fraction(counts.sum())))
    }

    /// The cells of the matching, or `None` if it would take more than seconds.
    pub(crate) fn matched(&self) -> Result<Option<Vec<Cell>>> {
        caught(|| {
            let cells = self.cells.iter().map(|cell| Cell {
                cluster: cell.cluster,
                class: cell.class,
                count: cell.count.rank(self.all),
            });
            Ok(largest_matching(cells, self.clusters.len(), self.classes.len()))
        })
    }

    pub(crate) fn purity(&self) -> f64 {
        let clusters = self.cells.chunk_by(|a, b| a.cluster == b.cluster);
        let largest =
            |cells: &[Cell<C>]| cells.iter().map(|cell| cell.count.to_f64()).fold(0.0, f64::max);
        self.fraction(clusters.map(largest).sum())
    }

    pub(crate) fn ari(&self) -> f64 {
        let [both, clusters, classes] = self.pairs();
        let all = self.all.pairs();
        let chance = clusters * classes;
        let [part, whole] = [both * all - chance, (clusters + classes) * all - (chance + chance)];
        Pairs::ratio(part + part, whole)
    }

    pub(crate) fn pairwise(&self) -> PrecisionRecall {
        let [both, clusters, classes] = self.pairs();
        PrecisionRecall {
            precision: Pairs::ratio(both, clusters),
            recall: Pairs::ratio(both, classes),
        }
    }

    pub(crate) fn bcubed(&self) -> PrecisionRecall {
        let all = self.all.to_f64();
        let mean = |over: fn(Sized<C>) -> C| {
            let share = |cell: Sized<C>| cell.0.product(cell.0) / over(cell).to_f64();
            f64::min(self.sized().map(share).sum::<f64>() / all, 1.0)
        };
        PrecisionRecall {
            precision: mean(|(_, cluster, _)| cluster),
            recall: mean(|(_, _, class)| class),
        }
    }

    /// Each cell's count, with that of its cluster and of its class.
    fn sized(&self) -> impl Iterator<Item = Sized<C>> {
        self.cells.iter().map(|cell| {
            let cluster = self.clusters[cell.cluster as usize];
            (cell.count, cluster, self.classes[cell.class as usize])
        })
    }

    /// Mutual information in nats, Σ n/N · ln(nN / ab) over cells of n samples in a cluster of a
    /// and a class of b. The fraction is of whole numbers where samples are counted, so independence
    /// gives exactly 0.
    fn information(&self, cells: impl Iterator<Item = Sized<C>>) -> f64 {
        let term = |(n, a, b): Sized<C>| n.to_f64() * (n.product(self.all) / a.product(b)).ln();
        cells.map(term).sum::<f64>() / self.all.to_f64()
    }

    /// The pairs of samples that share cluster and class, that share a cluster, and a class.
    fn pairs(&self) -> [C::Pairs; 3] {
        [
            self.cells.iter().map(|cell| cell.count.pairs()).sum(),
            self.clusters.iter().map(|count| count.pairs()).sum(),
            self.classes.iter().map(|count| count.pairs()).sum(),
        ]
    }

    fn fraction(&self, count: f64) -> f64 {
        f64::min(count / self.all.to_f64(), 1.0)
    }
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
            let tally = Tally {
                cells: cells.collect(),
                clusters: sizes.clone(),
                classes: sizes.clone(),
                all: MOST,
            };
            assert_eq!(tally.nmi(Average::Geometric), 1.0);
            assert_eq!(tally.nmi(Average::Arithmetic), 1.0);
            assert_eq!(tally.accuracy().unwrap(), Some(1.0));
            let fractions = [tally.purity(), tally.ari(), tally.pairwise().f(), tally.bcubed().f()];
            assert_eq!(fractions, [1.0; 4]);
        }
    }

    #[test]
    fn pairs_are_those_of_copies() {
        let mut mass = Mass::default();
        // Copies of weights 0.5; 1.25 and 1.25; 1, 1 and 1.
        for (count, weight) in [(1, 0.5), (2, 1.25), (3, 1.0)] {
            mass.add(Copies { count, weight });
        }
        let copies = [0.5, 1.25, 1.25, 1.0, 1.0, 1.0];
        let pairs = |at: usize| copies[..at].iter().map(|other| other * copies[at]).sum::<f64>();
        assert_eq!(mass.weight, 6.0);
        assert_eq!(mass.pairs, (0..6).map(pairs).sum::<f64>());
        assert_eq!(Mass { weight: 0.7, pairs: 0.0 }.pairs(), 0.0);
    }
}
