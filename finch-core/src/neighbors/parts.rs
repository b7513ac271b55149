//! The nearest samples so far of data that comes in parts: consecutive samples, or samples with
//! numbers of their own.

use super::approximate::Aim;
use super::lists::{KNearest, Nearest};
use super::plan::AnyRows;
use super::search::Search;
use super::table::check_rank;
use super::two_sets::{Wanted, nearest_of_base, update_lists};
use crate::error::{Error, Result};
use crate::run::Run;
use crate::run::progress::Stage;
use crate::samples::Samples;
use crate::samples::element::{AnyMatrix, Element};
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;
use crate::support::memory::collected;

/// Samples that need not follow each other in the whole data, which may have more samples than
/// [`Samples`] can hold.
#[derive(Clone, Copy, Debug)]
pub struct NumberedSamples<'a, A> {
    samples: Samples<'a, A>,
    numbers: &'a [i64],
}

impl<'a, A: Element> NumberedSamples<'a, A> {
    /// Samples, and the number of each of them in the whole data, from 0. A query that is no sample of
    /// the data has any negative number.
    ///
    /// # Errors
    /// [`Error::SampleCount`] unless there is a number for each sample.
    pub fn new(samples: &'a Samples<'_, A>, numbers: &'a [i64]) -> Result<Self> {
        samples.expect_len(numbers.len())?;
        Ok(Self { samples: samples.reborrow(), numbers })
    }

    /// The number of samples.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }
}

/// A place in a list of the nearest samples so far, as [`Nearest`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberedNearest {
    /// The number that the metric compares, infinite as long as there is no sample.
    pub key: f64,
    /// The number of the sample in the whole data; -1 as long as there is none.
    pub number: i64,
}

impl NumberedNearest {
    /// No sample yet.
    pub const NONE: Self = Self { key: f64::INFINITY, number: -1 };

    /// True if a list has this sample before that one: the nearer, or the smaller number of equally near.
    pub fn precedes(&self, other: &Self) -> bool {
        self.key < other.key || (self.key == other.key && self.number < other.number)
    }
}

/// Offers every sample of `base` to every sample of `queries`, but to itself, whose nearest so far are
/// `k` places each of `lists`.
///
/// # Errors
/// The errors of [`Finch::update_k_nearest`](crate::Finch::update_k_nearest). After an error `lists` are as
/// they were.
pub(crate) fn update_numbered<A: Element>(
    metric: Metric,
    search: Search,
    queries: &NumberedSamples<'_, A>,
    base: &NumberedSamples<'_, A>,
    k: usize,
    lists: &mut [NumberedNearest],
    run: &mut Run<'_>,
) -> Result<()> {
    check_rank(k, i32::MAX as usize)?;
    queries.samples.expect_len(lists.len() / k)?;
    check_ascending(base.numbers)?;
    let (expected, found) = (base.samples.features(), queries.samples.features());
    if found != expected {
        return Err(Error::FeatureCount { expected, found });
    }
    // A query that is in the base itself may take a place that it has to give up again.
    let among = queries.numbers.iter().any(|number| base.numbers.binary_search(number).is_ok());
    let wanted = k.saturating_add(usize::from(among)).min(base.samples.len());
    let samples = [queries.samples.any(), base.samples.any()];
    let search = search.resolve_for_two(metric, "it serves to search samples among themselves")?;
    let aim = Aim { recall: 1.0, seed: 0, deadline: None };
    let found = nearest_of_base(metric, search, aim, samples, Wanted::Nearest(wanted), run)?;
    let lists = lists.chunks_exact_mut(k).zip(queries.numbers);
    for ((list, &own), found) in lists.zip(found.lists.chunks_exact(wanted)) {
        for nearest in found.iter().filter(|&&nearest| nearest != Nearest::NONE) {
            let number = base.numbers[nearest.index as usize];
            if number != own {
                offer(list, NumberedNearest { key: nearest.key, number });
            }
        }
    }
    Ok(())
}

/// Checks the numbers of a base. In ascending order, the smaller number of equally near samples is that
/// of the earlier row, which is what a search of rows prefers.
fn check_ascending(numbers: &[i64]) -> Result<()> {
    let mut before = -1;
    for (row, &number) in numbers.iter().enumerate() {
        if number <= before {
            let reason = "is not above those of earlier rows: number rows from 0, ascending";
            return Err(Error::InvalidShard { row, number, reason });
        }
        before = number;
    }
    Ok(())
}

/// Offers a sample to a list, which may hold the sample already: parts may overlap.
fn offer(list: &mut [NumberedNearest], offered: NumberedNearest) {
    let place = list.partition_point(|kept| kept.precedes(&offered));
    // A sample is equally far whenever it is offered, so that a second offer comes to the same place.
    if list.get(place).is_some_and(|kept| kept.number != offered.number) {
        list.copy_within(place..list.len() - 1, place + 1);
        list[place] = offered;
    }
}

/// Consecutive samples of data that is spread over files or machines.
#[derive(Clone, Copy, Debug)]
pub struct Shard<'a, A> {
    /// The samples of this part.
    pub samples: Samples<'a, A>,
    /// The number of the first of them in the whole data, from 0.
    pub first: usize,
}

