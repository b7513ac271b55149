//! Queries and base of a search: one set, or two.

/// Rows that search the nearest among all others, or *queries* that search the nearest among the rows
/// before them, the *base*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sides {
    rows: usize,
    /// The number of rows of the base; `None` where all rows search among all others.
    base: Option<usize>,
}

impl Sides {
    /// All of some rows search among each other.
    pub(crate) fn one(rows: usize) -> Self {
        Self { rows, base: None }
    }

    /// Of some rows those after the first `base` search among these.
    pub(crate) fn two(rows: usize, base: usize) -> Self {
        Self { rows, base: Some(base) }
    }

    /// True if there are queries and a base.
    pub(super) fn are_two(self) -> bool {
        self.base.is_some()
    }

    /// True if a row searches.
    pub(super) fn searches(self, row: u32) -> bool {
        self.base.is_none_or(|base| row as usize >= base)
    }

    /// True if a row can be found.
    pub(super) fn is_base(self, row: u32) -> bool {
        self.base.is_none_or(|base| (row as usize) < base)
    }

    /// The first row that searches.
    pub(super) fn first(self) -> usize {
        self.base.unwrap_or(0)
    }

    /// The pairs of a row that searches and a row that can be found.
    pub(super) fn pairs(self) -> f64 {
        match self.base {
            None => (self.rows as f64).powi(2),
            Some(base) => base as f64 * (self.rows - base) as f64,
        }
    }
}
