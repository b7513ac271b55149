//! The samples of each cluster.

use std::mem;
use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::Partition;
use crate::support::memory::{collected, collected_in_parallel, filled, filled_in_parallel, room};
use crate::support::parallel::SharedSplitting as _;

/// The fewest samples that are worth a thread.
const PART: usize = 4096;

/// The samples of each cluster, in sample order.
#[derive(Clone)]
pub(crate) struct Members {
    samples: Vec<u32>,
    starts: Vec<usize>,
}

impl Members {
    /// The members of the clusters of a partition.
    pub(crate) fn of(partition: &Partition) -> Self {
        let labels = partition.labels();
        Self::of_each(partition.clusters(), labels.len(), |sample| [labels[sample as usize]])
    }

    /// The members of overlapping clusters: a sample may be in several clusters or in none. This is
    /// a counting sort, which is stable, so that the members are the same for any number of
    /// threads. `clusters_of` is called several times for each sample, and has to give the same clusters.
    pub(crate) fn of_each<C: IntoIterator<Item = u32>>(
        clusters: usize,
        samples: usize,
        clusters_of: impl Fn(u32) -> C + Sync,
    ) -> Self {
        if samples < PART && clusters < PART {
            return Self::by_one([clusters, samples], clusters_of);
        }
        let threads = rayon::current_num_threads();
        // The counts of a part of the samples have a place for every cluster: few parts where clusters are many.
        let [of_samples, of_clusters] =
            [clusters.max(PART), PART].map(|in_one| threads.min(samples / in_one).max(1));
        match of_samples == 1 && of_clusters > 1 {
            true => Self::by_clusters([clusters, samples], of_clusters, clusters_of),
            false => Self::by_samples([clusters, samples], of_samples, clusters_of),
        }
    }

    /// [`Members::of_each`], on the calling thread.
    fn by_one<C: IntoIterator<Item = u32>>(
        [clusters, samples]: [usize; 2],
        clusters_of: impl Fn(u32) -> C,
    ) -> Self {
        let each = || {
            let all = (0..samples as u32).map(|sample| (sample, clusters_of(sample)));
            all.flat_map(|(sample, of)| {
                of.into_iter().map(move |cluster| (cluster as usize, sample))
            })
        };
        let mut starts = filled(0, clusters + 1);
        each().for_each(|(cluster, _)| starts[cluster + 1] += 1);
        for cluster in 0..clusters {
            starts[cluster + 1] += starts[cluster];
        }
        let mut all = filled(0, starts[clusters]);
        // The place of a cluster's next sample: in the end, that of the next cluster's first.
        for (cluster, sample) in each() {
            all[starts[cluster]] = sample;
            starts[cluster] += 1;
        }
        starts.copy_within(..clusters, 1);
        starts[0] = 0;
        Self { samples: all, starts }
    }

    /// [`Members::of_each`], where each thread looks at all samples, and counts and then places those of a
    /// part of the clusters.
    fn by_clusters<C: IntoIterator<Item = u32>>(
        [clusters, samples]: [usize; 2],
        parts: usize,
        clusters_of: impl Fn(u32) -> C + Sync,
    ) -> Self {
        let ranges: Vec<Range<usize>> =
            collected((0..parts).map(|part| range_of_part(clusters, part, parts)));
        let count = |range: &Range<usize>| {
            let mut counts: Vec<usize> = filled(0, range.len());
            for_each_within(range, samples, &clusters_of, |cluster, _| counts[cluster] += 1);
            counts
        };
        let counts = collected_in_parallel(ranges.par_iter().map(count));
        let mut starts = room(clusters + 1);
        starts.push(0);
        let mut placed = 0;
        for count in counts.iter().flatten() {
            placed += count;
            starts.push(placed);
        }
        drop(counts);
        let mut all = filled_in_parallel(0, placed);
        let mut rest = &mut all[..];
        let mut split_off = |range: Range<usize>| {
            let places = starts[range.end] - starts[range.start];
            (range, rest.split_off_mut(..places).expect("there are places for all"))
        };
        let places: Vec<_> = collected(ranges.into_iter().map(&mut split_off));
        places.into_par_iter().shared().for_each(|(range, places)| {
            let first = starts[range.start];
            let mut next: Vec<usize> =
                collected(starts[range.clone()].iter().map(|start| start - first));
            for_each_within(&range, samples, &clusters_of, |cluster, sample| {
                places[next[cluster]] = sample;
                next[cluster] += 1;
            });
        });
        Self { samples: all, starts }
    }