/// Offers every sample of `base` to every sample of `queries`, but to itself.
///
/// # Errors
/// The errors of [`Finch::update_nearest`](crate::Finch::update_nearest). After an error `nearest` is as
/// it was.
pub(crate) fn update<A: Element>(
    metric: Metric,
    search: Search,
    queries: &Shard<'_, A>,
    base: &Shard<'_, A>,
    nearest: &mut [Nearest],
    run: &mut Run<'_>,
) -> Result<()> {
    update_any(
        metric,
        search,
        [queries.samples.reborrow().into(), base.samples.reborrow().into()],
        [queries.first, base.first],
        nearest,
        run,
    )
}

/// [`update`], which is not compiled for each element type.
fn update_any(
    metric: Metric,
    search: Search,
    [queries, base]: [AnyMatrix<'_>; 2],
    [first_query, first_base]: [usize; 2],
    nearest: &mut [Nearest],
    run: &mut Run<'_>,
) -> Result<()> {
    if nearest.len() != queries.len() {
        return Err(Error::SampleCount { expected: nearest.len(), found: queries.len() });
    }
    let (expected, found) = (base.features(), queries.features());
    if found != expected {
        return Err(Error::FeatureCount { expected, found });
    }
    let packed = match metric.is_of_bits() {
        true => Some(
            run.install(|| Ok([queries.packed(metric.name())?, base.packed(metric.name())?]))??,
        ),
        false => None,
    };
    let [queries, base] = match &packed {
        Some(packed) => packed.each_ref().map(|bits| AnyMatrix::Bits(bits.view())),
        None => [queries.reborrow(), base.reborrow()],
    };
    let rows = [(queries, first_query), (base, first_base)]
        .map(|(samples, first)| Rows { first, ..Rows::new(samples, metric) });
    for rows in &rows {
        let samples = rows.first.saturating_add(rows.len());
        if i32::try_from(samples).is_err() {
            return Err(Error::TooManySamples { samples });
        }
    }
    let search = search.resolve_for_shards(metric)?;
    // A copy, since what a cancelled search has found so far is not given out.
    let mut updated: Vec<Nearest> = collected(nearest.iter().copied());
    let pairs = rows[0].len() as u64 * rows[1].len() as u64;
    let [queries, base] = &rows.map(AnyRows::Dense);
    run.stage(Stage::Neighbors { level: 0 }, pairs, |meter| {
        update_lists(search, KNearest, [queries, base], &mut updated, meter);
    })?;
    nearest.copy_from_slice(&updated);
    Ok(())
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, Axis};

    use super::*;
    use crate::samples::rows::Rows;
    use crate::support::random::scrambled;

    /// The definition: all other rows by key and number.
    fn by_definition(
        matrix: &Array2<f64>,
        metric: Metric,
        row: usize,
        k: usize,
    ) -> Vec<NumberedNearest> {
        let rows = Rows::new(Samples::new(matrix.view()).unwrap(), metric);
        let [mut query, mut buffer] = [(); 2].map(|()| vec![0.0; rows.features()]);
        rows.load(row, &mut query);
        let others = (0..rows.len()).filter(|&other| other != row);
        let offered = others.map(|other| NumberedNearest {
            key: rows.key(&query, other, &mut buffer),
            number: far(other),
        });
        // A zero row has no neighbours but zero rows.
        let mut all: Vec<_> = offered.filter(|offered| offered.key < f64::INFINITY).collect();
        all.sort_by(|a, b| a.key.total_cmp(&b.key).then(a.number.cmp(&b.number)));
        all.resize(k, NumberedNearest::NONE);
        all
    }

    /// Numbers beyond 32 bits, and none next to another.
    fn far(row: usize) -> i64 {
        (1 << 40) + 3 * row as i64
    }

    /// Parts that overlap, of rows from anywhere, some of them offered twice; of random, tied, repeated
    /// and constant values, with a row without a direction.
    #[test]
    fn overlapping_parts_in_any_order_give_the_nearest_of_all() {
        for (levels, metric) in
            [(1 << 20, Metric::Euclidean), (3, Metric::Euclidean), (1, Metric::Manhattan)]
                .into_iter()
                .chain([(4, Metric::Cosine), (1 << 20, Metric::Manhattan)])
        {
            let value = |i: usize, j: usize| (scrambled((7 * i + j) as u64) % levels) as f64;
            let matrix = Array2::from_shape_fn((60, 3), |(i, j)| value(i % 50, j) - 1.0);
            let parts = [(0, 2), (1, 3), (0, 1), (5, 7), (2, 3)];
            let parts = parts.map(|(first, step)| (first..60).step_by(step).collect::<Vec<_>>());
            for k in [1, 3, 59, 70] {
                let mut lists = vec![NumberedNearest::NONE; 60 * k];
                let numbers: Vec<i64> = (0..60).map(far).collect();
                let samples = Samples::new(matrix.view()).unwrap();
                let queries = NumberedSamples::new(&samples, &numbers).unwrap();
                for part in &parts {
                    let rows = matrix.select(Axis(0), part);
                    let numbers: Vec<i64> = part.iter().map(|&row| far(row)).collect();
                    let samples = Samples::new(rows.view()).unwrap();
                    let base = NumberedSamples::new(&samples, &numbers).unwrap();
                    let run = &mut Run::new();
                    update_numbered(metric, Search::Auto, &queries, &base, k, &mut lists, run)
                        .unwrap();
                }
                for (row, list) in lists.chunks_exact(k).enumerate() {
                    let expected = by_definition(&matrix, metric, row, k);
                    assert_eq!(list, expected, "{levels} {metric:?}, row {row}, {k} nearest");
                }
            }
        }
    }
}
