//! The membership of each sample.

use finch_core::{Membership, SparseValues};

use super::clusters::Clusters;
use crate::border::caller::Caller;
use crate::border::fault::Fault;
use crate::border::guard::{guard, guard_or, guard_writing};
use crate::border::room::{pointer_to, room};
use crate::border::status::finch_status;
use crate::hierarchy::{self, finch_hierarchy};
use crate::matrix::{AnySamples, Lent, finch_matrix, finch_matrix_csr};
use crate::options::{Options, finch_options};

/// The shares by which samples belong to clusters. A membership never changes.
pub struct finch_membership {
    csr: Lent,
    shape: [usize; 2],
    _starts: Vec<i64>,
    _clusters: Vec<i32>,
    _shares: Vec<f64>,
    probabilities: Vec<f64>,
}

/// Any thread may read a membership, and any thread may free it.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<finch_membership>();
};

/// Finds the shares of the links of each of the `count` = N samples, to its ceil(log2 N) nearest or
/// fewer, that lead to each cluster of `labels`, which are those of `finch_describe`. Links to
/// noise do not count. Each row adds up to 1: if no link leads to a cluster, by 1 for its own; that
/// of noise is then empty. `samples` and neighbours come as in `finch_hierarchy_refine`.
/// `*membership` becomes a new membership, to be freed with `finch_membership_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_membership(
    hierarchy: *const finch_hierarchy,
    samples: *const finch_matrix,
    labels: *const i32,
    count: usize,
    options: *const finch_options,
    membership: *mut *mut finch_membership,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output(MEMBERSHIP, membership, 1, 1)?;
        let hierarchy = hierarchy::read(caller, hierarchy)?;
        let options = Options::read(caller, options)?;
        let samples = AnySamples::read_beside(caller, hierarchy, samples)?;
        let labels = hierarchy::labels_beside(caller, hierarchy, labels, count)?;
        let clusters = Clusters::of(labels)?;
        let (labels, mut run) = (&clusters.labels, options.run());
        let found = match samples {
            None => hierarchy.membership_without_samples(labels, &mut run)?,
            Some(samples) => hierarchy.membership(samples.any(), labels, &mut run)?,
        };
        caller.give(output, finch_membership::named(&found, &clusters.order)?);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Frees a membership. Pointers borrowed from it are then invalid. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_membership_free(membership: *mut finch_membership) {
    let body = |caller: &Caller| {
        caller.free(membership);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_writing(body) };
}

/// Returns 1 and fills `*shares`, N x C, a borrowed `finch_csr` of doubles. Returns 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_membership_shares(
    membership: *const finch_membership,
    shares: *mut finch_matrix,
) -> i32 {
    let body = |caller: &Caller| {
        let output = caller.output("shares", shares, 1, 1)?;
        let found = caller.reference(MEMBERSHIP, membership)?;
        output.write([finch_matrix_csr(found.csr.csr(), found.shape[0], found.shape[1])]);
        Ok(1)
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, body) }
}

/// The share of each sample's own cluster, 0 for noise: N numbers. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_membership_probabilities(
    membership: *const finch_membership,
) -> *const f64 {
    let body =
        |caller: &Caller| Ok(pointer_to(&caller.reference(MEMBERSHIP, membership)?.probabilities));
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

const MEMBERSHIP: &str = "membership";

impl finch_membership {
    /// A membership whose clusters have the numbers of labels. `order` has for each label the
    /// cluster's number in finch-core.
    fn named(found: &Membership, order: &[usize]) -> Result<Self, Fault> {
        let mut names = room(order.len())?;
        names.resize(order.len(), 0);
        (0..).zip(order).for_each(|(name, &cluster)| names[cluster] = name);
        let samples = found.starts().len() - 1;
        let mut starts = room(samples + 1)?;
        starts.extend(found.starts().iter().map(|&start| start as i64));
        let (mut clusters, mut shares) = (room(found.shares().len())?, room(found.shares().len())?);
        let mut row = room(order.len().min(found.shares().len()))?;
        for sample in 0..samples {
            row.clear();
            row.extend(found.row(sample).map(|(cluster, share)| (names[cluster as usize], share)));
            row.sort_unstable_by_key(|&(name, _): &(i32, f64)| name);
            clusters.extend(row.iter().map(|(name, _)| *name));
            shares.extend(row.iter().map(|(_, share)| *share));
        }
        let mut probabilities = room(samples)?;
        probabilities.extend_from_slice(found.probabilities());
        let csr = Lent::of_parts(&starts, &clusters, SparseValues::F64(&shares))?;
        let (_starts, _clusters, _shares) = (starts, clusters, shares);
        let shape = [samples, order.len()];
        Ok(Self { csr, shape, _starts, _clusters, _shares, probabilities })
    }
}
