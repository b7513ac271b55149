//! The content of each cluster, and the outlier score and the membership of each sample.

pub(crate) mod clusters;
pub(crate) mod membership;
pub(crate) mod noise;
mod sparse_means;

use clusters::Clusters;
use finch_core::{AnyMatrix, Describe, Description, Error};
use ndarray::{Array2, ArrayView2};
use sparse_means::SparseMeans;

use crate::border::caller::Caller;
use crate::border::fault::Fault;
use crate::border::guard::{guard, guard_or, guard_writing};
use crate::border::room::{pointer_to, room};
use crate::border::status::finch_status;
use crate::hierarchy::{self, finch_hierarchy};
use crate::matrix::{
    AnySamples, SAMPLES, finch_element, finch_matrix, finch_matrix_row_major, table,
};
use crate::options::{Options, finch_options};

/// The content of each of C clusters. A description never changes.
pub struct finch_description {
    sizes: Vec<f64>,
    means: Means,
    medoids: Vec<i32>,
    exemplars: Vec<i32>,
    spreads: Vec<f64>,
    silhouettes: Vec<f64>,
    /// Empty where no neighbours were given.
    modularities: Vec<f64>,
    sampled: Vec<bool>,
}

/// The mean of each cluster.
enum Means {
    Dense(Array2<f64>),
    Sparse(SparseMeans),
}

/// Any thread may read a description, and any thread may free it.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<finch_description>();
};

/// Describes the clusters of `count` samples, the rows of `samples`. `labels` has the cluster of
/// each sample, from 0 to C - 1, each with a sample, or -1 for noise, which is left out. `weights`
/// has how many equal samples each one stands for, numbers from 1e-100 on, or is NULL for 1 each.
/// `neighbors` is `count` x `k`, row-major: the nearest neighbours of each sample, as
/// `finch_nearest_neighbors` finds them, for `finch_description_modularities`, or NULL with `k` =
/// 0. A sample's own number and -1 are no neighbour. Up to `exemplars` exemplars are found for each
/// cluster. Options: `metric`, `seed`, `threads`, `progress`. `*description` becomes a new
/// description, to be freed with `finch_description_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_describe(
    samples: *const finch_matrix,
    labels: *const i32,
    count: usize,
    weights: *const f64,
    neighbors: *const i32,
    k: usize,
    exemplars: usize,
    options: *const finch_options,
    description: *mut *mut finch_description,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output(DESCRIPTION, description, 1, 1)?;
        let options = Options::read(caller, options)?;
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        // Before any label is read.
        samples.expect_len("labels", count)?;
        let clusters = Clusters::of(caller.slice("labels", labels, count)?)?;
        let describe = Describe::new(exemplars).seed(options.seed);
        let describe = match weights.is_null() {
            true => describe,
            false => describe.weights(caller.slice("weights", weights, count)?),
        };
        let given = table(caller, NEIGHBORS, neighbors, [count, k])?;
        let neighbors = (k > 0).then(|| table_of_neighbors(given)).transpose()?;
        let describe = neighbors
            .iter()
            .fold(describe, |describe, neighbors| describe.neighbors(neighbors.view()));
        let table = room(clusters.order.len().saturating_mul(exemplars))?;
        let found = describe.run_with_noise(
            samples.any(),
            &clusters.labels,
            options.metric,
            &mut options.run(),
        )?;
        caller.give(output, clusters.named(&found, exemplars, table)?);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Frees a description. Pointers borrowed from it are then invalid. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_description_free(description: *mut finch_description) {
    let body = |caller: &Caller| {
        caller.free(description);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_writing(body) };
}

/// The number of clusters, C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_description_cluster_count(
    description: *const finch_description,
) -> usize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, |caller| Ok(read(caller, description)?.sizes.len())) }
}

/// The number of samples of each cluster, or the sum of their weights: C numbers. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_description_sizes(
    description: *const finch_description,
) -> *const f64 {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { lent(description, |description| &description.sizes) }
}

