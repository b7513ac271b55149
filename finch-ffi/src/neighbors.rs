//! Building blocks, for callers who do a part of the algorithm themselves.

use finch_core::{Element, Error, Nearest, Partition, Samples, Shard};

use crate::border::caller::Caller;
use crate::border::fault::Fault;
use crate::border::guard::guard;
use crate::border::integers::invalid_value;
use crate::border::numbers::{signed_labels, unsigned};
use crate::border::room::room;
use crate::border::status::finch_status;
use crate::matrix::{AnySamples, SAMPLES, finch_matrix, with_two_samples};
use crate::options::{self, Options, finch_options};

/// Finds the first neighbour of each row of `samples`, of equally near rows the one with the
/// smallest number. Writes the neighbour's number into `index` and the distance to the neighbour
/// into `distance`: N numbers each, none for a single row. `distance` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_first_neighbors(
    samples: *const finch_matrix,
    options: *const finch_options,
    index: *mut i32,
    distance: *mut f64,
    capacity: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let options = Options::read(caller, options)?;
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        let needed = samples.neighbor_count();
        let index = caller.output(INDEX, index, capacity, needed)?;
        let distance = caller.optional_output("distance", distance, capacity, needed)?;
        let nearest = options.finch.first_neighbors(samples.any(), &mut options.run())?;
        index.write(nearest.index().iter().map(|&index| index as i32));
        distance.write(nearest.distance().iter().copied());
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Finds the `k` nearest other rows of each row of `samples`, nearest first, of equally near
/// rows the smaller number first; `k` is from 1 to N - 1. Writes their numbers into `index` and
/// their distances into `distance`, N x k matrices, row-major. `distance` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_nearest_neighbors(
    samples: *const finch_matrix,
    k: usize,
    options: *const finch_options,
    index: *mut i32,
    distance: *mut f64,
    capacity: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let options = Options::read(caller, options)?;
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        // Before buffers are checked for a size that may be none.
        let most = samples.len() - 1;
        if k == 0 || k > most {
            return Err(Error::NeighborRank { requested: k, most }.into());
        }
        let needed = samples.len().saturating_mul(k);
        let index = caller.output(INDEX, index, capacity, needed)?;
        let distance = caller.optional_output("distance", distance, capacity, needed)?;
        let nearest = options.finch.nearest_neighbors(samples.any(), k, &mut options.run())?;
        index.write(nearest.index().iter().map(|&index| index as i32));
        distance.write(nearest.distance().iter().copied());
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Offers every row of `base` to every row of `queries`, and keeps the nearest so far: for data
/// that is spread over files or machines.
///
/// `queries` and `base` are consecutive rows of one large matrix. `first_query` and `first_base`
/// are the numbers of their first rows in the large matrix, below 2^31 - 1. A row is not offered to
/// itself. Both matrices have the same element type, and each matrix is checked by itself: rows in
/// which no value reaches 1e-140 are refused, whatever the rest of the large matrix has.
///
/// `index` and `key` have `count` numbers, one for each row of `queries`: the row that is nearest
/// so far, and its key, the number by which the metric compares (squared Euclidean distance; 2 - 2
/// cos; Manhattan distance). Begin with -1 in every `index`; the key beside -1 is not looked at,
/// and becomes infinite if no row is nearer.
///
/// Once all rows have been offered, in parts of any size and in any order, `index` is what
/// `finch_first_neighbors` finds for the large matrix, bit for bit, and `finch_keys_to_distances`
/// turns `key` into the distances. The k-d tree does not serve here. Two calls at once need
/// different `index` and `key`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_update_neighbors(
    queries: *const finch_matrix,
    first_query: usize,
    base: *const finch_matrix,
    first_base: usize,
    options: *const finch_options,
    index: *mut i32,
    key: *mut f64,
    count: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let options = Options::read(caller, options)?;
        let queries = AnySamples::read(caller, ["queries", "queries->data"], queries)
            .map_err(|fault| fault.of("queries"))?;
        let base = AnySamples::read(caller, ["base", "base->data"], base)
            .map_err(|fault| fault.of("base"))?;
        expect_fit(&queries, &base, count)?;
        let index_output = caller.output(INDEX, index, count, count)?;
        let key_output = caller.output(KEY, key, count, count)?;
        let so_far = caller.slice(INDEX, index.cast_const(), count)?;
        let keys = caller.slice(KEY, key.cast_const(), count)?;
        let mut nearest = nearest(first_query, so_far, keys)?;
        let firsts = [first_query, first_base];
        with_two_samples!("an update of neighbours", queries, base, [queries, base] => {
            update(&options, queries, base, firsts, &mut nearest)?
        });
        index_output.write(nearest.iter().map(|nearest| match *nearest {
            Nearest::NONE => -1,
            nearest => nearest.index as i32,
        }));
        key_output.write(nearest.iter().map(|nearest| nearest.key));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Turns `count` keys, as `finch_update_neighbors` left them under a `finch_metric`, into
