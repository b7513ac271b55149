//! Disjoint sets of numbers, by union–find with path halving.

use super::memory::collected;

/// Disjoint sets of the numbers from 0 on.
pub(crate) struct Sets {
    parent: Vec<u32>,
    count: usize,
}

impl Sets {
    /// Each of `len` numbers alone.
    pub(crate) fn new(len: usize) -> Self {
        Self { parent: collected(0..len as u32), count: len }
    }

    /// The number of sets.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// One number of the set that `number` is in, the same for each number of that set.
    pub(crate) fn root(&mut self, mut number: u32) -> u32 {
        while self.parent[number as usize] != number {
            let above = self.parent[self.parent[number as usize] as usize];
            self.parent[number as usize] = above;
            number = above;
        }
        number
    }

    /// Joins the sets of two numbers; the smaller root is the root of both.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parent[a.max(b) as usize] = a.min(b);
            self.count -= 1;
        }
    }

    /// The root of each number.
    pub(crate) fn into_roots(mut self) -> impl ExactSizeIterator<Item = u32> {
        (0..self.parent.len() as u32).map(move |number| self.root(number))
    }
}
