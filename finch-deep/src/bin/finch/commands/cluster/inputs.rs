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
    pub(super) took: Duration,
}

/// The matrix that is clustered.
pub(super) enum Clustered {
    /// That of the input.
    Input,
    /// An embedding of the input, and the metric that it was trained for.
    Embedding(Array2<f32>, Metric),
}

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
    pub(super) fn read(args: &Args) -> Result<Self, Box<dyn Error>> {
        let began = Instant::now();
        let mut options = args.reading.sparse_options();
        let files = args.given.inputs(&expanded(&args.inputs)?, &mut options);
        let trained = args.embed.as_deref().map(trained).transpose()?;
        options.recipe = trained.as_ref().map(|trained| trained.recipe().clone());
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
        let took = began.elapsed();
        Ok(Self { files, input, options, trained, weights, times, rules, truth, began, took })
    }

    /// The matrix that is to be clustered: an embedding of the input, where one is asked for.
    pub(super) fn matrix(&self, watch: &mut Watch<'_>) -> Result<Clustered, Box<dyn Error>> {
        let Some(trained) = &self.trained else { return Ok(Clustered::Input) };
        let (embedding, metric) = embedding(trained, &self.files, &self.input, watch)?;
        Ok(Clustered::Embedding(embedding, metric))
    }

    /// The samples to cluster. Faults that a long run would only meet at its end are found, too.
    pub(super) fn samples<'a>(
        &'a self,
        args: &Args,
        clustered: &'a Clustered,
    ) -> Result<Samples<'a>, Box<dyn Error>> {
        let (matrix, metric) = match clustered {
            Clustered::Embedding(embedding, metric) => {
                (Some(Matrix::from(embedding.view())), *metric)
            }
            Clustered::Input => {
                let is_dense = self.input.sparse().is_none();
                (is_dense.then(|| self.input.matrix()), Metric::default())
            }
        };
        let checked = match (args.given.has_samples(&args.inputs), clustered) {
            (false, _) => None,
            (true, Clustered::Input) => Some(Checked::of(&self.input)),
            (true, Clustered::Embedding(embedding, _)) => {
                Some(Checked::of_matrix(Matrix::from(embedding.view())))
            }
        };
        let unsound = |error| Unsound::of_samples(&self.files, &self.input, error);
        let checked = checked.transpose().map_err(unsound)?;
        self.input.expect_any_order();
        let samples = self.input.samples();
        if let Some(requested) = args.clusters.filter(|&k| k == 0 || k > samples) {
            return Err(finch_core::Error::ClusterCount { requested, samples }.into());
        }
        if let Some(labels) = self.truth.as_deref().map(<[u32]>::len).filter(|&n| n != samples) {
            return Err(LabelCount { labels, samples }.into());
        }
        Ok(Samples { checked, matrix, metric: args.metric.unwrap_or(metric) })
    }

    /// True if samples are embedded before they are clustered.
    pub(super) fn are_embedded(&self) -> bool {
        self.trained.is_some()
    }
}

impl Samples<'_> {
    /// The samples as operations take them, that work on neighbours alone where there are none.
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
