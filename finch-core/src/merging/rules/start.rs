//! The clusters to merge from under rules.
//!
//! Samples that are to be together form groups, and a group is in one cluster. The clusters of a
//! partition that share a group are joined. Where a cluster then breaks a rule, it falls apart into the
//! joined clusters of the next finer partition, and a cluster of the finest one into its groups, which
//! the links to first neighbours join, the shortest first, where rules allow it.

use super::{APART, Joins, MOST, Rules, TOGETHER};
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::partition::Partition;
use crate::partition::means::cluster_sizes;
use crate::support::memory::{collected, filled};
use crate::support::union_find::Sets;

/// A partition that keeps the rules, and has at least as many clusters as are wanted. It is made from
/// the clusters of a partition of the hierarchy where these are enough, or else from a finer one, or
/// from groups. `equal` links equal samples, before the links to first neighbours.
///
/// # Errors
/// [`Error::InvalidPair`], [`Error::InvalidClusterSize`]: no partition keeps the rules, or none of so
/// many clusters does.
pub(crate) fn start_by_rules(
    rules: Rules<'_>,
    hierarchy: &Hierarchy,
    equal: &[(u32, u32)],
    partition: Option<usize>,
    wanted: usize,
) -> Result<Partition> {
    let groups = groups(rules, hierarchy, wanted)?;
    for number in (0..partition.map_or(0, |partition| partition + 1)).rev() {
        let start = start_from(rules, hierarchy, equal, &groups, number + 1, wanted);
        if start.clusters() >= wanted {
            return Ok(start);
        }
    }
    Ok(start_from(rules, hierarchy, equal, &groups, 0, wanted))
}

/// The samples that are to be together, as clusters.
fn groups(rules: Rules<'_>, hierarchy: &Hierarchy, wanted: usize) -> Result<Partition> {
    let mut sets = Sets::new(hierarchy.samples());
    for &pair in rules.together {
        sets.join(pair[0], pair[1]);
        if sets.count() < wanted {
            let reason =
                "leaves fewer clusters than are wanted: ask for fewer, or give fewer pairs";
            return Err(Error::InvalidPair { link: TOGETHER, pair, reason });
        }
    }
    let groups = Partition::of_sets(sets);
    let of = |sample: u32| groups.labels()[sample as usize];
    if let Some(&pair) = rules.apart.iter().find(|[a, b]| of(*a) == of(*b)) {
        let reason = match pair[0] == pair[1] {
            true => "is one sample",
            false => "is together by the must-link pairs",
        };
        return Err(Error::InvalidPair { link: APART, pair, reason });
    }
    let sizes = cluster_sizes(&groups, hierarchy.checked_weights());
    if let Some(&size) = sizes.iter().find(|size| **size > rules.most as f64) {
        let reason = "samples that are to be together, or a single one, have";
        return Err(Error::InvalidClusterSize { bound: MOST, limit: rules.most, reason, size });
    }
    Ok(groups)
}

/// [`start_by_rules`] from the clusters of the last of some finest partitions, or from groups if there
/// are none; groups are then joined only until as many clusters are left as are wanted.
fn start_from(
    rules: Rules<'_>,
    hierarchy: &Hierarchy,
    equal: &[(u32, u32)],
    groups: &Partition,
    partitions: usize,
    wanted: usize,
) -> Partition {
    let weights = hierarchy.checked_weights();
    let samples = hierarchy.samples();
    let mut sets = Sets::new(samples);
    // Samples whose cluster is not yet found.
    let mut open = filled(true, samples);
    for partition in hierarchy.partitions()[..partitions].iter().rev() {
        let joined = joined(partition, groups);
        let sound = sound(rules, hierarchy, &joined);
        let firsts = firsts(&joined);
        for (sample, &cluster) in joined.labels().iter().enumerate() {
            if open[sample] && sound[cluster as usize] {
                sets.join(firsts[cluster as usize], sample as u32);
                open[sample] = false;
            }
        }
        if !open.contains(&true) {
            return Partition::of_sets(sets);
        }
    }
    let firsts = firsts(groups);
    for (sample, &group) in groups.labels().iter().enumerate() {
        sets.join(firsts[group as usize], sample as u32);
    }
    let before = Partition::of_sets(sets);
    let fewest = if partitions == 0 { wanted } else { 0 };
    let mut joins = Joins::of(rules, &before, weights, wanted);
    let mut sets = Sets::new(before.clusters());
    for (a, b) in equal.iter().copied().chain(hierarchy.links().links_by_length()) {
        if sets.count() <= fewest {
            break;
        }
        if !open[a as usize] {
            continue;
        }
        let [a, b] = [a, b].map(|sample| sets.root(before.labels()[sample as usize]));
        if a != b && joins.may(a, b) {
            sets.join(a, b);
            joins.join([a.min(b), a.max(b)]);
        }
    }
    before.coarsened(&Partition::of_sets(sets))
}

/// A partition whose clusters are joined where they share a group.
fn joined(partition: &Partition, groups: &Partition) -> Partition {
    let mut sets = Sets::new(partition.clusters());
    let mut first = filled(u32::MAX, groups.clusters());
    for (&cluster, &group) in partition.labels().iter().zip(groups.labels()) {
        match &mut first[group as usize] {
            first @ &mut u32::MAX => *first = cluster,
            first => sets.join(*first, cluster),
        }
    }
    partition.coarsened(&Partition::of_sets(sets))
}

/// For each cluster whether it keeps the rules.
fn sound(rules: Rules<'_>, hierarchy: &Hierarchy, partition: &Partition) -> Vec<bool> {
    let sizes = cluster_sizes(partition, hierarchy.checked_weights());
    let mut sound = collected(sizes.iter().map(|&size| size <= rules.most as f64));
    for pair in rules.apart {
        let [a, b] = pair.map(|sample| partition.labels()[sample as usize]);
        sound[a as usize] &= a != b;
    }
    sound
}

/// The first sample of each cluster.
fn firsts(partition: &Partition) -> Vec<u32> {
    let mut firsts = filled(u32::MAX, partition.clusters());
    for (sample, &cluster) in (0..).zip(partition.labels()) {
        let first = &mut firsts[cluster as usize];
        *first = sample.min(*first);
    }
    firsts
}
