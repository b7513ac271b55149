//! The partition, and the number of clusters, to take if the caller names none.

use super::by_links::places::{Places, zero_rows};
use super::by_links::{Linked, merge_by_links};
use super::rules::Rules;
use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::dendrogram::Dendrogram;
use crate::partition::Partition;
use crate::partition::means::cluster_sizes;
use crate::run::Run;
use crate::samples::AnySamples;
use crate::samples::weights::Weights;
use crate::score::Contingency;
use crate::support::memory::{collected, copied, filled, gathered};

/// The recommendation of a number of clusters, and these clusters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The recommended clustering: K clusters by neighbour linkage, after moves, as
    /// [`Refine`](crate::Refine) by [`Linkage::Neighbor`](crate::Linkage::Neighbor) has them. By
    /// [`Linkage::Auto`](crate::Linkage::Auto), its default, it may take means, and have others for the same K.
    pub cut: Partition,
    /// The numbers of clusters that fit best, at most three: K, and then those of the highest scores that are
    /// more than 1.5 times as large or as small as each before, and not 0.
    pub best: Vec<usize>,
    /// The numbers of clusters that fit almost as well as K, at most three, the best first: those with
    /// [`Suggestion::RIVAL`] of the score of K or more that are more than 1.2 times as large or as small as K and as
    /// each before. Where there are none, a few other samples hardly change K.
    pub rivals: Vec<usize>,
    /// The persistence of each of the cuts of `best`: the mean over its clusters ([`Dendrogram::mean_persistence`]).
    pub persistence_of_best: Vec<f64>,
    /// The number of the hierarchy's partition that agrees best with the cut, for callers who want
    /// a partition of FINCH itself: on most data it is further from the truth than the cut.
    pub partition: usize,
    /// The dendrogram that was cut: the finest partition merged to one cluster by neighbour
    /// linkage. Its cuts are nested: no sample has moved.
    pub dendrogram: Dendrogram,
    /// The score of each number of clusters that was considered, from 2 on: that of K is at K − 2.
    /// Empty if the finest partition has fewer than 3 clusters. The scores did not decide where K is the
    /// number of pieces without links between them, and beyond all that was considered.
    pub scores: Vec<f64>,
    /// The mixing of clusters at their borders, from 0 to 1: small if there are clusters at all.
    ///
    /// Samples are linked where one is among the k nearest of the other, k as in neighbour linkage. The
    /// mixing of a cluster is the share that links to other clusters have of all links of the samples at
    /// its border, which are those with such links; 0 if there are none. A cluster tells something if it
    /// has 5 % of the samples at least, and 8, and as many are beside it. The dendrogram is cut into the
    /// fewest clusters of which one tells something, and into up to 6 more, and the least mixing of one
    /// that does counts; 1 if none does.
    ///
    /// Where more than a tenth of the samples are repeated, equal samples are one place. Places are linked
    /// to the k nearest places, and a link counts with the product of the weights of its two places.
    pub mixing: f64,
    /// The verdict on clusters: yes, no, or too few samples to tell.
    pub clustered: Clustered,
}

/// The verdict on clusters: yes; no, since the data is one cluster or noise; or too few samples to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clustered {
    /// Clusters are mixed as the parts of a single Gaussian are, of uniform noise or of a line.
    No,
    /// The border of some large cluster is nearly free of links to other clusters.
    Yes,
    /// Too few samples, or too few that differ, to tell.
    TooFew,
}

impl Clustered {
    /// Every answer.
    pub const ALL: &'static [Self] = &[Self::No, Self::Yes, Self::TooFew];

    /// The answer in words: `no`, `yes`, `too few to tell`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Yes => "yes",
            Self::TooFew => "too few to tell",
        }
    }
}

impl Suggestion {
    /// The mixing below which data is said to have clusters.
    ///
    /// Chosen on one half of 2,000 draws (`benches/linkage.md`): Gaussians, uniform noise and noisy lines
    /// in 2 to 30 features against clusters that are 6 deviations apart.
    pub const MOST_MIXING: f64 = 0.114;

