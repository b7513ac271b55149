//! Signals: which one it was, and those that are ignored from the start.

use std::thread::sleep;
use std::time::Duration;

use crate::{begun, finch, folder, large, names_in, said, shell, signal, text};

const SEARCH: &[&str] = &["cluster", "samples.npy", "--neighbors", "brute", "--out", "out"];
const LINE: &str = "cluster samples.npy --neighbors brute --out out";

#[test]
fn each_signal_is_named_and_has_its_code() {
    let folder = folder();
    large(&folder);
    for (name, code, words) in [
        ("INT", 130, "Ctrl-C"),
        ("TERM", 143, "SIGTERM"),
        ("HUP", 129, "SIGHUP, as its terminal went away"),
    ] {
        let child = begun(&folder, finch(&folder, SEARCH));
        signal(&child, name);
        let said = said(&child.wait_with_output().unwrap(), code);
        assert_eq!(said, format!("finch: stopped by {words}, nothing was written\n"));
        assert_eq!(names_in(folder.path()), ["samples.npy"]);
    }
    let help = finch(&folder, &["--help"]).output().unwrap();
    let help = text(&help.stdout).replace('\n', " ");
    assert!(help.contains("129, 130, 143 stopped by SIGHUP, Ctrl-C, SIGTERM"), "{help}");
}

/// As `nohup` and, in scripts, `finch … &` have it.
#[test]
fn signals_that_are_ignored_from_the_start_stay_ignored() {
    let folder = folder();
    large(&folder);
    for (line, ignored) in [
        (format!("exec nohup \"$FINCH\" {LINE}"), &["HUP"][..]),
        (format!("trap '' HUP INT; exec \"$FINCH\" {LINE}"), &["HUP", "INT"]),
    ] {
        let mut child = begun(&folder, shell(&folder, &line));
        for name in ignored {
            signal(&child, name);
        }
        sleep(Duration::from_millis(500));
        assert_eq!(child.try_wait().unwrap(), None, "{line}");
        signal(&child, "TERM");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(143), "{output:?}");
        assert!(text(&output.stderr).ends_with("stopped by SIGTERM, nothing was written\n"));
    }
}

/// While files are read, there is nothing to be cleared away.
#[test]
fn a_signal_ends_reading_at_once() {
    let folder = folder();
    let mut child =
        shell(&folder, "mkfifo x.csv && exec \"$FINCH\" cluster x.csv").spawn().unwrap();
    sleep(Duration::from_millis(500));
    assert_eq!(child.try_wait().unwrap(), None, "nobody writes to it");
    signal(&child, "TERM");
    let said = said(&child.wait_with_output().unwrap(), 143);
    assert_eq!(said, "finch: stopped by SIGTERM, nothing was written\n");
}
