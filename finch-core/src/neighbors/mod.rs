//! First neighbours: for each sample, the nearest other one; and the k nearest.
//!
//! κᵢ = argmin over j ≠ i of dist(xᵢ, xⱼ), and **equal distances go to the smallest j**. Every
//! search here is exact and gives the same answer bit for bit (see `metric.rs`). There is one code
//! for both: a search for first neighbours is one for the k nearest with k = 1.

mod arrangement;
mod block;
mod blocked;
mod bounds;
mod brute;
mod coordinates;
mod estimate;
mod frame;
mod kd_tree;
mod nearest;
mod orthogonal;
mod product;
mod projected;
mod table;

pub(crate) use nearest::update;
pub use nearest::{Nearest, Shard};
pub use table::Neighbors;
pub(crate) use table::check_rank;

use crate::element::Element;
use crate::error::{Error, Result};
use crate::metric::Metric;
use crate::names::named;
use crate::rows::Rows;
use crate::samples::Samples;

/// How neighbours are searched. All give the same answer; they differ in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Search {
    /// The fastest of the others for the number of samples and features, the metric, and how many
    /// main axes the data has.
    #[default]
    Auto,
    /// Every pair, one by one: O(N²d). The oracle that the others are tested against.
    Brute,
    /// A k-d tree (the kiddo crate), for few features: at most [`Search::KD_TREE_FEATURES`].
    KdTree,
    /// All pairs as blocks of a matrix product, for many features; Euclidean and cosine.
    Blocked,
    /// Such blocks along the main axes of the data, and direct distances where these leave a doubt:
    /// for at least [`Search::PROJECTED_FEATURES`]; Euclidean and cosine.
    Projected,
}

named!(
    Search,
    "search",
    Auto = "auto",
    Brute = "brute",
    KdTree = "kd-tree",
    Blocked = "blocked",
    Projected = "projected"
);

/// From here on `Auto` looks whether main axes help: below, to find them takes as long as what they
/// could save.
const MANY_SAMPLES: usize = 8_192;
const MANY_FEATURES: usize = 48;

impl Search {
    /// The most features that the k-d tree serves (its dimension is fixed when compiled).
    pub const KD_TREE_FEATURES: usize = kd_tree::MAX_FEATURES;

    /// The fewest features that have main axes to search along.
    pub const PROJECTED_FEATURES: usize = projected::MIN_FEATURES;

    /// What `Auto` means (where it is `Projected`, that search sees whether it is faster). The limits
    /// of the tree are where the medians of `benches/search.rs` cross: it gains much on data of few
    /// true dimensions, and loses at most about twice on noise.
    fn fastest(metric: Metric, samples: usize, features: usize) -> Self {
        let tree_features = match (metric, samples) {
            (Metric::Manhattan, _) => Self::KD_TREE_FEATURES,
            (_, ..20_000) => 8,
            (_, 20_000..) => 12,
        };
        match metric {
            _ if samples <= 200 => Search::Brute,
            _ if features <= tree_features => Search::KdTree,
            Metric::Manhattan => Search::Brute,
            _ if features >= MANY_FEATURES && samples >= MANY_SAMPLES => Search::Projected,
            Metric::Euclidean | Metric::Cosine => Search::Blocked,
        }
    }

    /// Settles `Auto`, and refuses what cannot be done.
    fn resolve(self, metric: Metric, samples: usize, features: usize) -> Result<Self> {
        let refused = |reason| Err(Error::UnsupportedSearch { search: self.name(), reason });
        match self {
            Search::Auto => Ok(Self::fastest(metric, samples, features)),
            Search::KdTree if features > Self::KD_TREE_FEATURES => {
                refused("it takes 16 features at most; choose brute or blocked")
            }
            Search::Projected if features < projected::MIN_FEATURES => {
                refused("it takes 8 features at least; choose brute or kd-tree")
            }
            Search::Blocked | Search::Projected if metric == Metric::Manhattan => {
                refused("a matrix product gives no Manhattan distances; choose brute or kd-tree")
            }
            exact => Ok(exact),
        }
    }
}

/// The first neighbour κᵢ of each sample, and how far it is.
///
/// Empty for a single sample, which has no other. Equal if neighbours and distances are, whatever
/// search found them.
#[derive(Clone, Debug)]
pub struct FirstNeighbors {
    index: Vec<u32>,
    distance: Vec<f64>,
    search: Option<Search>,
}

impl PartialEq for FirstNeighbors {
    fn eq(&self, other: &Self) -> bool {
        (&self.index, &self.distance) == (&other.index, &other.distance)
    }
}

impl FirstNeighbors {
    /// The first neighbour of each sample: N numbers from 0 to N − 1, never the sample's own.
    pub fn index(&self) -> &[u32] {
        &self.index
    }

    /// The distance of each sample to its first neighbour: N numbers in the metric's unit.
    pub fn distance(&self) -> &[f64] {
        &self.distance
    }

    /// The neighbours and the distances, without a copy.
    pub fn into_parts(self) -> (Vec<u32>, Vec<f64>) {
        (self.index, self.distance)
    }

    /// The search that ran, with [`Search::Auto`] resolved; `None` where the caller gave them.
    pub fn search(&self) -> Option<Search> {
        self.search
    }

    /// Whether an exact search found them. False where the caller gave them: nobody checked.
    pub fn exact(&self) -> bool {
        self.search.is_some()
    }

    /// The links i–κᵢ that are no longer than `bound`.
    pub(crate) fn links(&self, bound: f64) -> impl Iterator<Item = (u32, u32)> {
        let links = self.index.iter().zip(&self.distance).enumerate();
        links
            .filter(move |(_, (_, distance))| **distance <= bound)
            .map(|(sample, (&neighbor, _))| (sample as u32, neighbor))
    }

    /// The longest distance of a sample to its first neighbour.
    pub(crate) fn longest(&self) -> f64 {
        self.distance.iter().copied().fold(0.0, f64::max)
    }

    /// Takes first neighbours that the caller brings, and measures their distances.
    ///
    /// # Errors
    /// [`Error::NeighborCount`], [`Error::InvalidNeighbor`].
    pub(crate) fn given<A: Element>(
        samples: &Samples<'_, A>,
        metric: Metric,
        index: &[u32],
    ) -> Result<Self> {
        let expected = if samples.len() == 1 { 0 } else { samples.len() };
        if index.len() != expected {
            return Err(Error::NeighborCount { neighbors: index.len(), expected });
        }
        let rows = Rows::new(*samples, metric);
        let [mut from, mut to] = [(); 2].map(|()| vec![0.0; rows.features()]);
        let mut distance = Vec::with_capacity(index.len());
        check_neighbors(index)?;
        for (sample, &neighbor) in index.iter().enumerate() {
            rows.load(sample, &mut from);
            rows.load(neighbor as usize, &mut to);
            distance.push(metric.distance(metric.key(&from, &to)));
        }
        Ok(Self { index: index.to_vec(), distance, search: None })
    }
}

/// Checks that given first neighbours are other samples.
pub(crate) fn check_neighbors(first: &[u32]) -> Result<()> {
    let invalid = |&(sample, &neighbor): &(usize, &u32)| {
        neighbor as usize == sample || neighbor as usize >= first.len()
    };
    match first.iter().enumerate().find(invalid) {
        None => Ok(()),
        Some((sample, &neighbor)) => {
            Err(Error::InvalidNeighbor { sample, neighbor: neighbor as usize })
        }
    }
}
