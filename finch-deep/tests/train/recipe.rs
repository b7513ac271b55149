//! What a run keeps of how its samples were read, for samples that come later.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use ndarray::{Array2, Axis, s};
use ndarray_npy::{WriteNpyExt, read_npy, write_npy};
use serde_json::Value;

use crate::place::{OPTIONS, Place, said, text};

const ROWS: usize = 240;
const COLOURS: [&str; 3] = ["blue", "green", "red"];
/// What is done with the columns of the table.
const READING: &[&str] = &[
    "--exclude",
    "class",
    "--categorical",
    "colour",
    "--missing",
    "mean",
    "--standardize",
    "zscore",
];

/// The fields of a row: name, date, colour, length, mass, class. Some masses are missing.
fn fields(row: usize) -> [String; 6] {
    let (class, step) = (row % 4, row / 4);
    let wiggle = (row * 7919 % 101) as f64 / 101.0;
    let mass = 1e-3 * ((class / 2) as f64 * 5.0 + wiggle);
    [
        format!("s{row}"),
        format!("2024-{:02}-{:02}", 1 + 6 * (class % 2), 1 + step % 28),
        COLOURS[class % 3].into(),
        format!("{}", 1000.0 * class as f64 + 100.0 * wiggle),
        if row % 29 == 3 { "NA".into() } else { format!("{mass}") },
        format!("c{class}"),
    ]
}

/// A table of rows, with its columns in this order.
fn table(rows: impl Iterator<Item = usize>, order: &[usize]) -> String {
    const NAMES: [&str; 6] = ["name", "date", "colour", "length", "mass", "class"];
    let line = |fields: [&str; 6]| order.iter().map(|&at| fields[at]).collect::<Vec<_>>().join(",");
    let mut text = line(NAMES) + "\n";
    for row in rows {
        let fields = fields(row);
        writeln!(text, "{}", line(fields.each_ref().map(String::as_str))).unwrap();
    }
    text
}

/// A place with a run on such a table.
fn place() -> Place {
    let place = Place::new();
    fs::write(place.at("x.csv"), table(0..ROWS, &[0, 1, 2, 3, 4, 5])).unwrap();
    let first = ["train", "x.csv", "--out", "run", "--quiet", "--hidden", "32,32"];
    let output = place.output(&[&first[..], OPTIONS, READING].concat());
    assert!(output.status.success(), "{output:?}");
    place
}

fn embedded(place: &Place, table: &str) -> Array2<f32> {
    let output = place.output(&["embed", "run", table, "--out", "e.npy", "--force"]);
    assert!(output.status.success(), "{output:?}");
    read_npy(place.at("e.npy")).unwrap()
}

#[test]
fn later_samples_are_read_as_those_of_the_run_were() {
    let place = place();
    let all: Array2<f32> = read_npy(place.at("run/embedding.npy")).unwrap();
    assert_eq!(all.nrows(), ROWS);
    assert_eq!(embedded(&place, "x.csv"), all);
    // Of a few rows neither scales, nor means, nor all categories could be told; columns go by their names.
    let few = [5, 3, 32, 117];
    fs::write(place.at("few.csv"), table(few.into_iter(), &[4, 2, 0, 3, 1])).unwrap();
    assert_eq!(embedded(&place, "few.csv"), all.select(Axis(0), &few));
    fs::write(place.at("one.csv"), table(7..8, &[5, 4, 3, 2, 1, 0])).unwrap();
    assert_eq!(embedded(&place, "one.csv"), all.slice(s![7..8, ..]));

    // Both steps at once.
    let summary = |arguments: &[&str]| -> Value {
        let output =
            place.output(&[&["cluster", "--json", "--quiet", "-k", "2"], arguments].concat());
        serde_json::from_str(&text(&output.stdout)).unwrap()
    };
    fs::write(place.at("half.csv"), table(0..ROWS / 2, &[3, 4, 1, 2, 0])).unwrap();
    write_npy(place.at("half.npy"), &all.slice(s![..ROWS / 2, ..]).to_owned()).unwrap();
    let at_once = summary(&["--embed", "run", "half.csv"]);
    let apart = summary(&["half.npy", "--metric", "cosine"]);
    for key in ["samples", "features", "partitions", "requested"] {
        assert_eq!(at_once[key], apart[key], "{key}");
    }
    // A column of weights is no feature.
    let mut weighed = table(0..40, &[1, 2, 3, 4]).replace('\n', ",2\n");
    weighed = weighed.replacen(",2\n", ",persons\n", 1);
    fs::write(place.at("weighed.csv"), weighed).unwrap();
    let found = summary(&["--embed", "run", "weighed.csv", "--weight-column", "persons"]);
    assert_eq!((&found["samples"], &found["features"]), (&40.into(), &32.into()));
    let lacks = ["cluster", "--embed", "run", "weighed.csv", "--weight-column", "people"];
    assert!(place.error(&lacks).contains("there is no column \"people\""));
}

