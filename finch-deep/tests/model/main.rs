//! Models in the command: saved by `cluster`, used by `predict`, `extend`, `tree` and `describe`; and the
//! commands beside them.
#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;
mod described;
mod given;
mod kept;
mod rows;
mod sparse;

use std::collections::HashMap;
use std::fs;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use common::{folder, put, text};

fn finch(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_finch"));
    command.args(arguments).current_dir(folder.path()).stdin(Stdio::null());
    command.output().unwrap()
}

/// What a command that succeeds prints, and what it says.
fn done(folder: &TempDir, line: &str) -> (String, String) {
    let output = finch(folder, &line.split(' ').collect::<Vec<_>>());
    let told = text(&output.stderr);
    assert!(output.status.success(), "{line}: {told}");
    (text(&output.stdout), told)
}

fn printed(folder: &TempDir, line: &str) -> String {
    done(folder, line).0
}

fn json(folder: &TempDir, line: &str) -> Value {
    serde_json::from_str(&printed(folder, line)).unwrap()
}

/// The one line that a command says that fails with this code.
fn failure(folder: &TempDir, line: &str, code: i32) -> String {
    let output = finch(folder, &line.split(' ').collect::<Vec<_>>());
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{line}: {told}");
    assert!(output.stdout.is_empty(), "{line}");
    told
}

/// The columns of a table by their names.
fn columns(table: &str) -> HashMap<String, Vec<String>> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let header = reader.headers().unwrap().clone();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    let column = |(at, name): (usize, &str)| {
        (name.to_string(), rows.iter().map(|row| row[at].to_string()).collect())
    };
    header.iter().enumerate().map(column).collect()
}

/// A table of three groups: name, two numbers of very different scales with gaps, a word.
fn table(rows: std::ops::Range<usize>) -> String {
    let row = |i: usize| {
        let group = i % 3;
        let a = group as f64 * 10.0 + (i * 7 % 13) as f64 / 10.0;
        let b = group as f64 * 9000.0 + (i * 5 % 11) as f64 * 37.0;
        let b = if i % 17 == 5 { "NA".into() } else { format!("{b}") };
        format!("s{i},{a},{b},{}\n", ["red", "green", "blue"][group])
    };
    "name,a,b,colour\n".to_string() + &rows.map(row).collect::<String>()
}

const READING: &str = "--missing mean --standardize zscore --categorical colour";
