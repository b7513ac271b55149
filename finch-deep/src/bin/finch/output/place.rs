//! The place of an output: one rule for all commands. An existing file is written over where `--force` says so, and
//! an input never.

use std::path::{Path, PathBuf};

use finch_core::{folder_of, link_target};
use finch_deep::data::{Escaped, STANDARD_INPUT};

/// The place of an output.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The option that names the place, such as `--out`.
    pub(crate) option: &'static str,
    pub(crate) path: &'a Path,
    /// True if a file that is there may be written over.
    pub(crate) force: bool,
    /// True of a directory, which the command makes and looks at itself.
    pub(crate) is_directory: bool,
}

/// The place cannot be taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Taken {
    #[error(
        "{} is there already: choose another {option}, or write over it by --force",
        Escaped(path.display())
    )]
    There { path: PathBuf, option: &'static str },
    #[error(
        "{} is an input, and would be overwritten: choose another {option}",
        Escaped(path.display())
    )]
    Input { path: PathBuf, option: &'static str },
    #[error(
        "{} is named by {} and by {}: give each a place of its own",
        Escaped(path.display()), options[0], options[1]
    )]
    Twice { path: PathBuf, options: [&'static str; 2] },
}

/// Checks that no two options name one place.
pub(crate) fn expect_apart(places: &[Place<'_>]) -> Result<(), Taken> {
    let mut known: Vec<(&'static str, PathBuf)> = Vec::new();
    for &Place { option, path, .. } in places {
        let Some(resolved) = resolved(path) else { continue };
        if let Some((other, _)) = known.iter().find(|(_, known)| *known == resolved) {
            return Err(Taken::Twice { path: path.into(), options: [other, option] });
        }
        known.push((option, resolved));
    }
    Ok(())
}

/// The file or directory that a path leads to, whether or not it is there; none where its folder is not.
fn resolved(path: &Path) -> Option<PathBuf> {
    let target = link_target(path).unwrap_or_else(|_| path.into());
    Some(folder_of(&target).canonicalize().ok()?.join(target.file_name()?))
}

impl<'a> Place<'a> {
    /// The place of a file.
    pub(crate) fn new(option: &'static str, path: &'a Path, force: bool) -> Self {
        Self { option, path, force, is_directory: false }
    }

    /// Checks that the place is free, or may be written over.
    pub(crate) fn expect_free<'i>(
        &self,
        inputs: impl IntoIterator<Item = &'i Path>,
    ) -> Result<(), Taken> {
        let (path, option) = (self.path, self.option);
        if path.symlink_metadata().is_err() {
            return Ok(());
        }
        if inputs.into_iter().any(|input| are_one_file(path, input)) {
            return Err(Taken::Input { path: path.into(), option });
        }
        match self.force {
            true => Ok(()),
            false => Err(Taken::There { path: path.into(), option }),
        }
    }
}

/// True if two paths lead to one file that is there.
pub(crate) fn are_one_file(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// True if a path stands for standard output.
pub(crate) fn is_standard_output(path: &Path) -> bool {
    let names = [STANDARD_INPUT, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    names.iter().any(|name| path == Path::new(name))
}

/// True if a name ends as that of a file, and no directory of that name is there. A name that ends in a slash is
/// that of a directory.
pub(crate) fn ends_as_file(path: &Path) -> bool {
    let of_directory = path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.is_dir();
    path.extension().is_some() && !of_directory
}
