//! Readers for files of samples, behind the `finch` command.
