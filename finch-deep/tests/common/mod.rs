//! Where the real data is.

use std::path::{Path, PathBuf};

/// A file of the folder that `FINCH_DATA` names, or else of `../shared/data` beside the repository.
pub(crate) fn data(name: &str) -> PathBuf {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let path = std::env::var_os("FINCH_DATA").map_or(default, PathBuf::from).join(name);
    assert!(path.is_file(), "{} is missing: set FINCH_DATA to the folder of data", path.display());
    path
}
