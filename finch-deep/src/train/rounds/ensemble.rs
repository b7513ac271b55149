//! The result of a run: which clusters are taken, of the input's and those of the embeddings.

use finch_core::{Contingency, Partition};
use ndarray::Array2;

use super::consensus::consensus;
use super::silhouette::silhouette;
use crate::metrics::{SOUND, Source, Voice};
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
        Source::Graph | Source::SecondGraph => Some(Objective::Graph),
        Source::Input | Source::Consensus => None,
    }
}

/// An embedding in which clusters are judged: that of a network of the graph.
pub(in crate::train) struct Judge {
    pub(in crate::train) source: Source,
    /// N × its width.
    pub(in crate::train) embedding: Array2<f32>,
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
    /// Their silhouette less that of the input's clusters, in the embeddings of networks of the graph that they do
    /// not come from.
    pub separation: Option<f64>,
    /// NMI of the clusters of both networks of the graph, from 0 to 1.
    pub stability: Option<f64>,
    /// Their say.
    pub voice: Voice,
    /// NMI with the result, from 0 to 1.
    pub agreement: f64,
}

/// The decision.
pub(in crate::train) struct Decision {
    /// Whose clusters are the result.
    pub(in crate::train) result: Source,
    /// The members, in their order, and the consensus, if there is one.
    pub(in crate::train) candidates: Vec<Candidate>,
    /// Whose network is kept: of all that have one, or had one, but for the second of the graph, the first of
    /// those that agree best with the result.
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
/// several the most modular. Else a member that is clearly more separate than the input in the embedding of a
/// network that it does not come from; of several the most separate. Otherwise members that are as modular as the
/// input, or nearly, have a say ([`Voice::of`]): of three the result is the consensus, and of two the more
/// modular one. (A difference of a few thousandths may be one of 20 points of ACC in either direction, so that
/// modularity alone does not tell good clusters from very good ones.)
///
/// # Errors
/// The errors of [`Contingency::new`].
pub(in crate::train) fn decide(
    members: &[Member],
    judges: &[Judge],
    graph: &Graph,
    clusters: usize,
) -> finch_core::Result<Decision> {
    let mut candidates = candidates(members, judges, graph)?;
    let of_input = candidates.first().map_or(0.0, |input| input.modularity);
    let heard: Vec<&Candidate> = candidates.iter().filter(|one| one.voice.counts()).collect();
    let labels: Vec<&[u32]> = heard.iter().map(|one| one.clusters.labels()).collect();
    let agreed = if heard.len() > 2 { consensus(&labels, clusters) } else { None };
    let agreed =
        agreed.map(|labels| Candidate::new(Source::Consensus, &labels, graph)).transpose()?;
    let agreed = agreed.map(|one| match one.modularity >= SOUND * of_input {
        true => one,
        false => Candidate { voice: Voice::LessModular, ..one },
    });
    // Of equal members the last: an embedding, not the input.
    let best = |voice: Option<Voice>, of: fn(&Candidate) -> f64| {
        let with = heard.iter().filter(|one| voice.is_none_or(|voice| one.voice == voice));
        with.max_by(|one, other| of(one).total_cmp(&of(other)))
    };
    let clear = best(Some(Voice::Modular), |one| one.modularity)
        .or_else(|| best(Some(Voice::Separate), |one| one.separation.unwrap_or_default()));
    let result = match (clear, &agreed) {
        (Some(clear), _) => clear.source,
        (None, Some(agreed)) if agreed.voice == Voice::Sound => Source::Consensus,
        (None, _) => best(None, |one| one.modularity).map_or(Source::Input, |one| one.source),
    };
    candidates.extend(agreed);
    let mut decision = Decision { result, candidates, kept: None };
    let taken = decision.taken().clusters.clone();
    let mut best = -1.0;
    for candidate in &mut decision.candidates {
        candidate.agreement = nmi(&candidate.clusters, &taken)?;
        if let Some(learnt) = learnt(candidate.source)
            && candidate.source != Source::SecondGraph
            && candidate.agreement > best
        {
            (best, decision.kept) = (candidate.agreement, Some(learnt));
        }
    }
    Ok(decision)
}

/// The members as candidates, each with its say.
fn candidates(
    members: &[Member],
    judges: &[Judge],
    graph: &Graph,
) -> finch_core::Result<Vec<Candidate>> {
    let mut candidates = Vec::new();
    for member in members {
        candidates.push(Candidate::new(member.source, &member.clusters, graph)?);
    }
    let clusters_of = |source| {
        let found = candidates.iter().find(|one: &&Candidate| one.source == source);
        found.map(|one| one.clusters.clone())
    };
    let [input, one, other] = [Source::Input, Source::Graph, Source::SecondGraph].map(clusters_of);
    let stability = match (&one, &other) {
        (Some(one), Some(other)) => Some(nmi(one, other)?),
        _ => None,
    };
    let of_input = candidates.first().map_or(0.0, |input| input.modularity);
    // Each judge, with what it sees of the input's clusters.
    let mut judged = Vec::new();
    if let Some(input) = &input {
        for judge in judges {
            judged.push((judge, silhouette(&judge.embedding, input)?));
        }
    }
    for candidate in &mut candidates {
        if candidate.source == Source::Input {
            candidate.voice = Voice::Input;
            continue;
        }
        let mut gains = Vec::new();
        for (judge, of_input) in &judged {
            if judge.source != candidate.source {
                gains.push(silhouette(&judge.embedding, &candidate.clusters)? - of_input);
            }
        }
        candidate.separation =
            (!gains.is_empty()).then(|| gains.iter().sum::<f64>() / gains.len() as f64);
        candidate.stability =
            stability.filter(|_| learnt(candidate.source) == Some(Objective::Graph));
        let samples = candidate.clusters.labels().len();
        candidate.voice = match candidate.source {
            Source::SecondGraph => Voice::Judge,
            _ => Voice::of(
                samples,
                [candidate.modularity, of_input],
                candidate.separation,
                candidate.stability.map(|share| 100.0 * share),
            ),
        };
    }
    Ok(candidates)
}

impl Candidate {
    fn new(source: Source, labels: &[u32], graph: &Graph) -> finch_core::Result<Self> {
        let clusters = Partition::new(labels)?;
        let modularity = graph.modularity(&clusters);
        let (separation, stability, agreement) = (None, None, 0.0);
        Ok(Self {
            source,
            clusters,
            modularity,
            separation,
            stability,
            voice: Voice::Sound,
            agreement,
        })
    }
}

/// The normalised mutual information of two clusterings, from 0 to 1.
fn nmi(one: &Partition, other: &Partition) -> finch_core::Result<f64> {
    Ok(Contingency::new(one.labels(), other.labels())?.scores()?.nmi)
}

#[cfg(test)]
mod tests {
    use finch_core::{Finch, Run, Samples};
    use ndarray::Array2;

