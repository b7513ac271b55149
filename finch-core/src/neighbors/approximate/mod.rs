//! Search of most neighbours, for when to find all would take too long.
//!
//! The paper searched randomized k-d trees with a bound on what is looked at. Here rows are cut
//! into small cells, and compared by short vectors, their sketches, as matrix products: first the
//! rows that share a cell with each other, then each row with the cells beyond, as far as these may
//! hold a nearer row. The nearest by their sketches are then compared by key. Each pass cuts in
//! another way, until enough of the true neighbours have been found for a sample of rows.
//!
//! - `search.rs` runs passes until that is so; `effort.rs` says how many cells the next pass takes.
//! - `passes.rs` compares the rows of a pass; `candidates.rs` has each row's nearest by their sketches.
//! - `truth.rs` finds the exact neighbours of the sample, and the share of these that was found.
//! - `cells.rs` cuts sketches into cells.
//! - `sketches.rs` makes the sketches of rows; `group.rs` compares sets of them; `crowding.rs` tells
//!   whether they are fine enough.
//! - `tuning.rs` has the constants of all.
//!
//! Tried on 10⁶ samples of 256 features and rejected: trees that halve rows along a random
//! direction (8 trees take longer and find 92 %); to share more cells and reach for none, which
//! takes twice as many comparisons; rounds in which neighbours of neighbours are compared, as in
//! NN-descent, which find half of the missing neighbours with as many comparisons as another pass,
//! each with a row that is to be fetched from elsewhere in memory; and cutting the cells of one
//! pass into those of the next.
//!
//! Beside the data it holds for each row, for k = 1, a sketch of 130 bytes (390 while sketches are
//! made; and twice as many where steps are too coarse, see `crowding.rs`), and 300 bytes for the
//! row's leaders, the cells that it joins or reaches for, and its nearest so far: 10 more or less
//! for each cell that it may reach for, of which there are 12 at 10⁶ rows.

mod candidates;
mod cells;
mod crowding;
mod effort;
mod group;
mod passes;
mod search;
mod sketches;
mod truth;
mod tuning;

pub(crate) use search::Aim;
pub(super) use search::search;
