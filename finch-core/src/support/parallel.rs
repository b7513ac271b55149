//! Parallel loops that share one way of being split.
//!
//! rayon compiles its splitting anew for each loop of a program, with several copies of the loop's body: of
//! this library with its 200 loops, 3 MB of 7. Here the splitting sees a loop through `dyn`, is compiled
//! once, and asks the loop to split or to run. One such call for each part of a loop costs nothing that can
//! be measured.

use rayon::iter::plumbing::{
    Consumer, Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer,
};
use rayon::prelude::*;

/// Parallel iterators that know their length.
pub(crate) trait SharedSplitting: IndexedParallelIterator {
    /// The same iterator, to stand before what consumes it.
    fn shared(self) -> Shared<Self> {
        Shared(self)
    }
}

impl<I: IndexedParallelIterator> SharedSplitting for I {}

/// A parallel iterator that is split by the code that all of this type share.
pub(crate) struct Shared<I>(I);

impl<I: IndexedParallelIterator> ParallelIterator for Shared<I> {
    type Item = I::Item;

    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        self.drive(consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Shared<I> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn drive<C: Consumer<I::Item>>(self, consumer: C) -> C::Result {
        let len = self.0.len();
        self.0.with_producer(Bridge { len, consumer })
    }

    fn with_producer<B: ProducerCallback<I::Item>>(self, callback: B) -> B::Output {
        self.0.with_producer(callback)
    }
}

/// The consumer of the elements of an iterator, and their number.
struct Bridge<C> {
    len: usize,
    consumer: C,
}

impl<T, C: Consumer<T>> ProducerCallback<T> for Bridge<C> {
    type Output = C::Result;

    fn callback<P: Producer<Item = T>>(self, producer: P) -> C::Result {
        let shortest = producer.min_len().max(1);
        // At least so many parts are none longer than the longest that the iterator allows.
        let parts = self.len / producer.max_len().max(1);
        let splits = rayon::current_num_threads().max(parts);
        let mut whole = Part { work: Some((producer, self.consumer)), result: None };
        run(&mut whole, self.len, Splitter { splits, shortest }, false);
        whole.into_result()
    }
}

/// A part of a loop.
trait Loop: Send {
    /// True if nothing is asked of the loop any more.
    fn is_done(&self) -> bool;

    /// Hands the elements before a place, and those from there on, to `both`.
    fn split(&mut self, at: usize, both: &mut dyn FnMut(&mut dyn Loop, &mut dyn Loop));

    /// Consumes all elements, or none of them.
    fn run(&mut self, none: bool);
}

/// Elements and what consumes them, or else the result.
struct Part<P, C: Consumer<P::Item>>
where
    P: Producer,
{
    work: Option<(P, C)>,
    result: Option<C::Result>,
}

impl<P: Producer, C: Consumer<P::Item>> Part<P, C> {
    fn take(&mut self) -> (P, C) {
        self.work.take().expect("a part is run or split once")
    }

    fn into_result(self) -> C::Result {
        self.result.expect("each part has been run")
    }
}

impl<P: Producer, C: Consumer<P::Item>> Loop for Part<P, C> {
    fn is_done(&self) -> bool {
        self.work.as_ref().is_some_and(|(_, consumer)| consumer.full())
    }

    fn split(&mut self, at: usize, both: &mut dyn FnMut(&mut dyn Loop, &mut dyn Loop)) {
        let (producer, consumer) = self.take();
        let (before, after) = producer.split_at(at);
        let (consumer, other, reducer) = consumer.split_at(at);
        let mut before = Part { work: Some((before, consumer)), result: None };
        let mut after = Part { work: Some((after, other)), result: None };
        both(&mut before, &mut after);
        self.result = Some(reducer.reduce(before.into_result(), after.into_result()));
    }

    fn run(&mut self, none: bool) {
        let (producer, consumer) = self.take();
        let folder = consumer.into_folder();
        self.result = Some(match none {
            true => folder.complete(),
            false => producer.fold_with(folder).complete(),
        });
    }
}

/// rayon's rule of when a loop is split: into as many parts as there are threads, and again where another
/// thread has taken a part, which shows that threads have nothing to do.
#[derive(Clone, Copy)]
struct Splitter {
    splits: usize,
    /// The fewest elements of a part.
    shortest: usize,
}

impl Splitter {
    /// True if a part of so many elements is to be split.
    fn splits(&mut self, len: usize, is_stolen: bool) -> bool {
        if len / 2 < self.shortest {
            return false;
        }
        match is_stolen {
            true => self.splits = rayon::current_num_threads().max(self.splits / 2),
            false if self.splits == 0 => return false,
            false => self.splits /= 2,
        }
        true
    }
}

/// Runs a part of a loop, split among the threads of the pool.
fn run(part: &mut dyn Loop, len: usize, mut splitter: Splitter, is_stolen: bool) {
    if part.is_done() {
        part.run(true);
    } else if splitter.splits(len, is_stolen) {
        let at = len / 2;
        part.split(at, &mut |before, after| {
            rayon::join_context(
                |context| run(before, at, splitter, context.migrated()),
                |context| run(after, len - at, splitter, context.migrated()),
            );
        });
    } else {
        part.run(false);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Runs `test` on so many threads.
    fn on_threads(threads: usize, test: impl Fn() + Sync) {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&test);
    }

    #[test]
    fn each_element_is_consumed_once_and_in_its_place() {
        for threads in [1, 2, 3, 8] {
            on_threads(threads, || {
                for len in [0, 1, 2, 3, 7, 64, 1000] {
                    let mut squares = Vec::new();
                    (0..len).into_par_iter().map(|i| i * i).shared().collect_into_vec(&mut squares);
                    assert_eq!(squares, (0..len).map(|i| i * i).collect::<Vec<_>>());
                    let mut counts = vec![0; len];
                    let chunks = counts.par_chunks_mut(3).enumerate().shared();
                    chunks.for_each(|(at, chunk)| {
                        chunk.iter_mut().for_each(|count| *count += at + 1)
                    });
                    assert_eq!(counts, (0..len).map(|i| i / 3 + 1).collect::<Vec<_>>());
                    let even = (0..len).into_par_iter().shared().filter(|i| i % 2 == 0).count();
                    assert_eq!(even, len.div_ceil(2));
                    let found = (0..len).into_par_iter().shared().find_first(|&i| i >= 5);
                    assert_eq!(found, (len > 5).then_some(5));
                }
            });
        }
    }

    #[test]
    fn parts_are_as_long_as_the_iterator_allows() {
        on_threads(2, || {
            for (shortest, longest) in [(1, 5), (40, usize::MAX), (1, 1), (1, usize::MAX)] {
                let parts = AtomicUsize::new(0);
                let numbers = (0..100).into_par_iter().with_min_len(shortest).with_max_len(longest);
                let init = || {
                    parts.fetch_add(1, Ordering::Relaxed);
                    0
                };
                numbers.shared().for_each_init(init, |len, _| {
                    *len += 1;
                    assert!(*len <= longest);
                });
                let parts = parts.into_inner();
                assert!(parts >= 100_usize.div_ceil(longest) && parts <= 100 / shortest, "{parts}");
            }
        });
    }

    #[test]
    fn a_panic_comes_out() {
        on_threads(2, || {
            let panics = || (0..100).into_par_iter().shared().for_each(|i| assert!(i != 61, "61"));
            let caught = std::panic::catch_unwind(panics).unwrap_err();
            assert_eq!(caught.downcast_ref(), Some(&"61"));
        });
    }
}
