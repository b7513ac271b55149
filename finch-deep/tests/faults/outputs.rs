//! What `--out` leaves: files of one run, whatever happens beside it.

use std::fs;
use std::path::Path;

use ndarray::{Array1, Array2, Axis};
use ndarray_npy::{read_npy, write_npy};
use serde_json::Value;

use crate::{error, finch, folder, names_in, put};

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
            let mut arguments = vec!["cluster", &input, "--quiet", "--out", "new/out"];
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

/// A process that is killed on the way leaves a folder, which the next process clears away. That
/// files are missing does not make the other files a user's own.
#[test]
fn a_killed_run_is_no_hindrance() {
    let folder = folder();
    put(&folder, "x.csv", "0\n1\n5\n6\n");
    let arguments = ["cluster", "x.csv", "--quiet", "--out", "out"];
    assert!(finch(&folder, &arguments).status().unwrap().success());
    let out = folder.path().join("out");
    // As `SIGKILL` leaves it between two files.
    fs::create_dir(out.join(".finch-killed")).unwrap();
    fs::rename(out.join("hierarchy.json"), out.join(".finch-killed/hierarchy.json")).unwrap();
    assert!(finch(&folder, &arguments).status().unwrap().success());
    expect_one_run(&out);
    // Without hierarchy.json, nobody knows whose the labels are.
    fs::remove_file(out.join("hierarchy.json")).unwrap();
    assert!(error(&folder, &arguments).contains("no run of finch wrote it"));
}
