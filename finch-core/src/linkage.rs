//! Which two clusters merge first, on the way to exactly K.

use crate::names::named;

/// Which two clusters are closest, and so merge first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Linkage {
    /// The two with the strongest links for each pair of their samples: a sample is linked to its
    /// nearest neighbours, the more strongly the more neighbours the two share. Not in the paper.
    /// It has no parameter, follows clusters of any shape and is hardly disturbed by outliers: of
    /// the three by far the best on average (see the README). (Not single linkage, which goes by
    /// "nearest neighbour" elsewhere.)
    ///
    /// Samples i and j are linked where one is among the k nearest of the other, by |N(i) ∩ N(j)|,
    /// N(i) being i and its k nearest (Jarvis and Patrick, *Clustering using a similarity measure
    /// based on shared near neighbors*, 1973); k is [`Linkage::neighbors`]. The similarity of two
    /// clusters is the mean of that over all pairs of a sample here and one there, 0 for those that
    /// are not linked (average linkage). Clusters without any link left, of data in far pieces,
    /// merge as by Ward linkage.
    #[default]
    Neighbor,
    /// The two with the smallest distance between means: Algorithm 2 of the paper.
    Centroid,
    /// The two whose merging adds least to the squared distances of samples to their means:
    /// the squared distance between means, times nᵢnⱼ/(nᵢ+nⱼ). Not in the paper.
    Ward,
}

named!(Linkage, "linkage", Neighbor = "neighbor", Centroid = "centroid", Ward = "ward");

impl Linkage {
    /// How many nearest neighbours of each of N samples the linkage looks at: ⌈2·log₂ N⌉ for
    /// neighbour linkage, but at most a quarter of the samples, and one at least if there are two;
    /// none for the others.
    ///
    /// The graph of k nearest neighbours is connected only if k grows with log N (Brito et al.,
    /// *Connectivity of the mutual k-nearest-neighbor graph in clustering and outlier detection*,
    /// 1997), and results hardly change with the factor, from 1.5 to 3 (`benches/linkage.py`).
    /// Among fewer than 48 samples so many would be neighbours of everything. With one neighbour,
    /// below 8 samples, clusters of the first partition have no links: what remains is Ward
    /// linkage.
    ///
    /// Clusters of fewer samples than that are linked to others, however far those are, and may be
    /// torn or joined with them: for many such clusters take one of the linkages by means.
    pub fn neighbors(self, samples: usize) -> usize {
        match self {
            Linkage::Neighbor if samples > 1 => {
                // ⌈log₂ N²⌉ is the number of bits of N² − 1.
                let squared = (samples as u128).pow(2);
                let bits = u128::BITS - (squared - 1).leading_zeros();
                (bits as usize).min(samples / 4).max(1)
            }
            Linkage::Neighbor | Linkage::Centroid | Linkage::Ward => 0,
        }
    }
}
