//! The examples in every language print the same, and the picture of the README is what its example draws.

mod common;

use std::ffi::OsString;
use std::fs;
use std::process::Command;

use common::{C99, CXX17, PLANETS, QUICK, compile, has, library, root, run, scratch};

#[test]
fn c() {
    let program = scratch("examples").join("cluster-c");
    compile("cc", &C99, &[&root().join("examples/c/cluster.c")], &program);
    assert_eq!(run(Command::new(program).current_dir(root())), PLANETS);
}

#[test]
fn cpp() {
    if has("c++") {
        let program = scratch("examples").join("cluster-cpp");
        compile("c++", &CXX17, &[&root().join("examples/cpp/cluster.cpp")], &program);
        assert_eq!(run(Command::new(program).current_dir(root())), PLANETS);
    }
}

/// What the examples named model print.
const MODEL: [&str; 5] = ["suggested: ", "labels: ", "predicted: ", "newick: ", "medoids: "];

fn model_of_c() -> String {
    let program = scratch("examples").join("model-c");
    compile("cc", &C99, &[&root().join("examples/c/model.c")], &program);
    run(&mut Command::new(program))
}

/// All languages print what C prints, and C prints what one sees in the data.
#[test]
fn model() {
    let printed = model_of_c();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), MODEL.len(), "{printed}");
    for (line, name) in lines.iter().zip(MODEL) {
        assert!(line.starts_with(name), "{line}");
    }
    let clear = "suggested: 3\nlabels: 0 0 0 0 1 1 1 1 2 2 2 2\npredicted: 0 2\nnewick: (";
    assert!(printed.starts_with(clear), "{printed}");
    if has("c++") {
        let program = scratch("examples").join("model-cpp");
        compile("c++", &CXX17, &[&root().join("examples/cpp/model.cpp")], &program);
        assert_eq!(run(&mut Command::new(program)), printed);
    }
    if has("octave-cli") && has("mkoctfile") {
        let matlab = root().join("examples/matlab");
        let folder = scratch("examples");
        let octave = || {
            let mut octave = Command::new("octave-cli");
            octave.args(["--norc", "--quiet", "--no-history", "--path"]).arg(&matlab);
            octave
        };
        let make = format!("make('{}', '{}')", library().display(), folder.display());
        run(octave().arg("--eval").arg(make));
        let demo = matlab.join("model_demo.m");
        assert_eq!(run(octave().arg("--path").arg(folder).arg(demo)), printed);
    }
    if let Some(python) = common::python() {
        assert_eq!(run(&mut of_python(python, "examples/python/model.py")), printed);
    }
}

/// What an example of finch-core prints.
fn printed(example: &str) -> String {
    let mut cargo = common::building(env!("CARGO"));
    cargo.args(["run", "--quiet", "--locked", "--package", "finch-core", "--example", example]);
    run(cargo.args(QUICK).current_dir(root()))
}

#[test]
fn rust() {
    assert_eq!(printed("cluster"), PLANETS);
}

#[test]
fn the_picture_of_the_readme_is_what_the_example_draws() {
    let committed = fs::read_to_string(root().join("examples/picture.svg")).unwrap();
    assert!(
        printed("picture") == committed,
        "examples/picture.svg is another picture: run\n\
         cargo run -p finch-core --example picture > examples/picture.svg"
    );
}

/// An example in Python, with the package and the library of this build.
fn of_python(python: OsString, example: &str) -> Command {
    let mut command = Command::new(python);
    command
        .args(["-B", example])
        .env("PYTHONPATH", root().join("python"))
        .env("FINCH_LIBRARY", library().join("libfinch.so"))
        .current_dir(root());
    command
}

#[test]
fn python() {
    let Some(python) = common::python() else { return };
    assert_eq!(run(&mut of_python(python, "examples/python/planets.py")), PLANETS);
}
