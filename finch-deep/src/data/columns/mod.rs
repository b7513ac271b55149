//! Columns of tables: chosen, described, and made into features.

pub(crate) mod features;
pub(crate) mod prepare;
pub(crate) mod profile;
pub(crate) mod sentinel;
pub(crate) mod stacked;
pub(crate) mod survey;
