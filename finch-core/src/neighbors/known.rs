//! Neighbours that are known before a search.

use ndarray::ArrayView2;

use super::exact::extend::Parted;
use super::search::Choice;
use crate::support::memory::{collected, copied, filled, gathered};

/// Neighbours that are known: those of some samples, or means, among these.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    /// The samples, ascending; `None`: the first ones.
    pub(crate) rows: Option<&'a [u32]>,
    /// A row for each of these samples, with at least as many neighbours as are asked for.
    pub(crate) index: ArrayView2<'a, u32>,
    /// The search that found them.
    pub(crate) choice: Choice,
}

/// The samples, or means, that are known, and all others.
pub(super) fn parted(known: Known<'_>, all: usize) -> Parted {
    let old = known.index.nrows() as u32;
    let Some(known) = known.rows else {
        return Parted { known: collected(0..old), new: collected(old..all as u32) };
    };
    let mut is_known = filled(false, all);
    known.iter().for_each(|&number| is_known[number as usize] = true);
    let new = (0..all as u32).filter(|&number| !is_known[number as usize]);
    Parted { new: gathered(new), known: copied(known) }
}