    /// The mixing below which data of repeated samples is said to have clusters; from there to
    /// [`Suggestion::MOST_MIXING`] it does not tell.
    ///
    /// Chosen on draws of rounded noise against rounded clusters, and looked at once on others
    /// (`benches/run.py has-clusters-repeated`, `benches/linkage.md`).
    pub const MOST_MIXING_OF_PLACES: f64 = 0.05;

    /// The share of the highest score from which another number of clusters is a rival.
    ///
    /// Chosen on one half of 48 sets, of which 99 % of the rows were clustered ten times: without a rival K stayed
    /// within a factor of 1.2 in 99 % of the draws of that half and in all of the other, with one in 59 and 68 %
    /// (`benches/run.py suggest-stability`, `benches/linkage.md`).
    pub const RIVAL: f64 = 0.88;

    /// True if another number of clusters fits almost as well as K.
    pub fn is_ambiguous(&self) -> bool {
        !self.rivals.is_empty()
    }

    /// The rivals of K in a sentence: "3 and 11 clusters fit almost as well: with a few samples more or fewer one of
    /// these numbers might be suggested". `None` if there are none.
    pub fn ambiguity(&self) -> Option<String> {
        let (last, others) = self.rivals.split_last()?;
        let others: Vec<String> = others.iter().map(usize::to_string).collect();
        Some(match &others[..] {
            [] => format!(
                "{last} clusters fit almost as well: {UNSURE} this number might be suggested"
            ),
            _ => format!(
                "{} and {last} clusters fit almost as well: {UNSURE} one of these numbers might be suggested",
                others.join(", ")
            ),
        })
    }

    /// The persistence of each of the K clusters ([`Dendrogram::persistence_of`]): found when it is asked for, since
    /// it takes one more look at all samples.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn persistence(&self) -> Result<Vec<f64>> {
        self.dendrogram.persistence_of(&(&self.cut).into())
    }

    /// True if the data has clusters at all, and is not one cluster or noise; `None` if the samples are too
    /// few to tell.
    pub fn has_clusters(&self) -> Option<bool> {
        match self.clustered {
            Clustered::Yes => Some(true),
            Clustered::No => Some(false),
            Clustered::TooFew => None,
        }
    }
}

