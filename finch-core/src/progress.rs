//! How far an operation is: workers count it, and a callback is told.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// What an operation is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Searching the first neighbours of one level, or the k nearest: level 0 is the samples, level
    /// 1 the means of the first partition, …
    Neighbors {
        /// The level.
        level: usize,
    },
    /// Measuring the longest pair of samples that Eq. 1 joins, for
    /// [`LinkBound::JoinedPair`](crate::LinkBound::JoinedPair).
    Bound,
    /// Linking clusters by the neighbours that their samples share, and merging by these links
    /// down to the number asked for.
    Link,
    /// Merging clusters by their means, one pair at a time, down to the number asked for.
    Merge,
    /// Searching the samples of a model, or its means, that are nearest to new samples.
    Predict,
    /// Comparing samples with others of their cluster and with means, to describe clusters.
    Describe,
}

/// How far an operation has come.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// The part of the stage that is done, from 0 to 1, never falling within a stage.
    pub fraction: f64,
}

/// A callback that sees progress and may stop the operation by returning [`ControlFlow::Break`].
///
/// It is called on the thread that called the operation, at the start and the end of each stage and
/// about twenty times a second in between.
pub type Callback<'c> = dyn FnMut(Progress) -> ControlFlow<()> + Send + 'c;

/// The time between two calls of the callback.
pub(crate) const INTERVAL: Duration = Duration::from_millis(50);

/// Tells a callback how far one stage is.
pub(crate) struct Teller<'a, 'c> {
    pub(crate) stage: Stage,
    pub(crate) callback: &'a mut Callback<'c>,
}

impl Teller<'_, '_> {
    /// # Errors
    /// [`Error::Cancelled`] if the callback wants the operation to stop.
    pub(crate) fn tell(&mut self, fraction: f64) -> Result<()> {
        match (self.callback)(Progress { stage: self.stage, fraction }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Cancelled),
        }
    }
}

/// A callback that is called from within the work, which runs on the callback's own thread.
pub(crate) struct Interlude<'a, 'c> {
    due: Mutex<(Instant, Teller<'a, 'c>)>,
}

impl<'a, 'c> Interlude<'a, 'c> {
    pub(crate) fn new(teller: Teller<'a, 'c>) -> Self {
        Self { due: Mutex::new((Instant::now() + INTERVAL, teller)) }
    }

    pub(crate) fn into_teller(self) -> Teller<'a, 'c> {
        self.due.into_inner().expect("a panic of the callback has ended the stage").1
    }
}

/// Does something now and then while work goes on; returns false if the work should stop.
trait Pause: Sync {
    fn look(&self, fraction: f64) -> bool;
}

impl Pause for Interlude<'_, '_> {
    fn look(&self, fraction: f64) -> bool {
        let mut due = self.due.lock().expect("a panic of the callback has ended the stage");
        let (due, teller) = &mut *due;
        if Instant::now() < *due {
            return true;
        }
        *due = Instant::now() + INTERVAL;
        teller.tell(fraction).is_ok()
    }
}

/// Counts the finished parts of a stage; shared by the workers.
pub(crate) struct Meter<'m> {
    done: AtomicU64,
    total: u64,
    stop: AtomicBool,
    pause: Option<&'m dyn Pause>,
}

impl<'m> Meter<'m> {
    pub(crate) fn new(total: u64) -> Self {
        let (done, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { done, total: total.max(1), stop, pause: None }
    }

    /// A meter that calls back from within the work.
    pub(crate) fn with_interlude(total: u64, interlude: &'m Interlude<'_, '_>) -> Self {
        Self { pause: Some(interlude), ..Self::new(total) }
    }

    /// A meter that is stopped or not from the start, for tests of what a stop leaves.
    #[cfg(test)]
    pub(crate) fn stopped_at_once(stopped: bool) -> Self {
        Self { stop: AtomicBool::new(stopped), ..Self::new(1) }
    }

    /// Notes `parts` more of the total as done.
    pub(crate) fn advance(&self, parts: u64) {
        self.done.fetch_add(parts, Ordering::Relaxed);
        if let Some(pause) = self.pause {
            // A callback that has asked to stop is not asked again.
            if !self.stopped() && !pause.look(self.fraction()) {
                self.stop();
            }
        }
    }

    /// Asks the workers to return early.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether to return early: nobody will look at the result.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn fraction(&self) -> f64 {
        (self.done.load(Ordering::Relaxed) as f64 / self.total as f64).min(1.0)
    }
}
