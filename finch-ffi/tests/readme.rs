//! The snippets of the README, of the pages of languages in `docs`, and of the header, as their readers would
//! use them.

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use common::{C99, CXX17, compile, has, library, root, run, scratch};

/// The only block of code in a language on a page.
fn snippet(page: &str, language: &str) -> String {
    let page = fs::read_to_string(root().join(page)).unwrap();
    let blocks: Vec<&str> = page.split(&format!("```{language}\n")).skip(1).collect();
    let [block] = blocks[..] else { panic!("{} blocks of {language}", blocks.len()) };
    block.split("```").next().unwrap().to_owned()
}

fn write(name: &str, text: &str) -> PathBuf {
    let path = scratch("readme").join(name);
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn c() {
    let program = scratch("readme").join("c");
    compile("cc", &C99, &[&write("readme.c", &snippet("docs/languages/c.md", "c"))], &program);
    assert_eq!(run(&mut Command::new(program)), "the last sample is in cluster 2\n");
}

#[test]
fn cpp() {
    if !has("g++") {
        return;
    }
    let program = scratch("readme").join("cpp");
    compile(
        "g++",
        &CXX17,
        &[&write("readme.cpp", &snippet("docs/languages/cpp.md", "cpp"))],
        &program,
    );
    assert_eq!(run(&mut Command::new(program)), "0 0 1 1 2 2 ");
}

#[test]
fn matlab() {
    if !has("octave-cli") || !has("mkoctfile") {
        return;
    }
    let folder = scratch("readme");
    let snippet = snippet("docs/languages/matlab.md", "matlab");
    let make = format!("make('{}', '{}');", library().display(), folder.display());
    let made = snippet.strip_prefix("make ").expect("it begins with make");
    let clusters = "assert(max(req_c) == 10 && size(c, 1) == 200 && max(c(:, 1)) == num_clust(1));";
    let script = write("readme.m", &format!("{make}\n% {made}\n{clusters}\n"));
    run(Command::new("octave-cli")
        .args(["--norc", "--quiet", "--path"])
        .arg(root().join("examples/matlab"))
        .arg("--path")
        .arg(folder)
        .arg(script));
}

#[test]
fn python() {
    let Some(python) = common::python() else { return };
    let printed = run(Command::new(python)
        .arg("-B")
        .arg(write("readme.py", &snippet("README.md", "python")))
        .env("PYTHONPATH", root().join("python"))
        .env("FINCH_LIBRARY", library().join("libfinch.so")));
    assert_eq!(printed, "1.0\n");
}

/// The example at the top of finch.h.
#[test]
fn header() {
    let header = fs::read_to_string(root().join("include/finch.h")).unwrap();
    let top = header.split("#ifndef").next().unwrap();
    let code: Vec<&str> = top.lines().filter_map(|line| line.strip_prefix("//     ")).collect();
    let text = format!(
        "#include <finch.h>\n#include <stdio.h>\nint main(void) {{\n{}\nreturn 0;\n}}\n",
        code.join("\n")
    );
    let program = scratch("readme").join("header");
    compile("cc", &C99, &[&write("header.c", &text)], &program);
    assert_eq!(run(&mut Command::new(program)), "0 1 2\n");
}
