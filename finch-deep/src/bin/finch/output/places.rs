//! The check of all outputs of a command, before its long work: the one that every command calls.

use std::error::Error;
use std::path::PathBuf;

use super::directory::expect_writable;
use super::place::{Place, expect_apart};

/// Checks that no two options name one place, that no place is an input, that each is free or may be written over, and
/// that a file can be made there.
///
/// # Errors
/// [`Taken`](super::place::Taken), [`Unusable`](super::directory::Unusable).
pub(crate) fn expect_places<'a>(
    places: impl IntoIterator<Item = Place<'a>>,
    inputs: &[PathBuf],
) -> Result<(), Box<dyn Error>> {
    let places: Vec<Place<'_>> = places.into_iter().collect();
    expect_apart(&places)?;
    for place in places {
        place.expect_free(inputs.iter().map(PathBuf::as_path))?;
        if !place.is_directory {
            expect_writable(place.path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn places_are_apart_free_no_inputs_and_writable() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let [input, there, new] = ["x.csv", "there.csv", "new.csv"].map(at);
        for path in [&input, &there] {
            fs::write(path, "1\n").unwrap();
        }
        let (nowhere, other) = (at("none/new.csv"), at("other.csv"));
        let check = |places: &[Place<'_>]| match expect_places(
            places.iter().copied(),
            std::slice::from_ref(&input),
        ) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        };
        let out = |path, force| Place::new("--out", path, force);
        let model = |path| Place::new("--model", path, true);
        assert_eq!(check(&[out(&new, false), model(&other)]), "");
        assert!(check(&[out(&new, false), model(&new)]).contains("by --out and by --model"));
        assert!(check(&[out(&there, false)]).contains("choose another --out"));
        assert_eq!(check(&[out(&there, true)]), "");
        assert!(check(&[out(&new, true), model(&input)]).contains("is an input"));
        let within_a_file = at("there.csv/none/new.csv");
        for nowhere in [&within_a_file, Path::new("/proc/none/new.csv")] {
            assert!(check(&[out(nowhere, false)]).contains("cannot write to the directory"));
        }
        assert_eq!(check(&[Place { is_directory: true, ..out(&within_a_file, false) }]), "");
        assert_eq!(check(&[out(&nowhere, false)]), "");
        assert!(!new.exists() && !other.exists() && !at("none").exists());
    }
}
