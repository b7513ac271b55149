//! `finch train`: samples in, a run directory with a network and its embedding out.

use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use finch_core::{Labels, LinkBound, Linkage, Partition};
use finch_deep::data::{Escaped, Fault, Input, ReadError, write_atomically, write_embedding};
use finch_deep::metrics::{self, Clustering, Measurement, Verdict};
use finch_deep::report::{self, Image, Truth};
use finch_deep::run::{self, Facts, Run, RunError};
use finch_deep::train::{Backend, Candidate, Clustered, Event, TrainError, Trainer};

use super::embed::{checkpoint, with_files};
use crate::args::read::tell_notes;
use crate::args::sources::SourceArgs;
use crate::args::training::TrainingArgs;
use crate::args::values::threads;
use crate::input::error::{ImageValues, Usage};
use crate::input::mapped::on_unchanged;
use crate::output::clusterings::{candidates, clusterings};
use crate::output::directory::Output;
use crate::output::shell::{again, quoted};
use crate::output::summary::{PartitionSummary, Report, Requested};
use crate::process::progress::Watch;
use crate::process::signals;
use crate::process::training_progress::TrainingWatch;

/// Train an embedding of samples on clusters of them, without labels
///
/// One network learns to tell the clusters of the input apart; finch clusters its last hidden layer, and
/// goes on. A second network learns to keep nearest neighbours near. The result is the clusters that the
/// input and both embeddings agree on. finch says in the end if training helped, as far as that shows
/// without labels; if not, the result is the clusters of the input.
///
/// The run directory gets report.html, a page to look at; embedding.npy; the files of finch cluster --out
/// for the embedding; the configuration; the metrics of each epoch; and the last two checkpoints.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  finch train features.npy --clusters 10 --out run
  finch train train-images-idx3-ubyte.gz --labels train-labels-idx1-ubyte.gz --out run
  finch train features.npy --objectives graph --clusters 10 --out run
  finch train features.npy --preset paper --clusters 10 --out run
  finch train features.npy --config other/config.toml --seed 1 --out run
  finch train --resume run
  finch train --resume run --rounds 2
  finch embed run new.npy --out embedding.npy")]
pub(crate) struct Args {
    /// The run directory, empty or new
    #[arg(short, long, value_name = "RUN")]
    out: Option<PathBuf>,

    /// Go on with a run that was stopped, or with --rounds beyond its end
    ///
    /// The result is the same as if nobody had stopped the run.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["out", "backend"])]
    resume: Option<PathBuf>,

    /// Device that computes the network
    #[arg(long, default_value = "cpu")]
    backend: Backend,

    /// Show samples as images of this size, such as 28x28, or 32x32x3 for red, green and blue
    #[arg(long, value_name = "HxW", conflicts_with = "resume")]
    image: Option<Image>,

    /// Number of threads; no result depends on it [default: one for each core]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,

    /// No table and no progress bar
    #[arg(short, long)]
    quiet: bool,

    // Flattened last: options that follow would come under its last heading in the help.
    #[command(flatten)]
    sources: SourceArgs,

    #[command(flatten)]
    choices: TrainingArgs,
}

/// Runs the command.
///
/// # Errors
/// Any error of reading, training or writing. The state after the last whole epoch is kept.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    if let Some(threads) = args.threads {
        // The network computes in the pool of threads that it is called in.
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    match &args.resume {
        Some(directory) => resume(directory, args),
        None => begin(args),
    }
}

