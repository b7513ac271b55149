//! The test for clusters: how much the samples at the borders of clusters are mixed with samples
//! of other clusters.

use super::graph::Graph;
use super::similarity::Amount;
use crate::hierarchy::dendrogram::Merge;
use crate::partition::Partition;
use crate::run::progress::Meter;
use crate::support::memory::{collected, copied, filled, push};
use crate::support::union_find::Sets;

/// The number of cuts looked at.
const CUTS: usize = 7;
/// The least share of all samples that a cluster has, and that there is beside it, to tell anything.
const SHARE: f64 = 0.05;
/// The fewest samples of a cluster, and beside it, that tell anything.
const FEWEST: f64 = 8.0;

/// The size of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Size {
    pub(crate) weight: f64,
    /// Samples, copies of weighted samples, or places.
    pub(crate) nodes: f64,
}

impl Size {
    fn added(self, other: Self) -> Self {
        Self { weight: self.weight + other.weight, nodes: self.nodes + other.nodes }
    }

    /// The rest beside it.
    fn rest(self, all: Self) -> Self {
        Self { weight: all.weight - self.weight, nodes: all.nodes - self.nodes }
    }

    /// True if so much of all samples tells anything.
    fn is_enough(self, all: Self) -> bool {
        self.weight >= SHARE * all.weight && self.nodes >= FEWEST
    }
}

/// The least mixing of a cluster, from 0 to 1; where it is stopped, any.
///
/// Samples are linked where one is among the k nearest of the other. Samples with links to other
/// clusters are at the border of theirs, and the share of their links that go to other clusters is the
/// mixing of the cluster: 0 where no link leaves it. A cluster tells something if it is large enough, and
/// so is what is beside it. The merges are cut into the fewest clusters of which one tells something, and
/// into up to 6 more, and the least mixing of those that do counts; 1 if none does. It is 0 where there
/// are pieces without links between them, none of which is nearly all.
pub(crate) fn mixing<W: Amount>(
    graph: &impl Graph<Weight = W>,
    start: &Partition,
    sizes: &[Size],
    merges: &[Merge],
    meter: &Meter,
) -> f64 {
    let (clusters, pieces) = (start.clusters(), start.clusters() - merges.len());
    let all = sizes.iter().fold(Size::default(), |all, size| all.added(*size));
    let tells = |size: Size| size.is_enough(all) && size.rest(all).is_enough(all);
    let Some(fewest) = fewest(sizes, merges, tells) else {
        let together = |size: &Size| size.rest(all).is_enough(all);
        return if pieces > 1 && pieces_of(sizes, merges).iter().all(together) { 0.0 } else { 1.0 };
    };
    let cuts = collected((fewest..clusters.min(fewest + CUTS - 1) + 1).map(|left| {
        let mut sets = Sets::new(clusters);
        let merges = &merges[..clusters - left];
        merges.iter().for_each(|merge| sets.join(merge.clusters[0], merge.clusters[1]));
        Cut::of(sets, sizes)
    }));
    let finest = cuts.last().expect("there is a cut into the fewest clusters");
    let borders = Borders::of(graph, start, finest, meter);
    cuts.iter().map(|cut| borders.mixing(cut, tells)).fold(1.0, f64::min)
}

/// The sizes of the clusters after all merges.
fn pieces_of(sizes: &[Size], merges: &[Merge]) -> Vec<Size> {
    let mut sizes = copied(sizes);
    for Merge { clusters: [kept, gone], .. } in merges {
        let of_gone = std::mem::take(&mut sizes[*gone as usize]);
        sizes[*kept as usize] = sizes[*kept as usize].added(of_gone);
    }
    sizes.retain(|size| size.weight > 0.0);
    sizes
}

