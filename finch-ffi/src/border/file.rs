//! Files that are read, or written, as a whole.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use finch_core::write_whole_file;

use super::fault::Fault;
use super::room::room;

/// All bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    let fault =
        |reason: String| Fault::File { path: path.display().to_string(), what: "read", reason };
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

/// Writes a file as a whole: see [`write_whole_file`].
pub(crate) fn write(
    path: &Path,
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> Result<(), Fault> {
    write_whole_file(path, write).map_err(|error| Fault::File {
        path: path.display().to_string(),
        what: "written",
        reason: error.to_string(),
    })
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    fn saved(path: &Path) -> Result<(), Fault> {
        write(path, |writer| writer.write_all(b"new"))
    }

    #[test]
    fn what_fails_leaves_what_was_there_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        fs::write(&path, "old").unwrap();
        let full = |_: &mut dyn io::Write| Err(io::Error::other("the disk is full"));
        let fault = write(&path, full).unwrap_err();
        assert!(
            fault.to_string().ends_with("model cannot be written: the disk is full"),
            "{fault}"
        );
        assert_eq!(read(&path).unwrap(), b"old");
        saved(&path).unwrap();
        assert_eq!(read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_regular_file_is_neither_read_nor_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _listener = UnixListener::bind(&path).unwrap();
        let fault = saved(&path).unwrap_err().to_string();
        assert!(fault.contains("no name of a regular file"), "{fault}");
        let fault = read(&path).unwrap_err().to_string();
        assert!(fault.contains("no regular file"), "{fault}");
        assert!(!fs::metadata(&path).unwrap().is_file());
    }
}
