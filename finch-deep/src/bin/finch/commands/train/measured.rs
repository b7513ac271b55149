//! The measurements of a clustering on the way of a run.

use finch_core::Partition;
use finch_deep::data::Matrix;
use finch_deep::metrics::{self, Beside, Clustering, Verdict};
use finch_deep::scores::Percentages;
use finch_deep::train::{Candidate, Clustered, Config, baselines};

/// The measurements of a clustering.
pub(super) fn measured(
    clustered: &Clustered,
    truth: Option<&[u32]>,
    input: &Matrix<'_>,
    config: &Config,
) -> finch_core::Result<Clustering> {
    let scored = |partition: &Partition| metrics::ScoredPartition::of(partition, truth);
    let percent = |share: f64| (share * 1e6).round() / 1e4;
    let candidate = |candidate: &Candidate| -> finch_core::Result<metrics::Candidate> {
        Ok(metrics::Candidate {
            source: candidate.source,
            modularity: candidate.modularity,
            separation: candidate.separation,
            stability: candidate.stability.map(percent),
            voice: candidate.voice,
            agreement: percent(candidate.agreement),
            scores: scored(&candidate.clusters)?.scores,
        })
    };
    let verdict = |result| -> finch_core::Result<Verdict> {
        let candidates = clustered.candidates.iter().map(candidate).collect::<Result<_, _>>()?;
        let mut verdict = Verdict::new(result, candidates);
        if let Some(truth) = truth {
            let (metric, clusters) = (config.input_metric, clustered.clusters.clusters());
            let scored = |(method, partition): (_, Partition)| {
                let scores = Percentages::of(partition.labels(), truth)?;
                Ok(Beside { method, scores })
            };
            let found = baselines(input, metric, clusters, config.seed)?;
            verdict.beside = found.into_iter().map(scored).collect::<finch_core::Result<_>>()?;
        }
        Ok(verdict)
    };
    Ok(Clustering {
        epoch: clustered.epoch,
        partitions: clustered
            .hierarchy
            .partitions()
            .iter()
            .map(scored)
            .collect::<Result<_, _>>()?,
        requested: Some(scored(&clustered.clusters)?),
        pseudo_labels: clustered.pseudo_labels.as_ref().map(Partition::clusters),
        agreement: clustered.agreement.map(percent),
        suggestion: clustered.scores.as_ref().map(|scores| {
            // Some beyond the best, to see that they are lower.
            let shown = scores.len().min(usize::max(30, 3 * clustered.clusters.clusters()));
            scores[..shown].iter().map(|score| (score * 1e6).round() / 1e6).collect()
        }),
        verdict: clustered.result.map(verdict).transpose()?,
    })
}
