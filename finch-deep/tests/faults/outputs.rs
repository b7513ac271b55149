//! What `--out` leaves: files of one run, whatever happens beside it.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use ndarray::{Array1, Array2, Axis};
use ndarray_npy::{read_npy, write_npy};
use serde_json::Value;

use crate::{error, finch, folder, names_in, put, text};

/// Checks that the files of a directory are of one run.
fn expect_one_run(out: &Path) {
    let text = fs::read_to_string(out.join("hierarchy.json")).unwrap();
    let hierarchy: Value = serde_json::from_str(&text).unwrap();
    let labels: Array2<i32> = read_npy(out.join("labels.npy")).unwrap();
    assert_eq!(hierarchy["samples"], labels.nrows());
    let clusters = |labels: ndarray::ArrayView1<'_, i32>| 1 + labels.iter().max().unwrap();
    let partitions = hierarchy["partitions"].as_array().unwrap();
    let found: Vec<i32> = labels.axis_iter(Axis(1)).map(clusters).collect();
    let said: Vec<i32> =
        partitions.iter().map(|p| p["clusters"].as_i64().unwrap() as i32).collect();
    assert_eq!(found, said);
    let mut expected = vec!["hierarchy.json", "labels.npy"];
    for name in ["requested", "suggested"] {
        let file = out.join(format!("{name}.npy"));
        assert_eq!(file.exists(), hierarchy.get(name).is_some(), "{name}");
        if file.exists() {
            let labels: Array1<i32> = read_npy(file).unwrap();
            assert_eq!(hierarchy["samples"], labels.len());
            assert_eq!(hierarchy[name]["clusters"], clusters(labels.view()));
            expected.push(if name == "requested" { "requested.npy" } else { "suggested.npy" });
        }
    }
    assert_eq!(names_in(out), expected);
}

#[test]
fn of_eight_runs_at_once_one_has_all_its_files_there() {
    let folder = folder();
    let out = folder.path().join("new/out");
    for run in 0..8 {
        let value = |(row, column)| ((row * (run + 3) + column * column) as f64).sin();
        let matrix = Array2::from_shape_fn((300 + 10 * run, 4), value);
        write_npy(folder.path().join(format!("{run}.npy")), &matrix).unwrap();
    }
    for round in 0..20 {
        if round % 5 == 0 {
            let _ = fs::remove_dir_all(folder.path().join("new"));
        }
        let start = |run: usize| {
            let input = format!("{run}.npy");
            let clusters = (run + 2).to_string();
            let mut arguments = vec!["cluster", &input, "--quiet", "--out", "new/out", "--force"];
            match run % 3 {
                0 => arguments.extend(["--clusters", &clusters]),
                1 => arguments.push("--suggest"),
                // This run fails, and removes the folders that it made.
                _ if run == 5 => arguments.extend(["--clusters", "1000"]),
                _ => {}
            }
            (run, finch(&folder, &arguments).spawn().unwrap())
        };
        let runs: Vec<_> = (0..8).map(start).collect();
        for (run, child) in runs {
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(i32::from(run == 5)), "{run}: {output:?}");
        }
        expect_one_run(&out);
    }
}

/// A process that is killed on the way leaves a folder, which the next process clears away.
#[test]
fn a_killed_run_is_no_hindrance() {
    let folder = folder();
    put(&folder, "x.csv", "0\n1\n5\n6\n");
    let arguments = ["cluster", "x.csv", "--quiet", "--out", "out", "--force"];
    assert!(finch(&folder, &arguments).status().unwrap().success());
    let out = folder.path().join("out");
    // As `SIGKILL` leaves it between two files.
    fs::create_dir(out.join(".finch-killed")).unwrap();
    fs::rename(out.join("hierarchy.json"), out.join(".finch-killed/hierarchy.json")).unwrap();
    assert!(finch(&folder, &arguments).status().unwrap().success());
    expect_one_run(&out);
    // Without --force, no file of the run is written over.
    let told = error(&folder, &arguments[..arguments.len() - 1]);
    assert!(told.contains("out/labels.npy is there already"), "{told}");
}

/// Files that are written again by each command, with what makes them.
const WRITERS: [(&str, &str); 8] = [
    ("l.csv", "cluster x.csv --quiet --out l.csv --force"),
    ("l.json", "cluster x.csv --quiet --out l.json --force"),
    ("m.finch", "cluster x.csv --quiet --model m.finch --force"),
    ("p.html", "cluster x.csv --quiet --report p.html --force"),
    ("d/labels.npy", "cluster x.csv --quiet -k 2 --out d --force"),
    ("d/requested.npy", "cluster x.csv --quiet -k 2 --out d --force"),
    ("d/hierarchy.json", "cluster x.csv --quiet -k 2 --out d --force"),
    ("t.nwk", "tree x.csv --quiet --out t.nwk --force"),
];