fn begin(args: &Args) -> Result<(), Box<dyn Error>> {
    let Some(directory) = &args.out else {
        return usage("the following required arguments were not provided:\n  --out <RUN>");
    };
    if args.sources.inputs.is_empty() {
        return usage("the following required arguments were not provided:\n  <INPUT>...");
    }
    let config = args.choices.config()?;
    let watch = Watch::new(args.quiet);
    watch.reading();
    let input = args.sources.samples()?;
    if !args.quiet {
        watch.aside(|| tell_notes(&input, &mut io::stderr()));
    }
    let truth = args.sources.truth(&input)?;
    if let Some(image) = args.image.filter(|image| image.values() != input.features()) {
        return Err(ImageValues { image, features: input.features() }.into());
    }
    let inputs = &args.sources.inputs;
    let trainer = on_unchanged(&input, || {
        Trainer::new(input.matrix(), config, args.backend)
            .map_err(|error| with_files(inputs, error))
    })?;
    input.expect_any_order();
    let facts = Facts {
        version: env!("CARGO_PKG_VERSION").into(),
        sources: args.sources.arguments()?,
        samples: input.samples(),
        features: input.features(),
        checksum: trainer.checksum(),
        backend: args.backend,
        image: args.image,
    };
    signals::hold();
    let recipe = args.sources.recipe(&input);
    let run = Run::create(directory, trainer.config(), &facts, &recipe)?;
    let session =
        Session { run, facts, truth, metrics: Vec::new(), kept: false, quiet: args.quiet };
    session.run(trainer.threads(args.threads.unwrap_or(0)), &input, watch)
}

fn resume(directory: &Path, args: &Args) -> Result<(), Box<dyn Error>> {
    if args.choices.any_but_rounds() {
        return usage(
            "--resume goes on with the configuration of the run: give no options of training but \
             --rounds",
        );
    }
    let elsewhere = !args.sources.inputs.is_empty();
    if args.sources.any() && !elsewhere {
        return usage(
            "--resume reads the files of the run as it did: to read others, name the inputs, too",
        );
    }
    let (mut run, mut config, facts) = Run::open(directory)?;
    let watch = Watch::new(args.quiet);
    watch.reading();
    let sources = &SourceArgs::of(&facts.sources, args.sources.clone())?;
    let again = again(directory);
    let missing = |error: ReadError| match error.fault {
        Fault::Unreadable(_) if !elsewhere => Missing { error, again: again.clone() }.into(),
        _ => Box::<dyn Error>::from(error),
    };
    let input = sources.samples().map_err(missing)?;
    let truth = sources.truth(&input)?;
    let unsound = |error| with_files(&sources.inputs, error);
    let more = args.choices.rounds.unwrap_or(0);
    config.rounds = config.rounds.saturating_add(more);
    let (trainer, metrics) = match checkpoint(directory) {
        Ok(mut checkpoint) => {
            checkpoint.extend(config.rounds)?;
            let trainer = on_unchanged(&input, || {
                Trainer::resume(input.matrix(), &checkpoint, facts.backend).map_err(unsound)
            })?;
            (trainer, run.metrics_until(Some(&checkpoint))?)
        }
        // The run was stopped before its first checkpoint.
        Err(RunError::NoCheckpoint { faults, .. }) if faults.is_empty() => {
            let trainer = on_unchanged(&input, || {
                Trainer::new(input.matrix(), config.clone(), facts.backend).map_err(unsound)
            })?;
            let found = (input.samples(), input.features(), trainer.checksum());
            if found != (facts.samples, facts.features, facts.checksum) {
                return Err(unsound(TrainError::OtherInput { what: "a value" }));
            }
            (trainer, run.metrics_until(None)?)
        }
        Err(error) => return Err(error.into()),
    };
    if more > 0 {
        run.configure(&config)?;
    }
    // The checksum has told that the samples are those that the run began with.
    if matches!(run::recipe(directory), Err(RunError::NoRecipe(_) | RunError::Damaged { .. })) {
        run.keep_recipe(&sources.recipe(&input))?;
    }
    if trainer.is_done() {
        run.prune()?;
        let directory = Escaped(directory.display());
        watch.clear();
        writeln!(io::stdout(), "{directory} is done, with {}", counted(trainer.epoch()))?;
        return Ok(());
    }
    input.expect_any_order();
    signals::hold();
    let session = Session { run, facts, truth, metrics, kept: true, quiet: args.quiet };
    session.run(trainer.threads(args.threads.unwrap_or(0)), &input, watch)
}

