//! The linkage: the two clusters that merge first, on the way to exactly K.

use crate::support::names::named;

/// The linkage: the choice of the two clusters that are closest, and so merge first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Linkage {
    /// Neighbour linkage, or [`Linkage::Means`] where means tell clusters better: in many dimensions, where noise
    /// moves neighbours apart. Not in the paper.
    ///
    /// Means are taken if both of the following hold; `merging/choice.rs` says how it was chosen.
    /// - The ⌈log₂ N⌉-th neighbour of a sample is farther away than the mean of its cluster is, in the mean square.
    /// - Clusters by means come back more surely than those of neighbour linkage, by more than 0.05 of normalised
    ///   mutual information, each time that two overlapping parts of 4,000 samples (or 50·K) at most are clustered
    ///   by both; they are twice.
    ///
    /// The second takes a second or two, and is looked at only where the first holds. Neighbour linkage remains below
    /// 500 samples, or 40·K of them; for samples with weights or times, rules, given neighbours, or a time limit; for
    /// [`Refine::nested`](crate::Refine::nested) clusters and dendrograms; and for other metrics than Euclidean and
    /// cosine.
    #[default]
    Auto,
    /// The two clusters with the strongest links for each pair of their samples. A sample is linked to
    /// its nearest neighbours, the more strongly the more neighbours the two samples share, and hardly
    /// where the link reaches further than the samples around would make it reach in a plane. Not in
    /// the paper.
    /// The linkage has no parameter, follows clusters of any shape and is hardly disturbed by outliers.
    /// Of all linkages it is by far the best on average (`benches/linkage.md`). It is not single
    /// linkage, which is called "nearest neighbour" elsewhere.
    ///
    /// Samples i and j are linked where one is among the k nearest of the other, by
    /// |N(i) ∩ N(j)| · min(1, t·rᵢrⱼ/ℓ²)¹², N(i) being i and its k nearest (Jarvis and Patrick,
    /// *Clustering using a similarity measure based on shared near neighbors*, 1973); k is
    /// [`Linkage::neighbors`], ℓ the distance of i and j (the chord's for cosine), and rᵢ that of i and
    /// its fourth neighbour, not counting those at distance 0. t is 1.5·k/4 · min(1, 2u)², at least 1,
    /// where u is the mean of (rᵢ/sᵢ)² and sᵢ the distance of the eighth neighbour: ½ in a plane, more
    /// in data of more dimensions, and less on thin curves. In data of many dimensions all t·rᵢrⱼ are
    /// above ℓ², and distances do not matter. Weights are whole 65536ths of a shared neighbour, one at
    /// least. The similarity of two clusters is the mean of these weights over all pairs of a sample of
    /// one cluster and a sample of the other, with 0 for pairs that are not linked (average linkage).
    ///
    /// Islands do not use up the number of clusters. An island is a cluster that few links leave, for what
    /// holds it together, and it merges before two large clusters that touch each other do: with the cluster
    /// that it is linked to most, or without links with the nearest, in units of how wide that one is. So
    /// three large clusters among twenty islands are found as 3 clusters, and the islands too as 23. A cluster
    /// is an island if the links that leave it weigh, for each of its samples, less than a sixth of what the links
    /// between the two parts that it was last made of weigh, for each sample of the smaller part
    /// (`merging/by_links/islands.rs`).
    ///
    /// Clusters without any link left, of data in far pieces, merge by min(a, b)·(1 + ln(1 + d²/(v + w + ε))), the
    /// least first, for a and b samples, the distance d of the means, the mean squared distances v and w of
    /// samples to these, and a thousandth ε of that of all samples: small clusters first, and of about one size
    /// the nearest (without samples as
    /// [`Refine::run_without_samples`](crate::Refine::run_without_samples) says). Of samples with times
    /// ([`Finch::fit_timed`](crate::Finch::fit_timed)) it is centroid linkage.
    Neighbor,
    /// Ward linkage, after whose last merge samples move to the nearest mean, all at once, until none moves, twenty times
    /// at most: k-means that begins with Ward's clusters. For round clusters. Dendrograms, [`Refine::nested`]
    /// clusters, and those of samples with times or of a least or greatest size are Ward's. Not in the paper.
    ///
    /// [`Refine::nested`]: crate::Refine::nested
    Means,
    /// The two clusters with the smallest distance between means: Algorithm 2 of the paper.
    Centroid,
    /// The two clusters whose merging adds least to the squared distances of samples to the means of
    /// their clusters: the squared distance between the two means times nᵢnⱼ/(nᵢ+nⱼ). Not in the
    /// paper.
    Ward,
}

named!(
    Linkage,
    "linkage",
    Auto = "auto",
    Neighbor = "neighbor",
    Means = "means",
    Centroid = "centroid",
    Ward = "ward"
);

impl Linkage {
    /// The number of nearest neighbours of each of N samples that the linkage looks at: for neighbour
    /// linkage, and where it is a choice, b = ⌈2·log₂ N⌉, or ⌈b²/20⌉ where that is less, below 1024 samples, but at most a quarter
    /// of the samples, and at least one if there are two samples; none for other linkages.
    ///
    /// The graph of k nearest neighbours is connected only if k grows with log N (Brito et al.,
    /// *Connectivity of the mutual k-nearest-neighbor graph in clustering and outlier detection*,
    /// 1997), and results hardly change with the factor, from 1.5 to 3 (`benches/linkage.md`).
    /// Among few samples b neighbours would reach across clusters, and at last be most of the data.
    /// Below 8 samples there is one neighbour, so that clusters of the first partition have no links,
    /// and means merge them.
    ///
    /// Of neighbours that the caller brings ([`Finch::fit_neighbors`](crate::Finch::fit_neighbors)) the
    /// linkage looks at no more than there are.
    ///
    /// A cluster of fewer samples than k is linked to other clusters, however far they are: weakly, if
    /// it has five samples or more, or the others are dense. A smaller one may be torn apart or joined
    /// with others: for data with many clusters of so few samples, take one of the linkages by means.
    pub fn neighbors(self, samples: usize) -> usize {
        match self {
            Linkage::Auto | Linkage::Neighbor if samples > 1 => {
                let most = twice_the_logarithm(samples);
                // most²/20 is below most where N is below 1024.
                most.min((most * most).div_ceil(20)).min(samples / 4).max(1)
            }
            _ => 0,
        }
    }
}

/// ⌈2·log₂ N⌉ for N samples, two at least.
pub(crate) fn twice_the_logarithm(samples: usize) -> usize {
    // ⌈log₂ N²⌉ is the number of bits of N² − 1.
    let squared = (samples as u128).pow(2);
    (u128::BITS - (squared - 1).leading_zeros()) as usize
}
