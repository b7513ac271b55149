//! The task of a search.

use super::AnyRows;
use crate::neighbors::approximate::Aim;
use crate::run::progress::Meter;

/// Rows of which the nearest are to be found among each other.
#[derive(Clone, Copy)]
pub(in crate::neighbors) struct Task<'a, 'r> {
    pub(in crate::neighbors) rows: &'a AnyRows<'r>,
    /// The length of a list.
    pub(in crate::neighbors) k: usize,
    pub(in crate::neighbors) aim: Aim,
    pub(in crate::neighbors) meter: &'a Meter<'a>,
}