impl Hierarchy {
    /// Recommends a number of clusters K and a partition, without labels, for the N samples
    /// (× d features) that the hierarchy was made from.
    ///
    /// The suggestion is the cut of neighbour linkage at which the similarity of the merging clusters drops
    /// most, weighted by modularity: the links within clusters, beyond those that chance gives. Samples then move,
    /// as by [`Refine`](crate::Refine).
    ///
    /// K = argmax Q(K) · (mean of ln s over the merges K + 1 … 3K/2, less that over 2K/3 … K),
    ///
    /// where merge K is the one before which K clusters are left, s is the similarity of its two
    /// clusters, merge K has the weight 1/K in a mean (so that means are even in ln K), and Q is the
    /// modularity (Newman and Girvan, *Finding and evaluating community structure in networks*,
    /// 2004) of the graph of shared neighbours, at least 0. K goes from 2 to half the clusters of
    /// the finest partition; if there are more pieces than that without links between them, K is
    /// the number of pieces. Of the criteria that were compared, silhouette,
    /// Calinski–Harabasz and stability among them, this one had the smallest loss on average
    /// (`benches/linkage.md`). The criterion always recommends something;
    /// [`Suggestion::clustered`] tells data without clusters from data with clusters. Nor does it see
    /// clusters of fewer than five samples (see [`Linkage::neighbors`](crate::Linkage::neighbors)).
    ///
    /// ```
    /// use finch_core::{Finch, Samples};
    /// use ndarray::Array2;
    ///
    /// // Four far clouds of 50 samples.
    /// let clouds = Array2::from_shape_fn((200, 2), |(row, column)| {
    ///     (row / 50) as f64 * 20.0 + ((row * 7 + column * 3) as f64).sin()
    /// });
    /// let samples = Samples::new(clouds.view())?;
    /// let hierarchy = Finch::new().fit(&samples)?;
    /// let suggestion = hierarchy.suggest(&samples)?;
    /// assert_eq!(suggestion.cut.clusters(), 4);
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// A suggestion takes as long as [`Refine`](crate::Refine) to one cluster by neighbour linkage:
    /// a small part of the clustering, if the hierarchy has kept the neighbours
    /// ([`Finch::refinable`](crate::Finch::refinable)).
    ///
    /// # Errors
    /// [`Error::SampleCount`](crate::Error::SampleCount),
    /// [`Error::FeatureCount`](crate::Error::FeatureCount): the hierarchy was made from another
    /// number of samples, or of features. [`Error::InvalidTimes`](crate::Error::InvalidTimes): it was made
    /// with times. [`Error::Threads`](crate::Error::Threads),
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn suggest<'s>(&self, samples: impl Into<AnySamples<'s>>) -> Result<Suggestion> {
        self.suggest_with(samples, &mut Run::new())
    }

    /// [`Hierarchy::suggest`] in a [`Run`], which has the threads and the callback.
    ///
    /// # Errors
    /// The errors of [`Hierarchy::suggest`], and [`Error::Cancelled`](crate::Error::Cancelled) if the
    /// callback stopped it.
    pub fn suggest_with<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        run: &mut Run<'_>,
    ) -> Result<Suggestion> {
        let samples = samples.into();
        self.expect_samples(samples)?;
        self.suggest_beside(Some(samples), run)
    }

    /// [`Hierarchy::suggest_with`] for a hierarchy that was made without samples, by the neighbours
    /// that it keeps.
    ///
    /// # Errors
    /// [`Error::NeedsSamples`](crate::Error::NeedsSamples) if the hierarchy was made from samples;
    /// [`Error::Threads`](crate::Error::Threads), [`Error::OutOfMemory`](crate::Error::OutOfMemory),
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn suggest_without_samples(&self, run: &mut Run<'_>) -> Result<Suggestion> {
        self.expect_none()?;
        self.suggest_beside(None, run)
    }

    fn suggest_beside(
        &self,
        samples: Option<AnySamples<'_>>,
        run: &mut Run<'_>,
    ) -> Result<Suggestion> {
        self.expect_untimed("a suggestion")?;
        run.operate(self.samples(), |run| {
            let to_move = |linked: &Linked| {
                let cuts = Cuts::of(linked);
                linked.dendrogram.cut(cuts.best(&cuts.scores()))
            };
            let (finest, rules) = (self.finest(), Rules::default());
            let mut linked = merge_by_links(samples, self, finest, 1, rules, Some(&to_move), run)?;
            let scores = Cuts::of(&linked).scores();
            let cut = linked.moved.take().expect("a cut was given, and has moved");
            let best = best_apart(cut.clusters(), &scores);
            let rivals = rivals(cut.clusters(), &scores);
            let partition = closest(self, &cut)?;
            let weights = self.checked_weights();
            let zero_rows = run
                .install(|| zero_rows(samples.as_ref().map(AnySamples::reborrow), self.metric()))?;
            let places =
                Places::of_repeated(self.first_neighbors(), weights, self.samples(), &zero_rows);
            let far = has_far_pieces(linked.by_links(), weights, linked.one)?;
            let Linked { dendrogram, mut mixing, .. } = linked;
            let (yes, far) = match &places {
                None => (Suggestion::MOST_MIXING, far),
                // Repeated samples are pieces, however near they are to others.
                Some(places) => {
                    mixing = places.mixing(samples, self, run)?;
                    (Suggestion::MOST_MIXING_OF_PLACES, false)
                }
            };
            let clustered = match mixing {
                _ if mixing < yes => Clustered::Yes,
                Suggestion::MOST_MIXING..1.0 if !far => Clustered::No,
                _ => Clustered::TooFew,
            };
            let persistence_of_best =
                best.iter().map(|&clusters| dendrogram.mean_persistence(clusters));
            Ok(Suggestion {
                persistence_of_best: persistence_of_best.collect::<Result<_>>()?,
                cut,
                best,
                rivals,
                partition,
                dendrogram,
                scores,
                mixing,
                clustered,
            })
        })
    }
}

