//! The file of a model: its format, written, and read once it is checked.

mod check;
mod format;
mod levels;
mod read;
mod tensor;
mod write;
