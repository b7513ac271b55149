//! The nearest rows of one set, the *base*, for each row of another set, the queries.

use rayon::prelude::*;

use super::approximate::{self, Aim, Sides};
use super::exact::bits::{self, bits_of};
use super::exact::few_queries::{self, FEW_QUERIES};
use super::exact::kd_tree::kept::{KeptTree, NodeLabels};
use super::exact::{blocked, brute};
use super::lists::{KNearest, Nearest, OtherLabel, Ranking};
use super::plan::AnyRows;
use super::search::{Recall, Search};
use super::{sparse, zero_rows};
use crate::error::{Error, Result};
use crate::run::Run;
use crate::run::progress::{Meter, Stage};
use crate::samples::bits::BitArray;
use crate::samples::element::AnyMatrix;
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;
use crate::samples::{AnySamples, Kind};
use crate::support::memory::filled;
use crate::support::parallel::SharedSplitting as _;

/// The rows of the base that are looked for.
#[derive(Clone, Copy)]
pub(crate) enum Wanted<'a> {
    /// The k nearest; fewer, where the base has fewer.
    Nearest(usize),
    /// The nearest, and the nearest of those that have another label than that one. The labels are
    /// those of the base.
    OtherLabel(&'a [u32]),
}

impl Wanted<'_> {
    /// The length of a list.
    fn list(self) -> usize {
        match self {
            Self::Nearest(k) => k,
            Self::OtherLabel(_) => 2,
        }
    }
}

/// The result of a search of the base.
pub(crate) struct OfBase {
    /// For each query a list, with [`Nearest::NONE`] where there is no row.
    pub(crate) lists: Vec<Nearest>,
    /// The share of the nearest that an approximate search found.
    pub(crate) recall: Option<Recall>,
}

