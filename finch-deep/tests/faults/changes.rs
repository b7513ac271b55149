//! Inputs that change while they are in use.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::thread::sleep;
use std::time::Duration;

use crate::{begun, finch, folder, large, names_in, said};

/// The file, cut; with values that are no numbers; and with any bytes, in the header, too.
const CHANGES: [fn(&File); 3] = [
    |file| file.set_len(4096).unwrap(),
    |file| file.write_all_at(&f32::NAN.to_le_bytes().repeat(17_600_000), 128).unwrap(),
    |file| file.write_all_at(&[0xa5; 70_000_000], 0).unwrap(),
];

#[test]
fn an_input_that_changes_during_the_run_is_one_clear_error() {
    let folder = folder();
    for search in ["brute", "blocked", "approximate"] {
        for change in CHANGES {
            let path = large(&folder);
            let arguments = &["cluster", "samples.npy", "--neighbors", search, "--out", "out"];
            let child = begun(&folder, finch(&folder, arguments));
            sleep(Duration::from_millis(100));
            change(&OpenOptions::new().write(true).open(&path).unwrap());
            let said = said(&child.wait_with_output().unwrap(), 1);
            assert!(
                said.starts_with("finch: samples.npy: the file changed while it was in use"),
                "{said}"
            );
            assert_eq!(names_in(folder.path()), ["samples.npy"]);
        }
    }
}
