//! Tables of Parquet and Arrow, in and out. Files of pandas and Polars are made by
//! `tests/fixtures/make.py`.

use std::fs;
use std::path::{Path, PathBuf};

use finch_deep::data::{self, ColumnValues, Format, ReadOptions, write_columns};
use serde_json::Value;
use tempfile::TempDir;

use crate::{command, finch, folder, names_in, put, text, written};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Copies a file of the fixtures.
fn take(folder: &TempDir, name: &str) {
    fs::copy(fixture(name), folder.path().join(name)).unwrap();
}

/// Writes a table of numbers.
fn put_numbers(folder: &TempDir, name: &str, format: Format, columns: &[(&str, Vec<Option<f64>>)]) {
    let columns: Vec<_> = columns
        .iter()
        .map(|(name, values)| (name.to_string(), ColumnValues::Numbers(values.clone())))
        .collect();
    let mut bytes = Vec::new();
    write_columns(format, &columns, &mut bytes).unwrap();
    put(folder, name, bytes);
}

/// What a run says where it fails.
fn error(folder: &TempDir, arguments: &[&str]) -> String {
    let output = finch(folder, arguments);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {told}");
    let is_one = told.lines().count() == 1 || told.contains(" --auto\n");
    assert!(output.stdout.is_empty() && is_one, "{told}");
    told
}

const MIXED: [&str; 4] = ["--categorical", "kind", "--missing", "median"];
const TABLES: [&str; 5] =
    ["table.csv", "pandas.parquet", "pandas.feather", "polars.parquet", "polars.arrow"];

/// Text, numbers, integers with gaps, booleans, times and categories, as each program writes them:
/// compressed by Snappy, LZ4 and Zstandard, names as an index and as a column.
#[test]
fn the_same_table_in_each_format_has_the_same_labels() {
    let folder = folder();
    let mut found = Vec::new();
    for name in TABLES {
        take(&folder, name);
        let output =
            finch(&folder, &[&[name, "--json", "--with-labels", "-v"], &MIXED[..]].concat());
        let told = text(&output.stderr);
        assert!(output.status.success(), "{name}: {told}");
        let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let report = report.as_object_mut().unwrap();
        report.remove("seconds");
        report.remove("peak_memory_bytes");
        assert_eq!((&report["samples"], &report["features"]), (&12.into(), &8.into()), "{name}");
        assert_eq!(report["names"][11], "x11");
        let mut lines: Vec<&str> = told.lines().filter(|line| !line.contains("level")).collect();
        lines.sort_unstable();
        found.push((report.clone(), lines.join("\n")));
    }
    for ((report, told), name) in found.iter().zip(TABLES) {
        assert_eq!(report, &found[0].0, "{name}");
        assert_eq!(told, &found[0].1, "{name}");
    }
    // Scaled, and from a pipe.
    let arguments = [&MIXED[..], &["--standardize", "zscore", "-k", "3"]].concat();
    let (expected, _) = written(&folder, &[&["table.csv"], &arguments[..]].concat(), "text.csv");
    for (name, format) in [("pandas.parquet", "parquet"), ("polars.arrow", "arrow")] {
        let input = fs::File::open(folder.path().join(name)).unwrap();
        let arguments =
            [&["-", "--format", format, "--force", "-o", "piped.csv"], &arguments[..]].concat();
        assert!(command(&folder, &arguments).stdin(input).status().unwrap().success());
        let piped = fs::read_to_string(folder.path().join("piped.csv")).unwrap();
        assert_eq!(piped.lines().collect::<Vec<_>>(), expected, "{name}");
        // A pipe cannot be sought in.
        let line = format!(
            "cat {name} | '{}' cluster {} -q",
            env!("CARGO_BIN_EXE_finch"),
            arguments.join(" ")
        );
        let mut shell = std::process::Command::new("sh");
        assert!(shell.args(["-c", &line]).current_dir(folder.path()).status().unwrap().success());
        let piped = fs::read_to_string(folder.path().join("piped.csv")).unwrap();
        assert_eq!(piped.lines().collect::<Vec<_>>(), expected, "{name}");
    }
}

