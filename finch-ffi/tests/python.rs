//! The Python package, by the tests in `tests/python/`.

mod common;

use std::process::Command;

use common::{data, library, python, root, run};

#[test]
fn python_package() {
    let Some(python) = python() else { return };
    let golden = data("golden/partitions.json");
    run(Command::new(python)
        .args(["-B", "-m", "unittest"])
        .env("FINCH_LIBRARY", library().join("libfinch.so"))
        .env("FINCH_DATA", golden.ancestors().nth(2).unwrap())
        .current_dir(root().join("finch-ffi/tests/python")));
}
