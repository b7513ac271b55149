//! Names that steer a terminal: nothing of them is printed as it is.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use crate::{finch, folder, put, text};

/// Escape sequences, a bell, one of the second set of controls (C1), and an override of direction.
const ODD: &str = "a\u{1b}[31m\u{7}\u{9b}2J\u{202e}b";
const ESCAPED: &str = r"a\u{1b}[31m\u{7}\u{9b}2J\u{202e}b";

fn expect_clean(text: &str) {
    let steers = |c: char| c != '\n' && c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!text.contains(steers), "{text:?}");
}

#[test]
fn names_of_samples_are_escaped_in_groups() {
    let folder = folder();
    put(&folder, "x.csv", format!("{ODD},1\n\"line\nend\",2\nplain é,8\nü,9\n"));
    let arguments = ["cluster", "x.csv", "--suggest", "--clusters", "2", "--verbose"];
    let output = finch(&folder, &arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let found = text(&output.stdout);
    expect_clean(&found);
    expect_clean(&text(&output.stderr));
    assert!(found.contains(&format!("{ESCAPED}, line\\nend")), "{found}");
    assert!(found.contains("plain é, ü"), "{found}");
}

/// Of files, of folders, of columns and of arguments.
#[test]
fn names_in_errors_are_escaped() {
    let folder = folder();
    let file = |ending: &str| format!("{ODD}{ending}");
    put(&folder, "x.csv", format!("{ODD},b\n1,2\n3,4\n"));
    for (name, content) in
        [(".csv", "1,2\n3,nan\n"), ("1.csv", "1,2\n3\n"), (".txt", "1\n2\n3\n"), (".npy", "1")]
    {
        put(&folder, &file(name), content);
    }
    let taken = file("/taken");
    fs::create_dir(folder.path().join(ODD)).unwrap();
    put(&folder, &file("/labels.npy"), "mine");
    let [csv, ragged, labels, npy, unknown, missing] =
        [".csv", "1.csv", ".txt", ".npy", ".xyz", "2.csv"].map(file);
    let odd_flag = format!("--{ODD}");
    for arguments in [
        &["cluster", &csv][..],
        &["cluster", &ragged],
        &["cluster", &npy],
        &["cluster", &unknown],
        &["cluster", &missing],
        &["cluster", "x.csv", "--exclude", "c"],
        &["cluster", "x.csv", "--exclude", ODD, "--labels", &labels],
        &["cluster", "x.csv", "--out", &labels],
        &["cluster", "x.csv", "--out", ODD],
        &["cluster", "x.csv", "--out", &taken, "--labels", &npy],
        &["cluster", &labels, "--embed", &taken],
        &["score", &labels, "x.csv"],
        &["cluster", "x.csv", &odd_flag],
        &["cluster", "x.csv", "--metric", ODD],
        &[ODD],
    ] {
        let output = finch(&folder, arguments).output().unwrap();
        assert!(matches!(output.status.code(), Some(1 | 2)), "{output:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{arguments:?}");
        expect_clean(&text(&output.stderr));
    }
}

/// Of a system that wrote Latin-1, say: any bytes but `/` and 0.
#[test]
fn files_are_read_and_written_whatever_the_bytes_of_their_names() {
    let folder = folder();
    let name = |bytes: &'static [u8]| OsStr::from_bytes(bytes);
    let (x, y) = (name(b"caf\xe9.csv"), name(b"caf\xe9-\xff.csv"));
    for (name, start) in [(x, 0), (y, 100)] {
        let rows: String = (0..6).map(|row| format!("{}\n", start + row * row)).collect();
        fs::write(folder.path().join(name), rows).unwrap();
    }
    let done = |words: &[&OsStr]| {
        let mut command = finch(&folder, &[]);
        let output = command.args(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        text(&output.stdout)
    };
    let [cluster, predict, quiet, out, model, report, json] =
        ["cluster", "predict", "--quiet", "--out", "--model", "--report", "--json"].map(OsStr::new);
    let (labels, kept, page) = (name(b"l\xe9.csv"), name(b"m\xe9.finch"), name(b"p\xe9.html"));
    done(&[cluster, x, quiet, out, labels, model, kept, report, page]);
    assert!([labels, kept, page].iter().all(|one| folder.path().join(one).is_file()));
    let found = done(&[predict, kept, y]);
    assert_eq!(found.lines().count(), 7);
    done(&[cluster, x, quiet, out, name(b"d\xe9")]);
    // No file is passed over in silence.
    let all: serde_json::Value =
        serde_json::from_str(&done(&[cluster, OsStr::new("caf*.csv"), json])).unwrap();
    assert_eq!(all["samples"], 12);
}