/// Numbers alone: text, Parquet, Arrow and a NumPy array.
#[test]
fn numbers_in_each_format_have_the_same_labels() {
    let folder = folder();
    let value = |row: usize, column: usize| ((row * 7919 + column * 104_729) % 1009) as f64 / 7.0;
    let column = |at| (0..300).map(|row| Some(value(row, at))).collect();
    let columns: [(&str, Vec<_>); 3] = [("a", column(0)), ("b", column(1)), ("c", column(2))];
    put_numbers(&folder, "x.parquet", Format::Parquet, &columns);
    put_numbers(&folder, "x.arrow", Format::Arrow, &columns);
    let array = ndarray::Array2::from_shape_fn((300, 3), |(row, column)| value(row, column));
    ndarray_npy::write_npy(folder.path().join("x.npy"), &array).unwrap();
    let row = |row: ndarray::ArrayView1<'_, f64>| format!("{},{},{}\n", row[0], row[1], row[2]);
    let rows: String = array.rows().into_iter().map(row).collect();
    put(&folder, "x.csv", format!("a,b,c\n{rows}"));
    let labels = |name: &str, out: &str| written(&folder, &[name, "-k", "7", "--suggest"], out).0;
    let expected = labels("x.npy", "npy.csv");
    for (name, out) in [("x.csv", "1.csv"), ("x.parquet", "2.csv"), ("x.arrow", "3.csv")] {
        assert_eq!(labels(name, out), expected, "{name}");
    }
}

#[test]
fn lists_dates_and_decimals_are_columns() {
    let folder = folder();
    take(&folder, "types.parquet");
    let input = |select: &str| {
        let mut options = ReadOptions::default();
        options.select = vec![data::Column::Name(select.into())];
        data::read(&[folder.path().join("types.parquet")], &options).unwrap()
    };
    let row = |select: &str, row: usize| match input(select).matrix() {
        data::Matrix::F64(view) => view.row(row).to_vec(),
        _ => unreachable!("tables are of f64"),
    };
    // The row is in the third group of the file.
    assert_eq!(row("fixed", 11), [11.0, 0.5, -1.5]);
    assert_eq!(row("list", 11), [11.0, 0.5, -1.5]);
    assert_eq!(row("list[1]", 11), [0.5]);
    assert_eq!(row("day", 11), [11.0]);
    assert_eq!(row("price", 11), [1.375]);
    assert_eq!(row("half", 11), [11.0]);
    let names: Vec<String> =
        input("fixed").feature_columns().unwrap().iter().map(data::Feature::title).collect();
    assert_eq!(names, ["fixed[0]", "fixed[1]", "fixed[2]"]);
    let told = error(&folder, &["types.parquet"]);
    assert!(told.contains("column \"bytes\" has values of the type Binary"), "{told}");
    assert!(told.contains("--exclude bytes"), "{told}");
    let (labels, _) = written(&folder, &["types.parquet", "--drop", "bytes"], "labels.csv");
    assert_eq!(labels.len(), 13);
}