    /// [`Members::of_each`], where each thread counts and then places a part of the samples.
    fn by_samples<C: IntoIterator<Item = u32>>(
        [clusters, samples]: [usize; 2],
        parts: usize,
        clusters_of: impl Fn(u32) -> C + Sync,
    ) -> Self {
        let of_part = |part: usize| {
            let Range { start, end } = range_of_part(samples, part, parts);
            let clusters_of = &clusters_of;
            (start as u32..end as u32).flat_map(move |sample| {
                clusters_of(sample).into_iter().map(move |cluster| (cluster as usize, sample))
            })
        };
        let count = |part| {
            let mut counts = filled(0, clusters);
            of_part(part).for_each(|(cluster, _)| counts[cluster] += 1);
            counts
        };
        let mut counts: Vec<Vec<usize>> =
            collected_in_parallel((0..parts).into_par_iter().map(count));
        let mut starts = filled(0, clusters + 1);
        let mut placed = 0;
        for cluster in 0..clusters {
            for of_part in &mut counts {
                placed += mem::replace(&mut of_part[cluster], placed);
            }
            starts[cluster + 1] = placed;
        }
        let next = counts;
        // Each place is written by one thread, once: atomics, so that threads may share the places.
        let places = collected_in_parallel((0..placed).into_par_iter().map(|_| AtomicU32::new(0)));
        next.into_par_iter().enumerate().shared().for_each(|(part, mut next)| {
            for (cluster, sample) in of_part(part) {
                places[next[cluster]].store(sample, Relaxed);
                next[cluster] += 1;
            }
        });
        // In the same memory.
        let samples = places.into_iter().map(AtomicU32::into_inner).collect();
        Self { samples, starts }
    }

    pub(crate) fn cluster(&self, cluster: usize) -> &[u32] {
        &self.samples[self.starts[cluster]..self.starts[cluster + 1]]
    }

    /// The number of clusters.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The members of all clusters, one cluster after the other.
    pub(crate) fn all(&self) -> &[u32] {
        &self.samples
    }
}

/// The numbers below `count` that are one of so many parts.
fn range_of_part(count: usize, part: usize, parts: usize) -> Range<usize> {
    let first = |part: usize| (count as u64 * part as u64 / parts as u64) as usize;
    first(part)..first(part + 1)
}

/// Calls `each` with the samples of a range of clusters, in sample order, and the place of the cluster in it.
fn for_each_within<C: IntoIterator<Item = u32>>(
    range: &Range<usize>,
    samples: usize,
    clusters_of: impl Fn(u32) -> C,
    mut each: impl FnMut(usize, u32),
) {
    for sample in 0..samples as u32 {
        let clusters = clusters_of(sample).into_iter().map(|cluster| cluster as usize);
        let clusters = clusters.filter(|cluster| range.contains(cluster));
        clusters.for_each(|cluster| each(cluster - range.start, sample));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By any number of threads, each with a part of the samples, or, in the last case, of the clusters.
    #[test]
    fn each_cluster_has_its_samples_in_order() {
        for (clusters, samples) in
            [(1, 0), (7, 1), (100, 7), (13, 10_000), (5000, 20_000), (15_001, 20_000)]
        {
            // None, or up to three.
            let clusters_of =
                |sample: u32| (0..sample % 4).map(move |i| (sample * 5 + i * i * 3) % clusters);
            let expected = |cluster: u32| -> Vec<u32> {
                let all =
                    (0..samples).flat_map(|sample| clusters_of(sample).map(move |c| (c, sample)));
                all.filter(|(of, _)| *of == cluster).map(|(_, sample)| sample).collect()
            };
            let mut by_one = None;
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let members = pool
                    .install(|| Members::of_each(clusters as usize, samples as usize, clusters_of));
                assert_eq!(members.len(), clusters as usize);
                for cluster in (0..clusters).step_by(1 + clusters as usize / 20) {
                    assert_eq!(members.cluster(cluster as usize), expected(cluster));
                }
                let Members { samples, starts } = by_one.get_or_insert_with(|| members.clone());
                assert_eq!((&members.samples, &members.starts), (&*samples, &*starts));
            }
        }
    }
}