#[test]
fn what_is_written_over_keeps_its_mode_and_a_link_to_it_stays() {
    let folder = folder();
    put(&folder, "x.csv", "0\n1\n5\n6\n20\n21\n");
    fs::create_dir(folder.path().join("elsewhere")).unwrap();
    let done = |line: &str| {
        let arguments: Vec<&str> = line.split(' ').collect();
        let output = finch(&folder, &arguments).output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
    };
    for (name, line) in WRITERS {
        let path = folder.path().join(name);
        done(line);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        // As another folder, or another disk, holds it.
        let target = folder.path().join("elsewhere").join(name.replace('/', "-"));
        fs::rename(&path, &target).unwrap();
        symlink(&target, &path).unwrap();
        let before = fs::metadata(&target).unwrap();
        done(line);
        let after = fs::metadata(&target).unwrap();
        assert!(path.is_symlink(), "{name}");
        assert_eq!(after.mode() & 0o777, 0o600, "{name}");
        assert_ne!(after.ino(), before.ino(), "{name} was not written");
    }
    let found = names_in(&folder.path().join("elsewhere"));
    assert_eq!(found.len(), WRITERS.len(), "{found:?}");
}

#[test]
fn a_link_into_a_folder_that_is_not_there_costs_no_file_of_the_run_before() {
    let folder = folder();
    put(&folder, "x.csv", "0\n1\n5\n6\n");
    let arguments = ["cluster", "x.csv", "--quiet", "-k", "2", "--out", "out", "--force"];
    assert!(finch(&folder, &arguments).status().unwrap().success());
    let out = folder.path().join("out");
    fs::remove_file(out.join("labels.npy")).unwrap();
    symlink("missing/labels.npy", out.join("labels.npy")).unwrap();
    assert!(error(&folder, &arguments).contains("cannot write to the directory"));
    assert_eq!(names_in(&out), ["hierarchy.json", "labels.npy", "requested.npy"]);
}

#[test]
fn the_next_save_removes_what_a_killed_one_left() {
    let folder = folder();
    put(&folder, "x.csv", "0\n1\n5\n6\n");
    let left = put(&folder, ".finch-unfinished-1-2-3.tmp", "half of a model");
    let arguments = ["cluster", "x.csv", "--quiet", "--model", "m.finch"];
    assert!(finch(&folder, &arguments).status().unwrap().success());
    assert!(!left.exists());
    assert_eq!(names_in(folder.path()), ["m.finch", "x.csv"]);
}

#[test]
fn a_device_is_not_replaced_by_a_file() {
    let folder = folder();
    put(&folder, "x.csv", "0\n1\n5\n6\n");
    let arguments = ["tree", "x.csv", "--out", "/dev/null", "--force"];
    let output = finch(&folder, &arguments).output().unwrap();
    assert!(text(&output.stderr).contains("/dev/null"), "{output:?}");
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

/// As `head` does when it has seen enough.
#[test]
fn a_reader_that_leaves_ends_each_command_quietly() {
    let folder = folder();
    // More than any buffer takes.
    let rows: Vec<String> = (0..6_000).map(|row| (row * row % 7_919).to_string()).collect();
    put(&folder, "x.csv", rows.join("\n"));
    put(&folder, "y.csv", rows.iter().map(|row| format!("{}\n", row.len())).collect::<String>());
    let model = ["cluster", "x.csv", "--quiet", "--model", "m.finch"];
    assert!(finch(&folder, &model).status().unwrap().success());
    for line in [
        "cluster x.csv",
        "cluster x.csv --json --with-labels",
        "predict m.finch x.csv",
        "predict m.finch x.csv --json",
        "suggest m.finch",
        "suggest m.finch --json",
        "tree m.finch",
        "tree m.finch --format scipy",
        "tree m.finch --format json",
        "neighbors m.finch -k 3",
        "describe m.finch",
        "describe m.finch --json",
        "extend m.finch x.csv --model n.finch --json",
        "score y.csv y.csv",
        "completions bash",
        "man",
        "--help",
        "predict --help",
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        let mut child = finch(&folder, &arguments).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{line}: {said}");
        assert!(!said.contains("pipe") && !said.contains("standard output"), "{line}: {said}");
    }
}
