//! A file that a command is asked to write.

use std::path::{Path, PathBuf};

use finch_deep::data::Escaped;

/// The file that `--out` names exists already, and may be anybody's.
#[derive(Debug, thiserror::Error)]
#[error("{} is there already: choose another --out, or write over it by --force", Escaped(.0.display()))]
pub(crate) struct Taken(PathBuf);

/// Checks that a file is not there yet, or may be written over.
pub(crate) fn expect_free(path: &Path, force: bool) -> Result<(), Taken> {
    match !force && path.symlink_metadata().is_ok() {
        true => Err(Taken(path.into())),
        false => Ok(()),
    }
}
