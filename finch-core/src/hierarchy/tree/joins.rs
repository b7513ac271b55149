//! Joins of leaves, one pair of nodes after the other.

use crate::support::memory::{collected, gathered, room};
use crate::support::union_find::Sets;

/// The join of two nodes of a [`Tree`](crate::Tree) into a new node.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Join {
    /// The two nodes, the smaller number first. Nodes are numbered as in SciPy: from 0 to L − 1 the
    /// leaves, and L + s the node that join s makes.
    pub nodes: [u32; 2],
    /// The height of the new node: finite, at least 0, and never below that of the join before.
    pub height: f64,
    /// The number of leaves below the new node.
    pub leaves: u32,
}

/// A tree on its way from single leaves to one root.
pub(super) struct Joins {
    sets: Sets,
    /// For the root of each set, the node that holds the leaves of the set.
    nodes: Vec<u32>,
    joins: Vec<Join>,
}

impl Joins {
    /// Each of some leaves alone.
    pub(super) fn new(leaves: usize) -> Self {
        let nodes = collected(0..leaves as u32);
        Self { sets: Sets::new(leaves), nodes, joins: room(leaves - 1) }
    }

    /// The number of leaves, and the joins so far.
    pub(super) fn into_parts(self) -> (usize, Vec<Join>) {
        (self.nodes.len(), self.joins)
    }

    /// The joins so far.
    pub(super) fn joined(&mut self) -> &mut [Join] {
        &mut self.joins
    }

    /// Joins the nodes that two leaves are in, unless they are in the same node.
    pub(super) fn join(&mut self, a: u32, b: u32, height: f64) {
        let roots = [a, b].map(|leaf| self.sets.root(leaf));
        if roots[0] == roots[1] {
            return;
        }
        let mut nodes = roots.map(|root| self.nodes[root as usize]);
        nodes.sort_unstable();
        let leaves = nodes.map(|node| self.leaves_of(node)).iter().sum();
        self.sets.join(a, b);
        let root = self.sets.root(a);
        self.nodes[root as usize] = (self.nodes.len() + self.joins.len()) as u32;
        self.joins.push(Join { nodes, height, leaves });
    }

    /// Joins all nodes whose leaves have the same group, at one height.
    pub(super) fn join_groups(&mut self, group: impl Fn(u32) -> u32, height: f64) {
        let leaves = 0..self.nodes.len() as u32;
        // The root of a set is its smallest leaf, which stands for the node.
        let roots = leaves.filter(|&leaf| self.sets.root(leaf) == leaf);
        let mut roots = gathered(roots.map(|root| (group(root), root)));
        roots.sort_unstable();
        for nodes in roots.chunk_by(|a, b| a.0 == b.0) {
            // Neighbours first, then pairs of neighbours, and so on: one node after the other would
            // make a chain, which SciPy draws by recursion, and not if it is thousands deep.
            let mut step = 1;
            while step < nodes.len() {
                for left in (0..nodes.len() - step).step_by(2 * step) {
                    self.join(nodes[left].1, nodes[left + step].1, height);
                }
                step *= 2;
            }
        }
    }

    fn leaves_of(&self, node: u32) -> u32 {
        let step = (node as usize).checked_sub(self.nodes.len());
        step.map_or(1, |step| self.joins[step].leaves)
    }
}

/// Lifts each height that is not above the one before by the least step, so that a threshold
/// between any two joins exists.
pub(super) fn rise(joins: &mut [Join]) {
    for step in 1..joins.len() {
        let below = joins[step - 1].height;
        let height = &mut joins[step].height;
        if *height <= below {
            // Not among subnormal numbers, which some programs take for 0.
            *height = below.next_up().max(f64::MIN_POSITIVE);
        }
    }
}

/// Lowers the last of strictly rising heights so that none is above `most`, and they still rise.
pub(super) fn cap(joins: &mut [Join], mut most: f64) {
    for join in joins.iter_mut().rev() {
        if join.height <= most {
            break;
        }
        join.height = most;
        most = most.next_down();
    }
}
