//! The files that `--out` asks for: all of them, of one run, or none.

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use finch_core::{Hierarchy, Labels, Partition, folder_of, link_target, pass_on, write_whole_file};
use finch_deep::data::{
    Escaped, UNFINISHED, missing_folders, write_json, write_labelling, write_labels,
};
use tempfile::TempDir;

use super::place::{Place, Taken};
use super::summary::Report;

const LABELS: &str = "labels.npy";
const REQUESTED: &str = "requested.npy";
const SUGGESTED: &str = "suggested.npy";
/// Written last: where this file is, the other files are of the same run.
const HIERARCHY: &str = "hierarchy.json";

/// The number of times to make a directory again that other processes remove meanwhile.
const ATTEMPTS: usize = 100;

/// A directory that is there and can be written to, from before a long run until after it.
pub(crate) struct Output {
    directory: PathBuf,
    /// True if files of these names may be written over.
    force: bool,
    /// The folders made for this run, innermost first. They are removed if the run fails.
    made: Vec<PathBuf>,
}

/// The directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unusable {
    #[error("cannot write to the directory {}: {source}", Escaped(directory.display()))]
    Unwritable { directory: PathBuf, source: io::Error },
    #[error(transparent)]
    Taken(#[from] Taken),
    #[error(
        "{} is a run of finch train, and its labels would be overwritten: choose another --out",
        Escaped(.0.display())
    )]
    Run(PathBuf),
}

impl Output {
    /// Makes the directory if need be, and tries whether files can be made in it.
    pub(crate) fn prepare(
        directory: &Path,
        force: bool,
        inputs: &[PathBuf],
    ) -> Result<Self, Unusable> {
        // With the lock, no other process is between two files of its run. A directory that does
        // not exist yet has no lock.
        let lock = Lock::take(directory).ok();
        expect_free(directory, force, inputs)?;
        drop(lock);
        let made = missing_folders(directory);
        let output = Self { directory: directory.into(), force, made };
        fs::create_dir_all(directory)
            .and_then(|()| tempfile::tempfile_in(directory))
            .map_err(|source| output.unwritable(source))?;
        Ok(output)
    }

    fn unwritable(&self, source: io::Error) -> Unusable {
        Unusable::Unwritable { directory: self.directory.clone(), source }
    }

    /// Writes `labels.npy` (int32, N × partitions), `requested.npy` and `suggested.npy` (int32, N)
    /// if there are such partitions, and `hierarchy.json`: all of them written into a folder
    /// beside, and then renamed. Of several processes at once, all files are those of the last one.
    pub(crate) fn write(
        mut self,
        hierarchy: &Hierarchy,
        further: [Option<&Labels>; 2],
        report: &Report,
    ) -> Result<(), Box<dyn Error>> {
        let (beside, lock) = self.beside().map_err(|error| self.unwritable(error))?;
        // Files may have come there during the run.
        expect_free(&self.directory, self.force, &[])?;
        let labels: Vec<&[u32]> = hierarchy.partitions().iter().map(Partition::labels).collect();
        write_labels(&beside.path().join(LABELS), &labels)?;
        for (name, labels) in [REQUESTED, SUGGESTED].into_iter().zip(further) {
            if let Some(labels) = labels {
                write_labelling(&beside.path().join(name), labels.labels())?;
            }
        }
        write_json(&beside.path().join(HIERARCHY), report)?;
        // Only now, as an unfinished folder may be all that tells whose the labels beside it are.
        lock.sweep(&self.directory, beside.path());
        self.place(beside.path()).map_err(|error| self.unwritable(error))?;
        self.made.clear();
        drop(lock);
        Ok(())
    }

    /// A new folder within the directory, to write into, and the lock of the directory.
    fn beside(&self) -> io::Result<(TempDir, Lock)> {
        let attempt = || {
            // Another run into the same directory may have failed, and removed the directory.
            fs::create_dir_all(&self.directory)?;
            let lock = Lock::take(&self.directory)?;
            let beside = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(&self.directory)?;
            // No process removes a directory that has a folder in it.
            match lock.is_of(&self.directory) {
                true => Ok((beside, lock)),
                false => Err(io::ErrorKind::NotFound.into()),
            }
        };
        let gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        let mut attempts = std::iter::repeat_with(attempt).take(ATTEMPTS);
        let made = attempts.find(|made| !made.as_ref().is_err_and(gone));
        made.unwrap_or_else(|| Err(io::ErrorKind::NotFound.into()))
    }

