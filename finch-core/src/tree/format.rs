//! The languages that a tree is written in.

use crate::names::named;

/// A language that other programs read trees in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TreeFormat {
    /// Newick, as programs for phylogenies read it: `((a:0.5,b:0.5):1.5,'it''s c':2);`. The number
    /// behind a node is how much higher its parent is. A name that has more than ASCII letters, digits,
    /// `.`, `-` and `+` is quoted.
    #[default]
    Newick,
    /// JSON: a leaf is `{"name":"a","height":0,"count":1}`, a join
    /// `{"height":0.5,"count":2,"children":[…, …]}`, where `count` is the number of leaves below. (In
    /// Python, `json.loads` takes no tree deeper than about a thousand joins, unless
    /// `sys.setrecursionlimit` allows it.)
    Json,
    /// The DOT of Graphviz: an undirected graph, whose nodes have the tree's numbers; leaves are
    /// labelled with their names, joins with their heights.
    Dot,
}

named!(TreeFormat, "tree format", Newick = "newick", Json = "json", Dot = "dot");
