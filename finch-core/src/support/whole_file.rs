//! Files that are written as a whole, or not at all.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The beginning and the end of the names of files that are still being written.
const BEGINNING: &str = ".finch-unfinished-";
const ENDING: &str = ".tmp";

/// Bytes that are handed to the system at once, as `BufWriter` does.
const BUFFER: usize = 8 << 10;

/// Names that are tried before giving up: each differs from those of all other processes and moments.
const ATTEMPTS: usize = 100;

/// Symbolic links that are followed from one to the next, as many as Linux follows.
const LINKS: usize = 40;

/// Writes a file as a whole: `write` fills an unfinished file in the same folder, which is flushed to
/// the disk and then takes the place of `path`.
///
/// - A file that is replaced passes its mode on and, where the system lets it, its owner and group. Until
///   then the unfinished file is for its owner alone.
/// - Where `path` is a symbolic link, the file is replaced that it leads to.
/// - Files that processes left unfinished in the folder when they were killed are removed. An unfinished
///   file is locked while its process lives, so that those of other processes stay. (On a file system
///   without locks all stay.)
///
/// # Errors
/// That of `write` or of the system; [`io::ErrorKind::InvalidInput`] where `path` is something else than a
/// regular file, such as a folder, a device or a pipe. The unfinished file is then removed, and what was
/// at `path` before is still there.
pub fn write_whole_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if path.file_name().is_none() || fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        let reason = "it is no name of a regular file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    let path = &link_target(path)?;
    let folder = folder_of(path);
    sweep(folder);
    let replaced = fs::metadata(path).ok();
    let mut unfinished = Unfinished::create(folder, replaced.is_some())?;
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(BUFFER).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut writer = Buffered { file: &unfinished.file, buffer };
    write(&mut writer)?;
    writer.flush()?;
    if let Some(replaced) = &replaced {
        pass_on(replaced, &unfinished.file)?;
    }
    unfinished.file.sync_all()?;
    fs::rename(&unfinished.path, path)?;
    unfinished.is_placed = true;
    // So that the new name survives a power cut, too. Some file systems cannot flush a folder; the file
    // is whole all the same.
    if cfg!(unix) {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(())
}

/// Where a file is that is written at a path: the end of symbolic links, which need not be there yet.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for links that lead in a circle, and what the system says.
pub fn link_target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        if !path.symlink_metadata().is_ok_and(|about| about.is_symlink()) {
            return Ok(path);
        }
        // An absolute target takes the place of the folder.
        path = folder_of(&path).join(fs::read_link(&path)?);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "its symbolic links lead in a circle"))
}

/// Gives a new file the mode and, where the system lets it, the owner and the group of the file that it
/// replaces.
///
/// # Errors
/// The error of the system if it will not set the mode.
#[cfg(unix)]
pub fn pass_on(replaced: &Metadata, file: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let mine = file.metadata()?;
    let mut mode = replaced.mode() & 0o777;
    if (mine.uid(), mine.gid()) != (replaced.uid(), replaced.gid()) {
        let both = fchown(file, Some(replaced.uid()), Some(replaced.gid()));
        let group = || fchown(file, None, Some(replaced.gid()));
        if mine.gid() != replaced.gid() && both.is_err() && group().is_err() {
            // The rights of one group are not for another, which is among the others.
            mode = mode & !0o070 | (mode & 0o007) << 3;
        }
    }
    // A file system without modes refuses to set them, and all its files have the same.
    match file.metadata()?.mode() & 0o777 == mode {
        true => Ok(()),
        false => file.set_permissions(fs::Permissions::from_mode(mode)),
    }
}

/// Elsewhere a file has what its folder gives it.
#[cfg(not(unix))]
pub fn pass_on(_: &Metadata, _: &File) -> io::Result<()> {
    Ok(())
}

/// The folder that a file of this name is in, or would be.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A file that is being written. It is locked while it is open, and removed unless it has been placed.
struct Unfinished {
    path: PathBuf,
    file: File,
    is_placed: bool,
}

