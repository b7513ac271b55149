//! A progress bar on a terminal, the time that stages took, and whether to go on.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use finch_core::{Progress, Stage};
use finch_deep::data::Input;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::signals;
use crate::input::mapped;

/// The time between two looks at the input for changes.
const LOOK_EVERY: Duration = Duration::from_secs(1);

const LEVEL_0: Stage = Stage::Neighbors { level: 0 };
/// Steps of a full bar; more than any terminal is wide.
pub(super) const STEPS: u64 = 1000;

/// Watches one run.
pub(crate) struct Watch<'a> {
    pub(super) bar: ProgressBar,
    /// The samples of the run, once they are read.
    input: Option<&'a Input>,
    /// When the input was last looked at.
    looked: Instant,
    last: Option<Progress>,
    began: Instant,
    neighbors: Duration,
    /// The time of merging in the stages before this one.
    merged: Duration,
    merging: Duration,
}

impl<'a> Watch<'a> {
    /// Draws a bar on standard error where that is a terminal, unless told to be quiet.
    pub(crate) fn new(quiet: bool) -> Self {
        let target =
            if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        Self {
            bar: ProgressBar::with_draw_target(Some(STEPS), target),
            input: None,
            looked: Instant::now(),
            last: None,
            began: Instant::now(),
            neighbors: Duration::ZERO,
            merged: Duration::ZERO,
            merging: Duration::ZERO,
        }
    }

    /// Says that files are being read.
    pub(crate) fn reading(&self) {
        self.bar.set_style(style("{spinner} {msg} {elapsed}"));
        self.bar.set_message("reading");
        // The tick is a thread, which indicatif starts also where nobody sees the bar, with a panic where the
        // system has no memory for it.
        if !self.bar.is_hidden() {
            self.bar.enable_steady_tick(Duration::from_millis(100));
        }
    }

    /// Takes the bar away for as long as something else is printed.
    #[cfg(feature = "train")]
    pub(crate) fn aside(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// From now on the run is about the samples of `input`.
    pub(crate) fn of(&mut self, input: &'a Input) {
        self.input = Some(input);
    }

    /// Takes the progress of a run, and stops the run where there is no use in going on.
    pub(crate) fn see(&mut self, progress: Progress) -> ControlFlow<()> {
        let Progress { stage, fraction, .. } = progress;
        // A fraction that falls is that of another stage of the same kind: of merging to K after
        // the suggestion. (One that stays at 0 is not: some stages prepare for a while.)
        let last = self.last.replace(progress);
        if last.is_none_or(|last| last.stage != stage || fraction < last.fraction) {
            self.began = Instant::now();
            self.merged += std::mem::take(&mut self.merging);
            self.begin(match stage {
                LEVEL_0 => "neighbours of samples".into(),
                Stage::Neighbors { level } => format!("neighbours at level {level}"),
                Stage::Link => "merging clusters by links".into(),
                Stage::Merge => "merging clusters".into(),
                Stage::Predict => "nearest neighbours".into(),
                Stage::Describe => "describing clusters".into(),
                Stage::Bound => "longest pair of samples".into(),
                _ => "working".into(),
            });
        }
        self.reach(fraction);
        match stage {
            LEVEL_0 => self.neighbors = self.began.elapsed(),
            Stage::Link | Stage::Merge => self.merging = self.began.elapsed(),
            _ => {}
        }
        self.go_on()
    }

    /// Break if a signal asked to stop, or if the input has changed.
    pub(super) fn go_on(&mut self) -> ControlFlow<()> {
        let mut useless = signals::asked().is_some() || mapped::is_lost();
        if self.looked.elapsed() >= LOOK_EVERY {
            self.looked = Instant::now();
            useless |= self.input.is_some_and(|input| input.expect_unchanged().is_err());
        }
        if useless { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// An empty bar for work of this name.
    pub(super) fn begin(&self, message: String) {
        self.bar.disable_steady_tick();
        self.bar.set_style(style("{msg:<26} {bar:40} {percent:>3} %, {eta} left"));
        self.bar.set_message(message);
        self.bar.reset();
        self.bar.set_length(STEPS);
    }

    /// Fills the bar to a fraction of its length.
    pub(super) fn reach(&self, fraction: f64) {
        self.bar.set_position((fraction * STEPS as f64) as u64);
    }

    /// The time that the neighbours of the samples took.
    pub(crate) fn neighbors(&self) -> Duration {
        self.neighbors
    }

    /// The time that merging took, to K clusters and for the suggestion.
    pub(crate) fn merging(&self) -> Duration {
        self.merged + self.merging
    }

    /// Takes the bar off the terminal.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

pub(super) fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a template written here is sound")
}
