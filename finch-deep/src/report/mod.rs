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
mod svg;
mod table;
mod text;
#[cfg(feature = "train")]
mod trained;
mod truth;

pub use self::clustered::{ClusterReport, Described, Distinction};
pub use self::frame::BEGINNING;
pub use self::image::Image;
pub use self::map::MAP_SAMPLES;
#[cfg(feature = "train")]
pub use self::trained::{Input, Report};
pub use self::truth::Truth;
