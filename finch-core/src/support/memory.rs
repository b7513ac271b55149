//! Memory that grows with the number of samples, asked for before it is used.
//!
//! Rust ends the process where an allocation fails. Memory that grows with the samples is therefore
//! asked for by the functions of this file. Where the system refuses, they unwind with [`Refused`],
//! through whatever parallel loops they are called in, to [`caught`], which every operation begins
//! with. Rejected: a `Result` through each of these loops, since rayon's fallible collecting
//! allocates by itself, infallibly. In a program that is compiled with `panic = "abort"` the
//! process ends all the same.
//!
//! Around these requests are small allocations that cannot be refused: a thread's buffers for a row
//! or a block, a job of rayon's, the error itself. So a request is also refused if it would leave
//! too little for small allocations ([`lacking_spare`]).

use std::any::Any;
use std::cell::Cell;
use std::collections::{BinaryHeap, HashMap, TryReserveError};
use std::hash::Hash;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::support::parallel::SharedSplitting as _;

/// Bytes that requests leave free for each thread, and once more for all. The most that a thread
/// takes beside its requests are the 256 kB into which ndarray's matrix product packs rows and axes of a
/// [`Batch`](crate::samples::principal_axes::Batch). glibc takes 132 kB from the system for the smallest
/// allocation, if it has none left.
const SPARE: usize = 512 << 10;

/// Bytes that a thread takes between two looks at what is spare.
const LOOK: usize = 32 << 10;
/// Bytes that a request counts as, at least. glibc gives a whole page to a thread that has no arena,
/// since there is no room for one: 128 kB between two looks at most.
const LEAST: usize = 1 << 10;

/// Elements that a thread writes at a time, where all threads fill a vector.
const GROUP: usize = 64;

/// The payload that a refused request unwinds with.
struct Refused {
    bytes: usize,
}

/// Runs an operation. A request for memory that is refused in it becomes [`Error::OutOfMemory`];
/// other panics go on.
pub(crate) fn caught<T>(operation: impl FnOnce() -> Result<T>) -> Result<T> {
    let (mut operation, mut result) = (Some(operation), None);
    run_caught(&mut || result = operation.take().map(|operation| operation()))?;
    result.expect("the operation has been run")
}

/// [`caught`], of which the compiler makes one for all operations.
fn run_caught(operation: &mut dyn FnMut()) -> Result<()> {
    let operation = || {
        expect_room(0);
        operation();
    };
    // Values that the operation borrows mutably are the caller's, who gets an error and no half
    // result.
    catch_unwind(AssertUnwindSafe(operation)).map_err(refused)
}

fn refused(payload: Box<dyn Any + Send>) -> Error {
    match payload.downcast::<Refused>() {
        Ok(refused) => Error::OutOfMemory { bytes: refused.bytes },
        Err(panic) => resume_unwind(panic),
    }
}

#[cold]
fn refuse(bytes: usize) -> ! {
    // The refusal takes some bytes itself, which the look of another thread at what is spare may
    // hold for a moment.
    let mut tries = 0..1000;
    while !are_free(LOOK) && tries.next().is_some() {
        thread::yield_now();
    }
    // Unlike a panic, this prints nothing.
    resume_unwind(Box::new(Refused { bytes }))
}

fn bytes_of<T>(len: usize) -> usize {
    len.saturating_mul(size_of::<T>())
}

/// True if the system has so many bytes. They are given back.
fn are_free(bytes: usize) -> bool {
    let mut vector = Vec::<u8>::new();
    let free = vector.try_reserve_exact(bytes).is_ok();
    // Or the compiler leaves out a request that nobody uses.
    black_box(vector.as_ptr());
    free
}

/// The number of bytes that the system lacks for the small allocations that follow, after so many bytes
/// have been taken. Looks once in a while: a look takes a microsecond.
fn lacking_spare(bytes: usize) -> usize {
    thread_local! {
        static TAKEN: Cell<usize> = const { Cell::new(LOOK) };
    }
    let taken = TAKEN.get().saturating_add(bytes.max(LEAST));
    let looks = bytes == 0 || taken >= LOOK;
    TAKEN.set(if looks { 0 } else { taken });
    let spare = SPARE * (1 + threads());
    if !looks || are_free(spare) { 0 } else { spare }
}