#[test]
fn what_a_run_cannot_read_its_way_is_refused() {
    let place = place();
    let missing = table(0..9, &[0, 1, 2, 3]);
    fs::write(place.at("lacks.csv"), missing).unwrap();
    let text_of = place.error(&["embed", "run", "lacks.csv", "--out", "e.npy"]);
    assert!(text_of.contains("no column \"mass\""), "{text_of}");
    let text_of = place.error(&["cluster", "--embed", "run", "lacks.csv"]);
    assert!(text_of.contains("no column \"mass\""), "{text_of}");
    // As many columns under other names, as an array that is not of the six features of the run.
    write_npy(place.at("wide.npy"), &Array2::<f64>::ones((9, 4))).unwrap();
    let text_of = place.error(&["embed", "run", "wide.npy", "--out", "e.npy"]);
    assert!(text_of.contains("4 features here, and 6 where"), "{text_of}");
    for option in READING.chunks(2) {
        let output = place.output(&[&["cluster", "--embed", "run", "x.csv"], option].concat());
        assert_eq!(output.status.code(), Some(2), "{option:?}");
        assert!(text(&output.stderr).contains("leave out the options that say"), "{output:?}");
        let output = place.output(&[&["embed", "run", "x.csv", "--out", "e.npy"], option].concat());
        assert_eq!(output.status.code(), Some(2), "{option:?}");
    }
    let neighbors = ["cluster", "--embed", "run", "--known-neighbors", "x.csv"];
    let output = place.output(&neighbors);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("cannot be used with"), "{output:?}");
    assert!(!place.at("e.npy").exists());
}

#[test]
fn a_run_without_a_recipe_gets_one_where_it_goes_on() {
    let place = place();
    let recipe = fs::read(place.at("run/recipe.json")).unwrap();
    fs::remove_file(place.at("run/recipe.json")).unwrap();
    for arguments in [
        &["embed", "run", "x.csv", "--out", "e.npy"][..],
        &["cluster", "--embed", "run", "x.csv"],
        &["export", "run", "model.onnx"],
    ] {
        let text = place.error(arguments);
        assert!(
            text.contains("run has no recipe.json")
                && text.contains("train --resume run writes it")
        );
    }
    place.done(&["train", "--resume", "run"]);
    assert_eq!(fs::read(place.at("run/recipe.json")).unwrap(), recipe);
    // A recipe of other samples is none.
    let other =
        String::from_utf8(recipe.clone()).unwrap().replacen("\"width\":6", "\"width\":5", 1);
    fs::write(place.at("run/recipe.json"), other).unwrap();
    let text = place.error(&["embed", "run", "x.csv", "--out", "e.npy"]);
    assert!(text.contains("recipe.json: is of other samples"), "{text}");
    place.done(&["train", "--resume", "run"]);
    assert_eq!(fs::read(place.at("run/recipe.json")).unwrap(), recipe);
}

