//! The parts that both pages are made of: the frame, figures, tables and charts.

pub(crate) mod bar;
pub(crate) mod cards;
pub(crate) mod chart;
pub(crate) mod colours;
pub(crate) mod confusion;
pub(crate) mod figure;
pub(crate) mod frame;
pub(crate) mod glossary;
pub(crate) mod groups;
pub(crate) mod image;
pub(crate) mod map;
pub(crate) mod matching;
pub(crate) mod sizes;
pub(crate) mod suggestion;
mod svg;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod truth;