/// distances. `distances` may be `keys`, whose memory is then overwritten. A negative key or NaN is
/// an error. The pointers may be NULL if `count` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_keys_to_distances(
    metric: i32,
    keys: *const f64,
    distances: *mut f64,
    count: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let metric = options::metric(metric)?;
        let output = caller.output("distances", distances, count, count)?;
        let keys = caller.slice("keys", keys, count)?;
        let mut distances = room(count)?;
        for &key in keys {
            distances.push(Nearest { key: sound(key)?, ..Nearest::NONE }.distance(metric));
        }
        output.write(distances);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// The clustering equation alone (Eq. 1 of the paper): joins each of `count` samples with its first
/// neighbour, writes the cluster of each sample into `labels`, `count` numbers, and the number of
/// clusters into `*cluster_count`. `labels` may be `first_neighbors`, whose memory is then
/// overwritten. `cluster_count` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_components(
    first_neighbors: *const i32,
    count: usize,
    labels: *mut i32,
    cluster_count: *mut usize,
) -> finch_status {
    let body = |caller: &Caller| {
        // Before any first neighbour is read.
        if count == 0 {
            return Err(Error::NoSamples.into());
        }
        if i32::try_from(count).is_err() {
            return Err(Error::TooManySamples { samples: count }.into());
        }
        let cluster_count = caller.optional_output("cluster_count", cluster_count, 1, 1)?;
        let output = caller.output("labels", labels, count, count)?;
        let first = caller.slice("first_neighbors", first_neighbors, count)?;
        let partition = Partition::of_first_neighbors(&unsigned(first)?)?;
        output.write(signed_labels(partition.labels()));
        cluster_count.write([partition.clusters()]);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

pub(crate) const INDEX: &str = "index";
pub(crate) const KEY: &str = "key";

/// The nearest rows so far, from C, where -1 means none yet. A row that is its own nearest is a
/// fault: no search writes that, but an `index` that was filled with zeros begins so.
fn nearest(first_query: usize, index: &[i32], key: &[f64]) -> Result<Vec<Nearest>, Fault> {
    let mut nearest = room(index.len())?;
    for (query, (&index, &key)) in index.iter().zip(key).enumerate() {
        nearest.push(match u32::try_from(index) {
            Err(_) if index == -1 => Nearest::NONE,
            Ok(other) if other as usize != first_query.saturating_add(query) => {
                Nearest { index: other, key: sound(key)? }
            }
            _ => return Err(Fault::Beginning { query, index }),
        });
    }
    Ok(nearest)
}

/// Checks the sizes. finch-core would check them, too, but without naming the arguments.
fn expect_fit(queries: &AnySamples, base: &AnySamples, count: usize) -> Result<(), Fault> {
    if count != queries.len() {
        return Err(Fault::Count { count, rows: queries.len() });
    }
    match (queries.features(), base.features()) {
        (of_queries, of_base) if of_queries != of_base => {
            Err(Fault::Features { of_queries, of_base })
        }
        _ => Ok(()),
    }
}

pub(crate) fn sound(key: f64) -> Result<f64, Fault> {
    // Also false for NaN.
    match key >= 0.0 {
        true => Ok(key),
        false => Err(invalid_value(
            "key",
            finch_core::Number(key),
            "one that finch_update_neighbors wrote",
        )),
    }
}

fn update<A: Element>(
    options: &Options,
    queries: Samples<'_, A>,
    base: Samples<'_, A>,
    [first_query, first_base]: [usize; 2],
    nearest: &mut [Nearest],
) -> finch_core::Result<()> {
    let queries = Shard { samples: queries, first: first_query };
    let base = Shard { samples: base, first: first_base };
    options.finch.update_nearest(&queries, &base, nearest, &mut options.run())
}
