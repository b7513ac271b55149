//! The progress of training, on the bar of a [`Watch`].

use std::ops::ControlFlow;

use finch_deep::train::Progress;

use super::progress::{STEPS, Watch, style};

/// The state of the trainer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Training,
    Embedding,
    Clustering,
}

/// Watches a run of training.
pub(crate) struct TrainingWatch<'a, 'b> {
    watch: &'a mut Watch<'b>,
    epochs: u64,
    step: Step,
}

impl<'a, 'b> TrainingWatch<'a, 'b> {
    /// Shows training of this many epochs.
    pub(crate) fn new(watch: &'a mut Watch<'b>, epochs: usize) -> Self {
        Self { watch, epochs: epochs as u64, step: Step::Clustering }
    }

    /// Takes the progress of training, and stops training where there is no use in going on.
    pub(crate) fn see(&mut self, progress: Progress) -> ControlFlow<()> {
        let bar = &self.watch.bar;
        match progress {
            Progress::Clustering(progress) => {
                self.step = Step::Clustering;
                return self.watch.see(progress);
            }
            Progress::Embedding { fraction } => {
                if self.step != Step::Embedding {
                    self.step = Step::Embedding;
                    self.watch.begin("embedding".into());
                }
                self.watch.reach(fraction);
            }
            Progress::Training { epoch, fraction, loss, samples_per_second } => {
                if self.step != Step::Training {
                    self.step = Step::Training;
                    bar.disable_steady_tick();
                    bar.set_style(style("{msg} {wide_bar} {eta} left"));
                    bar.reset();
                    bar.set_length(self.epochs * STEPS);
                    bar.set_position((epoch as u64 - 1) * STEPS);
                    bar.reset_eta();
                }
                bar.set_message(format!(
                    "epoch {epoch} of {}, loss {loss:.4}, {samples_per_second:.0} samples/s",
                    self.epochs,
                ));
                let done = epoch as f64 - 1.0 + fraction;
                bar.set_position((done * STEPS as f64) as u64);
            }
            _ => {}
        }
        self.watch.go_on()
    }
}
