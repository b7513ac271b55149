//! The files that `--out` asks for: all of them, or none.

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use finch_core::{Hierarchy, Partition};
use finch_deep::data::{UNFINISHED, missing_folders, write_json, write_labelling, write_labels};

use crate::report::Report;

const LABELS: &str = "labels.npy";
const REQUESTED: &str = "requested.npy";
const SUGGESTED: &str = "suggested.npy";
/// Written last, so where it is, the others are of the same run.
const HIERARCHY: &str = "hierarchy.json";

/// A directory that is there and can be written to, from before a long run until after it.
pub(crate) struct Output {
    directory: PathBuf,
    /// The folders made for this run, innermost first. They go again if it fails.
    made: Vec<PathBuf>,
}

/// The directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unusable {
    #[error("cannot write to the directory {}: {source}", directory.display())]
    Unwritable { directory: PathBuf, source: io::Error },
    #[error("{} would be overwritten, and no run of finch wrote it: choose another --out", .0.display())]
    Foreign(PathBuf),
    #[error("{} is a run of finch train, and its labels would be overwritten: choose another --out", .0.display())]
    Run(PathBuf),
}

impl Output {
    /// Makes the directory if need be, and tries whether files can be made in it.
    pub(crate) fn prepare(directory: &Path) -> Result<Self, Unusable> {
        // An earlier run may be written over, but nobody's own files.
        let target = |name| directory.join(name);
        let of_finch = target(HIERARCHY).is_file();
        let foreign = [LABELS, REQUESTED, SUGGESTED, HIERARCHY]
            .map(target)
            .into_iter()
            .find(|path| path.exists() && !(of_finch && path.is_file()));
        if let Some(path) = foreign {
            return Err(Unusable::Foreign(path));
        }
        let output = Self { directory: directory.into(), made: missing_folders(directory) };
        fs::create_dir_all(directory)
            .and_then(|()| tempfile::tempfile_in(directory))
            .map_err(|source| output.unwritable(source))?;
        Ok(output)
    }

    fn unwritable(&self, source: io::Error) -> Unusable {
        Unusable::Unwritable { directory: self.directory.clone(), source }
    }

    /// Writes `labels.npy` (int32, N × partitions), `requested.npy` and `suggested.npy` (int32, N)
    /// if there are such partitions, and `hierarchy.json`: all of them beside, and then renamed.
    pub(crate) fn write(
        mut self,
        hierarchy: &Hierarchy,
        further: [Option<&Partition>; 2],
        report: &Report,
    ) -> Result<(), Box<dyn Error>> {
        // Another run into the same directory may have failed, and taken it along.
        fs::create_dir_all(&self.directory).map_err(|error| self.unwritable(error))?;
        let beside = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempdir_in(&self.directory)
            .map_err(|error| self.unwritable(error))?;
        let labels: Vec<&[u32]> = hierarchy.partitions().iter().map(Partition::labels).collect();
        write_labels(&beside.path().join(LABELS), &labels)?;
        for (name, partition) in [REQUESTED, SUGGESTED].into_iter().zip(further) {
            if let Some(partition) = partition {
                write_labelling(&beside.path().join(name), partition.labels())?;
            }
        }
        write_json(&beside.path().join(HIERARCHY), report)?;
        for name in [LABELS, REQUESTED, SUGGESTED, HIERARCHY] {
            let (from, to) = (beside.path().join(name), self.directory.join(name));
            let placed = match from.exists() {
                true => fs::rename(from, to),
                // One of an earlier run would not belong to these labels.
                false if to.exists() => fs::remove_file(to),
                false => Ok(()),
            };
            placed.map_err(|error| self.unwritable(error))?;
        }
        self.made.clear();
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        for folder in &self.made {
            // Only if it is empty; there is nobody left to tell if it is not.
            let _ = fs::remove_dir(folder);
        }
    }
}
