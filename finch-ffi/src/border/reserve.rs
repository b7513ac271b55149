//! Memory for small allocations that the system refuses.
//!
//! Rust, and what is built on it, ends the process where an allocation fails: a buffer of a file, a job
//! of a thread pool, the message of an error. Requests that grow with the samples are made so that the
//! system may refuse them (`finch-core/src/support/memory.rs`), and leave half a megabyte a thread for all
//! others. Where the others are refused all the same, because another thread of the process has taken
//! this memory, or a limit is just so, they are had from here, and the next large request ends the call
//! with a status.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a place for the small things of a call.
const SMALL: usize = 2 << 10;
/// Bytes of a place for buffers, such as of files, and rows of a block.
const MEDIUM: usize = 64 << 10;
/// Bytes of a place for the 256 kB into which ndarray's matrix product packs 256 terms of 64 rows and 64
/// axes, and a page for its alignment. Less than what requests leave free for a thread, so that no look at
/// what is free ends here.
const LARGE: usize = 260 << 10;
/// The greatest alignment: that of a page.
const ALIGNMENT: usize = 4 << 10;

/// The memory takes no page of the system's until it is used.
#[repr(C, align(4096))]
struct Places<const BYTES: usize, const COUNT: usize> {
    bytes: UnsafeCell<[[u8; BYTES]; COUNT]>,
    /// A bit for each place that is taken, up to 64.
    taken: AtomicU64,
}

// SAFETY: a place is used by whoever has set its bit, alone.
unsafe impl<const BYTES: usize, const COUNT: usize> Sync for Places<BYTES, COUNT> {}

impl<const BYTES: usize, const COUNT: usize> Places<BYTES, COUNT> {
    const fn new() -> Self {
        let bytes = UnsafeCell::new([[0; BYTES]; COUNT]);
        Self { bytes, taken: AtomicU64::new(0) }
    }

    /// A place, or NULL where none is free, or large enough.
    fn take(&self, layout: Layout) -> *mut u8 {
        // Places lie one after the other from a page on.
        if layout.size() > BYTES || layout.align() > BYTES.min(ALIGNMENT) {
            return ptr::null_mut();
        }
        let first_free =
            |taken: u64| (taken.trailing_ones() < COUNT as u32).then(|| taken | (taken + 1));
        let before = self.taken.fetch_update(Ordering::Acquire, Ordering::Relaxed, first_free);
        match before {
            Ok(taken) => {
                let place = taken.trailing_ones() as usize;
                self.bytes.get().cast::<u8>().wrapping_add(place * BYTES)
            }
            Err(_) => ptr::null_mut(),
        }
    }

    /// The number of the place that a pointer leads to, if it leads to one.
    fn place_of(&self, pointer: *mut u8) -> Option<usize> {
        let offset = pointer.addr().wrapping_sub(self.bytes.get().addr());
        (offset < BYTES * COUNT).then_some(offset / BYTES)
    }

    /// Gives a place back, if the pointer leads to one.
    fn give_back(&self, pointer: *mut u8) -> bool {
        let place = self.place_of(pointer);
        if let Some(place) = place {
            self.taken.fetch_and(!(1 << place), Ordering::Release);
        }
        place.is_some()
    }
}

/// The system's memory, and the reserve behind it.
struct Reserve {
    small: Places<SMALL, 64>,
    medium: Places<MEDIUM, 64>,
    large: Places<LARGE, 16>,
}

impl Reserve {
    #[cold]
    fn take(&self, layout: Layout) -> *mut u8 {
        let mut place = self.small.take(layout);
        if place.is_null() {
            place = self.medium.take(layout);
        }
        if place.is_null() {
            place = self.large.take(layout);
        }
        place
    }

    fn has(&self, memory: *mut u8) -> bool {
        self.small.place_of(memory).is_some()
            || self.medium.place_of(memory).is_some()
            || self.large.place_of(memory).is_some()
    }

