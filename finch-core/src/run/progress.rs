//! The progress of an operation: workers count it, and a callback is told.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// The work that an operation is doing.
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
    /// Working on many data sets side by side ([`Run::batch`](crate::Run::batch)).
    Batch,
}

/// The progress of an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The work under way.
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
    began: Instant,
    /// When the callback is called next, in microseconds after the beginning: read without the lock.
    due: AtomicU64,
    teller: Mutex<Teller<'a, 'c>>,
}

impl<'a, 'c> Interlude<'a, 'c> {
    pub(crate) fn new(teller: Teller<'a, 'c>) -> Self {
        let due = AtomicU64::new(INTERVAL.as_micros() as u64);
        Self { began: Instant::now(), due, teller: Mutex::new(teller) }
    }

    pub(crate) fn into_teller(self) -> Teller<'a, 'c> {
        self.teller.into_inner().expect("a panic of the callback has ended the stage")
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_micros() as u64
    }
}

/// Does something now and then while work goes on; returns false if the work should stop.
trait Pause: Sync {
    fn look(&self, fraction: f64) -> bool;
}

impl Pause for Interlude<'_, '_> {
    fn look(&self, fraction: f64) -> bool {
        if self.now() < self.due.load(Ordering::Relaxed) {
            return true;
        }
        let mut teller = self.teller.lock().expect("a panic of the callback has ended the stage");
        let told = teller.tell(fraction).is_ok();
        self.due.store(self.now() + INTERVAL.as_micros() as u64, Ordering::Relaxed);
        told
    }
}

/// A thread that asks whether to stop passes by its clock at most so many times in a row: to read the clock
/// takes 25 ns or more, as long as to compare two rows of a hundred features.
const PASSED_BY: u32 = 15;
/// Only a thread that has asked all these times within so long does.
const SOON: Duration = Duration::from_micros(100);

/// When a thread looks at its clock next.
#[derive(Clone, Copy)]
struct Glance {
    /// The number of times more that the thread passes by its clock.
    left: u32,
    /// The number of times that it passed by before it last looked, and when that was.
    passed: u32,
    last: Option<Instant>,
}

thread_local! {
    static GLANCE: Cell<Glance> = const { Cell::new(Glance { left: 0, passed: 0, last: None }) };
}

impl Glance {
    /// True if this thread, which asks whether to stop, is to look at its clock.
    fn is_due() -> bool {
        let Glance { left, passed, last } = GLANCE.get();
        if left > 0 {
            GLANCE.set(Glance { left: left - 1, passed, last });
            return false;
        }
        let now = Instant::now();
        let is_soon = last.is_some_and(|last| now.duration_since(last) < SOON);
        let passed = if is_soon { (2 * passed + 1).min(PASSED_BY) } else { 0 };
        GLANCE.set(Glance { left: passed, passed, last: Some(now) });
        true
    }

    /// Has this thread look at its clock when it next asks.
    fn expect() {
        GLANCE.set(Glance { left: 0, ..GLANCE.get() });
    }
}

/// Counts the finished parts of a stage; shared by the workers.
pub(crate) struct Meter<'m> {
    done: AtomicU64,
    total: u64,
    stop: AtomicBool,
    pause: Option<&'m dyn Pause>,
    /// When to return early, with what was found until then, and the meter of the work that goes on
    /// after that.
    until: Option<(Option<Instant>, &'m Meter<'m>)>,
    /// The weight of a part of this work for the meter of the work that goes on.
    weight: f64,
}

