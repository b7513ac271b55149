//! FINCH: parameter-free clustering by first neighbours.
#![forbid(unsafe_code)]

mod agglomeration;
mod components;
mod element;
mod error;
mod finch;
mod hierarchy;
mod matching;
mod means;
mod metric;
mod neighbors;
mod partition;
mod progress;
mod projection;
mod refine;
mod samples;
mod score;

pub use element::Element;
pub use error::{Error, Result};
pub use finch::{Finch, LinkBound};
pub use hierarchy::Hierarchy;
pub use metric::Metric;
pub use neighbors::{FirstNeighbors, Search};
pub use partition::Partition;
pub use progress::{Callback, Progress, Stage};
pub use refine::{Linkage, Refine};
pub use samples::Samples;
pub use score::{Average, Contingency, PrecisionRecall, Scores};
