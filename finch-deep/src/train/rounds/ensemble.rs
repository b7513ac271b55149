//! The result of a run: which clusters are taken, of the input's and those of the embeddings.

use finch_core::{Contingency, Partition};

use super::consensus::consensus;
use crate::metrics::{CLEARLY, SOUND, Source};
use crate::train::config::Objective;
use crate::train::loss::graph::Graph;
use crate::train::network::Network;

/// K clusters of the input, or of the embedding that a network has learnt.
#[derive(Clone, Debug)]
pub(in crate::train) struct Member {
    pub(in crate::train) source: Source,
    pub(in crate::train) clusters: Vec<u32>,
    /// The network whose embedding was clustered; none for the input, and once another network is kept.
    pub(in crate::train) network: Option<Network>,
}

impl From<Objective> for Source {
    /// The embedding of a network that has learnt this.
    fn from(learnt: Objective) -> Self {
        match learnt {
            Objective::Labels => Self::Labels,
            Objective::Graph => Self::Graph,
        }
    }
}

/// The objective that the network has learnt that clusters of this source come from.
pub(in crate::train) fn learnt(source: Source) -> Option<Objective> {
    match source {
        Source::Labels => Some(Objective::Labels),
        Source::Graph => Some(Objective::Graph),
        Source::Input | Source::Consensus => None,
    }
}

/// Clusters that could have been the result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Candidate {
    /// The source of the candidate.
    pub source: Source,
    /// K clusters.
    pub clusters: Partition,
    /// Their modularity in the graph of the input's nearest neighbours.
    pub modularity: f64,
    /// NMI with the result, from 0 to 1.
    pub agreement: f64,
}

/// The decision.
pub(in crate::train) struct Decision {
    /// Whose clusters are the result.
    pub(in crate::train) result: Source,
    /// The members, in their order, and the consensus, if there is one.
    pub(in crate::train) candidates: Vec<Candidate>,
    /// Whose network is kept: of all that have one, or had one, the first of those that agree best with
    /// the result.
    pub(in crate::train) kept: Option<Objective>,
}

impl Decision {
    /// The candidate whose clusters are the result.
    pub(in crate::train) fn taken(&self) -> &Candidate {
        let result = |one: &&Candidate| one.source == self.result;
        self.candidates.iter().find(result).expect("the result is a candidate")
    }
}

/// Decides what the result is, from the input's clusters, which come first, and those of networks.
///
/// A member that is clearly more modular than the input in the input's own graph is the result; of
/// several the most modular. Otherwise members that are as modular as the input, or nearly, have a say:
/// of three the result is the consensus, and of two the more modular one. (A difference of a few
/// thousandths may be one of 20 points of ACC in either direction, so that modularity alone does not
/// tell good clusters from very good ones.)
///
/// # Errors
/// The errors of [`Contingency::new`].
pub(in crate::train) fn decide(
    members: &[Member],
    graph: &Graph,
    clusters: usize,
) -> finch_core::Result<Decision> {
    let candidate = |source, labels: &[u32]| -> finch_core::Result<Candidate> {
        let clusters = Partition::new(labels)?;
        let modularity = graph.modularity(&clusters);
        Ok(Candidate { source, clusters, modularity, agreement: 0.0 })
    };
    let mut candidates = Vec::new();
    for member in members {
        candidates.push(candidate(member.source, &member.clusters)?);
    }
    let of_input = candidates.first().map_or(0.0, |input| input.modularity);
    let is_sound = |one: &Candidate| one.modularity >= SOUND * of_input;
    let sound: Vec<&Candidate> = candidates.iter().filter(|one| is_sound(one)).collect();
    let labels: Vec<&[u32]> = sound.iter().map(|one| one.clusters.labels()).collect();
    let agreed = if sound.len() > 2 { consensus(&labels, clusters) } else { None };
    let agreed = agreed.map(|labels| candidate(Source::Consensus, &labels)).transpose()?;
    // Of equally modular members the last: an embedding, not the input.
    let by_modularity =
        |one: &&&Candidate, other: &&&Candidate| one.modularity.total_cmp(&other.modularity);
    let best = sound.iter().max_by(by_modularity);
    let clear = best.is_some_and(|best| best.modularity >= CLEARLY * of_input);
    let result = match &agreed {
        Some(agreed) if !clear && is_sound(agreed) => Source::Consensus,
        _ => best.map_or(Source::Input, |one| one.source),
    };
    candidates.extend(agreed);
    let mut decision = Decision { result, candidates, kept: None };
    let taken = decision.taken().clusters.clone();
    let mut best = -1.0;
    for candidate in &mut decision.candidates {
        let contingency = Contingency::new(candidate.clusters.labels(), taken.labels())?;
        candidate.agreement = contingency.scores()?.nmi;
        if let Some(learnt) = learnt(candidate.source)
            && candidate.agreement > best
        {
            (best, decision.kept) = (candidate.agreement, Some(learnt));
        }
    }
    Ok(decision)
}

