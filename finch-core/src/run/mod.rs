//! The context that operations run in: threads, and a callback that is told how far an operation
//! is.

pub(crate) mod progress;
mod threads;
pub(crate) mod work;

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;

use rayon::prelude::*;

use progress::{Callback, INTERVAL, Interlude, Meter, Progress, Stage, Teller};
use threads::{MOST_THREADS, SAMPLES_PER_THREAD, Workers};

use crate::error::warning::Warning;
use crate::error::{Error, Result};
use crate::support::memory::{self, collected, collected_in_parallel, push};

/// On how many threads operations run, and which callback is told how far they are.
///
/// Neither threads nor callback show in a result. One `Run` serves any number of operations, one
/// after the other:
///
/// ```
/// use std::ops::ControlFlow;
/// use finch_core::{Finch, Refine, Run, Samples};
///
/// let points = ndarray::array![[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]];
/// let samples = Samples::new(points.view())?;
/// let mut run = Run::new().threads(2).progress(|progress| {
///     eprintln!("{:?}: {:.0} %", progress.stage, 100.0 * progress.fraction);
///     ControlFlow::Continue(()) // or Break, to stop
/// });
/// let hierarchy = Finch::new().fit_with(&samples, &mut run)?;
/// let two = Refine::new(2).run_with(&samples, &hierarchy, &mut run)?;
/// assert_eq!(two.clusters(), 2);
/// # Ok::<(), finch_core::Error>(())
/// ```
#[derive(Default)]
pub struct Run<'c> {
    threads: usize,
    callback: Option<Box<Callback<'c>>>,
    workers: Workers,
    warnings: Vec<Warning>,
    /// The stage of this operation that has ended last.
    last: Option<Stage>,
}

impl<'c> Run<'c> {
    /// The most threads that are started, however many are asked for.
    pub const MOST_THREADS: usize = MOST_THREADS;

    /// All threads, and no callback.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of threads: at most one for each core (on fewer than four cores at most four), at most
    /// one for every 32 samples, and at most [`Run::MOST_THREADS`]. 0, the default, takes the rayon pool
    /// that the caller runs in, or else the global one (a thread per core). With 1 all work is done on the
    /// calling thread, and no thread is started (but for a caller that is itself a worker of a rayon pool). So is
    /// work of less than a millisecond or so, however many threads are asked for.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// A callback that is told how far an operation is, and may stop the operation, which then
    /// returns [`Error::Cancelled`]. It is called on the thread that called the operation, at the
    /// start and the end of each stage and about twenty times a second in between.
    pub fn progress(self, callback: impl FnMut(Progress) -> ControlFlow<()> + Send + 'c) -> Self {
        Self { callback: Some(Box::new(callback)), ..self }
    }

    /// The warnings of the last operation: of searches, level by level, that found fewer neighbours than
    /// were asked for, and of predictions. Where an operation makes a hierarchy, its own
    /// [warnings](crate::Hierarchy::warnings) have these, too.
    ///
    /// ```
    /// use std::time::Duration;
    /// use finch_core::{Finch, Run, Samples, Search};
    ///
    /// let noise = ndarray::Array2::from_shape_fn((9_000, 64), |(i, j)| {
    ///     (((64 * i + j) as f64).sin() * 1e4).fract()
    /// });
    /// let mut run = Run::new();
    /// let hurried = Finch::new().search(Search::Approximate).time_limit(Duration::from_nanos(1));
    /// hurried.first_neighbors(&Samples::new(noise.view())?, &mut run)?;
    /// assert!(run.warnings()[0].to_string().contains("ask for an exact search"));
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Notes what a search says against its result.
    pub(crate) fn warn(&mut self, warning: Warning) {
        push(&mut self.warnings, warning);
    }