/// The fewest clusters of which one tells something by its size.
fn fewest(sizes: &[Size], merges: &[Merge], tells: impl Fn(Size) -> bool) -> Option<usize> {
    let mut sizes = copied(sizes);
    let mut telling = sizes.iter().filter(|&&size| tells(size)).count();
    let mut fewest = (telling > 0).then_some(sizes.len());
    for (Merge { clusters: [kept, gone], .. }, left) in merges.iter().zip((1..sizes.len()).rev()) {
        let of_gone = std::mem::take(&mut sizes[*gone as usize]);
        let kept = &mut sizes[*kept as usize];
        telling -= usize::from(tells(of_gone)) + usize::from(tells(*kept));
        *kept = kept.added(of_gone);
        telling += usize::from(tells(*kept));
        if telling > 0 {
            fewest = Some(left);
        }
    }
    fewest
}

/// A cut of the merges.
struct Cut {
    /// For each cluster of the start one of those that it is with, the same for all of these.
    roots: Vec<u32>,
    /// The size of each of the clusters that are left, at its root; elsewhere 0.
    sizes: Vec<Size>,
}

impl Cut {
    fn of(sets: Sets, sizes: &[Size]) -> Self {
        let roots = collected(sets.into_roots());
        let mut sizes_of_roots = filled(Size::default(), roots.len());
        for (&root, &size) in roots.iter().zip(sizes) {
            let of_root = &mut sizes_of_roots[root as usize];
            *of_root = of_root.added(size);
        }
        Self { roots, sizes: sizes_of_roots }
    }
}

/// A link between two clusters.
struct Crossing<W> {
    nodes: [u32; 2],
    /// The clusters of the start.
    clusters: [u32; 2],
    amount: W,
}

/// The links of the nodes at the borders of the finest cut. The borders of coarser cuts are among them.
struct Borders<W> {
    /// For each node the amount of its links, if it is at a border.
    degrees: Vec<W>,
    crossings: Vec<Crossing<W>>,
}

impl<W: Amount> Borders<W> {
    fn of(graph: &impl Graph<Weight = W>, start: &Partition, cut: &Cut, meter: &Meter) -> Self {
        let cluster = |node: u32| start.labels()[graph.sample(node) as usize];
        let crosses =
            |a: u32, b: u32| cut.roots[cluster(a) as usize] != cut.roots[cluster(b) as usize];
        let nodes = graph.len() as u32;
        let mut at_border = filled(false, graph.len());
        for node in (0..nodes).take_while(|_| !meter.stopped()) {
            for near in graph.nearest(node).filter(|&near| crosses(node, near)) {
                at_border[node as usize] = true;
                at_border[near as usize] = true;
            }
        }
        let mut degrees = filled(W::default(), graph.len());
        let mut crossings = Vec::new();
        for node in (0..nodes).take_while(|_| !meter.stopped()) {
            for near in graph.nearest(node) {
                let ends = [node, near];
                if !ends.into_iter().any(|end| at_border[end as usize]) {
                    continue;
                }
                // Where both are neighbours of each other, the smaller one notes the link.
                if near < node && graph.nearest(near).any(|other| other == node) {
                    continue;
                }
                let amount = graph.amount(node, near);
                ends.into_iter().for_each(|end| degrees[end as usize] += amount);
                if crosses(node, near) {
                    let clusters = ends.map(cluster);
                    push(&mut crossings, Crossing { nodes: ends, clusters, amount });
                }
            }
        }
        Self { degrees, crossings }
    }

