//! Building blocks for data in parts, of which no process has all rows.

use finch_core::{ClusterSums, Element, Error, NumberedNearest, NumberedSamples, Samples};

use crate::border::caller::Caller;
use crate::border::fault::Fault;
use crate::border::guard::guard;
use crate::border::room::room;
use crate::border::status::finch_status;
use crate::matrix::{AnySamples, SAMPLES, finch_matrix, with_dense_samples, with_two_samples};
use crate::neighbors::{INDEX, KEY, sound};
use crate::options::{Options, finch_options};

/// Offers every row of `base` to every row of `queries`, as `finch_update_neighbors`, and keeps the
/// `k` nearest so far, nearest first, of equally near rows the smaller number first. Rows may come
/// from anywhere in data of any size, and parts that are offered may overlap.
///
/// `query_numbers` and `base_numbers` have the number of each row in the whole data. The numbers of
/// `base` ascend from 0. A query of a negative number is no row of the data; no other query is
/// offered to itself. NULL stands for queries that are no rows of the data, and in `base` for 0, 1,
/// 2, ...
///
/// `index` and `key` are N x k matrices for N queries, row-major, with room for `capacity`
/// elements: the numbers of the nearest so far, and their keys. Begin with -1 in every `index`; the
/// key beside -1 is not looked at, and becomes infinite where there is no row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_neighbors_between(
    queries: *const finch_matrix,
    query_numbers: *const i64,
    base: *const finch_matrix,
    base_numbers: *const i64,
    k: usize,
    options: *const finch_options,
    index: *mut i64,
    key: *mut f64,
    capacity: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let options = Options::read(caller, options)?;
        let queries = AnySamples::read(caller, ["queries", "queries->data"], queries)
            .map_err(|fault| fault.of("queries"))?;
        let base = AnySamples::read(caller, ["base", "base->data"], base)
            .map_err(|fault| fault.of("base"))?;
        let most = i32::MAX as usize;
        if k == 0 || k > most {
            return Err(Error::NeighborRank { requested: k, most }.into());
        }
        if queries.features() != base.features() {
            let [of_queries, of_base] = [&queries, &base].map(AnySamples::features);
            return Err(Fault::Features { of_queries, of_base });
        }
        let needed = queries.len().saturating_mul(k);
        let index_output = caller.output(INDEX, index, capacity, needed)?;
        let key_output = caller.output(KEY, key, capacity, needed)?;
        let of_queries = numbers(caller, "query_numbers", query_numbers, queries.len(), |_| -1)?;
        let of_base = numbers(caller, "base_numbers", base_numbers, base.len(), |row| row as i64)?;
        let so_far = caller.slice(INDEX, index.cast_const(), needed)?;
        let keys = caller.slice(KEY, key.cast_const(), needed)?;
        let mut lists = lists(so_far, keys, k, &of_queries)?;
        let (numbers, lists_so_far) = ([&of_queries[..], &of_base[..]], &mut lists[..]);
        with_two_samples!("an update of neighbours", queries, base, [queries, base] => {
            update(&options, [queries, base], numbers, k, lists_so_far)?
        });
        index_output.write(lists.iter().map(|nearest| nearest.number));
        key_output.write(lists.iter().map(|nearest| nearest.key));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Adds the rows of `samples` to the sums of their clusters, and counts them: for means of data
/// that is spread over files or machines.
///
/// `labels` has the cluster of each of the `count` rows, a number below `clusters`. `sums`, a
/// `clusters` x d matrix, row-major, and `sizes`, `clusters` numbers, are changed in place, and are
/// zeros before the first rows; no other argument may lie in their memory. Rows are added one after
/// the other: sums of parts that come in the order of rows are bit for bit those of all rows at
/// once, whatever the parts. Divided by `sizes` they are the means of `finch_hierarchy_means`.
/// Options: `threads`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_sums_add(
    samples: *const finch_matrix,
    labels: *const i32,
    count: usize,
    options: *const finch_options,
    sums: *mut f64,
    sizes: *mut i64,
    clusters: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let options = Options::read(caller, options)?;
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        samples.expect_len("labels", count)?;
        let labels = caller.slice("labels", labels, count)?;
        let len = clusters.checked_mul(samples.features()).ok_or(Fault::Unreachable("sums"))?;
        let sums = caller.slice_in_place("sums", sums, len)?;
        let sizes = caller.slice_in_place("sizes", sizes, clusters)?;
        with_dense_samples!("a sum of clusters", &samples, samples => {
            ClusterSums { sums, sizes }.add(samples, labels, &mut options.run())
        })?;
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// The numbers of rows, those that NULL stands for where the caller gives none.
fn numbers(
    caller: &Caller,
    what: &'static str,
    pointer: *const i64,
    rows: usize,
    otherwise: impl Fn(usize) -> i64,
) -> Result<Vec<i64>, Fault> {
    let mut numbers = room(rows)?;
    match pointer.is_null() {
        true => numbers.extend((0..rows).map(otherwise)),
        false => numbers.extend(caller.slice(what, pointer, rows)?),
    }
    Ok(numbers)
}

/// The nearest rows so far, from C, in the order in which a call leaves them.
fn lists(
    index: &[i64],
    key: &[f64],
    k: usize,
    queries: &[i64],
) -> Result<Vec<NumberedNearest>, Fault> {
    let mut lists = room(index.len())?;
    for (place, (&number, &key)) in index.iter().zip(key).enumerate() {
        let query = place / k;
        lists.push(match number {
            -1 => NumberedNearest::NONE,
            0.. if number != queries[query] => NumberedNearest { number, key: sound(key)? },
            _ => return Err(Fault::NumberedBeginning { query, place: place % k, number }),
        });
    }
    for (query, list) in lists.chunks_exact(k).enumerate() {
        let sorted = |list: &[NumberedNearest]| list[0].precedes(&list[1]) || list[1].number == -1;
        if let Some(place) = list.windows(2).position(|pair| !sorted(pair)) {
            let number = list[place + 1].number;
            return Err(Fault::NumberedBeginning { query, place: place + 1, number });
        }
    }
    Ok(lists)
}

fn update<A: Element>(
    options: &Options,
    [queries, base]: [Samples<'_, A>; 2],
    [of_queries, of_base]: [&[i64]; 2],
    k: usize,
    lists: &mut [NumberedNearest],
) -> finch_core::Result<()> {
    let queries = NumberedSamples::new(&queries, of_queries)?;
    let base = NumberedSamples::new(&base, of_base)?;
    options.finch.update_k_nearest(&queries, &base, k, lists, &mut options.run())
}
