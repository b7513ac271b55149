//! Tables as people have them, in and out: what the command says of odd ones, and with which exit code;
//! labels as text; missing values, scales and categories.
#![cfg(unix)]

#[cfg(feature = "parquet")]
mod columnar;
#[path = "../common/mod.rs"]
mod common;
mod evidence;
mod exports;
mod kinds;
mod logarithm;
mod people;
mod pipes;
mod prefaces;
mod remarks;
mod services;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use common::{folder, put, text};

fn command(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_finch"));
    command.arg("cluster").args(arguments).current_dir(folder.path()).stdin(Stdio::null());
    command
}

fn finch(folder: &TempDir, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The lines of a file that a run wrote, and what the run said on standard error.
fn written(folder: &TempDir, arguments: &[&str], name: &str) -> (Vec<String>, String) {
    let output = finch(folder, &[arguments, &["--force", "--out", name]].concat());
    let told = text(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {told}");
    let written = fs::read_to_string(folder.path().join(name)).unwrap();
    (written.lines().map(String::from).collect(), told)
}

/// Twelve rows of two groups, with an id.
fn with_id() -> String {
    let row = |at: usize| format!("{},{},{}\n", 100 + 7 * at, at % 2 * 50 + at / 6, at * at % 5);
    "id,a,b\n".to_string() + &(0..12).map(row).collect::<String>()
}

fn utf16(text: &str, big: bool) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

/// One table: what is in it, further arguments, the exit code, samples of the result, and what standard
/// error has to say; nothing is said where that is empty.
type Case = (&'static str, Vec<u8>, &'static [&'static str], i32, usize, &'static [&'static str]);

/// What is said of a file that is no Parquet.
const PARQUET: &[&str] =
    if cfg!(feature = "parquet") { &["not a Parquet file"] } else { &["built without Parquet"] };

/// What is said of a file that is no spreadsheet.
const SPREADSHEET: &[&str] = match cfg!(feature = "spreadsheets") {
    true => &["a spreadsheet that is damaged"],
    false => &["built without spreadsheets"],
};

#[rustfmt::skip]
fn cases() -> Vec<Case> {
    fn case(name: &'static str, content: impl Into<Vec<u8>>, arguments: &'static [&'static str],
            code: i32, samples: usize, said: &'static [&'static str]) -> Case {
        (name, content.into(), arguments, code, samples, said)
    }
    let plain = "a,b\n1,2\n3,4\n5,7\n";
    let long = format!("a,b\n1,2\n3,\"{}\"\n", "x".repeat(1 << 20));
    vec![
        case("plain.csv", plain, &[], 0, 3, &[]),
        case("crlf.csv", "a,b\r\n1,2\r\n\r\n3,4\r\n", &[], 0, 2, &[]),
        case("old_mac.csv", "a,b\r1,2\r3,4\r", &[], 0, 2, &[]),
        case("no_end.csv", "1,2\n3,4", &[], 0, 2, &[]),
        case("bom.csv", "\u{feff}a,b\n1,2\n3,4\n", &["--select", "a"], 0, 2, &[]),
        case("utf16_le.csv", utf16("a\tb\r\n1\t2\r\n3\t4\r\n", false), &["--select", "a"], 0, 2, &[]),
        case("utf16_be.csv", utf16("a,b\n1,2\n3,4\n", true), &["--exclude", "b"], 0, 2, &[]),
        case("utf16_bare.csv", utf16("a,b\n1,2\n", false)[2..].to_vec(), &[], 0, 1, &[]),
        case("zeros.csv", b"a,\x00b\n1,2\n".to_vec(), &[], 1, 0, &["zero bytes", "UTF-8"]),
        case("latin1.csv", b"gr\xf6\xdfe,b\n1,2\n3,4\n".to_vec(), &[], 0, 2, &["is read as windows-1252"]),
        case("comments.csv", "# made by hand\n#\na,b\n1,2\n3,4\n", &[], 0, 2, &[]),
        case("empty.csv", "", &[], 1, 0, &["the file is empty"]),
        case("blank.csv", "\n\n  \n", &[], 1, 0, &["the file is empty"]),
        case("header_only.csv", "a,b\n", &[], 1, 0, &["only a header and no sample"]),
        case("one_column.csv", "a\n1\n2\n9\n", &[], 0, 3, &[]),
        case("one_row.csv", "1,2,3\n", &[], 0, 1, &[]),
        case("ragged.csv", "a,b\n1,2\n3\n", &[], 1, 0, &["line 3 has 1 fields and the first has 2"]),
        case("ragged_long.csv", "a,b\n1,2,9\n3,4,9\n", &[], 1, 0, &["line 2 has 3 fields and the first has 2"]),
        case("trailing.csv", "a,b,\n1,2,\n3,4,\n", &[], 0, 2, &["column 2 (from 0) has no value in it, and is left out"]),
        case("all_empty.csv", "a,b\n1,\n2,NA\n", &[], 0, 2, &["column \"b\" has no value in it"]),
        case("semicolon.csv", "a;b\n1;2\n3;4\n", &[], 0, 2, &[]),
        case("tabs.csv", "a\tb\n1\t2\n3\t4\n", &[], 0, 2, &[]),
        case("spaces.txt", "  1   2\n  3   4\n", &[], 0, 2, &[]),
        case("bar.csv", "a|b\n1|2\n3|4\n", &[], 0, 2, &[]),
        case("colon.csv", "1:2\n3:4\n", &[], 1, 0, &["line 1, column 0 (from 0)", "--delimiter ':'"]),
        case("colon_told.csv", "1:2\n3:4\n", &["--delimiter", ":"], 0, 2, &[]),
        case("wrong_delimiter.csv", "1;2\n3;4\n", &["--delimiter", ","], 1, 0, &["--delimiter ';'"]),
        case("decimal.csv", "a;b\n1,5;2\n3;4,25\n", &[], 1, 0, &["line 2, column 0 (from 0): \"1,5\"", "--decimal comma"]),
        case("decimal_told.csv", "a;b\n1,5;2\n3;4,25\n", &["--decimal", ","], 0, 2, &[]),
        case("decimal_all.csv", "a;b\n1,5;2,0\n3,0;4,25\n", &["--decimal", "comma"], 0, 2, &[]),
        case("thousands.csv", "a,b\n1,\"1,234.5\"\n2,\"2,000.0\"\n", &[], 1, 0, &["line 2, column 1 (from 0)", "thousands"]),
        case("quotes.csv", "\"a\",\"b, \"\"c\"\"\"\n\"1\",\"2\"\n\"3\",\"4\"\n", &["--select", "b, \"c\""], 0, 2, &[]),
        case("quote_open.csv", "a,b\n1,\"2\n3,4\n", &[], 1, 0, &["quote_open.csv: line 2"]),
        case("names.csv", "name,a\nx,1\n\"y\nz\",2\n", &[], 0, 2, &["column \"name\" is taken as the names"]),
        case("unnamed.csv", "x,1\ny,2\n", &[], 0, 2, &["column 0 (from 0) is taken as the names of the samples: --no-names"]),
        case("id.csv", with_id(), &[], 0, 12, &["column \"id\" looks like an id", "--exclude id"]),
        case("id_dropped.csv", with_id(), &["--drop", "id"], 0, 12, &[]),
        case("user_id.csv", "user_id,a\n7,1\n3,2\n5,9\n", &[], 0, 3, &["all differ: --exclude user_id"]),
        case("missing.csv", "a,b\n1,2\n3,NA\n5,6\n", &[], 1, 0, &["line 3, column \"b\"", "--missing drop, mean or median"]),
        case("nan.csv", "1,2\n3,nan\n", &[], 1, 0, &["line 2, column 1 (from 0): the value is missing (\"nan\")"]),
        case("missing_mean.csv", "a,b\n1,2\n3,?\n5,6\n", &["--missing", "mean"], 0, 3, &["1 missing value has the mean of the column"]),
        case("missing_drop.csv", "a,b\n1,2\nnull,3\n5,6\n", &["--missing", "drop"], 0, 3, &["1 of 3 samples have a missing value"]),
        case("missing_all.csv", "a,b\n1,\n,3\n", &["--missing", "drop"], 1, 0, &["each of the 2 samples lacks a value"]),
        case("infinite.csv", "a,b\n1,2\n3,-inf\n", &[], 1, 0, &["line 3, column \"b\": \"-inf\" is not finite"]),
        case("overflow.csv", "a,b\n1,2\n3,1e999\n", &[], 1, 0, &["line 3, column \"b\": \"1e999\" is not finite"]),
        case("huge.csv", "a,b\n\n1,2\n3,1e200\n", &[], 1, 0, &["huge.csv: line 4: the value 1e200", "too large"]),
        case("booleans.csv", "a,b\n1,true\n2,FALSE\n9,True\n", &[], 0, 3, &[]),
        case("dates.csv", "a,when\n1,2024-02-28\n2,2024-03-01T12:00\n9,2025-01-01\n", &[], 0, 3, &[]),
        case("dates_first.csv", "when,a\n2024-02-28,1\n2024-03-01,2\n", &[], 0, 2, &["column \"when\" is taken as the names"]),
        case("words.csv", "a,kind\n1,cat\n2,dog\n", &[], 1, 0, &["line 2, column \"kind\": \"cat\"", "--exclude kind", "--categorical kind"]),
        case("words_told.csv", "a,kind\n1,cat\n2,dog\n9,cat\n", &["--categorical", "auto"], 0, 3, &[]),
        case("words_differ.csv", "a,kind\n1,cat\n2,dog\n9,owl\n", &["--categorical", "kind"], 0, 3, &["column \"kind\" looks like an id"]),
        case("all_text.csv", "x,y\ncat,red\ndog,blue\n", &[], 1, 0, &["column 1 (from 0)", "--categorical"]),
        case("mixed.csv", "a,b\n1,2\nx,3\n4,5\n", &[], 1, 0, &["line 3, column 0 (from 0): \"x\" is not a number"]),
        case("late.csv", format!("a,b\n{}1,x\n", "1,2\n".repeat(5000)), &[], 1, 0, &["line 5002, column 1 (from 0): \"x\""]),
        case("late_gap.csv", format!("a,b\n{}1,\n", "1,2\n".repeat(5000)), &[], 1, 0, &["line 5002, column \"b\""]),
        case("duplicates.csv", "a,a\n1,2\n3,4\n", &[], 0, 2, &[]),
        case("duplicates_told.csv", "a,a\n1,2\n3,4\n", &["--drop", "a"], 1, 0, &["columns 0 and 1 (from 0) are both called \"a\""]),
        case("no_such.csv", plain, &["--select", "c"], 1, 0, &["there is no column \"c\"", "a, b"]),
        case("none_left.csv", plain, &["--drop", "a", "--drop", "b"], 1, 0, &["no column is left"]),
        case("long.csv", long, &[], 1, 0, &["long.csv: line 3, column 1 (from 0): \"xxx"]),
        case("scales.csv", "a,b\n1,1000\n2,9000\n1.5,4000\n", &[], 0, 3, &["column \"b\" spreads", "--standardize zscore"]),
        case("scaled.csv", "a,b\n1,1000\n2,9000\n1.5,4000\n", &["--standardize", "robust"], 0, 3, &[]),
        case("binary.csv", vec![0_u8, 159, 146, 150, b'\n', 1, 2], &[], 1, 0, &["zero bytes"]),
        case("table.xlsx", b"PK\x03\x04".to_vec(), &[], 1, 0, SPREADSHEET),
        case("picture.png", b"\x89PNG\r\n\x1a\n\0".to_vec(), &[], 1, 0, &["cannot tell the format", "--format"]),
        case("iris.data", "5.1,3.5\n4.9,3.0\n7,3.2\n", &[], 0, 3, &[]),
        case("sheet.csv", plain, &["--sheet", "a"], 1, 0, &["--sheet is for spreadsheets"]),
        case("genes.tsv", "\ts1\ts2\nBRCA1\t1\t2\nTP53\t3\t9\n", &["--transpose"], 0, 2, &["taken as the names"]),
        case("genes_gap.tsv", "\ts1\ts2\nBRCA1\t1\tNA\nTP53\t3\t4\n", &["--transpose"], 1, 0, &["line 3, column \"BRCA1\"", "columns of the file"]),
        case("records.jsonl", "{\"a\": 1, \"b\": 2}\n{\"b\": 4, \"a\": 3}\n", &[], 0, 2, &[]),
        case("records_gap.json", "[{\"a\": 1, \"b\": 2}, {\"a\": 3}]", &[], 1, 0, &["row 1 (from 0), column \"b\": the value is missing"]),
        case("nested.json", "[{\"a\": 1, \"u\": {\"x\": 1}}, {\"a\": 3, \"u\": {\"x\": 2}}]", &[], 0, 2, &[]),
        case("lists.json", "{\"a\": [1, [2]]}", &[], 1, 0, &["record 1 (from 0), \"a\": an array", "json_normalize"]),
        case("cut.json", "[{\"a\": 1}, {\"a\"", &[], 1, 0, &["no JSON at line 1, column 15"]),
        case("table.arff", "@relation x\n@attribute a real\n@attribute b {x, y}\n@data\n1,x\n2,y\n9,x\n", &["--categorical", "auto"], 0, 3, &[]),
        case("undeclared.arff", "@relation x\n@attribute a {x, y}\n@data\nx\nz\n", &[], 1, 0, &["line 5: \"z\" is none of the values"]),
        case("numbers", plain, &["--format", "csv"], 0, 3, &[]),
        case("text.parquet", plain, &[], 1, 0, PARQUET),
        case("weights.csv", "a,w\n1,2\n3,0\n", &["--weight-column", "w"], 1, 0, &["weight"]),
        case("no_label.csv", "a,b\n1,2\n3,4\n", &["--labels", "no_label.csv", "--label-column", "class"], 1, 0, &["there is no column \"class\""]),
    ]
}

/// What people are told is in `benches/odd_tables.md`, too, which `FINCH_BLESS=1` rewrites.
#[test]
fn odd_tables_are_read_or_refused_in_words() {
    let cases = cases();
    assert!(cases.len() >= 40);
    let mut listed = String::from(ODD_TABLES);
    for (name, content, arguments, code, samples, said) in cases {
        let folder = folder();
        put(&folder, name, content);
        let arguments = [&[name], arguments, &["--out", "out/labels.csv"]].concat();
        let output = finch(&folder, &arguments);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{name}: {told}");
        for words in said {
            assert!(told.contains(words), "{name}: {words:?} is not in {told:?}");
        }
        let of_ties = |line: &str| line.contains("first neighbours are ties");
        assert!(!said.is_empty() || told.lines().all(of_ties), "{name}: {told}");
        if code == 0 {
            let labels = fs::read_to_string(folder.path().join("out/labels.csv")).unwrap();
            let mut rows = csv::Reader::from_reader(labels.as_bytes());
            assert_eq!(rows.records().map(Result::unwrap).count(), samples, "{name}: {labels}");
            assert_eq!(names_in(&folder.path().join("out")), ["labels.csv"]);
        } else {
            assert_eq!(names_in(folder.path()), [name], "nothing half-written");
            let is_one = told.lines().count() == 1 || told.contains(" --auto\n");
            assert!(output.stdout.is_empty() && is_one, "{name}: {told}");
            assert!(told.starts_with("finch: "), "{told}");
        }
        let told = told.trim_end().replace("finch: ", "").replace('|', "\\|").replace('\n', "<br>");
        let arguments = arguments[..arguments.len() - 2].join(" ").replace('|', "\\|");
        listed += &format!("| `{arguments}` | {code} | {samples} | {told} |\n");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/odd_tables.md");
    match std::env::var_os("FINCH_BLESS") {
        Some(_) => fs::write(path, listed).unwrap(),
        None if !cfg!(feature = "parquet") => {}
        None => {
            let kept = fs::read_to_string(path).unwrap();
            assert_eq!(kept, listed, "FINCH_BLESS=1 rewrites benches/odd_tables.md");
        }
    }
}

const ODD_TABLES: &str = "\
# Odd tables

What `finch cluster … --out out/labels.csv` says of each table of `finch-deep/tests/tables/main.rs`, with
which exit status, and how many rows the labels have. Where the status is not 0, nothing is written. The test
`odd_tables_are_read_or_refused_in_words` makes this file: `FINCH_BLESS=1 cargo test -p finch-deep --test
tables odd_tables`.

| table and options | status | rows | said |
|---|--:|--:|---|
";

#[test]
fn labels_as_text_in_each_format() {
    let folder = folder();
    put(
        &folder,
        "x.csv",
        "name,a,b,note\n\"x, 1\",0,0.50,+1\ny,1,0,\nz,NA,3,07\nu,8,9,2\n\"v\"\"\",9,9,hm\n",
    );
    let arguments =
        ["x.csv", "--exclude", "note", "--missing", "drop", "-k", "2", "--suggest", "-q"];
    let (csv, told) = written(&folder, &arguments, "labels.csv");
    assert_eq!(told, "", "quiet");
    assert_eq!(csv[0], "name,partition_0,requested,suggested");
    assert_eq!(csv[1..4], ["\"x, 1\",0,0,0", "y,0,0,0", "z,,,"]);
    assert_eq!(csv[5], "\"v\"\"\",1,1,1");
    let (tsv, _) = written(&folder, &arguments, "labels.tsv");
    assert_eq!(tsv[..2], ["name\tpartition_0\trequested\tsuggested", "x, 1\t0\t0\t0"]);
    let (lines, _) = written(&folder, &arguments, "labels.jsonl");
    assert_eq!(lines.len(), 5);
    let record = r#"{"name": "z", "partition_0": null, "requested": null, "suggested": null}"#;
    assert_eq!(lines[2], record);
    let (json, _) = written(&folder, &arguments, "labels.json");
    let records: Value = serde_json::from_str(&json.join("\n")).unwrap();
    let of_lines: Vec<Value> = lines.iter().map(|x| serde_json::from_str(x).unwrap()).collect();
    assert_eq!(records, Value::Array(of_lines));

    // With the columns of the input, as they were.
    let (csv, _) = written(&folder, &[&arguments[..], &["--append"]].concat(), "all.csv");
    assert_eq!(csv[0], "name,a,b,note,partition_0,requested,suggested");
    assert_eq!(csv[1..4], ["\"x, 1\",0,0.50,+1,0,0,0", "y,1,0,,0,0,0", "z,NA,3,07,,,"]);
    let (lines, _) = written(&folder, &[&arguments[..], &["--append"]].concat(), "all.jsonl");
    let start = r#"{"name": "x, 1", "a": 0, "b": 0.5, "note": "+1", "partition_0": 0"#;
    assert!(lines[0].starts_with(start), "{}", lines[0]);

    // Without names or a header.
    put(&folder, "plain.txt", "1 2\n3 4\n9 9\n");
    let (csv, _) = written(&folder, &["plain.txt"], "plain.csv");
    assert_eq!(csv[..2], ["row,partition_0", "0,0"]);
    let (csv, _) = written(&folder, &["plain.txt", "--append"], "plain.csv");
    assert_eq!(csv[..2], ["column_0,column_1,partition_0", "1,2,0"]);

    let output = finch(&folder, &[&arguments[..], &["--json", "--with-labels"]].concat());
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["names"], serde_json::json!(["x, 1", "y", "z", "u", "v\""]));
    assert_eq!(found["labels"]["requested"], serde_json::json!([0, 0, null, 1, 1]));
    assert_eq!(found["dropped"], serde_json::json!([2]));
}

/// No file is written over without `--force`, and an input never.
#[test]
fn nothing_is_written_over_without_force() {
    let folder = folder();
    put(&folder, "x.csv", "a,b\n1,2\n3,4\n");
    put(&folder, "own.csv", "mine");
    for (arguments, code, words) in [
        (&["x.csv", "--out", "own.csv"][..], 1, "own.csv is there already"),
        (&["x.csv", "--out", "./x.csv", "--force"], 1, "./x.csv is an input"),
        (&["x.csv", "--out", "labels.csv"], 0, ""),
        (&["x.csv", "--out", "labels.csv"], 1, "write over it by --force"),
        (&["x.csv", "--out", "labels.csv", "--force"], 0, ""),
        (&["x.csv", "--out", "run", "--append"], 2, "--append is for a table of labels"),
        (&["x.csv", "--append"], 2, "--out"),
        (&["x.csv", "--with-labels"], 2, "--json"),
        (&["labels.csv", "--out", "again.csv", "--append"], 1, "a column \"partition_0\" already"),
        (
            &["x.csv", "--seed", "1", "--neighbors", "brute"],
            0,
            "--seed does nothing with --neighbors brute",
        ),
        (&["missing*.csv"], 1, "missing*.csv: cannot read"),
        (&["-", "-", "--format", "csv"], 1, "give - once"),
        (&["-"], 1, "-: the file is empty"),
        (&["-", "--auto"], 1, "-: the file is empty"),
        (&["x.csv", "--delimiter", "::"], 2, "one character"),
    ] {
        let output = finch(&folder, arguments);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
        assert!(told.contains(words), "{arguments:?}: {told}");
    }
    assert_eq!(names_in(folder.path()), ["labels.csv", "own.csv", "x.csv"]);
    assert_eq!(fs::read_to_string(folder.path().join("own.csv")).unwrap(), "mine");
}

/// Truth is of all rows, and scored on those that are left.
#[test]
fn truth_is_dropped_with_its_samples() {
    let folder = folder();
    put(&folder, "x.csv", "a,b,class\n0,0,x\n,1,y\n0,1,x\n9,9,y\n9,8,y\n");
    let arguments = [
        "x.csv",
        "--exclude",
        "class",
        "--labels",
        "x.csv",
        "--label-column",
        "class",
        "--missing",
        "drop",
        "--json",
    ];
    let output = finch(&folder, &arguments);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&found["samples"], &found["partitions"][0]["acc"]), (&4.into(), &100.0.into()));
}

/// From a file, from a pipe, from shards and from an array: the same labels.
#[test]
fn every_way_in_gives_the_same_labels() {
    let planets = common::data("planets.csv");
    let folder = folder();
    let content = fs::read_to_string(&planets).unwrap();
    put(&folder, "planets.csv", &content);
    let (expected, _) = written(&folder, &["planets.csv"], "labels.csv");
    assert_eq!(expected[..3], ["name,partition_0", "Mercury,0", "Venus,0"]);

    let mut piped = command(&folder, &["-", "-o", "piped.csv"]);
    let input = fs::File::open(&planets).unwrap();
    assert!(piped.stdin(input).status().unwrap().success());
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("piped.csv"), read("labels.csv"));
    let finch = env!("CARGO_BIN_EXE_finch");
    let line =
        format!("mkfifo pipe && (cat planets.csv > pipe &) && '{finch}' cluster pipe -o fifo.csv");
    let status = Command::new("sh").args(["-c", &line]).current_dir(folder.path()).status();
    assert!(status.unwrap().success());
    assert_eq!(read("fifo.csv"), read("labels.csv"));

    let (header, rows) = content.split_once('\n').unwrap();
    let (first, second) = rows.split_at(rows.find("Jupiter").unwrap());
    put(&folder, "part-1.csv", format!("{header}\n{first}"));
    put(&folder, "part-2.csv", format!("{header}\n{second}"));
    let (shards, told) = written(&folder, &["part-?.csv"], "shards.csv");
    assert_eq!(shards, expected, "{told}");
    // The files of one table have the same header.
    put(&folder, "part-2.csv", format!("{}\n{second}", header.replace("mass", "weight")));
    let output = self::finch(&folder, &["part-*.csv"]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("part-2.csv: column \"weight_1e24_kg\" is called \"mass_1e24_kg\""));
    assert!(told.contains(" in part-1.csv"), "{told}");
}

/// The words of a column are the same in all shards.
#[test]
fn categories_are_those_of_all_shards() {
    let folder = folder();
    put(&folder, "a.csv", "a,kind,ok\n1,cat,yes\n2,dog,no\n");
    put(&folder, "b.csv", "a,kind,ok\n1,dog,\n2,owl,no\n");
    put(&folder, "ab.csv", "a,kind,ok\n1,cat,yes\n2,dog,no\n1,dog,\n2,owl,no\n");
    let features = |inputs: &[&str]| {
        let options = ["--categorical", "kind", "--missing", "mean", "--json", "--with-labels"];
        let output = finch(&folder, &[inputs, &options].concat());
        let mut found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let found = found.as_object_mut().unwrap();
        found.remove("seconds");
        found.remove("peak_memory_bytes");
        found.clone()
    };
    let whole = features(&["ab.csv"]);
    assert_eq!(whole["features"], 5);
    assert_eq!(features(&["a.csv", "b.csv"]), whole);
}

#[test]
fn verbose_has_a_line_for_each_column() {
    let folder = folder();
    let rows = "1,cat,yes,2024-01-01,7\n2,dog,no,2024-01-03,8\n,,,,9\n";
    put(&folder, "x.csv", format!("a,kind,ok,when,n\n{rows}"));
    let arguments = ["x.csv", "--categorical", "kind", "--missing", "median", "-v"];
    let output = finch(&folder, &arguments);
    let told = text(&output.stderr);
    let line = |start: &str| {
        let line = told.lines().map(str::trim_start).find(|line| line.starts_with(start));
        line.unwrap_or_else(|| panic!("{start}: {told}")).split_whitespace().collect::<Vec<_>>()
    };
    assert_eq!(
        line("column "),
        ["column", "kind", "distinct", "missing", "least", "mean", "largest", "deviation"]
    );
    assert_eq!(line("a "), ["a", "number", "2", "1", "1", "1.5000", "2", "0.50000"]);
    assert_eq!(line("kind "), ["kind", "category", "2", "1", "–", "–", "–", "–"]);
    assert_eq!(line("ok "), ["ok", "boolean", "2", "1", "0", "0.50000", "1", "0.50000"]);
    assert_eq!(line("when "), ["when", "date", "2", "1", "19723", "19724", "19725", "1"]);
    // A word that is missing is one value, though the category has two features.
    assert!(told.contains("4 missing values have the median of the column instead"), "{told}");
    assert!(told.contains("level 0, 3 samples"), "{told}");
}

/// Checks how many samples `--auto` reads of a table.
fn expect_samples(folder: &TempDir, table: &str, samples: usize) {
    put(folder, "x.csv", table);
    let output = finch(folder, &["x.csv", "--auto", "--json", "-q"]);
    assert!(output.status.success(), "{table}: {}", text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["samples"], samples, "{table}");
}

/// A quote begins a field at the field's start alone: that of inches, or of seconds of an angle, joins no lines.
#[test]
fn a_quote_within_a_word_is_a_character() {
    let folder = folder();
    for (table, samples) in [
        ("a;b;c\n1;5\"x;2\n3;6\"x;4\n5;7x;6\n7;8x;9\n", 4),
        ("a,size 5\",c\n1,\"x, 5\"\" y\",2\n3,6\",4\n5,\"7\nz\",6\n7,8\"\"9,9\n9,\"\",3\n", 5),
        ("\"size 5\"\"\",\"b\"\n1,\"2\"\n3,\"4\"\n", 2),
    ] {
        expect_samples(&folder, table, samples);
    }
}

/// A quote that nothing ends is an error that names its line, and no rows are taken for one field.
#[test]
fn a_quote_that_nothing_ends_is_named() {
    let folder = folder();
    let rows = |count: usize| -> String {
        (0..count).map(|row| format!("name{row},{row},{}\n", row * 7 % 13)).collect()
    };
    for (table, line) in [
        ("a,b,c\n1,2,3\n4,\"5,6\n7,8,9\n1,1,1\n".to_string(), 3),
        ("name,a,b\nx,1,2\n\"y\nz\",3,4\n\"z,5,6\nw,1,1\n".to_string(), 5),
        (format!("name,a,b\n{}\"oops,1,2\n{}", rows(5_000), rows(25_000)), 5_002),
        (format!("name,a,b\n{}\"oops,1,2\n{}", rows(100_000), rows(40)), 100_002),
        ("name,a,b\n\"x,1,2\ny,3,4\n".to_string(), 2),
        ("\"name,a,b\nx,1,2\ny,3,4\n".to_string(), 1),
    ] {
        put(&folder, "x.csv", table);
        for options in [&["x.csv"][..], &["x.csv", "--auto"], &["x.csv", "--missing", "drop"]] {
            let output = finch(&folder, options);
            let told = text(&output.stderr);
            let named = format!("x.csv: line {line}: a quote opens a field, and no quote ends it");
            assert!(
                !output.status.success() && told.contains(&named),
                "{line}, {options:?}: {told}"
            );
        }
    }
    // Behind another delimiter than that of the table a quote is a character.
    put(&folder, "x.csv", "x;\"y,1,2\nz,3,4\nw,5,5\n");
    assert!(finch(&folder, &["x.csv", "--names", "0", "--delimiter", ","]).status.success());
}

/// The first rows of a file without a header may begin with `#`; remarks above a table, and columns that a remark
/// names, are no rows.
#[test]
fn first_rows_that_begin_with_a_hash_are_no_remarks() {
    let folder = folder();
    for (table, samples) in [
        ("#love,5,2\n#cats,6,4\nfood,7,6\n#dogs,8,9\n", 4),
        ("#love,,2\n#cats,6,NA\nfood,7,6\n#dogs,8,9\n", 4),
        ("#love,5,2\nfood,NA,NA\nx,1,2\ny,2,2\n", 4),
        ("#love 5 2\n#cats 6 4\nfood 7 6\n", 3),
        ("#1;7,5;2\n#2;6,5;4\nx;7;6\n", 3),
        ("\"#1\",7,2\n\"#2\",6,4\n", 2),
        ("# made by hand\n#love,5,2\nx,5,2\ny,6,4\n", 3),
        ("# name,a,b\nx,5,2\ny,6,4\n", 2),
        ("#3,5,2\n1,5,2\n2,6,4\n", 2),
        ("# 1 2\nx 5\ny 6\n", 2),
        ("#name,a,b\n\n#x,5,2\ny,6,4\n", 2),
    ] {
        expect_samples(&folder, table, samples);
    }
    put(&folder, "x.csv", "#love,5,2\n#cats,6,4\nfood,7,6\n#dogs,8,9\n");
    let output = finch(&folder, &["x.csv", "--names", "0"]);
    assert!(text(&output.stdout).contains("#love"), "{}", text(&output.stdout));
    // It is told, and what leaves them out.
    put(&folder, "x.csv", "# by hand\n#love,5,2\n#cats,6,4\nfood,7,6\ndogs,8,9\n");
    for (options, rows) in [(&["--names", "0"][..], 4), (&["--names", "0", "--skip", "3"], 2)] {
        let output = finch(&folder, &[&["x.csv"], options].concat());
        let told = "the first 2 rows begin with # and are read as the others: --skip 3 if they are remarks";
        assert_eq!(text(&output.stderr).contains(told), rows == 4, "{}", text(&output.stderr));
        assert!(
            text(&output.stdout).contains(&format!("{rows} samples")),
            "{}",
            text(&output.stdout)
        );
    }
}