    use super::*;

    /// Three clusters of so many samples each, in one column.
    fn graph_of(size: usize) -> Graph {
        let place =
            |(sample, _): (usize, usize)| (sample / size * 1000) as f64 + (sample % size) as f64;
        let matrix = Array2::from_shape_fn((3 * size, 1), place);
        let samples = Samples::new(matrix.view()).unwrap();
        let neighbors = Finch::new().nearest_neighbors(&samples, 8, &mut Run::new()).unwrap();
        Graph::of(&neighbors, 8)
    }

    fn graph() -> Graph {
        graph_of(20)
    }

    /// Three clusters, with these samples in the cluster after theirs.
    fn member_of(size: usize, source: Source, astray: &[usize]) -> Member {
        let label =
            |sample: usize| (sample / size + usize::from(astray.contains(&sample))) as u32 % 3;
        Member { source, clusters: (0..3 * size).map(label).collect(), network: None }
    }

    fn member(source: Source, astray: &[usize]) -> Member {
        member_of(20, source, astray)
    }

    /// The clusters of a network, a bit less modular than the input's, in the embedding of another network: one
    /// that has the same clusters, and one that has those of the input.
    #[test]
    fn clusters_that_another_network_sees_more_separate_are_the_result() {
        const SIZE: usize = 120;
        let graph = graph_of(SIZE);
        let input: Vec<usize> = (0..12).collect();
        let found: Vec<usize> = (240..254).collect();
        let members = |other: &[usize]| {
            [
                member_of(SIZE, Source::Input, &input),
                member_of(SIZE, Source::Graph, &found),
                member_of(SIZE, Source::SecondGraph, other),
            ]
        };
        let judge = |member: &Member| {
            let place = |(sample, axis): (usize, usize)| match axis {
                0 => 10.0 * member.clusters[sample] as f32,
                _ => (sample % 2) as f32,
            };
            let embedding = Array2::from_shape_fn((3 * SIZE, 2), place);
            Judge { source: Source::SecondGraph, embedding }
        };
        let decided = |other: &[usize], judges: bool| {
            let members = members(other);
            let judges = if judges { vec![judge(&members[2])] } else { Vec::new() };
            let decision = decide(&members, &judges, &graph, 3).unwrap();
            let graph = decision.candidates[1].clone();
            (decision.result, decision.kept, graph.voice, graph.separation)
        };
        let (result, kept, voice, separation) = decided(&found, true);
        assert_eq!((result, kept), (Source::Graph, Some(Objective::Graph)));
        assert!(voice == Voice::Separate && separation.unwrap() > 0.1, "{voice:?} {separation:?}");
        // Without a second network, and where that has other clusters, modularity alone tells.
        let (result, _, voice, separation) = decided(&found, false);
        assert_eq!((result, voice, separation), (Source::Input, Voice::Sound, None));
        let (result, _, voice, separation) = decided(&input, true);
        assert_eq!((result, voice), (Source::Input, Voice::Torn), "{separation:?}");
    }