    /// Gives a place back, if the pointer leads to one.
    fn give_back(&self, memory: *mut u8) -> bool {
        self.small.give_back(memory)
            || self.medium.give_back(memory)
            || self.large.give_back(memory)
    }
}

#[global_allocator]
static RESERVE: Reserve =
    Reserve { small: Places::new(), medium: Places::new(), large: Places::new() };

// SAFETY: memory is that of the system, as the system promises, or a place that nobody else has, at
// least as large as is asked for, and aligned, from its taking to its giving back. Nothing here
// allocates or panics.
unsafe impl GlobalAlloc for Reserve {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the promise, here and below.
        let memory = unsafe { System.alloc(layout) };
        if memory.is_null() { self.take(layout) } else { memory }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let memory = unsafe { System.alloc_zeroed(layout) };
        if !memory.is_null() {
            return memory;
        }
        let place = self.take(layout);
        if !place.is_null() {
            // SAFETY: the place is as large as that. It may have been used before.
            unsafe { place.write_bytes(0, layout.size()) };
        }
        place
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if !self.give_back(memory) {
            // SAFETY: as above; it is no place, and so the system's.
            unsafe { System.dealloc(memory, layout) };
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let in_reserve = self.has(memory);
        if !in_reserve {
            // SAFETY: as above; it is no place, and so the system's.
            let moved = unsafe { System.realloc(memory, layout, size) };
            if !moved.is_null() {
                return moved;
            }
        }
        // SAFETY: the caller promises that the size is not 0, and not too large beside the alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let moved = match in_reserve {
            // SAFETY: as above.
            true => unsafe { self.alloc(wanted) },
            false => self.take(wanted),
        };
        if !moved.is_null() {
            // SAFETY: both are as large as that, and they are apart; the old memory is not used again.
            unsafe {
                moved.copy_from_nonoverlapping(memory, layout.size().min(size));
                self.dealloc(memory, layout);
            }
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize, align: usize) -> Layout {
        Layout::from_size_align(size, align).unwrap()
    }

    #[test]
    fn places_are_apart_and_aligned_and_come_back() {
        static SPARE: Places<SMALL, 64> = Places::new();
        let mut taken = Vec::new();
        for place in 0..64 {
            let memory = SPARE.take(layout(SMALL - place, 1 << (place % 11)));
            assert!(memory.addr().is_multiple_of(1 << (place % 11)));
            assert_eq!(SPARE.place_of(memory), Some(place));
            taken.push(memory);
        }
        assert!(SPARE.take(layout(1, 1)).is_null());
        assert!(SPARE.give_back(taken[7].wrapping_add(SMALL - 1)));
        assert_eq!(SPARE.take(layout(SMALL, 8)), taken[7]);
        assert!(!SPARE.give_back(ptr::null_mut()));
        assert!(SPARE.place_of(taken[0].wrapping_add(SMALL * 64)).is_none());
    }

    #[test]
    fn what_is_too_large_for_a_place_is_refused() {
        static SPARE: Places<SMALL, 64> = Places::new();
        assert!(SPARE.take(layout(SMALL + 1, 1)).is_null());
        assert!(SPARE.take(layout(1, 2 * SMALL)).is_null());
        assert!(RESERVE.take(layout(LARGE + 1, 1)).is_null());
    }

    #[test]
    fn memory_moves_out_of_the_reserve_with_what_it_has() {
        let small = layout(100, 8);
        let memory = RESERVE.take(small);
        // SAFETY: there is a place of 100 bytes, and then there are 300,000 of the system's.
        unsafe {
            memory.write_bytes(7, 100);
            let moved = RESERVE.realloc(memory, small, 300_000);
            assert!(!RESERVE.has(moved));
            assert_eq!(std::slice::from_raw_parts(moved, 100), [7; 100]);
            RESERVE.dealloc(moved, layout(300_000, 8));
        }
    }
}