/// The threads of the pool that this thread is in. (To ask rayon outside of a pool starts one.)
fn threads() -> usize {
    rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads())
}

/// An empty vector with room for `len` elements.
pub(crate) fn room<T>(len: usize) -> Vec<T> {
    let mut vector = Vec::new();
    let bytes = bytes_of::<T>(len);
    let lacking = match vector.try_reserve_exact(len) {
        Ok(()) => lacking_spare(bytes),
        Err(_) => bytes,
    };
    if lacking == 0 {
        return vector;
    }
    // Before the refusal, which takes some bytes.
    drop(vector);
    refuse(usize::max(bytes, lacking))
}

/// Asks for so many bytes and gives them back, before a library asks for them in a way that cannot be
/// refused. Of 0 bytes, asks what is spare.
pub(crate) fn expect_room(bytes: usize) {
    black_box(room::<u8>(bytes).as_ptr());
}

/// `len` times the same element.
///
/// Rejected: the system's zeroed pages, by `vec![0; len]` after a request that is given back. Another
/// thread may take the bytes in between, and `vec!` would end the process.
pub(crate) fn filled<T: Clone>(value: T, len: usize) -> Vec<T> {
    let mut vector = room(len);
    vector.resize(len, value);
    vector
}

/// [`filled`], by all threads. The time goes into pages that the system clears when they are first written to,
/// and it clears several at once for several threads.
pub(crate) fn filled_in_parallel<T: Copy + Send + Sync>(value: T, len: usize) -> Vec<T> {
    let groups = (0..len.div_ceil(GROUP)).into_par_iter().map(|_| [value; GROUP]);
    let mut vector = collected_in_parallel(groups).into_flattened();
    vector.truncate(len);
    vector
}

/// A copy of a slice.
pub(crate) fn copied<T: Copy>(elements: &[T]) -> Vec<T> {
    let mut vector = room(elements.len());
    vector.extend_from_slice(elements);
    vector
}

/// The elements of an iterator that knows how many they are.
pub(crate) fn collected<T>(elements: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut vector = room(elements.len());
    vector.extend(elements);
    vector
}

/// The elements of an iterator that does not know how many they are.
pub(crate) fn gathered<T>(elements: impl Iterator<Item = T>) -> Vec<T> {
    let mut vector = Vec::new();
    elements.for_each(|element| push(&mut vector, element));
    vector
}

/// The elements of a parallel iterator that knows how many they are.
pub(crate) fn collected_in_parallel<T: Send>(
    elements: impl IndexedParallelIterator<Item = T>,
) -> Vec<T> {
    let mut vector = room(elements.len());
    elements.shared().collect_into_vec(&mut vector);
    vector
}

/// Refuses what the system has refused to a collection, and what leaves nothing spare.
fn expect_granted<C: Default>(
    collection: &mut C,
    granted: Result<(), TryReserveError>,
    bytes: usize,
) {
    let lacking = granted.map_or(bytes, |()| lacking_spare(bytes));
    if lacking > 0 {
        // Before the refusal, which takes some bytes.
        *collection = C::default();
        refuse(usize::max(bytes, lacking));
    }
}

/// Makes room for `more` elements behind those of a vector.
pub(crate) fn reserve<T>(vector: &mut Vec<T>, more: usize) {
    if more > vector.capacity() - vector.len() {
        let wanted = bytes_of::<T>(usize::max(vector.len() + more, 2 * vector.capacity()));
        let granted = vector.try_reserve(more);
        expect_granted(vector, granted, wanted);
    }
}

/// Makes room for `more` elements in a queue.
pub(crate) fn reserve_queue<T: Ord>(queue: &mut BinaryHeap<T>, more: usize) {
    if queue.len() + more > queue.capacity() {
        let mut elements = std::mem::take(queue).into_vec();
        reserve(&mut elements, more);
        *queue = BinaryHeap::from(elements);
    }
}

/// Adds an element to a vector.
#[inline(always)]
pub(crate) fn push<T>(vector: &mut Vec<T>, element: T) {
    if vector.len() == vector.capacity() {
        grow(vector);
    }
    vector.push(element);
}

#[cold]
fn grow<T>(vector: &mut Vec<T>) {
    reserve(vector, 1);
}