/// The result wanted of the base, for each query.
///
/// Queries and base are of one element type and have as many features. An approximate search takes a
/// copy of both.
///
/// # Errors
/// [`Error::UnsupportedSearch`] for a search that takes one set of rows, or does not serve the metric
/// or what is wanted; [`Error::InvalidRecall`]; and what a stage returns.
pub(crate) fn nearest_of_base(
    metric: Metric,
    search: Search,
    aim: Aim,
    [queries, base]: [AnySamples<'_>; 2],
    wanted: Wanted<'_>,
    run: &mut Run<'_>,
) -> Result<OfBase> {
    let refused = |reason| Err(Error::UnsupportedSearch { search: search.name(), reason });
    aim.check()?;
    let search = match (search, wanted) {
        (Search::Approximate, Wanted::OtherLabel(_)) => {
            return refused("it finds no nearest of another cluster: ask for no confidence");
        }
        (Search::Approximate, Wanted::Nearest(_)) => {
            search.check(metric, usize::MAX)?;
            search
        }
        _ => search.resolve_for_two(metric, "it serves to search samples among themselves")?,
    };
    let are_sparse = [&queries, &base].map(|samples| samples.sparse().is_some());
    if are_sparse[0] != are_sparse[1] {
        return Err(Error::NeedsDense { what: "a search between two sets of samples" });
    }
    if search == Search::Approximate && are_sparse[0] {
        return refused("it takes dense samples");
    }
    let packed = match metric.is_of_bits() {
        true => run.install(|| packed(metric, [&queries, &base]))??,
        false => None,
    };
    let [queries, base] = match &packed {
        Some(bits) => {
            bits.each_ref().map(|bits| AnySamples(Kind::Dense(AnyMatrix::Bits(bits.view()))))
        }
        None => [queries.reborrow(), base.reborrow()],
    };
    if let (Search::Approximate, Kind::Dense(queries), Kind::Dense(base)) =
        (search, &queries.0, &base.0)
    {
        return near_of_base(metric, aim, [queries, base], wanted.list(), run);
    }
    let (k, pairs) = (wanted.list(), queries.len() as u64 * base.len() as u64);
    let lists = run.stage(Stage::Predict, pairs, |meter| {
        let mut lists = filled(Nearest::NONE, queries.len() * k);
        let [queries, base] = &rows_of_two(metric, [queries, base]);
        match wanted {
            Wanted::Nearest(_) => {
                update_lists(search, KNearest, [queries, base], &mut lists, meter)
            }
            Wanted::OtherLabel(labels) => {
                update_lists(search, OtherLabel(labels), [queries, base], &mut lists, meter);
            }
        }
        lists
    })?;
    Ok(OfBase { lists, recall: None })
}

/// Copies of dense samples as bits, where these pay and those of the base are of 0 and 1, too: means need not be.
///
/// # Errors
/// [`Error::NotBinary`] for queries that are not of 0 and 1.
fn packed(metric: Metric, [queries, base]: [&AnySamples<'_>; 2]) -> Result<Option<[BitArray; 2]>> {
    match (&queries.0, &base.0) {
        (Kind::Sparse(queries), _) => queries.expect_bits(metric.name()).map(|()| None),
        (Kind::Dense(queries), Kind::Dense(base)) => {
            if [queries, base].iter().all(|side| matches!(side, AnyMatrix::Bits(_))) {
                return Ok(None);
            }
            let of_queries = queries.packed(metric.name())?;
            // To pack the base takes longer than to compare it with a few queries.
            let [rows, of_base] = [queries, base].map(|side| Rows::new(side.reborrow(), metric));
            if few_queries::serves(&rows, &of_base) {
                return Ok(None);
            }
            Ok(base.packed(metric.name()).ok().map(|base| [of_queries, base]))
        }
        (Kind::Dense(_), Kind::Sparse(_)) => Ok(None),
    }
}

/// The result wanted of a base in a tree, for each query, whose values are numbers. `labels` are those of the nodes of
/// the tree, by the labels that are wanted. Advances the meter by each pair.
pub(crate) fn nearest_of_tree(
    tree: &KeptTree,
    queries: &AnyMatrix<'_>,
    wanted: Wanted<'_>,
    labels: Option<&NodeLabels>,
    meter: &Meter,
) -> Vec<Nearest> {
    let (k, features) = (wanted.list(), queries.features());
    let mut lists = filled(Nearest::NONE, queries.len() * k);
    let look_up = |point: &mut Vec<f64>, (query, list): (usize, &mut [Nearest])| {
        if meter.stopped() {
            return;
        }
        queries.load(query, point);
        match wanted {
            Wanted::Nearest(_) => tree.offer(KNearest, None, point, list),
            Wanted::OtherLabel(all) => tree.offer(OtherLabel(all), labels, point, list),
        }
        meter.advance(tree.len() as u64);
    };
    let point = || filled(0.0, features);
    match queries.len() <= FEW_QUERIES {
        true => {
            let mut point = point();
            lists
                .chunks_exact_mut(k)
                .enumerate()
                .for_each(|of_query| look_up(&mut point, of_query));
        }
        false => {
            let lists = lists.par_chunks_exact_mut(k).enumerate().with_min_len(FEW_QUERIES / 4);
            lists.shared().for_each_init(point, look_up);
        }
    }
    lists
}

/// Most of the nearest rows of the base, for each query.
fn near_of_base(
    metric: Metric,
    aim: Aim,
    [queries, base]: [&AnyMatrix<'_>; 2],
    k: usize,
    run: &mut Run<'_>,
) -> Result<OfBase> {
    let samples = queries.len() + base.len();
    if i32::try_from(samples).is_err() {
        return Err(Error::TooManySamples { samples });
    }
    let both = run.install(|| AnyMatrix::stacked([base.reborrow(), queries.reborrow()]))?;
    let pairs = queries.len() as u64 * base.len() as u64;
    run.stage(Stage::Predict, pairs, |meter| {
        let rows = Rows::new(both.view(), metric);
        let sides = Sides::two(rows.len(), base.len());
        let found = approximate::search_sides(&rows, sides, k, aim, None, meter);
        let (mut lists, recall) = found.expect("nothing runs instead");
        let base = Rows::new(base.reborrow(), metric);
        let queries = Rows { first: base.len(), ..Rows::new(queries.reborrow(), metric) };
        zero_rows::update(KNearest, &queries, &base, &mut lists);
        OfBase { lists, recall }
    })
}

/// For each query the `k` nearest rows of the base, sorted: lists with [`Nearest::NONE`] where the
/// base has fewer rows, or where it is stopped. Exact. Advances the meter by each pair. Both are dense, or
/// both sparse.
pub(crate) fn nearest_between(
    metric: Metric,
    samples: [AnySamples<'_>; 2],
    k: usize,
    meter: &Meter,
) -> Vec<Nearest> {
    let [queries, base] = &rows_of_two(metric, samples);
    let mut nearest = filled(Nearest::NONE, queries.len() * k);
    update_lists(Search::Blocked, KNearest, [queries, base], &mut nearest, meter);
    nearest
}

/// The rows of queries and of a base. Queries have numbers behind those of the base, so that none is taken for a
/// row of it.
fn rows_of_two<'a>(metric: Metric, samples: [AnySamples<'a>; 2]) -> [AnyRows<'a>; 2] {
    let [mut queries, base] = samples.map(|samples| AnyRows::new(samples, metric));
    if let AnyRows::Dense(queries) = &mut queries {
        queries.first = base.len();
    }
    [queries, base]
}

/// Offers every row of `base` to every row of `queries` by a search for two sets. Both are dense, or both
/// sparse.
pub(crate) fn update_lists(
    search: Search,
    ranking: impl Ranking,
    [queries, base]: [&AnyRows<'_>; 2],
    nearest: &mut [Nearest],
    meter: &Meter,
) {
    match (queries, base) {
        (AnyRows::Dense(queries), AnyRows::Dense(base)) => match search {
            Search::Brute => brute::update(ranking, queries, base, nearest, meter),
            Search::Blocked if few_queries::serves(queries, base) => {
                few_queries::update(ranking, queries, base, nearest, meter);
            }
            Search::Blocked => {
                if let (Some(of_queries), Some(of_base)) = (bits_of(queries), bits_of(base)) {
                    let rows = [queries, base];
                    return bits::update(ranking, rows, [of_queries, of_base], nearest, meter);
                }
                blocked::update(ranking, queries, base, nearest, meter);
                zero_rows::update(ranking, queries, base, nearest);
            }
            _ => unreachable!("refused before"),
        },
        (AnyRows::Sparse(queries), AnyRows::Sparse(base)) => {
            let (rows, k) = ([queries, base], nearest.len() / queries.len());
            match search {
                Search::Brute => sparse::base_by_brute_force(ranking, rows, k, nearest, meter),
                _ => sparse::search_base(ranking, rows, k, nearest, meter),
            }
        }
        _ => unreachable!("one side is dense and one is sparse"),
    }
}
