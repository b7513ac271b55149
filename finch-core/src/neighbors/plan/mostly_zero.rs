//! Dense rows most of whose values are 0, such as counts of words, or categories of which each has a column.
//!
//! Products of sparse rows take as many steps as both rows have values, and keys of sparse rows are bit for
//! bit those of dense ones. So such rows are searched as sparse ones: exactly where that takes less than
//! blocks of all features, as the columns tell (of 9,393 texts of 2,000 features, 4 of 100 values are not 0,
//! and an exact search takes a quarter of the time), and else approximately, where that finds enough. Main
//! axes are not looked at before: of texts, they hold little, and to find them takes as long.

use std::ops::Range;

use rayon::prelude::*;

use super::dense::seconds_of_all_pairs;
use super::tuning::are_few;
use super::{AnyRows, Task, sparse};
use crate::neighbors::exact::bits::bits_of;
use crate::neighbors::exact::nanoseconds_of_blocked;
use crate::neighbors::lists::Nearest;
use crate::neighbors::search::{Choice, Search};
use crate::run::progress::Meter;
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;
use crate::samples::sparse::{SparseMatrix, SparseRows};
use crate::support::memory::{collected, collected_in_parallel, filled, gathered};
use crate::support::parallel::SharedSplitting as _;
use crate::support::random::spread;

/// Of so many values of a sample of rows at most one is not 0. The copy by rows and the one by columns then take
/// 1.25 bytes for each dense value, or 1.5 where that is an f64.
const VALUES_PER_NONZERO: usize = 16;
/// Rows of this sample, at most.
const SAMPLE: usize = 256;
/// With fewer features, products of sparse rows save little.
const MIN_FEATURES: usize = 48;
/// The share of the time of blocks that an exact search of sparse rows may take: principal axes may be faster
/// than blocks.
const SHARE_OF_BLOCKS: f64 = 0.75;
/// Rows that a thread copies at a time, at most, and the most values of these rows together.
const PART: usize = 1024;
const VALUES_OF_PART: usize = 1 << 20;

/// Lists of the nearest of dense rows by the search of sparse rows that is requested, and the search that
/// ran. `None` where most values are not 0, and where that would not be faster, or find too few.
pub(super) fn search(task: &Task<'_, '_>, requested: Search) -> Option<(Vec<Nearest>, Choice)> {
    let Task { rows: AnyRows::Dense(rows), meter, .. } = *task else { return None };
    let is_open = matches!(requested, Search::Auto | Search::Approximate);
    // Packed bits are faster still, where a search is exact.
    let is_exact_by_bits = requested == Search::Auto && bits_of(rows).is_some();
    let may_be_faster = is_open && !are_few(rows.len()) && rows.features() >= MIN_FEATURES;
    if !may_be_faster
        || is_exact_by_bits
        || rows.metric.is_of_bits()
        || !are_mostly_zero(rows, meter)
    {
        return None;
    }
    let copy = compressed(rows, meter)?;
    let of_copy = AnyRows::Sparse(SparseRows::new(copy.samples(), rows.metric));
    let task = &Task { rows: &of_copy, ..*task };
    let AnyRows::Sparse(sparse_rows) = task.rows else { return None };
    let plan = sparse::plan(sparse_rows, task, requested);
    let of_blocks = seconds_of_all_pairs(rows.len(), nanoseconds_of_blocked(rows, meter));
    let seconds = plan.index.as_ref().map_or(f64::INFINITY, |index| index.seconds());
    if requested == Search::Auto && seconds > SHARE_OF_BLOCKS * of_blocks {
        return None;
    }
    // Dense rows have another search that runs where an approximate one of sparse rows gives up.
    let first = plan.steps.first()?;
    plan.run_step(first, task)
}

/// True if most values of a sample of rows are 0.
fn are_mostly_zero(rows: &Rows<'_>, meter: &Meter) -> bool {
    let sample: Vec<usize> = collected(spread(rows.len(), rows.len().div_ceil(SAMPLE)));
    let values_of = |row: &mut Vec<f64>, &number: &usize| {
        if meter.stopped() {
            return rows.features();
        }
        rows.samples.load(number, row);
        row.iter().filter(|value| **value != 0.0).count()
    };
    let values = sample.par_iter().map_init(|| filled(0.0, rows.features()), values_of);
    values.shared().sum::<usize>() * VALUES_PER_NONZERO <= sample.len() * rows.features()
}

/// A copy of the values that are not 0; `None` where the run is stopped, or features are too many.
fn compressed(rows: &Rows<'_>, meter: &Meter) -> Option<SparseMatrix> {
    let (count, features) = (rows.len(), rows.features());
    if i32::try_from(features).is_err() {
        return None;
    }
    let element = rows.samples.element().of_means();
    // As they are under every metric.
    let rows = Rows::new(rows.samples.reborrow(), Metric::Euclidean);
    let size = (VALUES_OF_PART / features).clamp(1, PART);
    let parts: Vec<Range<usize>> =
        gathered((0..count).step_by(size).map(|first| first..count.min(first + size)));
    let copied = |values: &mut Vec<f64>, part: &Range<usize>| {
        let mut copy = SparseMatrix::empty(features, part.len(), element);
        if !meter.stopped() {
            rows.load_values(part.clone(), values);
            values.chunks_exact(features).for_each(|row| copy.push_row(row.iter().copied()));
        }
        copy
    };
    let parts = collected_in_parallel(parts.par_iter().map_init(Vec::new, copied));
    let mut all = SparseMatrix::empty(features, count, element);
    parts.iter().take_while(|_| !meter.stopped()).for_each(|part| all.append(&part.samples()));
    (!meter.stopped()).then_some(all)
}