/// Makes a vector `len` elements long, of which those that it lacks become `value`.
pub(crate) fn resize<T: Clone>(vector: &mut Vec<T>, len: usize, value: T) {
    reserve(vector, len.saturating_sub(vector.len()));
    vector.resize(len, value);
}

/// True if the system has so many bytes for a library, and leaves enough for small allocations.
pub(crate) fn has_room(bytes: usize) -> bool {
    are_free(bytes + SPARE * (1 + threads()))
}

/// Makes room for one more entry of a map.
pub(crate) fn reserve_entry<K: Eq + Hash, V>(map: &mut HashMap<K, V>) {
    if map.len() == map.capacity() {
        // A map doubles, is at most 7/8 full, and has a byte beside each entry.
        let entries = usize::max(2 * map.capacity(), 4) / 7 * 8;
        let wanted = bytes_of::<(K, V)>(entries).saturating_add(entries);
        let granted = map.try_reserve(1);
        expect_granted(map, granted, wanted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOO_MANY: usize = 1 << 60;

    #[test]
    fn a_refused_request_says_how_many_bytes_it_wanted() {
        let refused = caught(|| Ok(room::<u64>(TOO_MANY / 8).len()));
        assert_eq!(refused, Err(Error::OutOfMemory { bytes: TOO_MANY }));
        let refused = caught(|| Ok(filled(0_u8, TOO_MANY).len()));
        assert_eq!(refused, Err(Error::OutOfMemory { bytes: TOO_MANY }));
        let refused = caught(|| Ok(room::<u64>(usize::MAX).len()));
        assert_eq!(refused, Err(Error::OutOfMemory { bytes: usize::MAX }));
    }

    #[test]
    fn all_threads_fill_vectors_of_any_length() {
        for len in [0, 1, GROUP - 1, GROUP, GROUP + 1, 1000] {
            assert_eq!(filled_in_parallel(7_u8, len), vec![7; len]);
        }
        let refused = caught(|| Ok(filled_in_parallel(0_u8, TOO_MANY).len()));
        assert_eq!(refused, Err(Error::OutOfMemory { bytes: TOO_MANY }));
    }

    #[test]
    fn a_request_is_refused_from_within_a_parallel_loop() {
        let refused = caught(|| {
            (0..100).into_par_iter().for_each(|i| expect_room(if i == 61 { TOO_MANY } else { 8 }));
            Ok(())
        });
        assert_eq!(refused, Err(Error::OutOfMemory { bytes: TOO_MANY }));
    }

    #[test]
    fn other_panics_go_on() {
        let panic = catch_unwind(|| caught::<()>(|| panic!("of the operation"))).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"of the operation"));
    }

    #[test]
    fn elements_are_collected_in_order() {
        assert_eq!(collected((0..5).map(|i| i * i)), [0, 1, 4, 9, 16]);
        let squares = (0..5_000_u32).into_par_iter().map(|i| i * i);
        assert_eq!(collected_in_parallel(squares), (0..5_000).map(|i| i * i).collect::<Vec<u32>>());
        assert_eq!(filled(7, 3), [7, 7, 7]);
        assert_eq!(filled(0_u8, SPARE + 1), vec![0; SPARE + 1]);
        assert_eq!(copied(&[4, 5]), [4, 5]);
        assert_eq!(gathered((0..100).filter(|i| i % 40 == 0)), [0, 40, 80]);
    }

    #[test]
    fn vectors_and_maps_grow_by_request() {
        let mut vector = Vec::new();
        (0..100).for_each(|i| push(&mut vector, i));
        assert_eq!(vector, (0..100).collect::<Vec<_>>());
        resize(&mut vector, 102, 7);
        assert_eq!(vector[99..], [99, 7, 7]);
        resize(&mut vector, 1, 7);
        assert_eq!(vector, [0]);
        let refused = caught(|| {
            reserve(&mut vec![0_u8; 3], TOO_MANY);
            Ok(())
        });
        assert_eq!(refused, Err(Error::OutOfMemory { bytes: TOO_MANY + 3 }));

        let mut map = HashMap::new();
        for i in 0..1000 {
            reserve_entry(&mut map);
            let capacity = map.capacity();
            map.insert(i, i);
            assert_eq!(map.capacity(), capacity);
        }
    }
}
