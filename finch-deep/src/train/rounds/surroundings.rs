//! The input graph: the surroundings of each sample of the input.

use finch_core::{Neighbors, Run};

use super::clustering::nearest;
use crate::train::config::Config;
use crate::train::error::TrainError;
use crate::train::loss::graph::Graph;
use crate::train::loss::smoothness::distances;
use crate::train::network::features::Features;
use crate::train::progress::{Progress, Watch};

/// The facts known of the surroundings of the input's samples. Each part is found once it is needed:
/// after a pause, anew.
#[derive(Default)]
pub(in crate::train) struct Surroundings {
    neighbors: Option<Neighbors>,
    graph: Option<Graph>,
    radii: Option<Vec<f32>>,
}

impl Surroundings {
    /// Takes the nearest neighbours from somebody who has found them.
    pub(in crate::train) fn keep(&mut self, neighbors: Option<Neighbors>) {
        self.neighbors = neighbors;
    }

    /// The nearest neighbours, if they were found.
    pub(in crate::train) fn found(&self) -> Option<&Neighbors> {
        self.neighbors.as_ref()
    }

    /// The nearest neighbours, as many of each sample as neighbour linkage looks at.
    pub(in crate::train) fn neighbors(
        &mut self,
        input: &Features<'_>,
        config: &Config,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<&Neighbors, TrainError> {
        if self.neighbors.is_none() {
            let progress = |progress| watch(Progress::Clustering(progress));
            let mut run = Run::new().threads(threads).progress(progress);
            self.neighbors = Some(nearest(input, config.input_metric, &mut run)?);
        }
        Ok(self.neighbors.as_ref().expect("just found"))
    }

    /// The graph of as many of them as training looks at.
    pub(in crate::train) fn graph(
        &mut self,
        input: &Features<'_>,
        config: &Config,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<&Graph, TrainError> {
        if self.graph.is_none() {
            let neighbors = self.neighbors(input, config, threads, watch)?;
            self.graph = Some(Graph::of(neighbors, config.neighbors));
        }
        Ok(self.graph.as_ref().expect("just found"))
    }

    /// The radius around each sample within which the network's answer should stay the same, if the
    /// loss has an adversarial part.
    pub(in crate::train) fn radii(
        &mut self,
        input: &Features<'_>,
        config: &Config,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Option<&[f32]>, TrainError> {
        if config.adversarial_weight > 0.0 && self.radii.is_none() {
            let neighbors = self.neighbors(input, config, threads, watch)?;
            let mut radii = distances(input, neighbors.index());
            radii.iter_mut().for_each(|radius| *radius *= config.adversarial_radius as f32);
            self.radii = Some(radii);
        }
        Ok(self.radii.as_deref())
    }
}
