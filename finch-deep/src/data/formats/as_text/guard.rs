//! The bytes that a parser reads for one value, as memory: a parser keeps a value whole.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};

use crate::data::error::Fault;
use crate::data::source::memory::Memory;

/// Bytes that are counted at once.
const STEP: u64 = 1 << 20;

/// The bytes of a value, and how often a parser copies them.
const COPIES: u64 = 3;

/// Counts the bytes that were read since the last value ended.
pub(super) struct Guard<'m> {
    memory: &'m Memory,
    since: Cell<u64>,
    taken: Cell<u64>,
    fault: RefCell<Option<Fault>>,
}

impl<'m> Guard<'m> {
    pub(super) fn new(memory: &'m Memory) -> Self {
        Self { memory, since: Cell::new(0), taken: Cell::new(0), fault: RefCell::new(None) }
    }

    /// Says that a value has ended.
    pub(super) fn ended(&self) {
        self.since.set(0);
        self.memory.give_back(self.taken.replace(0));
    }

    /// The fault that ended the reading, if there is one.
    pub(super) fn fault(&self) -> Option<Fault> {
        self.fault.borrow_mut().take()
    }

    /// Keeps a fault for whoever asks when the parser has given up.
    pub(super) fn fail(&self, fault: Fault) {
        self.fault.borrow_mut().get_or_insert(fault);
    }

    fn count(&self, bytes: usize) -> Result<(), Fault> {
        self.since.set(self.since.get() + bytes as u64);
        if self.since.get() < STEP {
            return Ok(());
        }
        let more = COPIES * self.since.replace(0);
        self.memory.take(more)?;
        self.taken.set(self.taken.get() + more);
        Ok(())
    }
}

/// A reader whose bytes a guard counts.
pub(super) struct Guarded<'g, 'm, R> {
    pub(super) reader: R,
    pub(super) guard: &'g Guard<'m>,
}

impl<R: Read> Read for Guarded<'_, '_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let counted = match self.reader.read(buffer) {
            Ok(bytes) => self.guard.count(bytes).map(|()| bytes),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => Err(error.into()),
        };
        counted.map_err(|fault| {
            self.guard.fail(fault);
            io::Error::other("the reading was ended")
        })
    }
}
