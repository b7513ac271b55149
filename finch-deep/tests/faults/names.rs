//! Names that steer a terminal: nothing of them is printed as it is.

use std::fs;

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
