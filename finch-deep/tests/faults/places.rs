//! The places of outputs: one rule for all commands. A file is written over with `--force` alone, an input never, and
//! no name becomes a directory by surprise.

use std::fs;

use tempfile::TempDir;

use crate::{finch, folder, names_in, put, shell, text};

/// Three groups of samples in a row, as a table and as a model.
fn subject() -> TempDir {
    let folder = folder();
    let row = |i: usize| format!("{}.{}\n", i % 3 * 50 + i / 3, i * i % 7);
    put(&folder, "x.csv", "x\n".to_string() + &(0..45).map(row).collect::<String>());
    let model = ["cluster", "x.csv", "-q", "-k", "3", "--model", "m.finch"];
    assert!(finch(&folder, &model).status().unwrap().success());
    folder
}

/// The exit code and the message of a line.
fn told(folder: &TempDir, line: &str) -> (Option<i32>, String) {
    let output = finch(folder, &line.split(' ').collect::<Vec<_>>()).output().unwrap();
    (output.status.code(), text(&output.stderr))
}

/// Commands that write a table, with the option that names its place.
const TABLES: [&str; 7] = [
    "cluster x.csv -q --out",
    "suggest x.csv -q --out",
    "describe x.csv -q --out",
    "neighbors x.csv -k 2 -q --out",
    "predict m.finch x.csv -q --out",
    "extend m.finch x.csv -q --model n.finch --out",
    "suggest m.finch -q --out",
];

#[test]
fn a_file_of_an_unknown_ending_is_refused_in_words() {
    let folder = subject();
    let before = names_in(folder.path());
    for command in TABLES {
        for name in ["labels.xyz", "labels.xlsx", "labels.csv.gz", "labels.tar"] {
            let (code, told) = told(&folder, &format!("{command} {name}"));
            assert_eq!(code, Some(2), "{command} {name}: {told}");
            assert!(told.contains(".csv, .tsv, .json, .jsonl, .parquet or"), "{told}");
        }
    }
    assert_eq!(names_in(folder.path()), before);
    // A directory may have any name, if it is said to be one, or is there.
    for name in ["run", "run.v2/", "run.v2"] {
        let (code, told) = told(&folder, &format!("cluster x.csv -q --force --out {name}"));
        assert_eq!(code, Some(0), "{name}: {told}");
    }
    assert!(folder.path().join("run.v2/labels.npy").is_file());
}

#[test]
fn standard_output_is_a_place_for_tables() {
    let folder = subject();
    for command in TABLES {
        // The table of `--out` is printed, and nothing else.
        let (code, said) = told(&folder, &format!("{command} t.csv --force"));
        assert_eq!(code, Some(0), "{command}: {said}");
        let expected = fs::read_to_string(folder.path().join("t.csv")).unwrap();
        for (name, quiet) in [("-", true), ("/dev/stdout", true), ("-", false)] {
            let line = format!("{command} {name} --force");
            let line = if quiet { line } else { line.replace(" -q", "") };
            let output = finch(&folder, &line.split(' ').collect::<Vec<_>>()).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{line}: {output:?}");
            assert_eq!(text(&output.stdout), expected, "{line}");
        }
    }
    for line in ["cluster x.csv --json", "suggest x.csv --json", "describe x.csv --json"] {
        let (code, told) = told(&folder, &format!("{line} --out -"));
        assert_eq!(code, Some(2), "{line}");
        assert!(told.contains("both write on standard output"), "{told}");
    }
    for (line, words) in [
        ("cluster x.csv --model -", "a model is written into a file"),
        ("cluster x.csv --report -", "a page is written into a file"),
    ] {
        let (code, told) = told(&folder, line);
        assert_eq!(code, Some(1), "{line}");
        assert!(told.contains(words), "{told}");
    }
    assert_eq!(names_in(folder.path()), ["m.finch", "n.finch", "t.csv", "x.csv"]);
}

#[test]
fn a_file_is_written_over_with_force_alone_and_an_input_never() {
    let folder = subject();
    let places = TABLES.iter().map(|command| (format!("{command} t.csv"), "t.csv"));
    let others = [
        ("cluster x.csv -q --model t.finch", "t.finch"),
        ("cluster x.csv -q --report t.html", "t.html"),
        ("describe x.csv -q --report t.html", "t.html"),
        ("extend m.finch x.csv -q --model t.finch", "t.finch"),
        ("tree x.csv -q --out t.nwk", "t.nwk"),
        ("neighbors x.csv -k 2 -q --out t.npy", "t.npy"),
    ];
    let others = others.map(|(line, name)| (line.to_string(), name));
    for (line, name) in places.chain(others) {
        let path = put(&folder, name, "mine");
        let line = line.replace("--model n.finch", "--model new.finch");
        let (code, said) = told(&folder, &line);
        assert_eq!(code, Some(1), "{line}: {said}");
        assert!(
            said.contains(&format!("{name} is there already: choose another --"))
                && said.contains("write over it by --force"),
            "{line}: {said}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine", "{line}");
        let (code, said) = told(&folder, &format!("{line} --force"));
        assert_eq!(code, Some(0), "{line}: {said}");
        assert_ne!(fs::read(&path).unwrap(), b"mine", "{line}");
        let _ = fs::remove_file(folder.path().join("new.finch"));
    }
    let model = fs::read(folder.path().join("m.finch")).unwrap();
    let table = fs::read(folder.path().join("x.csv")).unwrap();
    for line in [
        "cluster x.csv --out x.csv",
        "cluster x.csv --model ./x.csv",
        "cluster x.csv --report x.csv",
        "suggest x.csv --out x.csv",
        "describe x.csv --out ./x.csv",
        "describe x.csv --report x.csv",
        "predict m.finch x.csv --out x.csv",
        "extend m.finch x.csv --model n.finch --out x.csv",
        "extend m.finch x.csv --model x.csv",
        "neighbors x.csv -k 2 --out x.csv",
        "tree m.finch --out m.finch",
        "tree x.csv --out x.csv",
    ] {
        let (code, told) = told(&folder, &format!("{line} --force"));
        assert_eq!(code, Some(1), "{line}: {told}");
        assert!(told.contains(" is an input, and would be overwritten"), "{line}: {told}");
    }
    assert_eq!(fs::read(folder.path().join("m.finch")).unwrap(), model);
    assert_eq!(fs::read(folder.path().join("x.csv")).unwrap(), table);
}