    /// The least mixing of the clusters of a cut that tell something by their size; 1 if none does.
    fn mixing(&self, cut: &Cut, tells: impl Fn(Size) -> bool) -> f64 {
        let clusters = cut.roots.len();
        let mut at_border = filled(false, self.degrees.len());
        let [mut across, mut all] = [(); 2].map(|()| filled(W::default(), clusters));
        for Crossing { nodes, clusters, amount } in &self.crossings {
            let roots = clusters.map(|cluster| cut.roots[cluster as usize] as usize);
            if roots[0] == roots[1] {
                continue;
            }
            for (&node, root) in nodes.iter().zip(roots) {
                across[root] += *amount;
                if !std::mem::replace(&mut at_border[node as usize], true) {
                    all[root] += self.degrees[node as usize];
                }
            }
        }
        let telling = (0..clusters).filter(|&cluster| tells(cut.sizes[cluster]));
        let mixing = telling.map(|cluster| match all[cluster].to_f64() {
            0.0 => 0.0,
            all => across[cluster].to_f64() / all,
        });
        mixing.fold(1.0, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::merging::by_links::graph::NearestLinks;
    use crate::support::random::scrambled;
    use crate::{Finch, Linkage, Metric, Refine, Run, Samples};

    /// From all pairs of samples.
    fn by_definition(near: &dyn Fn(usize, usize) -> bool, cuts: &[Partition]) -> f64 {
        let samples = cuts[0].samples();
        let linked = |i: usize, j: usize| i != j && (near(i, j) || near(j, i));
        let least = f64::max(SHARE * samples as f64, FEWEST);
        let tells = |size: &usize| *size as f64 >= least && (samples - size) as f64 >= least;
        let telling = |cut: &Partition| cut.sizes().iter().any(tells);
        let Some(first) = cuts.iter().position(telling) else { return 1.0 };
        let mut least_mixing = 1.0_f64;
        for cut in cuts[first..].iter().take(CUTS) {
            let sizes = cut.sizes();
            for cluster in (0..cut.clusters()).filter(|&cluster| tells(&sizes[cluster])) {
                let within = |i: usize| cut.labels()[i] as usize == cluster;
                let (mut across, mut all) = (0, 0);
                for i in (0..samples).filter(|&i| within(i)) {
                    let links: Vec<usize> = (0..samples).filter(|&j| linked(i, j)).collect();
                    let outside = links.iter().filter(|&&j| !within(j)).count();
                    if outside > 0 {
                        across += outside;
                        all += links.len();
                    }
                }
                let mixing = if all == 0 { 0.0 } else { f64::from(across as u32) / all as f64 };
                least_mixing = least_mixing.min(mixing);
            }
        }
        least_mixing
    }

    #[test]
    fn mixing_is_as_defined() {
        let (mut number, mut some) = (0, 0);
        for trial in 0..40 {
            let (samples, groups) = (30 + trial % 7 * 20, 1 + trial % 5);
            let matrix = Array2::from_shape_fn((samples, 1 + trial % 3), |(row, _)| {
                number += 1;
                let noise = scrambled(number) % [1_000, 7][trial % 2];
                (row % groups) as f64 * [2.0, 0.4][trial / 5 % 2] + noise as f64 / 1_000.0
            });
            let samples_of = Samples::new(matrix.view()).unwrap();
            let k = Linkage::Neighbor.neighbors(samples);
            let run = &mut Run::new();
            let neighbors = Finch::new().nearest_neighbors(&samples_of, k, run).unwrap();
            let hierarchy = Finch::new().fit(&samples_of).unwrap();
            let dendrogram = Refine::new(1).dendrogram(&samples_of, &hierarchy, run).unwrap();
            let start = hierarchy.finest();
            let linked = dendrogram.merges().iter().filter(|merge| merge.height.is_finite());
            let merges = &dendrogram.merges()[..linked.count()];
            let graph = NearestLinks::new(&neighbors, k, Metric::Euclidean);
            let size = |size: &usize| Size { weight: *size as f64, nodes: *size as f64 };
            let sizes: Vec<Size> = start.sizes().iter().map(size).collect();
            let meter = Meter::stopped_at_once(false);
            let found = mixing(&graph, start, &sizes, merges, &meter);
            let pieces = start.clusters() - merges.len();
            let cuts: Vec<Partition> =
                (pieces..=start.clusters()).map(|k| dendrogram.cut(k).unwrap()).collect();
            let index = neighbors.index();
            let near = |i: usize, j: usize| index.row(i).iter().any(|&n| n as usize == j);
            let defined = by_definition(&near, &cuts);
            // Where no piece tells by itself, several do.
            let telling = found == 0.0 && defined == 1.0 && pieces > 1;
            assert!(found == defined || telling, "{trial}: {found} and {defined}");
            some += usize::from(defined > 0.0 && defined < 1.0);
        }
        assert!(some > 10, "{some}");
    }
}
