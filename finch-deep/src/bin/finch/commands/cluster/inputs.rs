//! The inputs of `finch cluster`, as they are read.

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use finch_core::Metric;
use finch_deep::data::{self, Input, Matrix, ReadOptions, SparseFault};
use ndarray::Array2;

use super::Args;
use crate::args::constraints::Rules;
use crate::args::precomputed::Known;
use crate::args::read::of_samples;
use crate::commands::embed::{Trained, embedding, trained};
use crate::input::error::{LabelCount, Unsound};
use crate::input::paths::expanded;
use crate::input::run_folder::run_of;
use crate::input::samples::Checked;
use crate::process::progress::Watch;

/// Samples, and whatever is known of each of them.
pub(super) struct Inputs {
    pub(super) files: Vec<PathBuf>,
    pub(super) input: Input,
    pub(super) options: ReadOptions,
    /// The network that embeds the samples.
    trained: Option<Trained>,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) times: Option<Vec<f64>>,
    pub(super) rules: Rules,
    /// The true classes.
    pub(super) truth: Option<Vec<u32>>,
    /// When reading began, and the time that it took.
    pub(super) began: Instant,
    pub(super) reading: Duration,
}

/// An embedding of the input, and the metric that it was trained for.
type Embedding = (Array2<f32>, Metric);

/// The samples that are clustered, checked.
pub(super) struct Samples<'a> {
    /// None where distances or neighbours are given in their place.
    pub(super) checked: Option<Checked<'a>>,
    /// None of sparse samples.
    pub(super) matrix: Option<Matrix<'a>>,
    pub(super) metric: Metric,
}

impl Inputs {
    /// Reads all files.
    pub(super) fn read(args: &Args, watch: &mut Watch<'_>) -> Result<Self, Box<dyn Error>> {
        let began = Instant::now();
        let mut options = args.reading.sparse_options();
        let files = args.given.inputs(&expanded(&args.inputs)?, &mut options);
        let run = args.embed.as_deref().map(|run| run_of(run, args.quiet)).transpose()?;
        let trained = run.as_deref().map(trained).transpose()?;
        options.recipe = trained.as_ref().map(|trained| trained.recipe().clone());
        watch.reading();
        (options.keep_cells, options.profile) = (args.append, args.verbose);
        options.threads = args.searching.threads;
        let (weights, times) = (args.weighing.numbers(), args.timing.numbers());
        weights.prepare(&mut options);
        times.prepare(&mut options);
        let of_option = |error| times.of_option(weights.of_option(error));
        let input = data::read(&files, &options).map_err(of_option)?;
        expect_dense(args, &files, &input)?;
        let weights = weights.read(&input, &options)?;
        let times = times.read(&input, &options)?;
        let rules = args.ruling.read(&input)?;
        let truth = match args.labels.as_slice() {
            [] => None,
            files => Some(args.label_reading.read_truth(files, args.reading.memory_limit())?),
        };
        let truth = truth.map(|truth| of_samples(truth, &input));
        let reading = began.elapsed();
        Ok(Self { files, input, options, trained, weights, times, rules, truth, began, reading })
    }

    /// The embedding of the input, where one is asked for.
    pub(super) fn embedded(
        &self,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Embedding>, Box<dyn Error>> {
        match &self.trained {
            Some(trained) => Ok(Some(embedding(trained, &self.files, &self.input, watch)?)),
            None => Ok(None),
        }
    }

    /// The samples to cluster, checked: those of the input, or its embedding. Options that do not fit so many
    /// samples are refused, too, before a long run.
    pub(super) fn samples<'a>(
        &'a self,
        args: &Args,
        embedded: &'a Option<Embedding>,
    ) -> Result<Samples<'a>, Box<dyn Error>> {
        let embedding = || embedded.as_ref().map(|(matrix, _)| Matrix::from(matrix.view()));
        let matrix =
            || embedding().or_else(|| self.input.sparse().is_none().then(|| self.input.matrix()));
        let unsound = |error| Unsound::of_samples(&self.files, &self.input, error);
        let checked = match (args.given.has_samples(&args.inputs), embedding()) {
            (false, _) => None,
            (true, None) => Some(Checked::of(&self.input).map_err(unsound)?),
            (true, Some(matrix)) => Some(Checked::of_matrix(matrix).map_err(unsound)?),
        };
        self.input.expect_any_order();
        let samples = self.input.samples();
        if let Some(requested) = args.clusters.filter(|&k| k == 0 || k > samples) {
            return Err(finch_core::Error::ClusterCount { requested, samples }.into());
        }
        if let Some(labels) = self.truth.as_deref().map(<[u32]>::len).filter(|&n| n != samples) {
            return Err(LabelCount { labels, samples }.into());
        }
        let trained_for = embedded.as_ref().map_or(Metric::default(), |(_, metric)| *metric);
        let metric = args.metric.unwrap_or(trained_for);
        Ok(Samples { checked, matrix: matrix(), metric })
    }

    /// True if samples are embedded before they are clustered.
    pub(super) fn are_embedded(&self) -> bool {
        self.trained.is_some()
    }
}

impl Samples<'_> {
    /// The samples for operations that do with neighbours alone where there are none.
    pub(super) fn known(&self) -> Known<'_> {
        Known(self.checked.as_ref().map(Checked::any))
    }
}

/// Checks that no option was given that takes dense rows, where those of the input are sparse.
fn expect_dense(args: &Args, files: &[PathBuf], input: &Input) -> Result<(), Unsound> {
    let options = [
        ("embed", args.embed.is_some()),
        ("report", args.paging.report.is_some()),
        ("precomputed", args.given.is_precomputed()),
    ];
    match options.into_iter().find(|(_, given)| *given && input.sparse().is_some()) {
        Some((option, _)) => Err(Unsound::of(files, SparseFault::NeedsDense { option })),
        None => Ok(()),
    }
}
