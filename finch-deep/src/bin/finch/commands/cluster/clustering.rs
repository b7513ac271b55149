//! The clustering of `finch cluster`: a hierarchy, and what is asked for beside it.

use std::error::Error;
use std::sync::Arc;

use finch_core::{Hierarchy, Linkage, Partition, Refine, Refined, Run, Suggestion};

use super::Args;
use super::inputs::{Inputs, Samples};
use crate::input::error::Unsound;
use crate::output::records::Labelled;

/// The partitions of one run.
pub(super) struct Clustering {
    pub(super) hierarchy: Arc<Hierarchy>,
    pub(super) requested: Option<Requested>,
    pub(super) suggestion: Option<Suggestion>,
    /// The requested and the suggested clusters, with noise where it is asked for.
    labelled: [Option<Labelled>; 2],
}

/// The clusters of `--clusters`.
pub(super) struct Requested {
    pub(super) partition: Partition,
    pub(super) linkage: Linkage,
    /// The partition that they were merged from.
    pub(super) from: Option<usize>,
}

impl Clustering {
    /// Clusters the samples, or what is given in their place.
    pub(super) fn of(
        args: &Args,
        inputs: &Inputs,
        samples: &Samples<'_>,
        run: &mut Run<'_>,
    ) -> Result<Self, Box<dyn Error>> {
        let suggest = args.suggest || args.paging.report.is_some();
        let linkage = match args.linkage {
            // Clusters with times have no other links than by means.
            Linkage::Auto | Linkage::Neighbor if inputs.times.is_some() => Linkage::Centroid,
            linkage => linkage,
        };
        // The neighbours that merging needs are found in the same search.
        let linkages = [args.clusters.map(|_| linkage), suggest.then_some(Linkage::Neighbor)];
        let hierarchy = Arc::new(hierarchy(args, inputs, samples, linkages, run)?);
        let known = samples.known();
        let suggestion = match suggest {
            true => Some(known.suggest(&hierarchy, run)?),
            false => None,
        };
        let requested = match args.clusters {
            Some(clusters) => {
                let refine = Refine::new(clusters).linkage(linkage);
                let refine = inputs.rules.of(args.from.map_or(refine, |from| refine.from(from)));
                let Refined { partition, linkage, .. } = known.refine(&refine, &hierarchy, run)?;
                let from = refine.linkage(linkage).start(&hierarchy)?;
                Some(Requested { partition, linkage, from })
            }
            None => None,
        };
        let partitions = [
            requested.as_ref().map(|requested| &requested.partition),
            suggestion.as_ref().map(|suggestion| &suggestion.cut),
        ];
        let mut labelled = [None, None];
        for (labelled, partition) in labelled.iter_mut().zip(partitions) {
            let of = |one| args.noise.labelled(&known, &hierarchy, one, run);
            *labelled = partition.map(of).transpose()?;
        }
        Ok(Self { hierarchy, requested, suggestion, labelled })
    }

    /// The suggested clusters.
    pub(super) fn suggested(&self) -> Option<&Partition> {
        self.suggestion.as_ref().map(|suggestion| &suggestion.cut)
    }

    /// The requested and the suggested labels, with noise, as they are named in what is written.
    pub(super) fn labelled(&self) -> [(&'static str, Option<&Labelled>); 2] {
        let [requested, suggested] = &self.labelled;
        [("requested", requested.as_ref()), ("suggested", suggested.as_ref())]
    }
}

/// The hierarchy, with the neighbours that these linkages need.
fn hierarchy(
    args: &Args,
    inputs: &Inputs,
    samples: &Samples<'_>,
    linkages: [Option<Linkage>; 2],
    run: &mut Run<'_>,
) -> Result<Hierarchy, Box<dyn Error>> {
    let neighbors = |linkage: Linkage| linkage.neighbors(inputs.input.samples());
    let kept = linkages.into_iter().flatten().map(neighbors).max().unwrap_or(0);
    let finch = args.searching.finch(samples.metric);
    let finch = finch.link_bound(args.link_bound).keep_neighbors(kept);
    let known = samples.known();
    let unsound = |error| Unsound::of(&inputs.files, error);
    Ok(match (&inputs.weights, &inputs.times, known.0) {
        (_, Some(times), Some(samples)) => {
            finch.fit_timed(samples, args.timing.of(times), run).map_err(unsound)?
        }
        (Some(weights), None, Some(samples)) => {
            finch.fit_weighted(samples, weights, run).map_err(unsound)?
        }
        _ => args.given.cluster(finch, &known, &inputs.input, &inputs.files, run)?,
    })
}
