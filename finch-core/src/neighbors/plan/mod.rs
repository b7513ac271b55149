//! The plan of a search of rows among each other: the search that is to run, the one that runs where it gives
//! up, and why.
//!
//! To plan takes a look at the rows, as far as that can save time. [`search`] plans and runs. Two sets of rows need
//! no plan (`neighbors/two_sets.rs`), nor do new rows beside known ones (`neighbors/extend.rs`).
//!
//! - `dense.rs`: the meaning of [`Search::Auto`] for dense rows, by numbers, and by a look
//!   (`intrinsic_dimension.rs`).
//! - `sparse.rs`: its meaning for sparse rows. `mostly_zero.rs`: dense rows that are searched as sparse ones.
//! - `steps.rs`: the searches of a plan, and the one `match` that runs a search.
//! - `task.rs`, `any_rows.rs`: the rows, and what is asked of them. `tuning.rs`: the constants that dense and
//!   sparse rows share.

mod any_rows;
pub(super) mod dense;
mod intrinsic_dimension;
mod mostly_zero;
mod sparse;
mod steps;
mod task;
mod tuning;

pub(super) use any_rows::AnyRows;
use steps::{Plan, Step};
pub(super) use task::Task;
pub(super) use tuning::{LOOKED_AT, are_few};

use super::exact::projected::{AlongAxes, Axes};
use super::lists::Nearest;
use super::search::{Choice, Reason, Search};

/// Lists of the `k` nearest of each row by the search that is requested, however long it takes, and the
/// search that ran.
pub(super) fn search(
    task: &Task<'_, '_>,
    requested: Search,
    axes: &mut Axes,
) -> (Vec<Nearest>, Choice) {
    if let Some(found) = mostly_zero::search(task, requested) {
        return found;
    }
    let plan = plan(task, requested, axes);
    let found = plan.run(task).expect("the last search of this plan does not give up");
    // Principal axes do not help, as all rows tell.
    if plan.along.is_some() && found.1.search == Search::Blocked {
        axes.forget();
    }
    found
}

/// The plan of the search that is requested.
fn plan<'a>(task: &Task<'a, '_>, requested: Search, axes: &mut Axes) -> Plan<'a> {
    let step = Step::new(requested, Reason::Asked);
    match (task.rows, requested) {
        (AnyRows::Sparse(rows), _) => sparse::plan(rows, task, requested),
        (AnyRows::Dense(rows), Search::Auto) => dense::plan(rows, task, axes),
        (AnyRows::Dense(rows), Search::Projected) => {
            let along = Some(AlongAxes::forced(rows, task.meter));
            Plan { along, ..Plan::new(vec![step]) }
        }
        (AnyRows::Dense(_), _) => Plan::new(vec![step]),
    }
}
