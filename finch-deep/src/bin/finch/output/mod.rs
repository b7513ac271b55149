//! The outputs of commands: tables, directories, and the summary on the terminal.

pub(crate) mod advice;
#[cfg(feature = "train")]
pub(crate) mod clusterings;
pub(crate) mod columns;
pub(crate) mod directory;
pub(crate) mod doubt;
pub(crate) mod file;
pub(crate) mod place;
pub(crate) mod places;
pub(crate) mod profiles;
pub(crate) mod records;
pub(crate) mod shell;
pub(crate) mod summary;
pub(crate) mod table_format;