    /// Works on many data sets, each by itself, side by side on the threads of this run: `work` is given each number
    /// below `count`, and a run of its own for what it calls, on these threads, too. Returns the results in the order
    /// of the numbers. A thread that waits for others in one set may work on another one meanwhile, for which a time
    /// limit does not stand still. The callback is told of whole sets; on one thread it is called between two, and a
    /// stop waits for the sets under way.
    ///
    /// ```
    /// use finch_core::{Finch, Refine, Run, Samples};
    ///
    /// let sets = [ndarray::array![[0.0], [1.0], [5.0], [6.0]], ndarray::array![[3.0], [9.0], [8.0]]];
    /// let two = |set: usize, run: &mut Run<'_>| {
    ///     let samples = Samples::new(sets[set].view())?;
    ///     let hierarchy = Finch::new().fit_with(&samples, run)?;
    ///     Refine::new(2).run_with(&samples, &hierarchy, run)
    /// };
    /// let partitions = Run::new().batch(sets.len(), two)?;
    /// assert_eq!(partitions[1].as_ref().unwrap().labels(), [0, 1, 1]);
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Cancelled`], [`Error::Threads`], [`Error::OutOfMemory`].
    pub fn batch<T: Send>(
        &mut self,
        count: usize,
        work: impl Fn(usize, &mut Run<'_>) -> T + Sync,
    ) -> Result<Vec<T>> {
        // A set may be large, however few there are: as many threads as may be.
        self.operate(usize::MAX, |run| {
            let results = run.stage(Stage::Batch, count as u64, |meter| {
                let result = |number: usize| {
                    let result = (!meter.stopped()).then(|| work(number, &mut Run::new()));
                    meter.advance(1);
                    result
                };
                // Sets differ in size: each is offered to the next thread that is free.
                collected_in_parallel((0..count).into_par_iter().with_max_len(1).map(result))
            })?;
            let done = |result: Option<T>| result.expect("nothing has stopped the run");
            Ok(collected(results.into_iter().map(done)))
        })
    }

    /// Runs an operation on so many samples: starts its workers, and makes an error of a refused
    /// request for memory.
    ///
    /// # Errors
    /// The errors of the operation, [`Error::Threads`], [`Error::OutOfMemory`].
    pub(crate) fn operate<T>(
        &mut self,
        samples: usize,
        operation: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.begin(|run| {
            run.workers = Workers::start(run.threads, samples, run.callback.is_some())?;
            operation(run)
        })
    }

    /// [`Run::operate`] for an operation whose work is worth so many threads, on however few samples.
    ///
    /// # Errors
    /// The errors of [`Run::operate`].
    pub(crate) fn operate_on<T>(
        &mut self,
        threads: usize,
        samples: usize,
        operation: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.operate(samples.max(threads.saturating_mul(SAMPLES_PER_THREAD)), operation)
    }

    /// [`Run::operate`] for an operation that asks for no threads, however many there may be, and calls no loop of
    /// rayon's: such a loop would start the pool of all threads for little work.
    ///
    /// # Errors
    /// The errors of [`Run::operate`], but for [`Error::Threads`].
    pub(crate) fn operate_alone<T>(
        &mut self,
        operation: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.begin(|run| {
            run.workers = Workers::Alone;
            operation(run)
        })
    }

    fn begin<T>(&mut self, operation: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.warnings.clear();
        self.last = None;
        let result = memory::caught(|| operation(self));
        self.workers = Workers::Shared;
        result
    }

    /// Runs short `work`, which asks nobody whether to stop, on the workers. The callback is called meanwhile where
    /// its thread is none of them.
    pub(crate) fn install<T: Send>(&mut self, work: impl FnOnce() -> T + Send) -> Result<T> {
        match self.workers.are_caller() {
            true => self.workers.install(work),
            false => self.between(|_| work()),
        }
    }

    /// Runs `work` between two stages on the workers, and the callback on this thread: the last stage has been
    /// done then, and the callback may still stop the operation.
    pub(crate) fn between<T: Send>(&mut self, work: impl FnOnce(&Meter) -> T + Send) -> Result<T> {
        match (&mut self.callback, self.last) {
            (Some(callback), Some(stage)) => {
                let teller = Teller { stage, callback: &mut **callback };
                told(teller, &self.workers, Meter::of_nothing(), work).map(|(result, _)| result)
            }
            _ => self.workers.install(|| work(&Meter::of_nothing())),
        }
    }

    /// Runs `work`, which advances the meter by `total` in all, on the workers, and the callback on
    /// this thread.
    pub(crate) fn stage<T: Send>(
        &mut self,
        stage: Stage,
        total: u64,
        work: impl FnOnce(&Meter) -> T + Send,
    ) -> Result<T> {
        let workers = &self.workers;
        let Some(callback) = &mut self.callback else {
            return workers.install(|| work(&Meter::new(total)));
        };
        let mut teller = Teller { stage, callback: &mut **callback };
        teller.tell(0.0)?;
        let (result, mut teller) = told(teller, workers, Meter::new(total), work)?;
        teller.tell(1.0)?;
        self.last = Some(stage);
        Ok(result)
    }
}

/// Runs `work` on the workers, and the callback now and then.
fn told<'a, 'c, T: Send>(
    teller: Teller<'a, 'c>,
    workers: &Workers,
    meter: Meter<'_>,
    work: impl FnOnce(&Meter) -> T + Send,
) -> Result<(T, Teller<'a, 'c>)> {
    match workers.are_caller() {
        true => with_interludes(teller, meter, |meter| workers.install(|| work(meter))),
        false => watched(teller, meter, |meter| workers.install(|| work(meter))),
    }
}

/// Runs `work` on this thread, and the callback now and then from within it.
fn with_interludes<'a, 'c, T>(
    teller: Teller<'a, 'c>,
    meter: Meter<'_>,
    work: impl FnOnce(&Meter) -> Result<T>,
) -> Result<(T, Teller<'a, 'c>)> {
    let interlude = Interlude::new(teller);
    let meter = meter.with_interlude(&interlude);
    let result = work(&meter)?;
    match meter.stopped() {
        true => Err(Error::Cancelled),
        false => Ok((result, interlude.into_teller())),
    }
}

/// Runs `work` on another thread, and the callback on this one.
fn watched<'a, 'c, T: Send>(
    teller: Teller<'a, 'c>,
    meter: Meter<'_>,
    work: impl FnOnce(&Meter) -> Result<T> + Send,
) -> Result<(T, Teller<'a, 'c>)> {
    let (mut work, mut result) = (Some(work), None);
    let mut once = |meter: &Meter| {
        result = work.take().map(|work| work(meter)).transpose()?;
        Ok(())
    };
    let teller = watch(teller, meter, &mut once)?;
    Ok((result.expect("the work has been done"), teller))
}

/// [`watched`], of which the compiler makes one for all kinds of work.
fn watch<'a, 'c>(
    mut teller: Teller<'a, 'c>,
    meter: Meter<'_>,
    work: &mut (dyn FnMut(&Meter) -> Result<()> + Send),
) -> Result<Teller<'a, 'c>> {
    let meter = &meter;
    thread::scope(|scope| {
        let _stop = StopOnLeave(meter);
        // The worker drops its end when it returns or panics, which wakes this thread.
        let (alive, ended) = sync_channel::<()>(0);
        let worker = thread::Builder::new()
            .spawn_scoped(scope, move || {
                let _alive = alive;
                work(meter)
            })
            .map_err(|error| Error::Threads { threads: 1, message: error.to_string() })?;
        let mut told = Ok(());
        while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
            if told.is_ok() {
                told = teller.tell(meter.fraction());
                if told.is_err() {
                    meter.stop();
                }
            }
        }
        worker.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        told
    })?;
    Ok(teller)
}

/// Stops the workers when the watching thread leaves, also by a panic of the callback.
struct StopOnLeave<'a>(&'a Meter<'a>);

impl Drop for StopOnLeave<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a thread of its own, and on that of the callback.
    #[test]
    fn work_between_stages_calls_back_and_can_be_stopped() {
        for threads in [1, 2] {
            let mut told = Vec::new();
            let mut run = Run::new().threads(threads).progress(|progress| {
                told.push((progress.stage, progress.fraction));
                if told.len() < 4 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            let ended = run.operate(64, |run| {
                run.between(|_| ())?;
                run.stage(Stage::Bound, 2, |_| ())?;
                run.between(|meter| while !meter.stopped() {})
            });
            assert_eq!(ended, Err(Error::Cancelled), "{threads}");
            drop(run);
            let last = (Stage::Bound, 1.0);
            assert_eq!(told, [(Stage::Bound, 0.0), last, last, last], "{threads}");
        }
    }
}
