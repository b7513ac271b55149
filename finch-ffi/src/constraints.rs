//! Exactly K clusters under rules that people bring.

use std::mem::offset_of;
use std::ptr::{null, null_mut};

use finch_core::{Hierarchy, Refined};

use crate::border::caller::{Caller, Growing};
use crate::border::fault::Fault;
use crate::border::guard::{guard, guard_writing};
use crate::border::integers::invalid_value;
use crate::border::numbers::signed_labels;
use crate::border::room::room;
use crate::border::status::finch_status;
use crate::hierarchy::{self, finch_hierarchy};
use crate::matrix::{AnySamples, finch_matrix};
use crate::options::{Options, finch_options, linkage_number};

/// Rules for the clusters of `finch_hierarchy_refine_constrained`. Fill the struct with
/// `finch_constraints_init`, then change what you like. The struct grows at its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct finch_constraints {
    /// The size of this struct in the header that the caller was compiled with.
    pub size: usize,
    /// Pairs of samples that must be in one cluster: `must_link_count` times two numbers.
    pub must_link: *const i32,
    /// The number of these pairs. Default: 0.
    pub must_link_count: usize,
    /// Pairs of samples that must be in two clusters: `cannot_link_count` times two numbers.
    pub cannot_link: *const i32,
    /// The number of these pairs. Default: 0.
    pub cannot_link_count: usize,
    /// The least size of a cluster, in samples; or in the sum of their weights, if they have some.
    /// Default: 0.
    pub min_size: usize,
    /// The greatest size of a cluster; 0 for any. Default: 0.
    pub max_size: usize,
}

// SAFETY: numbers and pointers.
unsafe impl Growing for finch_constraints {
    const NAME: &'static str = "constraints";
    const FIRST_SIZE: usize = Self::END;
    const END: usize = offset_of!(Self, max_size) + size_of::<usize>();
    const ADVICE: &'static str = "fill it with finch_constraints_init first";
}

impl finch_constraints {
    const DEFAULT: Self = Self {
        size: size_of::<Self>(),
        must_link: null(),
        must_link_count: 0,
        cannot_link: null(),
        cannot_link_count: 0,
        min_size: 0,
        max_size: 0,
    };
}

/// Fills `*constraints` with the defaults, which are no rules:
/// `finch_constraints_init(&constraints, sizeof constraints)`. `constraints` may not be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_constraints_init(
    constraints: *mut finch_constraints,
    size: usize,
) -> finch_status {
    let defaults = finch_constraints { size, ..finch_constraints::DEFAULT };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_writing(|caller| caller.write_sized(constraints, size, true, defaults)) }
}

/// Makes exactly `clusters` clusters as `finch_hierarchy_refine` does, under rules.
///
/// Clusters whose samples must be together join first. A cluster that then breaks another rule
/// falls apart into clusters of a finer partition, and at last into samples, which links to first
/// neighbours join, the shortest first. Then the two closest clusters merge of those that may; two
/// of the least size merge only while there are more of them than `clusters`.
///
/// The labels keep every rule. Otherwise the call writes nothing, and the status is
/// FINCH_INVALID_CONSTRAINT, with a message that names the pair or the size. Merging never takes a
/// merge back, so labels that keep every rule may exist all the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_refine_constrained(
    hierarchy: *const finch_hierarchy,
    samples: *const finch_matrix,
    clusters: usize,
    constraints: *const finch_constraints,
    options: *const finch_options,
    labels: *mut i32,
    capacity: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let hierarchy = hierarchy::read(caller, hierarchy)?;
        let given = caller.read_sized(constraints, finch_constraints::DEFAULT)?;
        let output = caller.output("labels", labels, capacity, hierarchy.samples())?;
        let refined = refined(caller, hierarchy, samples, clusters, given, options)?;
        output.write(signed_labels(refined.partition.labels()));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Exactly K clusters. Set `size`, `labels` and `capacity`, and the rest to 0. It grows at its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct finch_refined {
    /// `sizeof(finch_refined)`.
    pub size: usize,
    /// Your buffer, which gets the cluster of each sample.
    pub labels: *mut i32,
    /// The numbers that `labels` has room for: N or more.
    pub capacity: usize,
    /// Gets the `finch_linkage` that made the clusters, never AUTO.
    pub linkage: i32,
    /// Gets 0: for a field to come.
    pub reserved: i32,
}

