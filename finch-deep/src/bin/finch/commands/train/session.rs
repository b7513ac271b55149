//! The part of a run that one process does: training until the run ends or is stopped.

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use finch_deep::data::{Escaped, Input, ReadError, Recipe};
use finch_deep::metrics::{Clustering, Effect, Epoch, Measurement};
use finch_deep::run::{self, Facts, Run, RunError};
use finch_deep::train::{Clustered, Event, TrainError, Trainer};

use super::measured::{OtherMethods, measured};
use crate::input::mapped::on_unchanged;
use crate::output::clusterings::{candidates, clusterings};
use crate::output::shell::{again, quoted};
use crate::output::summary::counted;
use crate::process::progress::Watch;
use crate::process::signals;
use crate::process::training_progress::TrainingWatch;

/// The part of a run that this process does: train until the run ends or is stopped.
pub(super) struct Session {
    pub(super) run: Run,
    pub(super) facts: Facts,
    pub(super) truth: Option<Vec<u32>>,
    /// The recipe by which the samples were read.
    pub(super) recipe: Recipe,
    pub(super) metrics: Vec<Measurement>,
    /// The scores of other methods, as far as a verdict has asked for them.
    pub(super) others: OtherMethods,
    /// True if there is a checkpoint of an epoch to go on from.
    pub(super) kept: bool,
    pub(super) quiet: bool,
    /// True if the result is printed.
    pub(super) shows: bool,
    /// Threads; 0 for one for each core.
    pub(super) threads: usize,
}

impl Session {
    pub(super) fn run<'a>(
        mut self,
        trainer: Trainer<'_>,
        input: &'a Input,
        mut watch: Watch<'a>,
    ) -> Result<Vec<Measurement>, Box<dyn Error>> {
        let error = match self.train(trainer, input, &mut watch) {
            Ok(()) => return Ok(self.metrics),
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
                    self.tell(&epoch, trainer.config().all_epochs());
                    self.note(Measurement::Epoch(epoch))?;
                    self.run.keep(&trainer.checkpoint())?;
                }
                Event::Clustered(clustered) => {
                    let measured = self.measured(&trainer, input, &clustered)?;
                    self.note(Measurement::Clustering(Box::new(measured.clone())))?;
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
        if self.shows && !self.quiet {
            self.show(&trainer, began.elapsed().as_secs_f64())?;
        }
        Ok(())
    }

    /// The measurements of a clustering; where the truth is known, those of other methods take samples.
    fn measured(
        &mut self,
        trainer: &Trainer<'_>,
        input: &Input,
        clustered: &Clustered,
    ) -> Result<Clustering, Box<dyn Error>> {
        let (truth, others) = (self.truth.as_deref(), &mut self.others);
        on_unchanged(input, || {
            Ok(measured(clustered, truth, &input.matrix(), trainer.config(), others)?)
        })
    }

    /// Says what an epoch came to, where no bar shows it. It is no error if nobody reads that.
    fn tell(&self, epoch: &Epoch, of: usize) {
        if self.quiet || io::stderr().is_terminal() {
            return;
        }
        let right = epoch.accuracy.map(|percent| format!(", {percent:.1} % of the labels learnt"));
        let (number, loss) = (epoch.epoch, epoch.loss);
        let _ = writeln!(
            io::stderr(),
            "finch: epoch {number} of {of}: loss {loss:.4}{}, {:.0} samples/s",
            right.unwrap_or_default(),
            epoch.samples_per_second
        );
    }

    /// Prints the verdict first, then the tables, and what to type next.
    fn show(&self, trainer: &Trainer<'_>, seconds: f64) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let Facts { samples, features, .. } = self.facts;
        let (samples, features) = (counted(samples, "sample"), counted(features, "feature"));
        let last = self.metrics.iter().rev().find_map(Measurement::clustering);
        let verdict = last.and_then(|clustering| clustering.verdict.as_ref());
        if let Some(verdict) = verdict {
            writeln!(out, "{verdict}\n\n{}\n", candidates(verdict).trim_fmt())?;
        }
        let epochs = counted(trainer.epoch(), "epoch");
        writeln!(out, "{samples} × {features}, {epochs}, {seconds:.1} s\n")?;
        writeln!(out, "{}", clusterings(&self.metrics).trim_fmt())?;
        let directory = self.run.directory();
        let [report, labels] = [run::REPORT, run::LABELS]
            .map(|name| Escaped(directory.join(name).display()).to_string());
        writeln!(out, "\nlook at {report}; the labels are in {labels}\nnext:")?;
        let run = quoted(directory);
        writeln!(out, "  finch predict {run} NEW      the clusters of new samples")?;
        let of_input = |effect| matches!(effect, Effect::DidNotHelp | Effect::ChangedNothing);
        match verdict.map(|verdict| verdict.training) {
            Some(effect) if of_input(effect) => {
                let clusters = last.and_then(|last| last.requested.as_ref());
                let clusters = clusters.map_or(0, |requested| requested.clusters);
                let metric = trainer.config().input_metric.name();
                writeln!(
                    out,
                    "  finch cluster INPUT --metric {metric} -k {clusters}     clusters of the input, without \
                     training"
                )?;
            }
            _ => writeln!(out, "  {} --rounds 2     more training", again(directory))?,
        }
        out.flush()
    }

    fn note(&mut self, metric: Measurement) -> Result<(), RunError> {
        self.run.note(&metric)?;
        self.metrics.push(metric);
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
