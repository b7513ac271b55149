//! The examples in every language print the same.

mod common;

use std::process::Command;

use common::{C99, CXX17, PLANETS, compile, has, library, root, run, scratch};

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

#[test]
fn rust() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--locked", "--package", "finch-core", "--example", "cluster"]);
    assert_eq!(run(cargo.current_dir(root())), PLANETS);
}

#[test]
fn python() {
    let Some(python) = common::python() else { return };
    let planets = run(Command::new(python)
        .args(["-B", "examples/python/planets.py"])
        .env("FINCH_LIBRARY", library().join("libfinch.so"))
        .current_dir(root()));
    assert_eq!(planets, PLANETS);
}
