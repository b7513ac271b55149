//! Whether there are clusters at all: how much the samples at the borders of clusters are mixed with
//! samples of other clusters.

use crate::amount::Amount;
use crate::dendrogram::Merge;
use crate::links::Graph;
use crate::memory::{collected, filled, push};
use crate::partition::Partition;
use crate::progress::Meter;
use crate::sets::Sets;

/// How many cuts are looked at: those into 2 to 8 clusters.
const CUTS: usize = 7;
/// The least share of all samples that a cluster has, and that there is beside it, to tell anything.
const SHARE: f64 = 0.05;
/// The fewest samples of a cluster, and beside it, that tell anything.
const FEWEST: f64 = 8.0;

/// The least mixing of a cluster, from 0 to 1; where it is stopped, any.
///
/// Samples are linked where one is among the k nearest of the other. Samples with links to other
/// clusters are at the border of theirs, and the share of their links that go to other clusters is the
/// mixing of the cluster: 0 where no link leaves it. The merges are cut into 2 to 8 clusters, and of all
/// clusters that are large enough, as is what is beside them, the least mixing counts; 1 if none is. Where
/// there are P pieces without links between them, the cuts are those into P to P + 6 clusters, and the
/// mixing is 0 unless one of the pieces is nearly all.
pub(crate) fn mixing<W: Amount>(
    graph: &impl Graph<Weight = W>,
    start: &Partition,
    sizes: &[f64],
    merges: &[Merge],
    mean_weight: f64,
    meter: &Meter,
) -> f64 {
    let pieces = start.clusters() - merges.len();
    let total: f64 = sizes.iter().sum();
    let least = f64::max(SHARE * total, FEWEST * mean_weight);
    let tells = |size: f64| size >= least && total - size >= least;
    let fewest = pieces.max(2);
    let cuts = collected((fewest..start.clusters().min(fewest + CUTS - 1) + 1).map(|clusters| {
        let mut sets = Sets::new(start.clusters());
        let merges = &merges[..start.clusters() - clusters];
        merges.iter().for_each(|merge| sets.join(merge.clusters[0], merge.clusters[1]));
        Cut::of(sets, sizes)
    }));
    let Some(finest) = cuts.last() else { return 1.0 };
    // Where no piece is nearly all, some pieces together are large enough, and so are the others.
    if pieces > 1 && cuts[0].sizes.iter().all(|&size| total - size >= least) {
        return 0.0;
    }
    let borders = Borders::of(graph, start, finest, meter);
    cuts.iter().map(|cut| borders.mixing(cut, tells)).fold(1.0, f64::min)
}

/// A cut of the merges.
struct Cut {
    /// For each cluster of the start one of those that it is with, the same for all of these.
    roots: Vec<u32>,
    /// The size of each of the clusters that are left, at its root; elsewhere 0.
    sizes: Vec<f64>,
}

impl Cut {
    fn of(sets: Sets, sizes: &[f64]) -> Self {
        let roots = collected(sets.into_roots());
        let mut sizes_of_roots = filled(0.0, roots.len());
        for (&root, &size) in roots.iter().zip(sizes) {
            sizes_of_roots[root as usize] += size;
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
    fn mixing(&self, cut: &Cut, tells: impl Fn(f64) -> bool) -> f64 {
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
