//! The memory that reading may take.

use std::cell::{Cell, OnceCell};

use super::available::available_memory;
use crate::data::error::Fault;

/// Up to this many bytes are taken without asking how much there is, which costs some 50 µs.
const UNASKED: u64 = 16 << 20;

/// The factor by which a list that declares its length makes room for more elements than were read. Room
/// that is not filled costs no memory, but a declared length may be damaged.
const AHEAD: usize = 16;

/// Counts the memory that one call of a reader takes.
pub(in crate::data) struct Memory {
    /// The memory that the caller allows.
    allowed: Option<u64>,
    /// The memory that the machine allows, once it was asked.
    of_machine: OnceCell<u64>,
    taken: Cell<u64>,
}

impl Memory {
    /// A count with the limit that the caller sets, else the machine's: nine tenths of what is
    /// available, since whoever reads wants to compute, and other programs run, too.
    pub(in crate::data) fn new(allowed: Option<u64>) -> Self {
        Self { allowed, of_machine: OnceCell::new(), taken: Cell::new(0) }
    }

    /// Takes `bytes` more.
    pub(in crate::data) fn take(&self, bytes: u64) -> Result<(), Fault> {
        let wanted = self.taken.get().saturating_add(bytes);
        let limit = match self.allowed {
            Some(limit) => limit,
            None if wanted <= UNASKED => u64::MAX,
            // The memory taken by now is no longer available.
            None => *self.of_machine.get_or_init(|| {
                let available = available_memory().map_or(u64::MAX, |bytes| bytes / 10 * 9);
                available.saturating_add(self.taken.get())
            }),
        };
        if wanted > limit {
            let of_machine = self.allowed.is_none();
            return Err(Fault::MemoryLimit { wanted, limit, of_machine, dense: None });
        }
        self.taken.set(wanted);
        Ok(())
    }

    /// The bytes taken so far.
    pub(in crate::data) fn taken(&self) -> u64 {
        self.taken.get()
    }

    /// Says that `bytes` of those taken are no longer in use.
    pub(in crate::data) fn give_back(&self, bytes: u64) {
        self.taken.set(self.taken.get().saturating_sub(bytes));
    }

    /// Says that no more than `bytes` are still in use.
    pub(in crate::data) fn settle(&self, bytes: u64) {
        self.taken.set(bytes);
    }

    /// Makes room for `more` elements in a list whose length is unknown: it at least doubles.
    pub(in crate::data) fn reserve<T>(&self, list: &mut Vec<T>, more: usize) -> Result<(), Fault> {
        let needed = list.len().saturating_add(more);
        match needed <= list.capacity() {
            true => Ok(()),
            false => self.enlarge(list, needed.max(list.capacity().saturating_mul(2))),
        }
    }

    /// Makes room for `more` elements in a list that is declared to become `declared` long: for all
    /// of these as soon as some of them were read, so that the list is hardly ever copied.
    pub(in crate::data) fn reserve_of<T>(
        &self,
        list: &mut Vec<T>,
        more: usize,
        declared: usize,
    ) -> Result<(), Fault> {
        let needed = list.len().saturating_add(more);
        match needed <= list.capacity() {
            true => Ok(()),
            // Twice as far ahead, so that the next step is not a small one that copies all.
            false if declared / (2 * AHEAD) <= needed => self.enlarge(list, needed.max(declared)),
            false => self.enlarge(list, needed.saturating_mul(AHEAD)),
        }
    }

    /// Appends `value` to a list.
    pub(in crate::data) fn push<T>(&self, list: &mut Vec<T>, value: T) -> Result<(), Fault> {
        self.reserve(list, 1)?;
        list.push(value);
        Ok(())
    }

    fn enlarge<T>(&self, list: &mut Vec<T>, capacity: usize) -> Result<(), Fault> {
        let added = capacity - list.capacity();
        let bytes = (added as u64).saturating_mul(size_of::<T>() as u64);
        self.take(bytes)?;
        let refused = |_| Fault::Memory { bytes };
        list.try_reserve_exact(capacity - list.len()).map_err(refused)
    }
}

/// A copy of `text` that is not counted, since few are kept.
pub(in crate::data) fn copied(text: &str) -> Result<String, Fault> {
    let (mut copy, bytes) = (String::new(), text.len() as u64);
    copy.try_reserve_exact(text.len()).map_err(|_| Fault::Memory { bytes })?;
    copy.push_str(text);
    Ok(copy)
}