/// Says what is wrong with the arguments.
fn usage(message: &'static str) -> Result<(), Box<dyn Error>> {
    Err(Usage { command: "train", message }.into())
}

/// The part of a run that this process does: train until the run ends or is stopped.
struct Session {
    run: Run,
    facts: Facts,
    truth: Option<Vec<u32>>,
    metrics: Vec<Measurement>,
    /// True if there is a checkpoint of an epoch to go on from.
    kept: bool,
    quiet: bool,
}

impl Session {
    fn run<'a>(
        mut self,
        trainer: Trainer<'_>,
        input: &'a Input,
        mut watch: Watch<'a>,
    ) -> Result<(), Box<dyn Error>> {
        let error = match self.train(trainer, input, &mut watch) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        watch.clear();
        if signals::asked().is_some() || error.is::<io::Error>() {
            return Err(error);
        }
        let directory = self.run.directory().to_path_buf();
        // Every error of training would come again, but for that of a failing device.
        let again = match error.downcast_ref::<TrainError>() {
            Some(error) => matches!(error, TrainError::Device(_)),
            None => true,
        };
        // Without a trained epoch, going on means beginning anew: of no use if the input has
        // changed.
        let changed = error.is::<ReadError>();
        if !self.kept && (!again || changed) {
            self.run.discard();
            return Err(error);
        }
        Err(Halted { error, directory, again }.into())
    }

    fn train<'a>(
        &mut self,
        mut trainer: Trainer<'_>,
        input: &'a Input,
        watch: &mut Watch<'a>,
    ) -> Result<(), Box<dyn Error>> {
        let began = Instant::now();
        watch.of(input);
        let mut training = TrainingWatch::new(watch, trainer.config().all_epochs());
        loop {
            let again = again(self.run.directory());
            signals::say(format!("after epoch {}; go on with: {again}", trainer.epoch()));
            let event = on_unchanged(input, || {
                Ok(trainer.advance_watched(&mut |progress| training.see(progress))?)
            });
            match event? {
                Event::Trained(epoch) => {
                    self.note(Measurement::Epoch(epoch))?;
                    self.run.keep(&trainer.checkpoint())?;
                }
                Event::Clustered(clustered) => {
                    let measured = measured(&clustered, self.truth.as_deref())?;
                    self.note(Measurement::Clustering(measured.clone()))?;
                    if trainer.is_done() {
                        self.finish(&trainer, input, &clustered, &measured)?;
                        // The checkpoint is kept last, so that it stands for a whole result.
                        self.run.keep(&trainer.checkpoint())?;
                        watch.clear();
                        break;
                    }
                    self.run.keep(&trainer.checkpoint())?;
                }
            }
            self.kept = true;
        }
        if !self.quiet {
            let mut out = io::stdout().lock();
            let Facts { samples, features, .. } = self.facts;
            let seconds = began.elapsed().as_secs_f64();
            let (s, f) = (samples, features);
            let epochs = counted(trainer.epoch());
            writeln!(out, "{s} samples × {f} features, {epochs}, {seconds:.1} s\n")?;
            writeln!(out, "{}", clusterings(&self.metrics).trim_fmt())?;
            let last = self.metrics.iter().rev().find_map(Measurement::clustering);
            if let Some(verdict) = last.and_then(|clustering| clustering.verdict.as_ref()) {
                writeln!(out, "\n{}\n\n{verdict}", candidates(verdict).trim_fmt())?;
            }
            let report = self.run.directory().join(run::REPORT);
            writeln!(out, "\nlook at {}", Escaped(report.display()))?;
            out.flush()?;
        }
        Ok(())
    }

    fn note(&mut self, metric: Measurement) -> Result<(), RunError> {
        self.run.note(&metric)?;
        self.metrics.push(metric);
        Ok(())
    }

    /// Writes the result.
    fn finish(
        &self,
        trainer: &Trainer<'_>,
        input: &Input,
        clustered: &Clustered,
        measured: &Clustering,
    ) -> Result<(), Box<dyn Error>> {
        let (directory, config) = (self.run.directory(), trainer.config());
        let Clustered { hierarchy, clusters, embedding, .. } = clustered;
        let embedding = embedding.as_ref().ok_or(TrainError::Untrained)?;
        let mut report = Report::new(hierarchy, LinkBound::default());
        let scored = hierarchy.partitions().iter().zip(&measured.partitions);
        report.partitions = scored
            .map(|(one, scored)| PartitionSummary::sized(&one.sizes(), scored.scores))
            .collect();
        report.requested = Some(Requested {
            linkage: clustered.linkage.map_or("consensus", Linkage::name),
            from: clustered.from,
            summary: PartitionSummary::sized(
                &clusters.sizes(),
                measured.requested.as_ref().and_then(|one| one.scores),
            ),
        });
        write_embedding(&directory.join(run::EMBEDDING), embedding.view())?;
        Output::prepare(directory, true, &[])?.write(
            hierarchy,
            [Some(&Labels::from(clusters)), None],
            &report,
        )?;
        let name = directory.file_name().unwrap_or(directory.as_os_str()).to_string_lossy();
        let config_text = toml::to_string(config)?;
        let page = finch_deep::report::Report {
            title: &name,
            facts: &self.facts.lines(),
            config: &config_text,
            metrics: &self.metrics,
            embedding: embedding.view(),
            distance: clustered.metric,
            labels: clusters.labels(),
            input: Some(report::Input {
                samples: input.matrix(),
                metric: config.input_metric,
                neighbors: trainer.neighbors(),
                names: input.names(),
                image: self.facts.image,
            }),
            truth: self.truth.as_deref().map(|labels| Truth { labels, names: &[] }),
            seed: config.seed,
        };
        write_atomically(&directory.join(run::REPORT), |mut file| page.write(&mut file))?;
        Ok(())
    }
}

