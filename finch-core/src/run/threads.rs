//! The threads that an operation works on.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;
use std::thread::{self, JoinHandle};

use crate::error::{Error, Result};
use crate::support::memory::{expect_room, has_room};

/// The most threads: more than machines have cores. Starting a million takes minutes.
pub(crate) const MOST_THREADS: usize = 1024;

/// Threads that are started where they are asked for, on however few cores: results that do not depend on
/// threads can be compared on every machine. More threads than cores only wait for each other: on two cores 512
/// threads take 30 times as long as two.
const FEW_THREADS: usize = 4;

/// Samples for each thread, at least: to start a thread takes as long as to search about so many.
pub(crate) const SAMPLES_PER_THREAD: usize = 32;

/// Bytes of a thread's stack, unless the environment of the process has another number.
const STACK: usize = 2 << 20;

/// Where the work of an operation runs.
#[derive(Default)]
pub(crate) enum Workers {
    /// In the rayon pool that the caller runs in, or else in rayon's global one.
    #[default]
    Shared,
    /// On threads of the operation's own.
    Own(Pool),
    /// On the calling thread, which starts no other.
    Caller,
    /// On the calling thread, without a pool: work so little that to make a pool would take longer. None of the
    /// work is for the threads of a pool (see [`is_little`](super::work::is_little)).
    Alone,
}

impl Workers {
    /// Workers for an operation on so many samples. `threads` = 0 takes the pool that the caller
    /// runs in, or else rayon's global one. Where the caller's thread `waits` for the workers, it
    /// cannot be one of them, unless it is the only one.
    pub(crate) fn start(threads: usize, samples: usize, waits: bool) -> Result<Self> {
        let in_a_pool = rayon::current_thread_index().is_some();
        let most = MOST_THREADS.min(samples / SAMPLES_PER_THREAD).max(1);
        // rayon allows a thread to be a worker of one pool only.
        if !in_a_pool && (threads == 1 || most == 1) {
            return Ok(Self::Caller);
        }
        let threads = match threads {
            // A worker that waited for its own pool would wait for itself.
            0 if in_a_pool && waits => rayon::current_num_threads(),
            0 if in_a_pool => return Ok(Self::Shared),
            0 => match shared_pool() {
                SharedPool::Started => return Ok(Self::Shared),
                SharedPool::None => available_threads(),
            },
            threads => threads.min(available_threads().max(FEW_THREADS)),
        };
        let pool = Pool::start(threads.min(most))?;
        // Threads take memory, too.
        expect_room(0);
        Ok(Self::Own(pool))
    }

    /// True if the work runs on the calling thread, which then cannot watch it.
    pub(crate) fn are_caller(&self) -> bool {
        matches!(self, Self::Caller | Self::Alone)
    }

    /// Runs `work` on the workers, and returns its result or unwinds with its panic.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T> {
        let (mut work, mut result) = (Some(work), None);
        self.run(&mut || result = work.take().map(|work| work()))?;
        Ok(result.expect("the work has been done"))
    }

    /// [`Workers::install`], of which the compiler makes one for all kinds of work: a pool takes it as long as
    /// a small search.
    fn run(&self, work: &mut (dyn FnMut() + Send)) -> Result<()> {
        match self {
            Self::Shared | Self::Alone => work(),
            Self::Own(pool) => pool.workers().install(work),
            Self::Caller => on_this_thread(work)?,
        }
        Ok(())
    }
}

/// Runs `work` as the only worker of a pool whose thread is the calling one. rayon's own
/// `use_current_thread` would bind the thread to that pool for ever.
#[allow(unsafe_code)]
fn on_this_thread(work: &mut (dyn FnMut() + Send)) -> Result<()> {
    let mut worker = None;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).spawn_handler(|thread| {
        worker = Some(thread);
        Ok(())
    });
    let pool = pool.build().map_err(|error| not_started(1, &error))?;
    let worker = worker.expect("a pool of one thread asks for one");
    let mut result = Ok(());
    let job = || result = catch_unwind(AssertUnwindSafe(work));
    let job: Box<dyn FnOnce() + Send + '_> = Box::new(job);
    // SAFETY: the lifetime that is forgotten here is that of what the job borrows, which outlives
    // this function. The job ends before the function does: `worker.run` returns when the pool has
    // been dropped and all that was spawned in it has been done. Until then nothing can panic:
    // `work` is caught, and rayon aborts where its own loop fails.
    let job = unsafe {
        std::mem::transmute::<Box<dyn FnOnce() + Send + '_>, Box<dyn FnOnce() + Send + 'static>>(
            job,
        )
    };
    pool.spawn(job);
    drop(pool);
    worker.run();
    result.map_err(|panic| resume_unwind(panic))
}