    /// Moves files from `beside` to their places. At any moment all files there are of one run: if
    /// the process ends on the way, some are missing, [`HIERARCHY`] among them.
    fn place(&self, beside: &Path) -> io::Result<()> {
        // Symbolic links stay, and the files are replaced that they lead to.
        let target = |name| link_target(&self.directory.join(name));
        for name in [LABELS, REQUESTED, SUGGESTED, HIERARCHY] {
            let Ok(new) = File::open(beside.join(name)) else { continue };
            let target = target(name)?;
            if let Ok(old) = fs::metadata(&target) {
                pass_on(&old, &new)?;
            } else {
                // A link may lead to a folder that is not there, which is told before anything is removed.
                fs::metadata(folder_of(&target))?;
            }
        }
        for name in [HIERARCHY, REQUESTED, SUGGESTED] {
            let old = target(name)?;
            if old.exists() {
                fs::remove_file(old)?;
            }
        }
        for name in [LABELS, REQUESTED, SUGGESTED, HIERARCHY] {
            let new = beside.join(name);
            if new.exists() {
                moved(&new, &target(name)?)?;
            }
        }
        Ok(())
    }
}

/// Moves a file, also to the file system of another link.
fn moved(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let mut file = File::open(from)?;
            write_whole_file(to, |to| io::copy(&mut file, to).map(drop))?;
            // The file that was there before, whose mode the new file has, may be removed by now.
            fs::set_permissions(to, file.metadata()?.permissions())
        }
        moved => moved,
    }
}

/// Folders that processes left unfinished when they were killed.
fn unfinished(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let ours = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(UNFINISHED);
    entries.filter(ours).map(|entry| entry.path()).filter(|path| path.is_dir())
}

/// Checks that no file of a name of these outputs is there, or that it may be written over.
fn expect_free(directory: &Path, force: bool, inputs: &[PathBuf]) -> Result<(), Taken> {
    [LABELS, REQUESTED, SUGGESTED, HIERARCHY].iter().try_for_each(|name| {
        let path = &directory.join(name);
        let place = Place::new("--out", path, force);
        place.expect_free(inputs.iter().map(PathBuf::as_path))
    })
}

/// The lock of a directory, which only one process has at a time.
struct Lock {
    file: File,
    /// False on file systems without locks, such as some network file systems: several processes at
    /// once may then mix their files.
    held: bool,
}

impl Lock {
    /// Waits until no other process has the lock.
    fn take(directory: &Path) -> io::Result<Self> {
        let file = match cfg!(unix) {
            // The directory itself is locked, so that no lock file is left behind.
            true => File::open(directory)?,
            false => {
                let mut options = OpenOptions::new();
                options.create(true).truncate(false).write(true);
                options.open(directory.join(format!("{UNFINISHED}lock")))?
            }
        };
        let held = file.lock().is_ok();
        Ok(Self { file, held })
    }

    /// True if the locked directory is still the one of that name.
    #[cfg(unix)]
    fn is_of(&self, directory: &Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        let found = self.file.metadata().ok().zip(fs::metadata(directory).ok());
        found.is_some_and(|(mine, there)| (mine.dev(), mine.ino()) == (there.dev(), there.ino()))
    }

    /// A directory with an open file in it is not removed.
    #[cfg(not(unix))]
    fn is_of(&self, _: &Path) -> bool {
        true
    }

    /// Removes the folders that killed processes left, but not `own`.
    fn sweep(&self, directory: &Path, own: &Path) {
        if self.held {
            for folder in
                unfinished(directory).filter(|folder| folder.file_name() != own.file_name())
            {
                // A folder that stays does no harm.
                let _ = fs::remove_dir_all(folder);
            }
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        for folder in &self.made {
            // Removes only empty folders. There is nobody left to tell of an error.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Checks that a file can be made in the folder of one, or in the one that its missing folders are made in.
pub(crate) fn expect_writable(path: &Path) -> Result<(), Unusable> {
    // A symbolic link stays, and the file is written that it leads to.
    let target = link_target(path).unwrap_or_else(|_| path.into());
    let folder = folder_of(&target);
    let missing = missing_folders(folder);
    let folder = missing.last().map_or(folder, |outermost| folder_of(outermost));
    tempfile::tempfile_in(folder)
        .map(drop)
        .map_err(|source| Unusable::Unwritable { directory: folder.into(), source })
}
