//! The neighbours of more samples: those of the first samples are known, and new samples are compared
//! with all.

use ndarray::{ArrayView2, s};
use rayon::prelude::*;

use super::exact::bits::bits_of;
use super::exact::extend;
use super::exact::kd_tree::forecast;
use super::exact::projected::{AlongAxes, Axes};
use super::exact::{nanoseconds_of_blocked, need_groups};
use super::known::{Known, parted};
use super::lists::{KNearest, Nearest};
use super::plan::dense::{FEW_FEATURES, may_have_axes};
use super::plan::{AnyRows, LOOKED_AT, Task, are_few};
use super::search::{Choice, Evidence, Reason, Search};
use super::{sparse, zero_rows};
use crate::samples::rows::Rows;
use crate::support::memory::filled;
use crate::support::parallel::SharedSplitting as _;

/// Seconds of one core up to which pairs are compared by all features, since a look at the data takes as
/// long as it could save.
const SHORT: f64 = 0.1;

/// The largest share of all pairs that is compared along principal axes, or of means, beside known
/// neighbours. Where more pairs are new, a search of all is faster, since it begins with rows that are
/// near each other: with three quarters of all pairs (MNIST-70k, half of it new) extending took 1.05 of
/// the time.
const MOST_PAIRS: f64 = 0.6;

/// Lists of the k nearest of all samples, and the search that compared the new ones. `None` where a search of
/// all samples is expected to take less time, and for brute force, which is the oracle.
pub(super) fn search(
    task: &Task<'_, '_>,
    requested: Search,
    known: Known<'_>,
    axes: &mut Axes,
) -> Option<(Vec<Nearest>, Choice)> {
    if requested == Search::Brute {
        return None;
    }
    let (nearest, search) = match task.rows {
        AnyRows::Dense(rows) => search_dense(rows, task, requested, known, axes)?,
        AnyRows::Sparse(rows) => {
            (sparse::extended(rows, task.k, known, task.meter)?, Search::Blocked)
        }
    };
    let (search, recall) = match known.choice.exact() {
        true => (search, None),
        false => (known.choice.search, known.choice.recall),
    };
    let (reason, evidence) = (Reason::Extended, Evidence::default());
    Some((nearest, Choice { search, reason, recall, evidence }))
}

/// [`search`] of dense rows.
fn search_dense(
    rows: &Rows<'_>,
    task: &Task<'_, '_>,
    requested: Search,
    known: Known<'_>,
    axes: &mut Axes,
) -> Option<(Vec<Nearest>, Search)> {
    let Task { k, meter, .. } = *task;
    let (all, old) = (rows.len(), known.index.nrows());
    let pairs = (all as f64).powi(2) - (old as f64).powi(2);
    let are_many = pairs > MOST_PAIRS * (all as f64).powi(2);
    if known.rows.is_some() && are_many {
        return None;
    }
    let is_open = requested == Search::Auto;
    // Bits are compared so fast that a search of all takes no longer than by other means.
    let is_of_bits = bits_of(rows).is_some();
    if is_of_bits || is_open && are_few(all) {
        return None;
    }
    let seconds = pairs / 2.0 * nanoseconds_of_blocked(rows, meter) * 1e-9;
    let searched_anew = || {
        let few_features = rows.features() <= FEW_FEATURES;
        let most = if few_features { f64::INFINITY } else { seconds };
        forecast::seconds_of_tree(rows, k, None, most, meter) < seconds
    };
    if seconds > SHORT && is_open && all >= LOOKED_AT && searched_anew() {
        return None;
    }
    let parted = parted(known, all);
    let mut nearest = known_lists(rows, k, &parted.known, known.index);
    let worth_a_look = is_open && seconds > SHORT && may_have_axes(rows, axes.are_known());
    let along = requested == Search::Projected || worth_a_look && !need_groups(rows, meter);
    let along = along.then(|| AlongAxes::of(rows, k, axes, meter));
    let along = along.filter(|along| !along.is_hopeless_for_few(parted.others()));
    if is_open && are_many && along.is_some() {
        return None;
    }
    extend::search(rows, &parted, &mut nearest, along.as_ref(), meter);
    zero_rows::update(KNearest, rows, rows, &mut nearest);
    meter.advance((old as u64).pow(2));
    Some((nearest, if along.is_some() { Search::Projected } else { Search::Blocked }))
}

/// The lists of all samples before new ones are compared. Their keys are summed anew: a table has
/// distances, and different keys may round to one distance.
///
/// Under cosine zero rows have empty lists, which [`zero_rows::update`] fills.
fn known_lists(
    rows: &Rows<'_>,
    k: usize,
    known: &[u32],
    index: ArrayView2<'_, u32>,
) -> Vec<Nearest> {
    let zero_rows = rows.zero_rows();
    let is_zero = |row: usize| zero_rows.binary_search(&(row as u32)).is_ok();
    let mut nearest = filled(Nearest::NONE, rows.len() * k);
    let index = index.slice(s![.., ..k]);
    let place = |row: usize| known.binary_search(&(row as u32)).ok();
    nearest.par_chunks_exact_mut(k).enumerate().shared().for_each_init(
        || [(); 2].map(|()| filled(0.0, rows.features())),
        |[row, buffer], (number, list)| {
            let Some(place) = place(number).filter(|_| !is_zero(number)) else { return };
            rows.load(number, row);
            let others = index.row(place);
            let others = others.iter().filter(|&&other| other != Nearest::NONE.index);
            for (place, &other) in list.iter_mut().zip(others) {
                *place = Nearest { key: rows.key(row, other as usize, buffer), index: other };
            }
        },
    );
    nearest
}