/// Threads of one operation. rayon only tells its threads to end; a pool of this kind waits for
/// their end when it is dropped, so that operations one after the other never have more threads
/// than they ask for.
pub(crate) struct Pool {
    workers: Option<rayon::ThreadPool>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    fn start(threads: usize) -> Result<Self> {
        let mut pool = Self { workers: None, threads: Vec::with_capacity(threads) };
        let workers = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .spawn_handler(|worker| {
                // A thread that has started has to find the little memory that it begins with.
                if !has_room(STACK) {
                    return Err(io::ErrorKind::OutOfMemory.into());
                }
                pool.threads.push(thread::Builder::new().spawn(|| worker.run())?);
                Ok(())
            })
            .build();
        // Where one thread does not start, the drop waits for the end of the threads started
        // before.
        pool.workers = Some(workers.map_err(|error| not_started(threads, &error))?);
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
            // A panic of a worker has come out of the operation already.
            let _ = thread.join();
        }
    }
}

fn not_started(threads: usize, error: &rayon::ThreadPoolBuildError) -> Error {
    Error::Threads { threads, message: error.to_string() }
}

fn available_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The state of rayon's global pool in this process.
enum SharedPool {
    Started,
    /// No thread of the pool is there, and what is given to the pool waits for ever: the process is a copy,
    /// by `fork`, of the one in which the pool started, or the system had no threads left for the pool when
    /// it was first asked for, which rayon never tries again. Each run then starts threads of its own,
    /// as soon as the system has some.
    None,
}

/// Starts rayon's global pool, if nobody has tried yet.
fn shared_pool() -> SharedPool {
    /// The process in which the pool was first asked for, and whether it started.
    static FIRST: OnceLock<(u32, bool)> = OnceLock::new();
    let process = std::process::id();
    // Where the pool cannot start, rayon panics, then and at every later call.
    let start = || (process, catch_unwind(rayon::current_num_threads).is_ok());
    // Outside of the lock, which a child that is forked meanwhile would find locked for ever.
    let first = FIRST.get().copied().unwrap_or_else(|| {
        let started = start();
        *FIRST.get_or_init(|| started)
    });
    match first {
        (started_in, true) if started_in == process => SharedPool::Started,
        _ => SharedPool::None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rayon::prelude::*;

    use super::*;

    /// The threads that take part in a parallel loop of the workers.
    fn threads_of(workers: &Workers) -> HashSet<thread::ThreadId> {
        let ids = || (0..64).into_par_iter().map(|_| thread::current().id()).collect();
        workers.install(ids).unwrap()
    }

    #[test]
    fn one_thread_is_the_callers() {
        for _ in 0..3 {
            let workers = Workers::start(1, 10_000, true).unwrap();
            assert!(workers.are_caller());
            assert_eq!(threads_of(&workers), HashSet::from([thread::current().id()]));
            assert_eq!(workers.install(rayon::current_num_threads).unwrap(), 1);
            // The thread is not bound to that pool.
            assert!(rayon::current_thread_index().is_none());
        }
    }

    #[test]
    fn a_panic_of_work_on_the_callers_thread_comes_out_and_leaves_the_thread_usable() {
        let workers = Workers::start(1, 10_000, false).unwrap();
        let run = || workers.install(|| -> u32 { panic!("of the work") });
        let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"of the work"));
        assert_eq!(workers.install(|| 7).unwrap(), 7);
    }

    #[test]
    fn few_samples_start_few_threads() {
        let started = |threads, samples| match Workers::start(threads, samples, false).unwrap() {
            Workers::Own(pool) => pool.threads.len(),
            Workers::Caller => 0,
            Workers::Alone => panic!("nobody said that the work is little"),
            Workers::Shared => panic!("a number of threads was asked for"),
        };
        assert_eq!(started(1024, 9), 0);
        assert_eq!(started(1024, 100), 3);
        assert_eq!(started(3, 2_000), 3);
        // However many are asked for, no more threads than cores can serve.
        assert_eq!(started(1024, 1_000_000), available_threads().max(FEW_THREADS));
        // A worker of another pool cannot be the only one of a second.
        let other = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        assert_eq!(other.install(|| started(1, 2_000)), 1);
    }
}