/// What is written is read again, by this command and in its types.
#[test]
fn labels_as_columns() {
    let folder = folder();
    take(&folder, "table.csv");
    let drop = ["--categorical", "kind", "--missing", "drop", "-k", "2", "-q"];
    let arguments = [&["table.csv"], &drop[..]].concat();
    let (expected, _) = written(&folder, &arguments, "labels.csv");
    for name in ["labels.parquet", "labels.arrow", "labels.feather"] {
        for force in [&[][..], &["--force"]] {
            let output =
                finch(&folder, &[&arguments[..], &["--out", name, "--append"], force].concat());
            assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        }
        let read = |select: &str| {
            let mut options = ReadOptions::default();
            options.missing = Some(data::Missing::Median);
            options.keep_cells = true;
            options.select = vec![data::Column::Name(select.into())];
            data::read(&[folder.path().join(name)], &options).unwrap()
        };
        let input = read("requested");
        assert_eq!(input.names().unwrap()[11], "x11");
        let cells = input.cells().unwrap();
        assert_eq!(cells.header().unwrap()[..4], ["name", "height", "age", "kind"]);
        let csv = fs::read_to_string(folder.path().join("table.csv")).unwrap();
        for (row, line) in csv.lines().skip(1).enumerate() {
            let cells: Vec<_> = cells.row(row).collect();
            let labels = &expected[row + 1]["x0,".len() + usize::from(row > 9)..];
            // Booleans of pandas are True and False, and text here.
            assert_eq!(cells.join(","), format!("{line},{labels}"), "{name}");
        }
        assert_eq!(read("ok").feature_columns().unwrap()[0].kind, data::FeatureKind::Boolean);
    }
    let scored = finch_score(&folder, &["labels.parquet", "labels.arrow"]);
    assert_eq!(scored[0]["acc"], 100.0);
    assert!(names_in(folder.path()).iter().all(|name| !name.starts_with(".finch")));
}

