//! The links of single samples: to their nearest, each of one unit of weight.

use std::borrow::Cow;

use super::copies::CopyGraph;
use super::graph::Graph;
use super::moves::links_of_sample;
use super::neighbors_to_link;
use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::linkage::Linkage;
use crate::neighbors::Neighbors;
use crate::run::Run;
use crate::samples::AnySamples;
use crate::samples::comparable::with_keyed;
use crate::samples::weights::Weights;
use crate::support::memory::{push, room};

/// The links of each sample to its h nearest, h = ⌈log₂ N⌉, or fewer where neighbour linkage takes fewer: those by
/// which samples move, in the one direction. Of weighted samples they are the links of a copy.
pub(crate) enum SampleLinks<'h> {
    /// A row of neighbours for each sample, of which the first h count.
    Table(Cow<'h, Neighbors>, usize),
    /// The links of a copy of each sample, one list after the other.
    Copies {
        starts: Vec<usize>,
        /// The sample that a link leads to, and the weight of the copy there.
        links: Vec<(u32, f64)>,
    },
}

impl<'h> SampleLinks<'h> {
    /// The links of the samples of a hierarchy, by the neighbours that it has kept, or else they are searched.
    pub(crate) fn of(
        samples: Option<AnySamples<'_>>,
        hierarchy: &'h Hierarchy,
        run: &mut Run<'_>,
    ) -> Result<Self> {
        let weights = hierarchy.checked_weights();
        let copies = weights.map_or(hierarchy.samples() as u64, Weights::copies);
        let k = Linkage::Neighbor.neighbors(copies as usize);
        let h = links_of_sample(k, copies);
        let neighbors =
            neighbors_to_link(samples.as_ref().map(AnySamples::reborrow), hierarchy, k, run)?;
        // Where there are no samples, there are no weights.
        let (Some(weights), Some(samples)) = (weights, samples) else {
            return Ok(Self::Table(neighbors, h));
        };
        run.install(|| {
            let graph = with_keyed!(samples, hierarchy.metric(), rows => {
                CopyGraph::<f64>::of(rows, weights, &neighbors, h)
            })?;
            Ok(Self::of_copies(&graph, weights, hierarchy.samples()))
        })?
    }

    fn of_copies(graph: &CopyGraph<f64>, weights: &Weights, samples: usize) -> Self {
        let (mut starts, mut links) = (room(samples + 1), Vec::new());
        for node in 0..graph.len() as u32 {
            // The first copy of each sample: the others have the same nearest, but for itself.
            if starts.len() == graph.sample(node) as usize {
                starts.push(links.len());
                for other in graph.nearest(node) {
                    let sample = graph.sample(other);
                    push(&mut links, (sample, weights.of(sample).weight));
                }
            }
        }
        starts.push(links.len());
        Self::Copies { starts, links }
    }

    /// The samples that a sample is linked to, the nearest first, each with the weight of the link.
    pub(crate) fn each(&self, sample: usize, mut each: impl FnMut(u32, f64)) {
        match self {
            Self::Table(neighbors, h) => {
                let index = neighbors.index();
                let row = index.row(sample).into_iter().copied().take(*h);
                row.take_while(|&other| other != Neighbors::NONE)
                    .for_each(|other| each(other, 1.0));
            }
            Self::Copies { starts, links } => {
                let list = &links[starts[sample]..starts[sample + 1]];
                list.iter().for_each(|&(other, weight)| each(other, weight));
            }
        }
    }
}
