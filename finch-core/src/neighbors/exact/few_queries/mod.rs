//! Few queries, beside a base that is read once, as it is stored.
//!
//! Blocked search writes all rows of the base anew, in groups and in f32: that pays where hundreds of queries are
//! compared with them. Few queries are done before: nothing is copied but a block of rows of another type, nothing has
//! to be known of the base, and what is kept is the lists alone.
//!
//! - `filter.rs` sums the terms of a block of rows and all queries in f32, or in f64 for rows of f64, and takes the
//!   keys of the pairs that these sums leave.
//! - `bits.rs` counts the bits in which rows of bits differ from the queries.
//!
//! All threads take parts of the base, and begin each with the lists that others have found until then.

mod bits;
mod filter;

use std::ops::Range;

use rayon::prelude::*;

use self::bits::Counts;
use self::filter::Filter;
use super::bits::bits_of;
use super::tuning::{MOST_FILTERED, MOST_ROWS_OF_PART, PART_OF_BASE};
use crate::neighbors::lists::{LockedLists, Nearest, Ranking, locked};
use crate::run::progress::Meter;
use crate::run::work::threads_beside;
use crate::samples::element::ElementType;
use crate::samples::rows::Rows;
use crate::support::memory::{collected, copied};

/// The most queries beside which a base is read as it is stored. Of 500,000 rows of 64 features, 64 queries take 125 ms
/// of a core in f32, 113 in u8 and 197 in f64, and one more query, by blocked search, 148, 137 and 148 (Xeon, AVX-512).
pub(crate) const FEW_QUERIES: usize = 48;

/// True for queries and a base that [`update`] serves.
pub(crate) fn serves(queries: &Rows<'_>, base: &Rows<'_>) -> bool {
    queries.len() <= FEW_QUERIES && base.features() <= MOST_FILTERED && base.contiguous()
}

/// Offers every row of `base` to every row of `queries`, whose lists have one length; also zero rows.
pub(crate) fn update(
    ranking: impl Ranking,
    queries: &Rows<'_>,
    base: &Rows<'_>,
    nearest: &mut [Nearest],
    meter: &Meter,
) {
    let sides = [queries.reborrow(), base.reborrow()];
    if let (Some(of_queries), Some(of_base)) = (bits_of(queries), bits_of(base)) {
        let counts = Counts::of(sides, [of_queries.reborrow(), of_base.reborrow()]);
        return in_parts(&counts, ranking, nearest, meter);
    }
    let are_doubles = sides.iter().any(|rows| rows.samples.element() == ElementType::F64);
    match are_doubles {
        true => in_parts(&Filter::<f64>::of(sides), ranking, nearest, meter),
        false => in_parts(&Filter::<f32>::of(sides), ranking, nearest, meter),
    }
}

/// A comparison of some rows of a base with all queries.
trait Compare: Sync {
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
fn in_parts(compare: &impl Compare, ranking: impl Ranking, nearest: &mut [Nearest], meter: &Meter) {
    let (queries, base) = (compare.queries(), compare.base());
    if threads_beside(queries, [base.len(), base.features()]) == 1 {
        return compare.compare(ranking, 0..base.len(), nearest, &mut compare.room(), meter);
    }
    let of_part = (PART_OF_BASE / base.features()).clamp(1, MOST_ROWS_OF_PART);
    let k = nearest.len() / queries;
    let shared = LockedLists::new(copied(nearest));
    let parts = (0..base.len().div_ceil(of_part)).into_par_iter().with_max_len(1);
    parts.for_each_init(
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
fn blocks(rows: Range<usize>, of_block: usize) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(of_block).map(move |first| first..end.min(first + of_block))
}

/// The rows of queries as given, one after the other.
fn loaded(queries: &Rows<'_>) -> Vec<Vec<f64>> {
    collected((0..queries.len()).map(|query| {
        let mut values = Vec::new();
        queries.load_values(query..query + 1, &mut values);
        values
    }))
}

#[cfg(test)]
mod tests;