/// The mean of each cluster: a C x d matrix, row-major; NULL of sparse samples. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_description_means(
    description: *const finch_description,
) -> *const f64 {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe {
        guard_or(std::ptr::null(), |caller| {
            Ok(match &read(caller, description)?.means {
                Means::Dense(means) => means.as_ptr(),
                Means::Sparse(_) => std::ptr::null(),
            })
        })
    }
}

/// Returns 1 and fills `*means` with the mean of each cluster, a C x d matrix whose data is
/// borrowed: of FINCH_F64, or of sparse samples a `finch_csr`. Returns 0 without a description.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_description_mean_rows(
    description: *const finch_description,
    means: *mut finch_matrix,
) -> i32 {
    let body = |caller: &Caller| {
        let output = caller.output("means", means, 1, 1)?;
        output.write([match &read(caller, description)?.means {
            Means::Dense(means) => {
                let (data, element) = (means.as_ptr().cast(), finch_element::FINCH_F64 as i32);
                finch_matrix_row_major(data, element, means.nrows(), means.ncols())
            }
            Means::Sparse(means) => means.matrix(),
        }]);
        Ok(1)
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, body) }
}

/// The medoid of each cluster, a sample: that with the least sum of distances to the samples of the
/// cluster, the first of equals. C numbers. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_description_medoids(
    description: *const finch_description,
) -> *const i32 {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { lent(description, |description| &description.medoids) }
}

/// The exemplars of each cluster: a C x `exemplars` matrix of samples, row-major, with -1 where a
/// cluster has fewer distinct samples. The first is the medoid; each next one most lowers the sum
/// of distances of samples to their nearest exemplar. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_description_exemplars(
    description: *const finch_description,
) -> *const i32 {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { lent(description, |description| &description.exemplars) }
}

/// The spread of each cluster about its mean: under `FINCH_EUCLIDEAN` the root of the mean squared
/// distance, else the mean distance. C numbers. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_description_spreads(
    description: *const finch_description,
) -> *const f64 {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { lent(description, |description| &description.spreads) }
}

/// The separation of each cluster, from -1 to 1: the mean of (b - a) / max(a, b) over its samples,
/// for the distances a to the mean of the own and b to that of the nearest other cluster. 0 for a
/// cluster of one sample, and where C is 1. C numbers. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_description_silhouettes(
    description: *const finch_description,
) -> *const f64 {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { lent(description, |description| &description.silhouettes) }
}

/// The modularity share of each cluster, from -1 to 1: the share of links from its samples to their
/// neighbours that stay within the cluster, minus the share of all links that lead to its samples,
/// which is what chance keeps within. A link counts with the weight of the sample that it leads
/// from. C numbers, or NULL if `finch_describe` was given no neighbours. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_description_modularities(
    description: *const finch_description,
) -> *const f64 {
    let body = |caller: &Caller| Ok(pointer_to(&read(caller, description)?.modularities));
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// 1 where a cluster has more than 1024 samples, so that its medoid and exemplars were chosen by
/// the distances to 1024 random samples of the cluster (and the medoid, of the best 16, by the
/// distances to all); 0 where they are exact; -1 where there is no such cluster.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_description_sampled(
    description: *const finch_description,
    cluster: usize,
) -> i32 {
    let body = |caller: &Caller| {
        let sampled = read(caller, description)?.sampled.get(cluster);
        Ok(sampled.map_or(-1, |&sampled| i32::from(sampled)))
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1, body) }
}

/// Writes the outlier score of each of the `samples` that were clustered into `scores`: N numbers,
/// near 0 amid a cluster, and up to 1. At 0.5 a sample's nearest neighbours are twice as far as
/// those of the samples in the densest places around. Weights count: whole ones give the scores of
/// repeated rows. The metric is that of the hierarchy, and neighbours come as in
/// `finch_hierarchy_refine`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_outlier_scores(
    hierarchy: *const finch_hierarchy,
    samples: *const finch_matrix,
    options: *const finch_options,
    scores: *mut f64,
    capacity: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let hierarchy = hierarchy::read(caller, hierarchy)?;
        let options = Options::read(caller, options)?;
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        let output = caller.output("scores", scores, capacity, hierarchy.samples())?;
        let found = hierarchy.outlier_scores(samples.any(), &mut options.run())?;
        output.write(found);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

