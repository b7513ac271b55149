//! Building blocks, for callers who bring parts of their own.

use finch_core::{Element, Error, Nearest, Partition, Samples, Shard};

use crate::enums::invalid_value;
use crate::guard::guard;
use crate::hierarchy::{LABELS, signed_labels, unsigned};
use crate::matrix::{AnySamples, SAMPLES, finch_matrix, with_samples};
use crate::memory::Caller;
use crate::options::{self, Options, finch_options};
use crate::status::{Fault, finch_status};

/// Finds the first neighbour of each of the N rows of `samples`, from 0 (of equally near ones the
/// one with the smallest number), and how far it is, and writes N numbers into `index` and
/// `distance`, which have room for `capacity` each; none where there is only one row. Of the
/// pointers, `options` may be NULL, and `distance` where distances are not wanted. From any thread,
/// with any number of runs at once.
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
        let needed = samples.neighbors();
        let index = caller.output(INDEX, index, capacity, needed)?;
        let distance = caller.optional_output("distance", distance, capacity, needed)?;
        let nearest = with_samples!(&samples, samples => {
            options.finch.first_neighbors(samples, &mut options.run())
        })?;
        index.write(nearest.index().iter().map(|&index| index as i32));
        distance.write(nearest.distance().iter().copied());
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Offers every row of `base` to every row of `queries`, and keeps the nearest so far: for data
/// that is spread over files or machines. Both are consecutive rows of one large matrix, of which
/// `first_query` and `first_base` are the numbers of their first rows, below 2^31 - 1; a row is not
/// offered to itself. Both have the same element type, and each has to be sound by itself (a part
/// in which no value reaches 1e-140 is refused, whatever the other parts have).
///
/// `index` and `key` have `count` numbers, one for each row of `queries`: the nearest so far, and
/// what the metric compares (squared Euclidean distance; 2 - 2 cos; Manhattan distance). Begin with
/// -1 in every `index` (0 would be a sample); its key is then not looked at, and becomes infinite if
/// nothing is nearer.
///
/// Once all rows have been offered, in parts of any size and any order, `index` is what
/// `finch_first_neighbors` finds for the whole, bit for bit, and `finch_distances` makes its
/// distances of the keys. Trees are not supported here. After a failure, `index` and `key` are as
/// they were. Of the pointers, `options` alone may be NULL. From any thread; two at once only for
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
        use AnySamples::{F32, F64, U8};
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
        match (queries, base) {
            (F32(queries), F32(base)) => update(&options, queries, base, firsts, &mut nearest)?,
            (F64(queries), F64(base)) => update(&options, queries, base, firsts, &mut nearest)?,
            (U8(queries), U8(base)) => update(&options, queries, base, firsts, &mut nearest)?,
            (queries, base) => {
                let types = format!("{} with {}", queries.element(), base.element());
                return Err(invalid_value("pair of element types", types, "the same type twice"));
            }
        }
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

/// Turns `count` keys of `finch_update_neighbors` into distances under a `finch_metric`:
/// `distances` may be `keys`, and then they are replaced. A negative key or NaN is an error. They
/// may be NULL only for no keys. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_distances(
    metric: i32,
    keys: *const f64,
    distances: *mut f64,
    count: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let metric = options::metric(metric)?;
        let output = caller.output("distances", distances, count, count)?;
        let keys = caller.slice("keys", keys, count)?;
        let distance =
            |&key: &f64| Ok(Nearest { key: sound(key)?, ..Nearest::NONE }.distance(metric));
        let distances: Vec<f64> = keys.iter().map(distance).collect::<Result<_, Fault>>()?;
        output.write(distances);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// The clustering equation alone (Eq. 1 of the paper): joins each of `count` samples with its first
/// neighbour, from 0, and writes the cluster of each into `labels`, `count` numbers from 0, and how
/// many clusters there are into `*clusters`. `labels` may be `first_neighbors`, and then they are
/// replaced. Of the pointers, `clusters` alone may be NULL. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_components(
    first_neighbors: *const i32,
    count: usize,
    labels: *mut i32,
    clusters: *mut usize,
) -> finch_status {
    let body = |caller: &Caller| {
        // Before anything of them is read.
        if count == 0 {
            return Err(Error::NoSamples.into());
        }
        if i32::try_from(count).is_err() {
            return Err(Error::TooManySamples { samples: count }.into());
        }
        let clusters = caller.optional_output("clusters", clusters, 1, 1)?;
        let output = caller.output(LABELS, labels, count, count)?;
        let first = caller.slice("first_neighbors", first_neighbors, count)?;
        let partition = Partition::of_first_neighbors(&unsigned(first)?)?;
        output.write(signed_labels(&partition));
        clusters.write([partition.clusters()]);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

const INDEX: &str = "index";
const KEY: &str = "key";

/// The nearest so far, of which -1 is none yet. What finch wrote is never the query itself, which
/// is what arrays of zeros would begin with.
fn nearest(first_query: usize, index: &[i32], key: &[f64]) -> Result<Vec<Nearest>, Fault> {
    let mut nearest = Vec::with_capacity(index.len());
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

/// What the core would say without naming the arguments.
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

fn sound(key: f64) -> Result<f64, Fault> {
    // Also false for NaN.
    match key >= 0.0 {
        true => Ok(key),
        false => Err(invalid_value("key", key, "one that finch_update_neighbors wrote")),
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
