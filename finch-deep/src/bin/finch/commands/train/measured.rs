//! The measurements of a clustering on the way of a run.

use finch_core::Partition;
use finch_deep::data::Matrix;
use finch_deep::metrics::{self, Beside, Clustering, Verdict};
use finch_deep::scores::Percentages;
use finch_deep::train::{Candidate, Clustered, Config, baselines};

/// The scores of other methods on the input, by the number of clusters. They take as long as epochs of training, and
/// are the same at every verdict of a session.
#[derive(Default)]
pub(super) struct OtherMethods(Vec<(usize, Vec<Beside>)>);

impl OtherMethods {
    /// The scores at a number of clusters, which `score` computes the first time.
    fn at(
        &mut self,
        clusters: usize,
        score: impl FnOnce() -> finch_core::Result<Vec<Beside>>,
    ) -> finch_core::Result<Vec<Beside>> {
        if let Some((_, known)) = self.0.iter().find(|(of, _)| *of == clusters) {
            return Ok(known.clone());
        }
        let found = score()?;
        self.0.push((clusters, found.clone()));
        Ok(found)
    }
}

/// The measurements of a clustering.
pub(super) fn measured(
    clustered: &Clustered,
    truth: Option<&[u32]>,
    input: &Matrix<'_>,
    config: &Config,
    others: &mut OtherMethods,
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
            verdict.beside = others.at(clusters, || {
                let found = baselines(input, metric, clusters, config.seed)?;
                found.into_iter().map(scored).collect()
            })?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_methods_are_scored_once_for_a_number_of_clusters() {
        let scores = Percentages::of(&[0, 0, 1], &[0, 1, 1]).unwrap();
        let beside = || vec![Beside { method: metrics::Method::KMeans, scores }];
        let (mut others, mut scored) = (OtherMethods::default(), 0);
        for clusters in [3, 3, 4, 3, 4] {
            let found = others.at(clusters, || {
                scored += 1;
                Ok(beside())
            });
            assert_eq!(found.unwrap().len(), 1);
        }
        assert_eq!(scored, 2);
        // After an error they are scored anew.
        let error = || Err(finch_core::Error::Cancelled);
        assert!(others.at(5, error).is_err());
        assert_eq!(others.at(5, || Ok(beside())).unwrap().len(), 1);
    }
}