/// A run that did not come to its end.
#[derive(Debug, thiserror::Error)]
#[error("{error}\nwhat was trained before is kept; {}", advice(directory, *again))]
struct Halted {
    error: Box<dyn Error>,
    directory: PathBuf,
    /// True if the run may get further when it is taken up again.
    again: bool,
}

fn advice(directory: &Path, again_as_it_is: bool) -> String {
    match again_as_it_is {
        true => format!("go on with: {}", again(directory)),
        false => {
            let config = directory.join("config.toml");
            format!("begin another run with other options: --config {}", quoted(&config))
        }
    }
}

/// The input files of a run are no longer where they were.
#[derive(Debug, thiserror::Error)]
#[error("{error}; if it is elsewhere now: {again} INPUT...")]
struct Missing {
    error: ReadError,
    again: String,
}

fn counted(epochs: usize) -> String {
    format!("{epochs} epoch{}", if epochs == 1 { "" } else { "s" })
}

fn measured(clustered: &Clustered, truth: Option<&[u32]>) -> finch_core::Result<Clustering> {
    let scored = |partition: &Partition| metrics::ScoredPartition::of(partition, truth);
    let percent = |share: f64| (share * 1e6).round() / 1e4;
    let candidate = |candidate: &Candidate| -> finch_core::Result<metrics::Candidate> {
        Ok(metrics::Candidate {
            source: candidate.source,
            modularity: candidate.modularity,
            agreement: percent(candidate.agreement),
            scores: scored(&candidate.clusters)?.scores,
        })
    };
    let verdict = |result| -> finch_core::Result<Verdict> {
        let candidates = clustered.candidates.iter().map(candidate).collect::<Result<_, _>>()?;
        Ok(Verdict::new(result, candidates))
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
