//! Pages for people: about a clustering, and about a training run.
//!
//! A page is one file without scripts, and asks for nothing from outside. Its plots are SVG whose
//! colours are CSS variables, so that they follow a light or a dark screen, and paper.

mod clustered;
mod parts;
#[cfg(feature = "train")]
mod trained;

pub use self::clustered::{ClusterReport, Described, Distinction};
pub use self::parts::image::Image;
pub use self::parts::map::MAP_SAMPLES;
pub use self::parts::truth::Truth;
#[cfg(feature = "train")]
pub use self::trained::{Input, Report};