/// As `ssh host cat m.finch | finch …` has them.
#[test]
fn a_model_may_come_through_a_pipe() {
    let folder = subject();
    for command in
        ["predict M x.csv -q", "suggest M", "describe M", "tree M", "neighbors M -k 2 -q"]
    {
        let line = command.replace('M', "m.finch");
        let expected = finch(&folder, &line.split(' ').collect::<Vec<_>>()).output().unwrap();
        assert!(expected.status.success(), "{expected:?}");
        for place in ["-", "/dev/stdin"] {
            let line = format!("cat m.finch | \"$FINCH\" {}", command.replace('M', place));
            let found = shell(&folder, &line).output().unwrap();
            assert_eq!(text(&found.stdout), text(&expected.stdout), "{line}: {found:?}");
            assert_eq!(found.status.code(), Some(0), "{line}");
        }
    }
    let output = shell(&folder, "cat m.finch | \"$FINCH\" predict - -").output().unwrap();
    assert!(text(&output.stderr).contains("give - once"), "{output:?}");
    // A reader that has seen enough.
    let line = "cat m.finch | \"$FINCH\" predict - x.csv -q | head -n 2; echo done";
    let output = shell(&folder, line).output().unwrap();
    assert_eq!((text(&output.stdout).lines().count(), &*text(&output.stderr)), (3, ""));
}

#[test]
fn no_two_outputs_have_one_place() {
    let folder = subject();
    let before = names_in(folder.path());
    for (line, words) in [
        ("cluster x.csv -q --out a.csv --model a.csv", "a.csv is named by --out and by --model"),
        ("cluster x.csv -q --model ./a.html --report a.html", "by --model and by --report"),
        ("extend m.finch x.csv -q --out b.csv --model b.csv --force", "by --out and by --model"),
        ("describe x.csv -q --out c.csv --report ../NAME/c.csv", "by --out and by --report"),
    ] {
        let name = folder.path().file_name().unwrap().to_str().unwrap();
        let (code, told) = told(&folder, &line.replace("NAME", name));
        assert!(code == Some(1) && told.contains(words), "{line}: {told}");
    }
    assert_eq!(names_in(folder.path()), before);
}

#[test]
fn folders_that_are_missing_are_made_for_every_file() {
    let folder = subject();
    for (line, name) in [
        ("cluster x.csv -q --out", "a/b/labels.csv"),
        ("cluster x.csv -q --model", "c/m.finch"),
        ("cluster x.csv -q --report", "d/page.html"),
        ("tree x.csv -q --out", "e/t.nwk"),
        ("neighbors x.csv -k 2 -q --out", "f/t.npy"),
    ] {
        let (code, told) = told(&folder, &format!("{line} {name}"));
        assert_eq!(code, Some(0), "{line} {name}: {told}");
        assert!(folder.path().join(name).is_file(), "{name}");
    }
    let before = names_in(folder.path());
    for line in ["cluster x.csv -k 99 --model g/m.finch", "cluster x.csv --out x.csv/l.csv"] {
        let (code, told) = told(&folder, line);
        assert_eq!(code, Some(1), "{line}: {told}");
    }
    assert_eq!(names_in(folder.path()), before);
}

#[test]
fn the_end_of_its_name_tells_the_format_of_a_tree() {
    let folder = subject();
    for (name, begins) in [
        ("t.nwk", "(("),
        ("t.json", "{"),
        ("t.gv", "graph tree {"),
        ("t.npy", "\u{fffd}NUMPY"),
        ("tree", "(("),
    ] {
        let (code, told) = told(&folder, &format!("tree x.csv -q --out {name}"));
        assert_eq!(code, Some(0), "{name}: {told}");
        let written = fs::read(folder.path().join(name)).unwrap();
        let written = String::from_utf8_lossy(&written);
        assert!(written.trim_start().starts_with(begins), "{name}: {written:.20}");
    }
    for (line, words) in [
        ("tree x.csv --out t.png", "Graphviz draws it"),
        ("tree x.csv --format dot --out t.svg", "Graphviz draws it"),
        ("tree x.csv --out t.xyz", "choose a --format"),
    ] {
        let (code, told) = told(&folder, line);
        assert_eq!(code, Some(2), "{line}: {told}");
        assert!(told.contains(words), "{line}: {told}");
    }
    let (code, told) = told(&folder, "tree x.csv -q --format newick --out t.xyz");
    assert_eq!(code, Some(0), "{told}");
}
