//! Persistence: the share of a cluster that would stay if the similarities of merges were a little else.
//!
//! The clusters of a cut come back from other samples of the same kind as far as the order of merges does. A merge
//! of height h lies below the cut at height t with the odds (t/h)³. A cluster then loses and gains
//!
//! ```text
//! lost   = Σ over merges within the cluster: (odds of not below) · (size of the smaller side)
//! gained = Σ over the merges that it goes into: (odds of below) · (size of the other side)
//! persistence = max(0, size − lost)/(size + gained)
//! ```
//!
//! which is the Jaccard index that is to be expected of the cluster and the one that comes back. t is the geometric
//! mean of the heights of the last merge below the cut and the first above it.
//!
//! The formula and the power 3 were chosen on every second labelled set and shape, by the rank correlation with the
//! Jaccard index of clusters of 30 subsamples, and looked at once on the others (`benches/linkage.md`). The life of a cluster,
//! 1 − (height of the merge that makes it)/(height of the merge that ends it), tells about half as much: it does not
//! see where within that life the cut lies.

use super::dendrogram::{Dendrogram, Merge};
use crate::error::{Error, Result};
use crate::partition::labels::Labels;
use crate::support::memory::{caught, collected, copied, filled, gathered};

impl Dendrogram {
    /// The persistence of each cluster of [`Dendrogram::cut`], from 0 to 1: the Jaccard index that is to be expected
    /// of the cluster and the one that is found in its place among other samples of the same kind.
    ///
    /// A cluster that lies far from others, and whose parts lie near each other, has 1. It has little if it is about
    /// to merge, or to fall apart: where the next merges, or the last, are about as high as the cut. Merges that the
    /// dendrogram was not asked for do not count. Small clusters
    /// are less stable than their persistence tells.
    ///
    /// ```
    /// use finch_core::{Finch, Linkage, Refine, Run, Samples};
    /// use ndarray::array;
    ///
    /// let points = array![[0.0], [1.0], [10.0], [11.0], [30.0], [31.0]];
    /// let samples = Samples::new(points.view())?;
    /// let hierarchy = Finch::new().fit(&samples)?;
    /// let dendrogram = Refine::new(1).linkage(Linkage::Ward).dendrogram(&samples, &hierarchy, &mut Run::new())?;
    /// let [three, two] = [3, 2].map(|clusters| dendrogram.persistence(clusters));
    /// assert!(three?[2] > 0.99); // the pair far away
    /// assert!(two?[0] < 0.99); // two pairs, which fall apart sooner
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Dendrogram::cut`].
    pub fn persistence(&self, clusters: usize) -> Result<Vec<f64>> {
        let merges = self.merges_to(clusters)?;
        caught(|| Ok(collected(self.of_cut(merges).iter().map(|cluster| cluster.persistence))))
    }

    /// The mean of [`Dendrogram::persistence`], weighted by the sizes of clusters: that of the whole cut.
    ///
    /// # Errors
    /// The errors of [`Dendrogram::cut`].
    pub fn mean_persistence(&self, clusters: usize) -> Result<f64> {
        let merges = self.merges_to(clusters)?;
        caught(|| {
            let clusters = self.of_cut(merges);
            let sum: f64 = clusters.iter().map(|cluster| cluster.size * cluster.persistence).sum();
            Ok(sum / self.sizes().iter().sum::<f64>())
        })
    }

    /// The persistence of each of C clusters that come from the cut into C, such as those after the moves of
    /// [`Refine`](crate::Refine): of the clusters of the cut each has that of the one with which it shares the most
    /// samples, as by [`Labels::named_after`]; 0 if none is left for it. Samples may be noise.
    ///
    /// # Errors
    /// [`Error::SampleCount`] for another number of samples, and the errors of [`Dendrogram::cut`].
    pub fn persistence_of(&self, labels: &Labels) -> Result<Vec<f64>> {
        let (expected, found) = (self.start().samples(), labels.samples());
        if expected != found {
            return Err(Error::SampleCount { expected, found });
        }
        let cut = self.cut(labels.clusters())?;
        let persistence = self.persistence(labels.clusters())?;
        let names = labels.named_after(&cut.into())?.names;
        let value = |name: u32| persistence.get(name as usize).copied().unwrap_or(0.0);
        caught(|| Ok(collected(names.into_iter().map(value))))
    }

    /// The clusters that are left after so many merges, in their order.
    fn of_cut(&self, merges: usize) -> Vec<Persistent> {
        let (below, above) = self.merges().split_at(merges);
        let height = |merge: &Merge| merge.height;
        let cut = Cut::between(below.last().map(height), above.first().map(height));
        let mut sizes = copied(self.sizes());
        let mut lost = filled(0.0, sizes.len());
        let mut is_used = filled(true, sizes.len());
        for merge in below {
            let [a, b] = merge.clusters.map(|cluster| cluster as usize);
            lost[a] += lost[b] + (1.0 - cut.below(merge.height)) * f64::min(sizes[a], sizes[b]);
            sizes[a] += sizes[b];
            is_used[b] = false;
        }
        let of_cut = copied(&sizes);
        // Sizes of both sides of each merge above, and then from the top down the gain of what is on each side.
        let sides = collected(above.iter().map(|merge| {
            let [a, b] = merge.clusters.map(|cluster| cluster as usize);
            let sides = [sizes[a], sizes[b]];
            sizes[a] += sizes[b];
            sides
        }));
        let mut gained = filled(0.0, sizes.len());
        for (merge, [of_a, of_b]) in above.iter().zip(sides).rev() {
            let [a, b] = merge.clusters.map(|cluster| cluster as usize);
            let below = cut.below(merge.height);
            gained[b] = gained[a] + below * of_a;
            gained[a] += below * of_b;
        }
        let cluster = |slot: usize| {
            let (size, gained) = (of_cut[slot], gained[slot]);
            Persistent { size, persistence: f64::max(0.0, size - lost[slot]) / (size + gained) }
        };
        // The n-th cluster of a cut has the n-th smallest of the numbers that are still in use.
        gathered((0..of_cut.len()).filter(|&slot| is_used[slot]).map(cluster))
    }
}

/// A cluster of a cut.
struct Persistent {
    size: f64,
    persistence: f64,
}

/// The place of a cut among heights.
enum Cut {
    /// At this height.
    At(f64),
    /// Above this height, with nothing between it and what lies beyond: between equal samples and others, or between
    /// what links join and what none does.
    Above(f64),
    /// In a dendrogram without merges.
    Anywhere,
}

impl Cut {
    /// A cut between the last merge below it and the first above it.
    fn between(last: Option<f64>, next: Option<f64>) -> Self {
        match (last, next) {
            (Some(last), Some(next)) => match last.sqrt() * next.sqrt() {
                0.0 | f64::INFINITY if last < next => Self::Above(last),
                mean => Self::At(mean),
            },
            (Some(one), None) | (None, Some(one)) => Self::At(one),
            (None, None) => Self::Anywhere,
        }
    }

    /// The odds that a merge of this height lies below the cut, of 1.
    fn below(&self, height: f64) -> f64 {
        match *self {
            Self::At(cut) if height == cut => 0.5,
            Self::At(cut) => {
                let ratio = height / cut;
                1.0 / (1.0 + ratio * ratio * ratio)
            }
            Self::Above(last) => f64::from(u8::from(height <= last)),
            Self::Anywhere => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::Partition;
    use crate::samples::weights::Weights;

    fn merges(merges: &[([u32; 2], f64)]) -> Vec<Merge> {
        merges.iter().map(|&(clusters, height)| Merge { clusters, height }).collect()
    }

    /// The definition, by the members of every cluster.
    fn defined(dendrogram: &Dendrogram, weights: &[f64], clusters: usize) -> Vec<f64> {
        let all = dendrogram.merges();
        let count = dendrogram.start().clusters();
        let below = count - clusters;
        let [last, next] = [below.checked_sub(1), Some(below)].map(|at| Some(all.get(at?)?.height));
        let t = match (last, next) {
            (Some(last), Some(next)) => (last * next).sqrt(),
            (one, other) => one.or(other).unwrap(),
        };
        let odds = |height: f64| t.powi(3) / (t.powi(3) + height.powi(3));
        let size = |labels: &[u32], label: u32| -> f64 {
            (0..labels.len()).filter(|&i| labels[i] == label).map(|i| weights[i]).sum()
        };
        let cut = dendrogram.cut(clusters).unwrap();
        let mut values: Vec<f64> = Vec::new();
        for cluster in 0..clusters as u32 {
            let first = cut.labels().iter().position(|&label| label == cluster).unwrap();
            let own = size(cut.labels(), cluster);
            let (mut lost, mut gained) = (0.0, 0.0);
            for (at, merge) in all.iter().enumerate() {
                let before = dendrogram.cut(count - at).unwrap();
                let after = dendrogram.cut(count - at - 1).unwrap();
                let start =
                    |c: u32| dendrogram.start().labels().iter().position(|&l| l == c).unwrap();
                let [a, b] = merge.clusters.map(|c| before.labels()[start(c)]);
                let (of_merge, is_below) = (start(merge.clusters[0]), at < below);
                let is_within = match is_below {
                    true => cut.labels()[of_merge] == cluster,
                    false => after.labels()[of_merge] == after.labels()[first],
                };
                if !is_within {
                    continue;
                }
                let sides = [a, b].map(|side| size(before.labels(), side));
                if is_below {
                    lost += (1.0 - odds(merge.height)) * sides[0].min(sides[1]);
                } else {
                    let other = if before.labels()[first] == a { sides[1] } else { sides[0] };
                    gained += odds(merge.height) * other;
                }
            }
            values.push((own - lost).max(0.0) / (own + gained));
        }
        values
    }

    #[test]
    fn persistence_is_as_defined() {
        let start = Partition::new(&[0, 1, 2, 2, 3, 4, 5, 5, 5]).unwrap();
        let made =
            merges(&[([3, 4], 0.3), ([0, 2], 0.5), ([1, 5], 0.8), ([0, 3], 2.0), ([0, 1], 2.5)]);
        for weights in [vec![1.0; 9], vec![2.0, 1.0, 0.5, 3.0, 1.0, 4.0, 1.0, 2.0, 0.25]] {
            let checked = Weights::new(&weights, 9).unwrap();
            let dendrogram = Dendrogram::new(&start, Some(&checked), made.clone());
            for clusters in 1..=6 {
                let found = dendrogram.persistence(clusters).unwrap();
                let expected = defined(&dendrogram, &weights, clusters);
                let close = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12);
                assert!(close && found.len() == clusters, "{clusters}: {found:?} and {expected:?}");
                let cut = dendrogram.cut(clusters).unwrap();
                let sizes = crate::partition::means::cluster_sizes(&cut, Some(&checked));
                let sum: f64 = sizes.iter().zip(&found).map(|(size, value)| size * value).sum();
                let mean = dendrogram.mean_persistence(clusters).unwrap();
                assert!((mean - sum / weights.iter().sum::<f64>()).abs() < 1e-12);
            }
            assert!(matches!(dendrogram.persistence(7), Err(Error::NoSuchCut { .. })));
        }
    }

    /// Pieces without a link between them are certain, but not how they are joined; nor is the order of equal merges.
    #[test]
    fn heights_at_the_ends() {
        let start = Partition::new(&[0, 1, 2, 3]).unwrap();
        let inf = f64::INFINITY;
        let of = |heights: [f64; 3], clusters| {
            let [a, b, c] = heights;
            let made = merges(&[([0, 1], a), ([2, 3], b), ([0, 2], c)]);
            Dendrogram::new(&start, None, made).persistence(clusters).unwrap()
        };
        assert_eq!(of([1.0, 1.0, inf], 2), [1.0, 1.0]);
        assert_eq!(of([1.0, inf, inf], 2), [2.0 / 3.0, 0.5]); // both gain 1, and one loses 1/2
        assert_eq!(of([0.0, 0.0, 1.0], 2), [1.0, 1.0]);
        assert_eq!(of([0.0, 0.0, 0.0], 2), [0.5, 0.5]);
        assert_eq!(of([1.0, 1.0, 1.0], 1), [0.5]);
        let alone = Dendrogram::new(&start, None, Vec::new());
        assert_eq!(alone.persistence(4).unwrap(), [1.0; 4]);
    }

    #[test]
    fn moved_clusters_and_noise_have_that_of_the_cut() {
        let start = Partition::new(&[0, 0, 0, 1, 1, 2, 2, 2]).unwrap();
        let dendrogram = Dendrogram::new(&start, None, merges(&[([1, 2], 1.0), ([0, 1], 3.0)]));
        let [a, b] = dendrogram.persistence(2).unwrap().try_into().unwrap();
        assert!(a != b);
        let moved = Labels::new(&[1, 0, 0, 1, 1, 1, -1, 1].map(|l| (l >= 0).then_some(l))).unwrap();
        assert_eq!(dendrogram.persistence_of(&moved).unwrap(), [b, a]);
        let short = Labels::new(&[Some(0), Some(1)]).unwrap();
        assert!(matches!(dendrogram.persistence_of(&short), Err(Error::SampleCount { .. })));
    }
}
