//! The parts of a base that threads compare with a few queries, and the lists that they share.

use std::ops::Range;

use rayon::prelude::*;

use crate::neighbors::exact::tuning::{MOST_ROWS_OF_PART, PART_OF_BASE};
use crate::neighbors::lists::{LockedLists, Nearest, Ranking, locked};
use crate::run::progress::Meter;
use crate::run::work::threads_beside;
use crate::samples::rows::Rows;
use crate::support::memory::copied;
use crate::support::parallel::SharedSplitting as _;

/// A comparison of some rows of a base with all queries.
pub(super) trait Compare: Sync {
    /// The memory in which one thread compares.
    type Room: Send;

    fn queries(&self) -> usize;

    fn base(&self) -> Rows<'_>;

    fn room(&self) -> Self::Room;

    /// Offers some rows of the base, by their places in it, to the lists of all queries; not all, if the run is
    /// stopped.
    fn compare(
        &self,
        ranking: impl Ranking,
        rows: Range<usize>,
        lists: &mut [Nearest],
        room: &mut Self::Room,
        meter: &Meter,
    );
}

/// Compares the whole base, on this thread where that is little, else on all threads.
pub(super) fn in_parts(
    compare: &impl Compare,
    ranking: impl Ranking,
    nearest: &mut [Nearest],
    meter: &Meter,
) {
    let (queries, base) = (compare.queries(), compare.base());
    if threads_beside(queries, [base.len(), base.features()]) == 1 {
        return compare.compare(ranking, 0..base.len(), nearest, &mut compare.room(), meter);
    }
    let of_part = (PART_OF_BASE / base.features()).clamp(1, MOST_ROWS_OF_PART);
    let k = nearest.len() / queries;
    let shared = LockedLists::new(copied(nearest));
    let parts = (0..base.len().div_ceil(of_part)).into_par_iter().with_max_len(1);
    parts.shared().for_each_init(
        || (compare.room(), copied(nearest)),
        |(room, lists), part| {
            if meter.stopped() {
                return;
            }
            lists.copy_from_slice(&locked(&shared));
            let rows = part * of_part..base.len().min((part + 1) * of_part);
            compare.compare(ranking, rows.clone(), lists, room, meter);
            // Rows of other parts are in the shared lists already, and may not be offered again.
            let numbers = base.first + rows.start..base.first + rows.end;
            let mut shared = locked(&shared);
            for (of_all, list) in shared.chunks_exact_mut(k).zip(lists.chunks_exact(k)) {
                for found in list.iter().filter(|found| numbers.contains(&(found.index as usize))) {
                    ranking.offer(of_all, found.key, found.index);
                }
            }
        },
    );
    nearest.copy_from_slice(&locked(&shared));
}

/// The rows of a part, block by block.
pub(super) fn blocks(rows: Range<usize>, of_block: usize) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(of_block).map(move |first| first..end.min(first + of_block))
}
