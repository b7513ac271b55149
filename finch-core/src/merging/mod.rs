//! Exactly K clusters: the clusters of a partition merged, a pair at a time, and the K that fits
//! best.
//!
//! - `refine.rs`: exactly K clusters, by any linkage. `choice.rs`: neighbour linkage, or means.
//!   `suggest.rs`: the K that fits best.
//! - `by_links/`: neighbour linkage. `by_means/`: Algorithm 2, by the closest means, Ward linkage, and
//!   separation linkage, for clusters that no link joins.
//! - `moves.rs`: samples that move all at once. `unlinked.rs`: clusters that no link joins. `rules/`:
//!   samples that are together or apart, and sizes.

pub(crate) mod by_links;
pub(crate) mod by_means;
mod choice;
mod moves;
mod refine;
mod rules;
mod suggest;
mod unlinked;

pub use refine::{Refine, Refined};
pub use suggest::{Clustered, Suggestion};