/// The least share of all samples in pieces beside the largest one that keeps from saying that there are no
/// clusters, and the fewest samples.
const FAR: (f64, f64) = (0.05, 3.0);

/// True if there are pieces without links between them that are more than a few outliers, though too
/// small to tell by their borders.
fn has_far_pieces(dendrogram: &Dendrogram, weights: Option<&Weights>, one: f64) -> Result<bool> {
    let pieces = 1 + dendrogram.merges().iter().filter(|merge| merge.height.is_infinite()).count();
    if pieces == 1 {
        return Ok(false);
    }
    let sizes = cluster_sizes(&dendrogram.cut(pieces)?, weights);
    let all: f64 = sizes.iter().sum();
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    // `one` is the square of the weight of a sample.
    Ok(all - largest >= f64::max(FAR.0 * all, FAR.1 * one.sqrt()))
}

/// The number of the partition that agrees best with a cut, by adjusted Rand index; of equally good
/// ones the coarsest.
fn closest(hierarchy: &Hierarchy, cut: &Partition) -> Result<usize> {
    let mut closest = (f64::NEG_INFINITY, 0);
    for (number, partition) in hierarchy.partitions().iter().enumerate() {
        let (labels, cut) = (partition.labels(), cut.labels());
        let agreement = Contingency::counted(labels, cut, hierarchy.checked_weights())?.ari();
        if agreement >= closest.0 {
            closest = (agreement, number);
        }
    }
    Ok(closest.1)
}

/// The most numbers of clusters that are recommended.
const MOST_BEST: usize = 3;

/// The ratio beyond which two numbers of clusters are different recommendations.
const APART: f64 = 1.5;

/// The doubt where K has a rival.
const UNSURE: &str = "with a few samples more or fewer";

/// The most rivals of the number that is recommended.
const MOST_RIVALS: usize = 3;

/// The ratio within which two numbers of clusters are about the same.
const ABOUT: f64 = 1.2;

/// The number of clusters that is recommended, and those of the highest scores that are far from each before.
fn best_apart(clusters: usize, scores: &[f64]) -> Vec<usize> {
    apart(clusters, scores, APART, MOST_BEST, |score| score > 0.0)
}

/// The numbers of clusters whose scores come near that of the number that is recommended; none if no score decided.
fn rivals(clusters: usize, scores: &[f64]) -> Vec<usize> {
    let highest = clusters.checked_sub(2).and_then(|at| scores.get(at));
    let Some(&highest) = highest.filter(|&&highest| highest > 0.0) else {
        return Vec::new();
    };
    let is_near = |score| score >= Suggestion::RIVAL * highest;
    apart(clusters, scores, ABOUT, 1 + MOST_RIVALS, is_near).split_off(1)
}

