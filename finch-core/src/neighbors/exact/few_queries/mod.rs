//! Few queries, beside a base that is read once, as it is stored.
//!
//! Blocked search writes all rows of the base anew, in groups and in f32: that pays where hundreds of queries are
//! compared with them. Few queries are done before: nothing is copied but a block of rows of another type, nothing has
//! to be known of the base, and what is kept is the lists alone.
//!
//! - `filter.rs` sums the terms of a block of rows and all queries in f32, or in f64 for rows of f64, and takes the
//!   keys of the pairs that these sums leave.
//! - `bits.rs` counts the bits in which rows of bits differ from the queries.
//! - `parts.rs`: all threads take parts of the base, and begin each with the lists that others have found until then.

mod bits;
mod filter;
mod parts;

use self::bits::Counts;
use self::filter::Filter;
use self::parts::in_parts;
use super::bits::bits_of;
use super::tuning::MOST_FILTERED;
use crate::neighbors::lists::{Nearest, Ranking};
use crate::run::progress::Meter;
use crate::samples::element::ElementType;
use crate::samples::rows::Rows;

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

#[cfg(test)]
mod tests;
