//! The binary tree of all joins, from single leaves up to one root.
//!
//! - `joins.rs`: joins leaf after leaf, and keeps heights in order.
//! - `of_hierarchy.rs`, `of_dendrogram.rs`: where a tree comes from.
//! - `text.rs`: how a tree is written for other programs.

mod joins;
mod of_dendrogram;
mod of_hierarchy;
mod text;

pub use joins::Join;
pub use text::TreeFormat;

use ndarray::Array2;

use joins::Joins;

use crate::error::Result;
use crate::support::memory::{caught, room};

/// A binary tree of L leaves: L − 1 joins, the last of which makes the root. Not in the paper.
///
/// Leaves are samples, or clusters of a partition. A tree comes from a hierarchy
/// ([`Hierarchy::tree`](crate::Hierarchy::tree)) or from a dendrogram
/// ([`Dendrogram::tree`](crate::Dendrogram::tree),
/// [`Dendrogram::tree_of_samples`](crate::Dendrogram::tree_of_samples)), where it is said what
/// heights are and at which heights the tree is to be cut. It is for other programs: as SciPy's
/// linkage matrix ([`Tree::linkage`]), and as text ([`Tree::text`]).
///
/// ```
/// use finch_core::{Finch, Samples, TreeFormat};
/// use ndarray::array;
///
/// let points = array![[0.0], [1.0], [10.0], [12.0]];
/// let tree = Finch::new().fit(&Samples::new(points.view())?)?.tree()?;
/// let linkage = array![[0.0, 1.0, 0.5, 2.0], [2.0, 3.0, 1.0, 2.0], [4.0, 5.0, 2.0, 4.0]];
/// assert_eq!(tree.linkage()?, linkage);
/// let newick = tree.text(TreeFormat::Newick, Some(&["a", "b", "c", "d"]))?;
/// assert_eq!(newick, "((a:0.5,b:0.5):1.5,(c:1,d:1):1);");
/// # Ok::<(), finch_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    joins: Vec<Join>,
}

impl Tree {
    fn of(joins: Joins) -> Self {
        let (leaves, joins) = joins.into_parts();
        assert_eq!(joins.len(), leaves - 1, "all leaves are below one root");
        Self { joins }
    }

    /// The number of leaves, L: at least 1.
    pub fn leaves(&self) -> usize {
        self.joins.len() + 1
    }

    /// The depth of the tree: the most joins between a leaf and the root, from 0 for a single leaf to
    /// L − 1 for a chain, as samples in a row make it. Programs that call themselves at each join, as readers
    /// of JSON and SciPy's `dendrogram` do, may refuse a tree of some thousand, of which they can be
    /// given the joins ([`Tree::linkage`]), or the tree of clusters
    /// ([`Dendrogram::tree`](crate::Dendrogram::tree)).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn depth(&self) -> Result<usize> {
        caught(|| {
            let leaves = self.leaves();
            let mut depths: Vec<usize> = room(self.joins.len());
            for join in &self.joins {
                let depth =
                    |node: u32| (node as usize).checked_sub(leaves).map_or(0, |step| depths[step]);
                let [a, b] = join.nodes.map(depth);
                depths.push(1 + a.max(b));
            }
            Ok(depths.last().copied().unwrap_or(0))
        })
    }

    /// The joins, lowest first: L − 1 of them.
    pub fn joins(&self) -> &[Join] {
        &self.joins
    }

    /// SciPy's linkage matrix, (L − 1) × 4: the two nodes, the height and the number of leaves of
    /// each join. `scipy.cluster.hierarchy` cuts the matrix by `fcluster` and draws it by
    /// `dendrogram`. A single leaf has no joins, and SciPy refuses a matrix without rows.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn linkage(&self) -> Result<Array2<f64>> {
        caught(|| {
            let mut values = room(4 * self.joins.len());
            for &Join { nodes: [a, b], height, leaves } in &self.joins {
                values.extend([a.into(), b.into(), height, leaves.into()]);
            }
            let shape = (self.joins.len(), 4);
            Ok(Array2::from_shape_vec(shape, values).expect("four values for each join"))
        })
    }

    /// The height of a node; that of a leaf is 0.
    fn height(&self, node: u32) -> f64 {
        self.join(node).map_or(0.0, |join| join.height)
    }

    /// The join that made a node; `None` for a leaf.
    fn join(&self, node: u32) -> Option<&Join> {
        (node as usize).checked_sub(self.leaves()).map(|step| &self.joins[step])
    }

    /// The last node.
    fn root(&self) -> u32 {
        2 * (self.leaves() as u32 - 1)
    }
}

#[cfg(test)]
mod tests;
