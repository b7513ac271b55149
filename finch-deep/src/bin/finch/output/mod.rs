//! The outputs of commands: tables, directories, and the summary on the terminal.

#[cfg(feature = "train")]
pub(crate) mod clusterings;
pub(crate) mod columns;
pub(crate) mod directory;
pub(crate) mod profiles;
pub(crate) mod records;
#[cfg(feature = "train")]
pub(crate) mod shell;
pub(crate) mod summary;
pub(crate) mod table_format;
