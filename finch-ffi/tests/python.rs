//! The Python package, by the tests in `tests/python/`.

mod common;

use std::io::{self, Write};
use std::process::Command;

use common::{library, output, python, root};

#[test]
fn python_package() {
    let Some(python) = python() else { return };
    let ended = output(
        Command::new(python)
            .args(["-B", "-m", "unittest"])
            .env("FINCH_LIBRARY", library().join("libfinch.so"))
            .current_dir(root().join("finch-ffi/tests/python")),
    );
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    for left_out in said.lines().filter_map(|line| line.find("left out").map(|at| &line[at..])) {
        let _ = writeln!(io::stderr(), "Python package: {left_out}");
    }
}