/// A number of clusters, and those of the highest scores that are far from each before by this ratio: so many at most,
/// of scores that may be.
fn apart(
    clusters: usize,
    scores: &[f64],
    ratio: f64,
    most: usize,
    may_be: impl Fn(f64) -> bool,
) -> Vec<usize> {
    let mut ranked = gathered((2..).zip(scores.iter().copied()));
    ranked.sort_by(|a: &(usize, f64), b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut found = vec![clusters];
    for (k, _) in ranked.into_iter().filter(|&(_, score)| may_be(score)) {
        let is_apart = |&other: &usize| k.max(other) as f64 > ratio * k.min(other) as f64;
        if found.len() < most && found.iter().all(is_apart) {
            found.push(k);
        }
    }
    found
}

/// Figures of the cuts of a dendrogram from C clusters to 1.
struct Cuts {
    /// The similarity of the two clusters that merge where K are left, its logarithm, made never
    /// falling in K; of that over K, at K, the sum from 2 to K.
    similarity: Vec<f64>,
    /// The sum of 1/K from 2 to K, at K.
    weights: Vec<f64>,
    /// The modularity of K clusters, at K: from 1 to C.
    modularity: Vec<f64>,
    /// The number of pieces that no links connect.
    pieces: usize,
}

impl Cuts {
    fn of(linked: &Linked) -> Self {
        let (start, merges) = (linked.by_links().start(), linked.by_links().merges());
        let clusters = start.clusters();
        let [mut sizes, mut volumes] = [&linked.sizes, &linked.volumes].map(|of| copied(of));
        let total = match volumes.iter().sum::<f64>() {
            // Where nothing is linked, at all.
            0.0 => 1.0,
            total => total,
        };
        let within: f64 = linked.within.iter().map(|within| 2.0 * within).sum();
        let by_chance = volumes.iter().map(|volume| volume * volume).sum::<f64>() / total;

        let mut similarity = filled(0.0, clusters + 1);
        let mut modularity = filled((within - by_chance) / total, clusters + 1);
        for (merge, k) in merges.iter().zip((2..=clusters).rev()) {
            let [a, b] = merge.clusters.map(|cluster| cluster as usize);
            let pairs = sizes[a] * sizes[b];
            // The weight of the links between the two clusters; 0 where the height is infinite. Less
            // than one shared neighbour counts as one.
            let weight = pairs / merge.height;
            similarity[k] = (weight.max(linked.one) / pairs).ln();
            let gain = weight - volumes[a] * volumes[b] / total;
            modularity[k - 1] = modularity[k] + 2.0 * gain / total;
            sizes[a] += sizes[b];
            volumes[a] += volumes[b];
        }
        let mut largest = f64::NEG_INFINITY;
        for k in 2..=clusters {
            largest = largest.max(similarity[k]);
            similarity[k] = similarity[k - 1] + largest / k as f64;
        }
        let pieces = 1 + merges.iter().filter(|merge| merge.height.is_infinite()).count();
        Self { similarity, weights: harmonic(clusters), modularity, pieces }
    }

    /// The score of K clusters at K − 2, for K from 2 to half of all; none for fewer than 3.
    fn scores(&self) -> Vec<f64> {
        let clusters = self.similarity.len() - 1;
        let score = |k: usize| {
            let finer = self.mean(k + 1, usize::min(clusters, usize::max(k + 1, 3 * k / 2)));
            let coarser = self.mean(usize::max(2, (2 * k).div_ceil(3)), k);
            self.modularity[k].max(0.0) * (finer - coarser)
        };
        match clusters {
            ..3 => Vec::new(),
            // Beyond half, windows would reach beyond the dendrogram.
            _ => collected((2..usize::max(3, clusters / 2 + 1)).map(score)),
        }
    }

    /// The number of clusters with the highest score, the smallest of equals.
    fn best(&self, scores: &[f64]) -> usize {
        let most = scores.len() + 1;
        match scores.len() {
            0 => return self.similarity.len() - 1,
            _ if self.pieces > most => return self.pieces,
            _ => {}
        }
        // Equal scores may differ by rounding, and logarithms by machine.
        let better = |best: (usize, f64), (k, score): (usize, f64)| {
            if score > best.1 + 1e-9 { (k, score) } else { best }
        };
        let scores = (2..).zip(scores.iter().copied());
        scores.reduce(better).expect("there is at least K = 2").0
    }

    /// The mean similarity of the merges where `first` to `last` clusters are left, each weighted
    /// by one over their number: even in ln K, as are the windows. An even mean over K loses more.
    fn mean(&self, first: usize, last: usize) -> f64 {
        let over = |sums: &[f64]| sums[last] - sums[first - 1];
        over(&self.similarity) / over(&self.weights)
    }
}

/// The sums of 1/K from 2 to K, for each K up to `clusters`.
fn harmonic(clusters: usize) -> Vec<f64> {
    let mut sums = filled(0.0, clusters + 1);
    for k in 2..=clusters {
        sums[k] = sums[k - 1] + 1.0 / k as f64;
    }
    sums
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::merging::by_links::local_scale::{UNIT, weights_by_definition};
    use crate::samples::Samples;
    use crate::{Finch, Linkage, Metric};

    fn linked(matrix: &Array2<f64>) -> Linked {
        let samples = Samples::new(matrix.view()).unwrap();
        let hierarchy = Finch::new().fit(&samples).unwrap();
        let (start, rules, run) = (hierarchy.finest(), Rules::default(), &mut Run::new());
        merge_by_links(Some(samples.any()), &hierarchy, start, 1, rules, None, run).unwrap()
    }

    /// The modularity by its definition, from all pairs of samples.
    #[test]
    fn modularity_is_as_defined() {
        let matrix = Array2::from_shape_fn((90, 2), |(row, column)| {
            (row % 4) as f64 * 6.0 + ((row * 31 + column * 17) as f64).sin() * 3.0
        });
        let linked = linked(&matrix);
        let samples = Samples::new(matrix.view()).unwrap();
        let k = Linkage::Neighbor.neighbors(90);
        let neighbors = Finch::new().nearest_neighbors(&samples, k, &mut Run::new()).unwrap();
        let weights = weights_by_definition(&neighbors, Metric::Euclidean);
        let weights = weights.mapv(|weight| weight as f64 / UNIT as f64);
        let (degrees, total) = (weights.rows().into_iter().map(|row| row.sum()), weights.sum());
        let degrees: Vec<f64> = degrees.collect();
        let cuts = Cuts::of(&linked);
        for clusters in 1..=linked.dendrogram.start().clusters() {
            let cut = linked.dendrogram.cut(clusters).unwrap();
            let pairs = (0..90).flat_map(|i| (0..90).map(move |j| (i, j)));
            let defined: f64 = pairs
                .filter(|&(i, j)| cut.labels()[i] == cut.labels()[j])
                .map(|(i, j)| (weights[(i, j)] - degrees[i] * degrees[j] / total) / total)
                .sum();
            let found = cuts.modularity[clusters];
            assert!((found - defined).abs() < 1e-12, "{clusters}: {found} and {defined}");
        }
    }

    #[test]
    fn the_smallest_dendrograms() {
        let cuts = |similarity: &[f64], pieces| Cuts {
            similarity: similarity.to_vec(),
            weights: harmonic(similarity.len() - 1),
            modularity: vec![0.5; similarity.len()],
            pieces,
        };
        let best = |cuts: Cuts| cuts.best(&cuts.scores());
        assert_eq!(best(cuts(&[0.0, 0.0], 1)), 1);
        assert_eq!(best(cuts(&[0.0, 0.0, -1.0], 1)), 2);
        assert_eq!(best(cuts(&[0.0, 0.0, -1.0, -2.0], 1)), 2);
        assert_eq!(best(cuts(&[0.0, 0.0, -1.0, -2.0], 3)), 3);
        // Where nothing drops, all scores are 0, but for rounding: the smallest.
        let even: Vec<f64> = harmonic(20).iter().map(|sum| -0.7 * sum).collect();
        assert_eq!(best(cuts(&even, 1)), 2);
        // A drop between the merges of 5 and of 6 clusters.
        let heights = (0..=20).map(|k| if k < 6 { -3.0 } else { -1.0 } / f64::from(k.max(1)));
        let sums: Vec<f64> = heights
            .enumerate()
            .scan(0.0, |sum, (k, height)| {
                *sum += if k < 2 { 0.0 } else { height };
                Some(*sum)
            })
            .collect();
        assert_eq!(best(cuts(&sums, 1)), 5);
    }

    /// Rivals have nearly the highest score, and are far from K and from each other, but need not be as far as the best.
    #[test]
    fn rivals_are_far_and_nearly_as_good() {
        let scores = |of: &[(usize, f64)]| {
            let mut scores = vec![0.0; 30];
            of.iter().for_each(|&(k, score)| scores[k - 2] = score);
            scores
        };
        let near = scores(&[(10, 1.0), (12, 0.99), (9, 0.98), (4, 0.87)]);
        assert!(rivals(10, &near).is_empty());
        let far = scores(&[(10, 1.0), (13, 0.9), (14, 0.89), (4, 0.88), (25, 0.95), (2, 0.5)]);
        assert_eq!(rivals(10, &far), [25, 13, 4]);
        assert_eq!(best_apart(10, &far), [10, 25, 4]);
        // No score decided: without any, of data in many pieces, or where none is above 0.
        assert!(rivals(2, &[]).is_empty());
        assert!(rivals(40, &far).is_empty());
        assert!(rivals(2, &[0.0; 5]).is_empty());
    }
}