#[cfg(test)]
mod tests {
    use finch_core::{Finch, Run, Samples};
    use ndarray::Array2;

    use super::*;

    /// Three clusters of 20 samples each, in one column.
    fn graph() -> Graph {
        let place = |(sample, _): (usize, usize)| (sample / 20 * 100) as f64 + (sample % 20) as f64;
        let matrix = Array2::from_shape_fn((60, 1), place);
        let samples = Samples::new(matrix.view()).unwrap();
        let neighbors = Finch::new().nearest_neighbors(&samples, 8, &mut Run::new()).unwrap();
        Graph::of(&neighbors, 8)
    }

    /// Three clusters, with these samples in the cluster after theirs.
    fn member(source: Source, astray: &[usize]) -> Member {
        let label =
            |sample: usize| (sample / 20 + usize::from(astray.contains(&sample))) as u32 % 3;
        Member { source, clusters: (0..60).map(label).collect(), network: None }
    }

    #[test]
    fn three_sound_members_agree_and_an_unsound_one_is_not_asked() {
        let graph = graph();
        let input = || member(Source::Input, &[0]);
        let labels = || member(Source::Labels, &[20]);
        let decision =
            decide(&[input(), labels(), member(Source::Graph, &[40])], &graph, 3).unwrap();
        assert_eq!((decision.result, decision.kept), (Source::Consensus, Some(Objective::Labels)));
        let right = Partition::new(&member(Source::Input, &[]).clusters).unwrap();
        assert_eq!(decision.taken().clusters, right);
        assert_eq!((decision.candidates.len(), decision.taken().agreement), (4, 1.0));

        let wrong: Vec<usize> = (0..60).step_by(3).collect();
        let members = [input(), member(Source::Labels, &[]), member(Source::Graph, &wrong)];
        let decision = decide(&members, &graph, 3).unwrap();
        assert_eq!((decision.result, decision.kept), (Source::Labels, Some(Objective::Labels)));
        assert_eq!((decision.candidates.len(), &decision.taken().clusters), (3, &right));
        let least = decision.candidates.iter().min_by(|a, b| a.agreement.total_cmp(&b.agreement));
        assert_eq!(least.unwrap().source, Source::Graph);

        // The members that are clearly more modular than the input, whatever the others say.
        let members = [
            member(Source::Input, &[0, 1, 2]),
            member(Source::Labels, &[0, 1]),
            member(Source::Graph, &[]),
        ];
        let decision = decide(&members, &graph, 3).unwrap();
        assert_eq!((decision.result, decision.kept), (Source::Graph, Some(Objective::Graph)));
        assert_eq!((decision.candidates.len(), &decision.taken().clusters), (4, &right));

        // Nothing learnt is as good as the input.
        let members = [input(), member(Source::Labels, &wrong), member(Source::Graph, &wrong)];
        let decision = decide(&members, &graph, 3).unwrap();
        assert_eq!((decision.result, decision.candidates.len()), (Source::Input, 3));
        assert!(decision.kept.is_some());
        // As good, but not better: the embedding's.
        let decision = decide(&[input(), member(Source::Graph, &[0])], &graph, 3).unwrap();
        assert_eq!(decision.result, Source::Graph);
    }
}
