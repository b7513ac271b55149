//! Pages for people: about a clustering, and about a training run.
//!
//! A page is one file without scripts, and asks for nothing from outside. Its plots are SVG whose
//! colours are CSS variables, so that they follow a light or a dark screen, and paper.

mod cards;
mod chart;
mod clustered;
mod colours;
mod confusion;
mod figure;
mod frame;
mod groups;
mod image;
mod map;
mod matching;
mod projection;
mod sizes;
mod suggestion;
mod table;
mod text;
#[cfg(feature = "train")]
mod trained;
mod truth;

pub use self::clustered::{ClusterReport, Described, Distinction};
pub use self::frame::BEGINNING;
pub use self::image::Image;
#[cfg(feature = "train")]
pub use self::trained::{Input, Report};
pub use self::truth::Truth;

/// The most samples on a map: enough to fill it, in seconds and some 100 kB. Of more, as many are drawn
/// at random.
pub const MAP_SAMPLES: usize = 5_000;
