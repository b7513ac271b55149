//! The `finch` command where something goes wrong around it: signals, files that change, several
//! processes at once, too little memory, hostile names, wrong arguments. No test here needs
//! training.
#![cfg(unix)]

mod arguments;
mod changes;
#[path = "../common/mod.rs"]
mod common;
mod limits;
mod names;
mod outputs;
mod places;
mod signals;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use ndarray::Array2;
use ndarray_npy::write_npy;
use tempfile::TempDir;

use common::{folder, put, text};

/// A time that no command here should come near to.
const PATIENCE: Duration = Duration::from_secs(120);

/// The command, run in a folder.
fn finch(folder: &TempDir, arguments: &[&str]) -> Command {
    run_in(folder, env!("CARGO_BIN_EXE_finch"), arguments)
}

/// A line for the shell, in which `finch` is `$FINCH`.
fn shell(folder: &TempDir, line: &str) -> Command {
    run_in(folder, "sh", &["-c", line])
}

fn run_in(folder: &TempDir, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder.path());
    // With RUST_BACKTRACE set, panics are shown as they are.
    command.env("FINCH", env!("CARGO_BIN_EXE_finch")).env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The one line on standard error of a command that ends with this code and prints nothing else, but advice
/// on a table.
fn said(output: &Output, code: i32) -> String {
    let text = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(output.stdout.is_empty(), "{output:?}");
    assert!(text.lines().count() == 1 || text.contains(" --auto\n"), "{text}");
    assert!(text.starts_with("finch: "), "{text}");
    text
}

/// The text of an error of the data or the run.
fn error(folder: &TempDir, arguments: &[&str]) -> String {
    said(&finch(folder, arguments).output().unwrap(), 1)
}

/// Waits for something to happen.
fn until(mut happened: impl FnMut() -> bool) {
    let began = Instant::now();
    while !happened() {
        assert!(began.elapsed() < PATIENCE, "it never happened");
        sleep(Duration::from_millis(5));
    }
}

/// Writes `samples.npy`, large enough to be mapped, for which brute force takes minutes.
fn large(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("samples.npy");
    let value = |(row, column)| ((row * 7 + column * column) as f32).sin();
    write_npy(&path, &Array2::from_shape_fn((40_000, 440), value)).unwrap();
    path
}

/// The search on these samples, from when it has begun: its directory `out` is there then.
fn begun(folder: &TempDir, mut command: Command) -> Child {
    let mut child = command.spawn().unwrap();
    until(|| {
        assert_eq!(child.try_wait().unwrap(), None, "it ended at once");
        folder.path().join("out").exists()
    });
    child
}

fn signal(child: &Child, name: &str) {
    let line = format!("kill -{name} {}", child.id());
    assert!(Command::new("sh").args(["-c", &line]).status().unwrap().success());
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