#[test]
fn further_rounds_and_moved_tables_are_read_as_the_first_time() {
    let place = place();
    let before = fs::read(place.at("run/recipe.json")).unwrap();
    fs::rename(place.at("x.csv"), place.at("moved.csv")).unwrap();
    let rounds = ["train", "--resume", "run", "moved.csv", "--rounds", "1", "--quiet"];
    let kept = ["run/embedding.npy", "run/labels.npy", "run/report.html", "run/config.toml"];
    for name in kept {
        fs::set_permissions(place.at(name), fs::Permissions::from_mode(0o600)).unwrap();
    }
    let output = place.output(&rounds);
    assert!(output.status.success(), "{output:?}");
    for name in kept {
        assert_eq!(fs::metadata(place.at(name)).unwrap().mode() & 0o777, 0o600, "{name}");
    }
    assert_eq!(fs::read(place.at("run/recipe.json")).unwrap(), before);
    let all: Array2<f32> = read_npy(place.at("run/embedding.npy")).unwrap();
    assert_eq!(embedded(&place, "moved.csv"), all);
    // The columns in another order are other samples.
    fs::write(place.at("moved.csv"), table(0..ROWS, &[0, 2, 1, 3, 4, 5])).unwrap();
    let output = place.output(&["train", "--resume", "run", "moved.csv", "--rounds", "1"]);
    assert!(said(&output).contains("the input is not the one that the run began with"));
}

#[test]
fn an_archive_is_read_by_the_variable_that_the_run_read() {
    let place = Place::new();
    let samples: Array2<f32> = read_npy(place.at("samples.npy")).unwrap();
    let mut archive = zip::ZipWriter::new(fs::File::create(place.at("x.npz")).unwrap());
    for (name, matrix) in [("X", 1000.0 - &samples), ("features", samples)] {
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored);
        archive.start_file(format!("{name}.npy"), options).unwrap();
        matrix.write_npy(&mut archive).unwrap();
    }
    archive.finish().unwrap();
    let first = ["train", "x.npz", "--variable", "features", "--out", "run", "--quiet"];
    place.done(&[&first[..], OPTIONS, &["--hidden", "32,32"]].concat());
    let all: Array2<f32> = read_npy(place.at("run/embedding.npy")).unwrap();
    assert_eq!(embedded(&place, "x.npz"), all);
    assert_eq!(embedded(&place, "samples.npy"), all);
}

/// The same in the model for other programs, whose samples are as they are in the table.
#[test]
fn an_exported_network_fills_and_scales_and_names_its_features() {
    let place = place();
    place.done(&["export", "run", "model.onnx"]);
    let model = fs::read(place.at("model.onnx")).unwrap();
    let has = |word: &str| model.windows(word.len()).any(|part| part == word.as_bytes());
    let names = r#"["date","colour=blue","colour=green","colour=red","length","mass"]"#;
    assert!(has(names) && has("IsNaN") && has("column.shift") && has("Cast"));
    // Without anything done to the columns there is nothing to do.
    place.train("plain", &[]);
    place.done(&["export", "plain", "plain.onnx"]);
    let model = fs::read(place.at("plain.onnx")).unwrap();
    assert!(!model.windows(5).any(|part| part == b"IsNaN" || part == b"Cast\x12"));
}

#[test]
fn a_run_reads_files_again_whatever_the_bytes_of_their_names() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let name = OsStr::from_bytes(b"caf\xe9.npy");
    fs::rename(place.at("samples.npy"), place.folder.path().join(name)).unwrap();
    let first = ["--out", "run", "--quiet", "--hidden", "32,32"];
    let mut train = place.finch(&["train"]);
    let output = train.arg(name).args(first).args(OPTIONS).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    place.done(&["train", "--resume", "run", "--rounds", "1", "--quiet"]);
}
