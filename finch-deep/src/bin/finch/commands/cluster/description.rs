//! The description of what `finch cluster` found: a report, a page, and a model.

use std::error::Error;
use std::sync::Arc;

use finch_core::{Model, Neighbors, Run};
use finch_deep::data::Matrix;

use super::Args;
use super::clustering::Clustering;
use super::inputs::{Inputs, Samples};
use crate::args::report::{Beside, Found};
use crate::input::samples::Checked;
use crate::output::summary::{PartitionSummary, Prepared, Report, Requested, Suggested};
use crate::process::signals;

/// The words and files about a clustering.
pub(super) struct Description {
    pub(super) report: Report,
    /// A page, where one is asked for.
    pub(super) page: Option<Vec<u8>>,
    /// A model, where one is to be saved.
    pub(super) model: Option<Model>,
}

impl Description {
    /// Describes a clustering of samples.
    pub(super) fn of(
        args: &Args,
        inputs: &Inputs,
        samples: &Samples<'_>,
        clustering: &Clustering,
        run: &mut Run<'_>,
    ) -> Result<Self, Box<dyn Error>> {
        let report = report(args, inputs, clustering)?;
        let page = page(args, inputs, samples, clustering, &report, run)?;
        let model = match args.model {
            Some(_) => {
                let labelled = clustering.labelled().into_iter();
                let refined = labelled.filter_map(|(_, one)| Some(one?.labels.clone()));
                let hierarchy = &clustering.hierarchy;
                let keep_samples = !args.without_samples;
                Some(samples.known().model(hierarchy, refined.collect(), keep_samples, run)?)
            }
            None => None,
        };
        Ok(Self { report, page, model })
    }
}

/// Known neighbours of each sample by which clusters can be suggested, at least.
const FEW: usize = 5;

/// The numbers of all partitions, and their scores where there is a truth.
fn report(args: &Args, inputs: &Inputs, clustering: &Clustering) -> Result<Report, Box<dyn Error>> {
    let Clustering { hierarchy, requested, suggestion, .. } = clustering;
    let [(_, of_requested), (_, of_suggested)] = clustering.labelled();
    let (truth, weights) = (inputs.truth.as_deref(), inputs.weights.as_deref());
    let summary = |labelling| PartitionSummary::of(labelling, truth, weights);
    let mut report = Report::new(hierarchy, &inputs.input, args.link_bound);
    report.prepared = Prepared::of(&inputs.input, &inputs.input.recipe(&inputs.options));
    for partition in hierarchy.partitions() {
        // Scoring many clusters takes a while, too.
        if signals::asked().is_some() {
            return Err(finch_core::Error::Cancelled.into());
        }
        report.partitions.push(summary(partition.into())?);
    }
    let few =
        hierarchy.neighbors().map(Neighbors::k).filter(|&k| k < FEW && k + 1 < hierarchy.samples());
    if let Some(k) = few.filter(|_| suggestion.is_some()) {
        report.warnings.push(format!(
            "{k} nearest of each sample are too few to suggest a number of clusters by: give {FEW} or more"
        ));
    }
    if let (Some(suggestion), Some(found)) = (suggestion, of_suggested) {
        let summary = summary((&found.labels).into())?;
        report.suggested = Some(Suggested {
            partition: suggestion.partition,
            persistence: suggestion.persistence_of_best[0],
            best: suggestion.best.clone(),
            rivals: suggestion.rivals.clone(),
            has_clusters: suggestion.has_clusters(),
            mixing: suggestion.mixing,
            summary,
        });
    }
    if let (Some(requested), Some(found)) = (requested, of_requested) {
        let (linkage, from) = (requested.linkage.name(), requested.from);
        let summary = summary((&found.labels).into())?;
        report.requested = Some(Requested { linkage, from, summary });
    }
    Ok(report)
}

/// The page about the clusters, if one is asked for.
fn page(
    args: &Args,
    inputs: &Inputs,
    samples: &Samples<'_>,
    clustering: &Clustering,
    report: &Report,
    run: &mut Run<'_>,
) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
    if args.paging.report.is_none() {
        return Ok(None);
    }
    let beside = Beside {
        files: &inputs.files,
        input: &inputs.input,
        options: &inputs.options,
        recipe: (!inputs.are_embedded()).then(|| inputs.input.recipe(&inputs.options)),
        samples: samples.matrix.as_ref().map(Matrix::view),
        truth: inputs.truth.as_deref(),
        began: inputs.began,
        read: inputs.reading,
    };
    let [requested, suggested] = clustering.labelled().map(|(_, one)| one.map(|one| &one.labels));
    let hierarchy = Arc::as_ref(&clustering.hierarchy);
    let suggestion = clustering.suggestion.as_ref();
    let found = &Found { hierarchy, report, requested, suggested, suggestion };
    match &samples.checked {
        Some(Checked::F64(samples)) => args.paging.page_of(samples, &beside, found, run),
        Some(Checked::F32(samples)) => args.paging.page_of(samples, &beside, found, run),
        Some(Checked::U8(samples)) => args.paging.page_of(samples, &beside, found, run),
        Some(Checked::Sparse(_)) | None => Ok(None),
    }
}
