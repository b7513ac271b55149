//! The file of an output, written as a whole after all work is done.

use std::error::Error;
use std::fs;
use std::io::{self, Write};

use finch_core::{folder_of, link_target};
use finch_deep::data::{missing_folders, write_atomically};

use super::directory::Unusable;
use super::place::Place;

/// Writes a file as a whole. Folders that are missing are made, and are not left behind by a failure.
pub(crate) fn write_file(
    place: &Place<'_>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Box<dyn Error>> {
    // A file may have come there since the place was looked at.
    place.expect_free([])?;
    let target = link_target(place.path).unwrap_or_else(|_| place.path.into());
    let folder = folder_of(&target);
    let made = missing_folders(folder);
    let of_folder = |source| Unusable::Unwritable { directory: folder.into(), source };
    let written = match fs::create_dir_all(folder) {
        Ok(()) => write_atomically(place.path, write).map_err(Box::from),
        Err(error) => Err(of_folder(error).into()),
    };
    if written.is_err() {
        for folder in &made {
            // Removes only empty folders. There is nobody left to tell of an error.
            let _ = fs::remove_dir(folder);
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_folders_are_made_and_not_left_by_a_failure() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none/within/new.csv");
        let place = Place::new("--out", &path, false);
        write_file(&place, |_| Err(io::ErrorKind::Other.into())).unwrap_err();
        assert!(!folder.path().join("none").exists());
        write_file(&place, |file| file.write_all(b"1")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"1");
        let again = write_file(&place, |_| Ok(())).unwrap_err().to_string();
        assert!(again.contains("is there already"), "{again}");
    }
}
