//! Files that are read, or written, as a whole.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read};
use std::path::Path;

use crate::fault::Fault;
use crate::room::room;

/// All bytes of a file.
pub(crate) fn read(path: &str) -> Result<Vec<u8>, Fault> {
    let fault = |reason: String| Fault::File { path: path.into(), what: "read", reason };
    let told = |error: io::Error| fault(error.to_string());
    // Before it is opened: a pipe would have to be waited for, and a device may never end.
    let about = fs::metadata(path).map_err(told)?;
    if !about.is_file() {
        return Err(fault("it is no regular file".into()));
    }
    let Ok(length) = usize::try_from(about.len()) else {
        return Err(fault(format!("its {} bytes are more than addresses", about.len())));
    };
    let mut bytes = room(length)?;
    let file = File::open(path).map_err(told)?;
    file.take(about.len()).read_to_end(&mut bytes).map_err(told)?;
    Ok(bytes)
}

/// Writes a file as a whole: `write` fills a temporary file in the same folder, which is flushed to
/// the disk and then takes the place of `path`. On a failure the temporary file is removed, and what
/// was at `path` is still there.
pub(crate) fn write(
    path: &str,
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> Result<(), Fault> {
    written(Path::new(path), write).map_err(|error| Fault::File {
        path: path.into(),
        what: "written",
        reason: error.to_string(),
    })
}

fn written(
    path: &Path,
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> io::Result<()> {
    // A folder, a device or a pipe must not be replaced by a file.
    if path.file_name().is_none() || fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        return Err(io::Error::other("it is no name of a regular file"));
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".finch-unfinished-").suffix(".tmp");
    #[cfg(unix)]
    {
        // As for any new file; a temporary one would be for its owner only.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let temporary = builder.tempfile_in(folder)?;
    let mut writer = BufWriter::new(temporary.as_file());
    write(&mut writer)?;
    writer.into_inner()?.sync_all()?;
    temporary.persist(path)?;
    // So that the new name survives a power cut, too. Some file systems cannot flush a folder; the
    // model is saved all the same.
    if cfg!(unix) {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    fn saved(path: &Path) -> Result<(), Fault> {
        write(path.to_str().unwrap(), |writer| writer.write_all(b"new"))
    }

    #[test]
    fn what_fails_leaves_what_was_there_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        fs::write(&path, "old").unwrap();
        let full = |_: &mut dyn io::Write| Err(io::Error::other("the disk is full"));
        let fault = write(path.to_str().unwrap(), full).unwrap_err();
        assert!(
            fault.to_string().ends_with("model cannot be written: the disk is full"),
            "{fault}"
        );
        assert_eq!(read(path.to_str().unwrap()).unwrap(), b"old");
        saved(&path).unwrap();
        assert_eq!(read(path.to_str().unwrap()).unwrap(), b"new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_regular_file_is_neither_read_nor_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _listener = UnixListener::bind(&path).unwrap();
        let fault = saved(&path).unwrap_err().to_string();
        assert!(fault.contains("no name of a regular file"), "{fault}");
        let fault = read(path.to_str().unwrap()).unwrap_err().to_string();
        assert!(fault.contains("no regular file"), "{fault}");
        assert!(!fs::metadata(&path).unwrap().is_file());
    }
}
