//! A run as a model: labels with names, and the clusters of new samples.

use std::fmt::Write;
use std::fs;

use serde_json::Value;

use crate::place::{OPTIONS, Place, read, said, text};

/// Rows of three groups, with a name, a word and a gap here and there.
fn table(rows: std::ops::Range<usize>) -> String {
    let mut text = String::from("name,colour,length,mass\n");
    for row in rows {
        let group = row % 4;
        let wiggle = (row * 7919 % 101) as f64 / 101.0;
        let mass = match row % 31 {
            7 => "NA".into(),
            _ => format!("{}", 0.001 * (group / 2) as f64 + 0.0001 * wiggle),
        };
        let colour = ["red", "blue"][group % 2];
        writeln!(text, "s{row},{colour},{},{mass}", 1000.0 * group as f64 + 90.0 * wiggle).unwrap();
    }
    text
}

const READING: &[&str] =
    &["--categorical", "colour", "--missing", "mean", "--standardize", "zscore"];

/// The column of a table.
fn column(table: &str, name: &str) -> Vec<String> {
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let at = lines.next().unwrap().iter().position(|column| *column == name).expect(name);
    lines.map(|line| line[at].to_string()).collect()
}

#[test]
fn a_run_predicts_the_clusters_of_new_rows() {
    let place = Place::new();
    fs::write(place.at("x.csv"), table(0..240)).unwrap();
    fs::write(place.at("new.csv"), table(240..280)).unwrap();
    let first = ["train", "x.csv", "--out", "run", "--quiet", "--hidden", "32,32"];
    let output = place.output(&[&first[..], OPTIONS, READING].concat());
    assert!(output.status.success(), "{output:?}");

    let labels = read(&place.at("run"), "labels.csv");
    let (names, clusters) = (column(&labels, "name"), column(&labels, "requested"));
    assert_eq!((names.len(), &*names[239]), (240, "s239"));
    // Groups take turns, and clusters are numbered by their first samples.
    assert!(clusters.iter().enumerate().all(|(row, label)| *label == (row % 4).to_string()));

    // The rows of the run find their own clusters, and so do new ones.
    for (name, rows) in [("x.csv", 0..240), ("new.csv", 240..280)] {
        let output = place.output(&["predict", "run", name, "-q"]);
        assert!(output.status.success(), "{output:?}");
        let found = text(&output.stdout);
        let expected: Vec<String> = rows.map(|row| (row % 4).to_string()).collect();
        assert_eq!(column(&found, "label"), expected, "{name}");
        assert!(column(&found, "neighbor_name").iter().all(|name| name.starts_with('s')));
    }
    let output = place.output(&["predict", "run", "new.csv", "--json", "-q", "--labelling", "0"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 40);

    // The model of a run is of no use without its network.
    let embedded = String::from_utf8_lossy(&fs::read(place.at("run/model.finch")).unwrap())
        .contains("\"embedded\":true");
    if embedded {
        for command in
            [&["predict", "run/model.finch", "new.csv"][..], &["suggest", "run/model.finch"]]
        {
            assert!(place.error(command).contains("give its run to finch predict"));
        }
    }
    fs::remove_file(place.at("run/model.finch")).unwrap();
    let told = place.error(&["predict", "run", "new.csv"]);
    assert!(told.contains("run has no model") && told.contains("--resume"), "{told}");
    fs::write(place.at("lacks.csv"), "name,length\nx,1\n").unwrap();
}

/// Where the clusters of the input are the result, so is the model one of the input.
#[test]
fn a_run_whose_result_is_the_input_predicts_in_the_input() {
    let place = Place::new();
    // One step of training over noise learns nothing.
    let noise: String = (0..300)
        .map(|row: usize| {
            let value = |column: usize| (row * 7919 * (column + 3) + column * 104_729) % 1009;
            format!("{},{},{}\n", value(0), value(1), value(2))
        })
        .collect();
    fs::write(place.at("noise.csv"), format!("a,b,c\n{noise}")).unwrap();
    let mut of_input = 0;
    for (out, rate) in [("small", "1e-9"), ("large", "10")] {
        let output = place.output(&[
            "train",
            "noise.csv",
            "--out",
            out,
            "--quiet",
            "-k",
            "5",
            "--epochs",
            "1",
            "--hidden",
            "4",
            "--objectives",
            "labels",
            "--learning-rate",
            rate,
            "--log",
        ]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let hierarchy: Value =
            serde_json::from_str(&read(&place.at(out), "hierarchy.json")).unwrap();
        assert_eq!(hierarchy["prepared"]["log"], serde_json::json!(["a", "b", "c"]));
        of_input += usize::from(hierarchy["features"] == 3);
        let output = place.output(&["predict", out, "noise.csv", "-q"]);
        let found = column(&text(&output.stdout), "label");
        assert_eq!(found, column(&read(&place.at(out), "labels.csv"), "requested"), "{out}");
    }
    assert!(of_input > 0, "the result of neither run is the input");
    // A value that the run has no logarithm of.
    fs::write(place.at("below.csv"), "a,b,c\n1,2,-3\n").unwrap();
    let told = said(&place.output(&["predict", "small", "below.csv"]));
    assert!(told.contains("line 2, column \"c\": -3 is below 0"), "{told}");
}
