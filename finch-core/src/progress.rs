//! Long work on worker threads, watched and stopped from the caller's thread.

use std::ops::ControlFlow;
use std::panic::{catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::error::{Error, Result};

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// First neighbours of one level, or the k nearest: 0 is the samples, 1 the means of the first
    /// partition, …
    Neighbors {
        /// The level.
        level: usize,
    },
    /// Linking clusters by the neighbours that their samples share, and merging by these links
    /// down to the number asked for.
    Link,
    /// Merging clusters by their means, one pair at a time, down to the number asked for.
    Merge,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// The part of the stage that is done, from 0 to 1, never falling within a stage.
    pub fraction: f64,
}

/// A callback that sees progress and may stop the run by returning [`ControlFlow::Break`].
///
/// It is called on the thread that called `fit_watched` or `run_watched`, at the start and the end
/// of each stage and about twenty times a second between.
pub type Callback<'a> = dyn FnMut(Progress) -> ControlFlow<()> + 'a;

const INTERVAL: Duration = Duration::from_millis(50);

/// Counts the finished parts of a stage; shared by the workers.
pub(crate) struct Meter {
    done: AtomicU64,
    total: u64,
    stop: AtomicBool,
}

impl Meter {
    fn new(total: u64) -> Self {
        Self { done: AtomicU64::new(0), total: total.max(1), stop: AtomicBool::new(false) }
    }

    /// For tests of what a stop leaves.
    #[cfg(test)]
    pub(crate) fn stopped_at_once(stopped: bool) -> Self {
        Self { stop: AtomicBool::new(stopped), ..Self::new(1) }
    }

    /// Notes `parts` more of the total as done.
    pub(crate) fn advance(&self, parts: u64) {
        self.done.fetch_add(parts, Ordering::Relaxed);
    }

    /// Whether to return early: nobody will look at the result.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn fraction(&self) -> f64 {
        (self.done.load(Ordering::Relaxed) as f64 / self.total as f64).min(1.0)
    }
}

/// Stops the workers when the watching thread leaves, also by a panic of the callback.
struct StopOnLeave<'a>(&'a Meter);

impl Drop for StopOnLeave<'_> {
    fn drop(&mut self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }
}

/// The threads and the callback of one run.
pub(crate) struct Runner<'a, 'c> {
    pool: Option<Pool>,
    callback: Option<&'a mut Callback<'c>>,
}

impl<'a, 'c> Runner<'a, 'c> {
    /// `threads` = 0 takes the pool that the caller runs in, or else rayon's global pool.
    pub(crate) fn new(threads: usize, callback: Option<&'a mut Callback<'c>>) -> Result<Self> {
        // With a callback this thread waits for the workers. One that belongs to their pool would
        // wait for itself, so it gets a pool of its own.
        let waits_in_a_pool = callback.is_some() && rayon::current_thread_index().is_some();
        let threads = match threads {
            0 if waits_in_a_pool => rayon::current_num_threads(),
            0 => {
                start_global_pool()?;
                0
            }
            threads => threads.min(MOST_THREADS),
        };
        let pool = (threads > 0).then(|| Pool::start(threads)).transpose()?;
        Ok(Self { pool, callback })
    }

    /// Runs short `work` on the workers.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        on(self.pool.as_ref(), work)
    }

    /// Runs `work`, which advances the meter by `total` in all, on the workers, and the callback on
    /// this thread.
    pub(crate) fn stage<T: Send>(
        &mut self,
        stage: Stage,
        total: u64,
        work: impl FnOnce(&Meter) -> T + Send,
    ) -> Result<T> {
        let meter = &Meter::new(total);
        // The callback stays on this thread; only the pool is handed over.
        let pool = self.pool.as_ref();
        let on_pool = move || on(pool, || work(meter));
        let Some(callback) = &mut self.callback else {
            return Ok(on_pool());
        };
        let mut tell = |fraction| match callback(Progress { stage, fraction }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Cancelled),
        };
        tell(0.0)?;
        let result = thread::scope(|scope| {
            let _stop = StopOnLeave(meter);
            // The worker drops its end when it returns or panics, which wakes this thread.
            let (alive, ended) = sync_channel::<()>(0);
            let worker = thread::Builder::new()
                .spawn_scoped(scope, move || {
                    let _alive = alive;
                    on_pool()
                })
                .map_err(|error| Error::Threads { threads: 1, message: error.to_string() })?;
            let mut told = Ok(());
            while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if told.is_ok() {
                    told = tell(meter.fraction());
                    meter.stop.store(told.is_err(), Ordering::Relaxed);
                }
            }
            let result = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
            told.map(|()| result)
        })?;
        tell(1.0)?;
        Ok(result)
    }
}

/// Threads of one run. rayon only tells its threads to end; these have ended when the run returns,
/// so that runs one after the other never have more of them than they ask for.
struct Pool {
    workers: Option<rayon::ThreadPool>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    fn start(threads: usize) -> Result<Self> {
        let mut pool = Self { workers: None, threads: Vec::with_capacity(threads) };
        let workers = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .spawn_handler(|worker| {
                pool.threads.push(thread::Builder::new().spawn(|| worker.run())?);
                Ok(())
            })
            .build();
        // Where one does not start, those before it are waited for, too.
        let failed = |error: rayon::ThreadPoolBuildError| Error::Threads {
            threads,
            message: error.to_string(),
        };
        pool.workers = Some(workers.map_err(failed)?);
        Ok(pool)
    }

    fn workers(&self) -> &rayon::ThreadPool {
        self.workers.as_ref().expect("a pool has its workers until it is dropped")
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.workers = None;
        for thread in self.threads.drain(..) {
            // What panicked in a worker has come out of the run already.
            let _ = thread.join();
        }
    }
}

/// Starts rayon's global pool, if nobody has: where the system has no threads left, it panics, and
/// does so ever after.
fn start_global_pool() -> Result<()> {
    let started = catch_unwind(rayon::current_num_threads);
    started.map(drop).map_err(|_| Error::Threads {
        threads: thread::available_parallelism().map_or(1, usize::from),
        message: "the shared pool did not start; ask for a number of threads instead".into(),
    })
}

/// More threads than any machine this runs on has cores; starting a million takes minutes.
pub(crate) const MOST_THREADS: usize = 1024;

fn on<T: Send>(pool: Option<&Pool>, work: impl FnOnce() -> T + Send) -> T {
    match pool {
        Some(pool) => pool.workers().install(work),
        None => work(),
    }
}
