//! Search of most neighbours, for when to find all would take too long.
//!
//! The paper searched randomized k-d trees with a bound on what is looked at. Here rows are compared
//! by short vectors, their sketches, as matrix products, in two ways that take turns. A pass cuts rows
//! into small cells, and compares the rows that share a cell with each other, and then each row with
//! the cells beyond, as far as these may hold a nearer row. A join compares the rows of every other
//! neighbourhood with each other, and the next join those of the others: a row, its nearest so far, and those
//! that have it among theirs. Later joins compare only what is new in a neighbourhood. Joins hardly reach the
//! rows that few others are near to: where these are most of the rows whose neighbours are missed, a later
//! pass is for them alone. The nearest by their sketches are then compared by key. So it goes on, each time
//! with what gained more for each comparison, until enough of the true neighbours have been found for a sample
//! of rows.
//!
//! Among rows that are all about as far from each other the nearest may not be among the nearest by their sketches
//! that a list has room for. Then no move finds it, and rows are compared by all their features from there on, in
//! whole steps. Where that cannot be, lists are doubled, as long as they take no more memory than the rows.
//!
//! Distances of sketches are Euclidean. Of Manhattan distances, more of the nearest by their sketches are
//! compared by key (lists are twice as long), and sketches are as wide as it takes to have the true neighbour
//! among them.
//!
//! - `search.rs` makes moves until that is so; `effort.rs` says which, and how far a pass reaches.
//! - `request.rs`: what is asked for: the aim, rows among each other or queries among a base, and
//!   how many rows are looked at. `candidate_rows.rs`: how rows are compared by key.
//! - `passes.rs` compares the rows of a pass or a join; `candidates.rs` has each row's nearest by
//!   their sketches.
//! - `asked.rs` draws the sample and keeps its exact neighbours; `truth.rs` finds these, and the share of them
//!   that was found.
//! - `cells.rs` cuts sketches into cells; `local_join.rs` has what a join compares.
//! - `sketches.rs` makes the sketches of rows; `sketch_size.rs` tells how many axes they
//!   need, and whether their steps are fine enough; `group.rs` compares sets of them.
//! - `deadline.rs` completes what a search has found when its time is up.
//! - `tuning.rs` has the constants of all.
//!
//! Tried on 10⁶ samples of 256 features and rejected: trees that halve rows along a random
//! direction (8 trees take longer and find 92 %); to share more cells and reach for none, which
//! takes twice as many comparisons; and cutting the cells of one pass into those of the next.
//!
//! Beside the data it holds, for k = 1, at most 0.4 kB for each row of 250,000 in 64 features, and 1.0
//! and 1.3 kB for deformed digits and texts in 256: sketches of 130 to 514 bytes, by their axes (three
//! times as many while they are made; and twice as many where steps are too coarse, see
//! `sketch_size.rs`), lists of the nearest so far and at the last join, and for a time the cells that rows join or reach for,
//! or neighbourhoods. Where rows are compared by all features, 2 bytes for each come to that, or 4.

mod asked;
mod candidate_rows;
mod candidates;
mod cells;
pub(crate) mod deadline;
mod effort;
mod group;
mod local_join;
mod passes;
mod request;
mod search;
mod shares;
mod sketch_size;
mod sketches;
mod truth;
mod tuning;

pub(super) use candidate_rows::Sketched;
pub(super) use cells::drawn;
pub(super) use effort::seconds;
pub(crate) use request::Aim;
pub(super) use request::{Breadth, Sides, WORTH_EXACT};
pub(super) use search::{search, search_sides, search_sketched, sketched};
pub(super) use sketches::Sketches;
pub(super) use truth::share;
pub(super) use tuning::ASKED_BY_FEATURES;