const DESCRIPTION: &str = "description";
const NEIGHBORS: &str = "neighbors";

/// Neighbours from C as finch-core takes them, where `u32::MAX` stands for none.
///
/// # Errors
/// [`Error::InvalidNeighborAt`] for a number below -1.
fn table_of_neighbors(given: ArrayView2<'_, i32>) -> Result<Array2<u32>, Fault> {
    let mut numbers = room(given.len())?;
    for ((row, column), &neighbor) in given.indexed_iter() {
        if neighbor < -1 {
            let reason = "is no sample: count samples from 0, and give -1 for none";
            let neighbor = i64::from(neighbor);
            return Err(Error::InvalidNeighborAt { row, column, neighbor, reason }.into());
        }
        numbers.push(neighbor as u32);
    }
    Ok(Array2::from_shape_vec(given.dim(), numbers).expect("a number for each"))
}

fn read(
    caller: &Caller,
    description: *const finch_description,
) -> Result<&finch_description, Fault> {
    caller.reference(DESCRIPTION, description)
}

/// Numbers of a description, or NULL without one.
///
/// # Safety
/// As for [`guard`].
unsafe fn lent<T>(
    description: *const finch_description,
    numbers: impl FnOnce(&finch_description) -> &Vec<T>,
) -> *const T {
    let body = |caller: &Caller| Ok(pointer_to(numbers(read(caller, description)?)));
    // SAFETY: the caller of this function keeps the promise.
    unsafe { guard_or(std::ptr::null(), body) }
}

impl Clusters {
    /// A description in the order of the labels. `table` is room for the exemplars.
    fn named(
        &self,
        found: &Description,
        exemplars: usize,
        mut table: Vec<i32>,
    ) -> Result<finch_description, Fault> {
        for &cluster in &self.order {
            let of_cluster = &found.exemplars[cluster];
            table.extend(of_cluster.iter().map(|&sample| sample as i32));
            table.resize(table.len() + exemplars - of_cluster.len(), -1);
        }
        Ok(finch_description {
            sizes: self.each(|cluster| found.sizes[cluster])?,
            means: self.means(found)?,
            medoids: self.each(|cluster| found.medoids[cluster] as i32)?,
            exemplars: table,
            spreads: self.each(|cluster| found.spreads[cluster])?,
            silhouettes: self.each(|cluster| found.silhouettes[cluster])?,
            modularities: match &found.modularities {
                None => Vec::new(),
                Some(modularities) => self.each(|cluster| modularities[cluster])?,
            },
            sampled: self.each(|cluster| found.sampled[cluster])?,
        })
    }

    /// The means in the order of the labels.
    fn means(&self, found: &Description) -> Result<Means, Fault> {
        let means = found.means();
        let features = means.features();
        Ok(match (means.matrix(), means.sparse()) {
            (Some(AnyMatrix::F64(means)), _) => {
                let mut values = room(means.len())?;
                self.order.iter().for_each(|&cluster| values.extend(means.row(cluster)));
                let means = Array2::from_shape_vec([self.order.len(), features], values);
                Means::Dense(means.expect("a mean for each cluster"))
            }
            (None, Some(means)) => Means::Sparse(SparseMeans::of(&means, &self.order)?),
            _ => unreachable!("means are of f64, or sparse"),
        })
    }

    fn each<T>(&self, value: impl Fn(usize) -> T) -> Result<Vec<T>, Fault> {
        let mut values = room(self.order.len())?;
        values.extend(self.order.iter().map(|&cluster| value(cluster)));
        Ok(values)
    }
}