    #[test]
    fn three_sound_members_agree_and_an_unsound_one_is_not_asked() {
        let graph = graph();
        let input = || member(Source::Input, &[0]);
        let labels = || member(Source::Labels, &[20]);
        let decision =
            decide(&[input(), labels(), member(Source::Graph, &[40])], &[], &graph, 3).unwrap();
        assert_eq!((decision.result, decision.kept), (Source::Consensus, Some(Objective::Labels)));
        let right = Partition::new(&member(Source::Input, &[]).clusters).unwrap();
        assert_eq!(decision.taken().clusters, right);
        assert_eq!((decision.candidates.len(), decision.taken().agreement), (4, 1.0));

        let wrong: Vec<usize> = (0..60).step_by(3).collect();
        let members = [input(), member(Source::Labels, &[]), member(Source::Graph, &wrong)];
        let decision = decide(&members, &[], &graph, 3).unwrap();
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
        let decision = decide(&members, &[], &graph, 3).unwrap();
        assert_eq!((decision.result, decision.kept), (Source::Graph, Some(Objective::Graph)));
        assert_eq!((decision.candidates.len(), &decision.taken().clusters), (4, &right));

        // Nothing learnt is as good as the input.
        let members = [input(), member(Source::Labels, &wrong), member(Source::Graph, &wrong)];
        let decision = decide(&members, &[], &graph, 3).unwrap();
        assert_eq!((decision.result, decision.candidates.len()), (Source::Input, 3));
        assert!(decision.kept.is_some());
        // As good, but not better: the embedding's.
        let decision = decide(&[input(), member(Source::Graph, &[0])], &[], &graph, 3).unwrap();
        assert_eq!(decision.result, Source::Graph);
    }
}
