//! The command in a build without the feature `train`.
#![cfg(not(feature = "train"))]

use std::fs;
use std::process::{Command, Output};

use tempfile::TempDir;

fn finch(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_finch")).args(arguments).output().unwrap()
}

#[test]
fn what_needs_training_says_how_to_install_it() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("samples.csv");
    fs::write(&path, "0,0\n0,1\n9,9\n9,8\n").unwrap();
    let samples = path.to_str().unwrap();
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    let cases: &[&[&str]] = &[
        &["train"],
        &["train", samples, "--out", out, "--clusters", "2"],
        &["train", "--resume", out],
        &["embed"],
        &["embed", out, samples, "--out", "embedding.npy"],
        &["export", out, "model.onnx"],
        &["cluster", "--embed", out, samples],
        // Before anything is read.
        &["cluster", "--embed", out, "missing.csv", "--json"],
    ];
    for case in cases {
        let output = finch(case);
        assert_eq!(output.status.code(), Some(2), "{case:?}: {output:?}");
        assert!(output.stdout.is_empty(), "{case:?}");
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            "finch: this finch was built without training; to install it with training:\n  \
             cargo install --path finch-deep --features train\n",
            "{case:?}"
        );
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_help_names_what_is_not_in_this_build() {
    let output = finch(&["--help"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for command in ["cluster", "train", "embed", "score"] {
        assert!(text.lines().any(|line| line.trim_start().starts_with(command)), "{text}");
    }
    for command in ["train", "embed"] {
        let output = finch(&[command, "--help"]);
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("cargo install --path finch-deep --features train"), "{text}");
    }
    let output = finch(&["cluster", "--help"]);
    assert!(String::from_utf8(output.stdout).unwrap().contains("--embed"));
}

#[test]
#[ignore = "left out: training and its report; cargo test --workspace --features finch-deep/train"]
fn training_and_its_report() {
    panic!("this build has no training: cargo test --workspace --features finch-deep/train");
}