impl<'m> Meter<'m> {
    pub(crate) fn new(total: u64) -> Self {
        let (done, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { done, total: total.max(1), stop, pause: None, until: None, weight: 1.0 }
    }

    /// A meter of a part of the work that is left at a deadline, if there is one: it counts for this
    /// meter, and is stopped where this one is.
    pub(crate) fn until(&'m self, deadline: Option<Instant>) -> Meter<'m> {
        Glance::expect();
        Self { until: Some((deadline, self)), ..Self::new(self.total) }
    }

    /// A meter of a part of the work, of which each part counts as `weight` of this meter's, and which is
    /// stopped where this one is.
    pub(crate) fn weighted(&'m self, weight: f64) -> Meter<'m> {
        Self { weight, ..self.until(None) }
    }

    /// The meter of the work that goes on after a deadline: this one, if it has none.
    pub(crate) fn beyond(&self) -> &Meter<'m> {
        self.until.map_or(self, |(_, meter)| meter)
    }

    /// True if there is a deadline.
    pub(crate) fn is_bounded(&self) -> bool {
        self.until.is_some_and(|(deadline, _)| deadline.is_some())
    }

    /// True if a deadline has ended work early. False as long as no work has met the deadline, even if
    /// it has passed: then nothing is missing.
    pub(crate) fn is_late(&self) -> bool {
        self.stop.load(Ordering::Relaxed) && !self.beyond().stopped()
    }

    /// A meter that calls back from within the work.
    pub(crate) fn with_interlude(self, interlude: &'m Interlude<'_, '_>) -> Self {
        Self { pause: Some(interlude), ..self }
    }

    /// A meter of work between two stages, of which all has been done.
    pub(crate) fn of_nothing() -> Self {
        Self { done: AtomicU64::new(1), ..Self::new(1) }
    }

    /// A meter that is stopped or not from the start, for tests of what a stop leaves.
    #[cfg(test)]
    pub(crate) fn stopped_at_once(stopped: bool) -> Self {
        Self { stop: AtomicBool::new(stopped), ..Self::new(1) }
    }

    /// Notes `parts` more of the total as done.
    pub(crate) fn advance(&self, parts: u64) {
        if let Some((_, meter)) = self.until {
            let counted =
                if self.weight == 1.0 { parts } else { (parts as f64 * self.weight) as u64 };
            return meter.advance(counted);
        }
        self.done.fetch_add(parts, Ordering::Relaxed);
        self.pause();
    }

    /// Calls back from within the work, if that is due. A callback that has asked to stop is not asked
    /// again.
    fn pause(&self) {
        if let Some(pause) = self.pause
            && !self.stop.load(Ordering::Relaxed)
            && !pause.look(self.fraction())
        {
            self.stop();
        }
    }

    /// Asks the workers to return early.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// True if work is to return early: nobody will look at the result, but for what was found before a
    /// deadline ([`Meter::until`]). Where the work is on the thread of the callback, it calls back: work
    /// asks this at least as often as it advances. A thread that asks very often does not look at its
    /// clock each time.
    pub(crate) fn stopped(&self) -> bool {
        let has_clock = self.pause.is_some() || self.until.is_some();
        self.is_stopped() || has_clock && Glance::is_due() && self.look()
    }

    /// True if somebody has asked to return early, of this work or of all that it is a part of.
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.until.is_some_and(|(_, meter)| meter.is_stopped())
    }

    /// [`Meter::stopped`], with a look at the clock.
    fn look(&self) -> bool {
        self.pause();
        if self.stop.load(Ordering::Relaxed) {
            return true;
        }
        let ended = |(deadline, meter): (Option<Instant>, &Meter<'_>)| {
            meter.look() || deadline.is_some_and(|deadline| Instant::now() >= deadline)
        };
        let stopped = self.until.is_some_and(ended);
        if stopped {
            self.stop();
        }
        stopped
    }

    pub(crate) fn fraction(&self) -> f64 {
        (self.done.load(Ordering::Relaxed) as f64 / self.total as f64).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_stops_a_part_of_the_work_and_not_the_rest() {
        let all = Meter::new(100);
        let open = all.until(None);
        assert!(!open.stopped() && !open.is_late() && !open.is_bounded());
        let passed = all.until(Some(Instant::now()));
        assert!(!passed.is_late(), "no work has met the deadline");
        assert!(passed.stopped() && passed.is_late() && !passed.beyond().stopped());
        // Of parts within parts, too; and what they do counts for all.
        let within = passed.until(None);
        within.advance(25);
        assert!(within.stopped() && all.fraction() == 0.25 && !all.stopped());
        let light = within.weighted(0.5);
        light.advance(50);
        assert!(all.fraction() == 0.5 && light.stopped());
        all.stop();
        assert!(
            open.stopped() && !open.is_late() && !passed.is_late(),
            "nobody looks at the result"
        );
    }

    /// However often a thread asks, its clock is looked at once in sixteen times; and once it has begun a
    /// part of the work, at once.
    #[test]
    fn a_thread_that_asks_often_looks_at_its_clock_in_time() {
        let all = Meter::new(1);
        let long = all.until(Some(Instant::now() + Duration::from_secs(3_600)));
        (0..1_000).for_each(|_| assert!(!long.stopped()));
        assert!(all.until(Some(Instant::now())).stopped());
        let passed = all.until(Some(Instant::now()));
        (0..1_000).for_each(|_| assert!(!long.stopped()));
        assert!((0..=PASSED_BY).any(|_| passed.stopped()));
        all.stop();
        assert!(long.stopped(), "what nobody waits for ends without a look");
    }

    /// Work on the thread of the callback that advances seldom, but asks whether to stop.
    #[test]
    fn whoever_asks_whether_to_stop_calls_back() {
        let mut told = Vec::new();
        let mut callback = |progress: Progress| {
            told.push(progress.fraction);
            if told.len() < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let teller = Teller { stage: Stage::Link, callback: &mut callback };
        let interlude = Interlude::new(teller);
        let meter = Meter::new(4).with_interlude(&interlude);
        meter.advance(1);
        let within = meter.until(None);
        while !within.stopped() {}
        assert!(meter.stopped());
        assert_eq!(told, [0.25; 2]);
    }
}