fn finch_score(folder: &TempDir, files: &[&str]) -> Value {
    let mut score = std::process::Command::new(env!("CARGO_BIN_EXE_finch"));
    score.arg("score").args(files).args(["--json", "--label-column", "height"]);
    let output = score.current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn faults_of_columns_say_which_row() {
    let folder = folder();
    let full = || vec![Some(1.0), Some(2.0), Some(4.0)];
    let put_pair = |name: &str, other: Vec<Option<f64>>| {
        put_numbers(&folder, name, Format::Parquet, &[("a", full()), ("b", other)]);
    };
    put_pair("gap.parquet", vec![Some(1.0), None, Some(3.0)]);
    put_pair("nan.parquet", vec![Some(1.0), Some(f64::NAN), Some(3.0)]);
    put_pair("infinite.parquet", vec![Some(1.0), Some(2.0), Some(f64::NEG_INFINITY)]);
    put_pair("huge.parquet", vec![Some(1.0), Some(2.0), Some(1e200)]);
    put_pair("none.parquet", Vec::from([None; 3]));
    put_numbers(&folder, "empty.arrow", Format::Arrow, &[("a", Vec::new())]);
    put_numbers(&folder, "c.parquet", Format::Parquet, &[("a", full()), ("c", full())]);
    put(&folder, "csv.parquet", "a,b\n1,2\n");
    put(&folder, "csv.arrow", "a,b\n1,2\n");
    take(&folder, "pandas.parquet");
    let whole = fs::read(fixture("pandas.parquet")).unwrap();
    put(&folder, "cut.parquet", &whole[..whole.len() / 2]);
    let whole = fs::read(fixture("polars.arrow")).unwrap();
    put(&folder, "cut.arrow", &whole[..whole.len() / 2]);
    put(&folder, "b.csv", "a,b\n1,2\n");
    for (arguments, words) in [
        (&["gap.parquet"][..], &["row 1 (from 0), column \"b\": the value is missing"][..]),
        (&["nan.parquet"], &["row 1 (from 0), column \"b\": the value is missing"]),
        (&["infinite.parquet"], &["row 2 (from 0), column \"b\": \"-inf\" is not finite"]),
        (&["huge.parquet"], &["row 2, column 1"]),
        (
            &["pandas.parquet"],
            &["row 0 (from 0)", "column \"kind\": \"cat\"", "--categorical kind"],
        ),
        (&["empty.arrow"], &["the file is empty"]),
        (&["csv.parquet"], &["not a Parquet file: expected \"PAR1\" at the start"]),
        (&["csv.arrow"], &["not an Arrow file: expected \"ARROW1\""]),
        (&["cut.parquet"], &["cut.parquet: a Parquet file that is damaged"]),
        (&["cut.arrow"], &["cut.arrow: the file is cut short: a message takes"]),
        (&["none.parquet", "--select", "d"], &["there is no column \"d\"", "a, b"]),
        (&["none.parquet", "--select", "7"], &["there is no column 7 (from 0)"]),
        (&["b.csv", "c.parquet"], &["c.parquet: column \"c\" is called \"b\" in b.csv"]),
        (&["none.parquet", "--delimiter", ";"], &["--delimiter is for text"]),
    ] {
        let told = error(&folder, arguments);
        for words in words {
            assert!(told.contains(words), "{arguments:?}: {words:?} is not in {told:?}");
        }
    }
    let (labels, told) = written(&folder, &["none.parquet"], "labels.csv");
    assert_eq!(labels.len(), 4);
    assert!(told.contains("column \"b\" has no value in it, and is left out"), "{told}");
    // Text and Parquet stack where their columns have the same names.
    put_numbers(&folder, "ab.parquet", Format::Parquet, &[("a", full()), ("b", full())]);
    assert_eq!(written(&folder, &["b.csv", "ab.parquet"], "labels.csv").0.len(), 5);
}

/// A model of text takes Parquet, and the other way round: the columns are the same.
#[test]
fn models_predict_across_formats() {
    let folder = folder();
    TABLES.iter().for_each(|name| take(&folder, name));
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_finch"));
        let output = command.args(arguments).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    for (model, of) in [("csv.finch", "table.csv"), ("parquet.finch", "pandas.parquet")] {
        let made = [&["cluster", of, "--model", model, "--standardize", "zscore"], &MIXED[..]];
        run(&made.concat());
    }
    let expected = run(&["predict", "csv.finch", "table.csv"]);
    for model in ["csv.finch", "parquet.finch"] {
        for name in TABLES {
            assert_eq!(run(&["predict", model, name]), expected, "{model}, {name}");
        }
    }
}

/// Words of missing values that are numbers, in columns of numbers; and words, in the first rows of text.
#[test]
fn missing_words_hold_in_columns_of_each_type() {
    let folder = folder();
    let numbers = |at: usize| Some(if at.is_multiple_of(5) { -999.0 } else { at as f64 });
    let texts = |at: usize| Some(if at < 120 { "unknown".to_string() } else { format!("{at}") });
    let columns = [
        ("a".to_string(), ColumnValues::Numbers((0..150).map(numbers).collect())),
        ("b".to_string(), ColumnValues::Numbers((0..150).map(|at| Some(at as f64)).collect())),
    ];
    let mut bytes = Vec::new();
    write_columns(Format::Parquet, &columns, &mut bytes).unwrap();
    put(&folder, "x.parquet", bytes);
    let arguments = ["x.parquet", "--missing-word=-999.0", "--missing", "drop", "--json"];
    let output = finch(&folder, &arguments);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["samples"], 120, "{}", text(&output.stderr));
    let told = text(&finch(&folder, &["x.parquet", "--auto"]).stderr);
    assert!(told.contains("a (30 missing)"), "{told}");
    let told = error(&folder, &["x.parquet", "--auto", "--exclude", "c"]);
    assert!(told.contains("there is no column \"c\""), "{told}");
    let columns =
        [columns[1].clone(), ("c".to_string(), ColumnValues::Texts((0..150).map(texts).collect()))];
    let mut bytes = Vec::new();
    write_columns(Format::Parquet, &columns, &mut bytes).unwrap();
    put(&folder, "x.parquet", bytes);
    let arguments = ["x.parquet", "--missing-word", "unknown", "--missing", "mean"];
    let output = finch(&folder, &arguments);
    let told = text(&output.stderr);
    assert!(output.status.success() && told.contains("120 missing values"), "{told}");
}