impl Unfinished {
    /// A new file in a folder, for its owner alone or as any new file.
    fn create(folder: &Path, is_private: bool) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(if is_private { 0o600 } else { 0o666 });
        }
        #[cfg(not(unix))]
        let _ = is_private;
        for _ in 0..ATTEMPTS {
            let path = folder.join(name());
            match options.open(&path) {
                Ok(file) => {
                    let unfinished = Self { path, file, is_placed: false };
                    // A process that sweeps between the two calls has removed the file.
                    let _ = unfinished.file.lock();
                    if is_at(&unfinished.file, &unfinished.path) {
                        return Ok(unfinished);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.is_placed {
            // There is nobody left to tell of an error, and the next one sweeps.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A name that no other process, thread or moment has.
fn name() -> OsString {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let (process, count) = (process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    format!("{BEGINNING}{process:x}-{now:x}-{count:x}{ENDING}").into()
}

/// Removes the unfinished files of a folder whose processes have ended.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        if !name.starts_with(BEGINNING.as_bytes())
            || !name.ends_with(ENDING.as_bytes())
            || !entry.file_type().is_ok_and(|kind| kind.is_file())
        {
            continue;
        }
        // For writing, too: a pipe that has come there meanwhile would have to be waited for.
        let Ok(file) = OpenOptions::new().read(true).write(true).open(entry.path()) else {
            continue;
        };
        if file.try_lock().is_ok() && is_at(&file, &entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// True if an open file is the one of a path, and not one that was removed or renamed.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let found = file.metadata().ok().zip(path.symlink_metadata().ok());
    found.is_some_and(|(mine, there)| (mine.dev(), mine.ino()) == (there.dev(), there.ino()))
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    // An open file is not removed there.
    path.exists()
}

/// Hands bytes to a file many at a time. Not `BufWriter`: the system may refuse it its memory, which
/// would end the process.
struct Buffered<'a> {
    file: &'a File,
    buffer: Vec<u8>,
}

impl Write for Buffered<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        match bytes.len() >= BUFFER {
            true => self.file.write(bytes),
            false => {
                self.buffer.extend_from_slice(bytes);
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::thread;

    use super::*;

    /// An empty folder, which is removed in the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Self {
            let path = std::env::temp_dir().join(name());
            fs::create_dir(&path).unwrap();
            Self(path)
        }

        fn at(&self, name: &str) -> PathBuf {
            self.0.join(name)
        }

        fn count(&self) -> usize {
            fs::read_dir(&self.0).unwrap().count()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn save(path: &Path, text: &str) -> io::Result<()> {
        write_whole_file(path, |file| file.write_all(text.as_bytes()))
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn a_file_passes_its_mode_and_owner_on_and_a_new_one_is_as_any_other() {
        let folder = Folder::new();
        let path = folder.at("model");
        fs::write(folder.at("any"), "").unwrap();
        save(&path, "first").unwrap();
        assert_eq!(mode(&path), mode(&folder.at("any")));
        for kept in [0o600, 0o640, 0o444, 0o666, 0o755] {
            fs::set_permissions(&path, fs::Permissions::from_mode(kept)).unwrap();
            // Whoever reads the folder meanwhile sees nothing that the file did not show.
            write_whole_file(&path, |file| {
                let entries = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path());
                let unfinished = |path: &PathBuf| {
                    path.file_name().unwrap().to_string_lossy().starts_with(BEGINNING)
                };
                assert_eq!(mode(&entries.into_iter().find(unfinished).unwrap()), 0o600);
                file.write_all(b"next")
            })
            .unwrap();
            assert_eq!(mode(&path), kept);
        }
        // Only a superuser may give a file away.
        if std::os::unix::fs::chown(&path, Some(12), Some(34)).is_ok() {
            save(&path, "last").unwrap();
            let about = fs::metadata(&path).unwrap();
            assert_eq!((about.uid(), about.gid()), (12, 34));
        }
        assert_eq!(folder.count(), 2);
    }

    #[test]
    fn links_are_followed_and_stay() {
        let folder = Folder::new();
        fs::create_dir(folder.at("deep")).unwrap();
        fs::write(folder.at("deep/model"), "old").unwrap();
        symlink("deep/model", folder.at("one")).unwrap();
        symlink(folder.at("one"), folder.at("two")).unwrap();
        symlink("deep/new", folder.at("dangling")).unwrap();
        symlink("circle", folder.at("circle")).unwrap();
        save(&folder.at("two"), "new").unwrap();
        assert_eq!(fs::read(folder.at("deep/model")).unwrap(), b"new");
        save(&folder.at("dangling"), "first").unwrap();
        assert_eq!(fs::read(folder.at("deep/new")).unwrap(), b"first");
        assert!(["one", "two", "dangling"].iter().all(|name| folder.at(name).is_symlink()));
        let error = save(&folder.at("circle"), "never").unwrap_err().to_string();
        assert!(error.contains("circle"), "{error}");
        assert_eq!((folder.count(), fs::read_dir(folder.at("deep")).unwrap().count()), (5, 2));
    }

    #[test]
    fn what_a_killed_process_left_is_swept_and_what_a_living_one_writes_stays() {
        let folder = Folder::new();
        let left = folder.at(&format!("{BEGINNING}left{ENDING}"));
        let mine = folder.at(&format!("{BEGINNING}mine"));
        fs::write(&left, "half").unwrap();
        fs::write(&mine, "a file of another name").unwrap();
        let (path, beside) = (folder.at("model"), folder.at("beside"));
        write_whole_file(&path, |file| {
            assert!(!left.exists() && mine.exists());
            // A second process, beside the first.
            save(&beside, "whole")?;
            file.write_all(b"whole, too")
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole, too");
        assert_eq!(folder.count(), 3);
        // Many at once: each file is there, and nothing else.
        thread::scope(|scope| {
            for number in 0..8 {
                let path = folder.at(&number.to_string());
                scope.spawn(move || (0..50).for_each(|_| save(&path, "whole").unwrap()));
            }
        });
        assert_eq!(folder.count(), 11);
    }

    #[test]
    fn what_fails_leaves_what_was_there_and_nothing_else() {
        let folder = Folder::new();
        let path = folder.at("model");
        save(&path, "old").unwrap();
        let full = write_whole_file(&path, |_| Err(io::Error::other("the disk is full")));
        assert_eq!(full.unwrap_err().to_string(), "the disk is full");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        let long = "long ".repeat(10_000);
        write_whole_file(&path, |file| {
            let mut rest = long.as_bytes();
            for length in (1..).take_while(|length| length * 7 < 50_000) {
                let (piece, later) = rest.split_at(rest.len().min(length * 7 % 20_011));
                file.write_all(piece)?;
                rest = later;
            }
            file.write_all(rest)
        })
        .unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), long);
        assert!(save(&folder.0, "a folder").unwrap_err().to_string().contains("no name of a"));
        assert_eq!(folder.count(), 1);
    }
}