// SAFETY: numbers and pointers.
unsafe impl Growing for finch_refined {
    const NAME: &'static str = "refined";
    const FIRST_SIZE: usize = offset_of!(Self, linkage) + size_of::<i32>();
    const END: usize = offset_of!(Self, reserved) + size_of::<i32>();
    const ADVICE: &'static str = "set its size to sizeof(finch_refined)";
}

/// Makes exactly `clusters` clusters as `finch_hierarchy_refine_constrained` does, or without rules
/// where `constraints` is NULL, and tells the linkage that made them: `FINCH_LINKAGE_AUTO` becomes
/// neighbour linkage or means. Of samples with times that is `FINCH_LINKAGE_CENTROID`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_refine_into(
    hierarchy: *const finch_hierarchy,
    samples: *const finch_matrix,
    clusters: usize,
    constraints: *const finch_constraints,
    options: *const finch_options,
    refined: *mut finch_refined,
) -> finch_status {
    let body = |caller: &Caller| {
        let hierarchy = hierarchy::read(caller, hierarchy)?;
        let none =
            finch_refined { size: 0, labels: null_mut(), capacity: 0, linkage: 0, reserved: 0 };
        let told = caller.read_sized(refined, none)?;
        let given = match constraints.is_null() {
            true => finch_constraints::DEFAULT,
            false => caller.read_sized(constraints, finch_constraints::DEFAULT)?,
        };
        let output = caller.output("labels", told.labels, told.capacity, hierarchy.samples())?;
        let found = self::refined(caller, hierarchy, samples, clusters, given, options)?;
        let linkage = linkage_number(found.linkage);
        caller.write_sized(
            refined,
            told.size,
            true,
            finch_refined { linkage, reserved: 0, ..told },
        )?;
        output.write(signed_labels(found.partition.labels()));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Exactly K clusters under rules.
fn refined(
    caller: &Caller,
    hierarchy: &Hierarchy,
    samples: *const finch_matrix,
    clusters: usize,
    given: finch_constraints,
    options: *const finch_options,
) -> Result<Refined, Fault> {
    let options = Options::read(caller, options)?;
    let samples = AnySamples::read_beside(caller, hierarchy, samples)?;
    let together = pairs(caller, "must_link", given.must_link, given.must_link_count)?;
    let apart = pairs(caller, "cannot_link", given.cannot_link, given.cannot_link_count)?;
    let refine = options.refine(clusters);
    let refine = refine.must_link(&together).cannot_link(&apart).min_size(given.min_size);
    let refine = match given.max_size {
        0 => refine,
        size => refine.max_size(size),
    };
    Ok(match samples {
        None => refine.run_without_samples_explained(hierarchy, &mut options.run())?,
        Some(samples) => refine.run_explained(samples.any(), hierarchy, &mut options.run())?,
    })
}

/// Pairs of samples.
fn pairs(
    caller: &Caller,
    what: &'static str,
    pairs: *const i32,
    count: usize,
) -> Result<Vec<[u32; 2]>, Fault> {
    let len = count.checked_mul(2).ok_or(Fault::Unreachable(what))?;
    let numbers = caller.slice(what, pairs, len)?;
    let mut pairs = room(count)?;
    for pair in numbers.as_chunks::<2>().0 {
        let sample = |number: i32| {
            u32::try_from(number).map_err(|_| invalid_value(what, number, "samples counted from 0"))
        };
        pairs.push([sample(pair[0])?, sample(pair[1])?]);
    }
    Ok(pairs)
}
