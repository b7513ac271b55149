//! The library as other languages link to it, their tools, and the data.

// Each test program uses some of this.
#![allow(dead_code)]

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Output};
use std::sync::LazyLock;
use std::thread;

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A file of the repository's own data.
pub(crate) fn data(name: &str) -> PathBuf {
    root().join("examples/data").join(name)
}

/// A file of the large data, as in the other crates: in the folder `FINCH_DATA`, or in
/// `../shared/data`. Where everything has to be tested, the file must be there.
pub(crate) fn large(name: &str) -> Option<PathBuf> {
    let folder = env::var_os("FINCH_DATA").map_or(root().join("../shared/data"), PathBuf::from);
    let path = folder.join(name);
    (path.is_file() || missing(&format!("{name} in the folder FINCH_DATA"))).then_some(path)
}

/// A command that builds with Cargo, in a folder of its own, since a library has the same name there
/// however it was built. Its profile is to be `QUICK`.
pub(crate) fn building(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env("CARGO_TARGET_DIR", scratch("target"));
    command
}

/// The profile that is compiled in the shortest time, finch-core too.
pub(crate) const QUICK: [&str; 2] = ["--profile", "quick"];

/// A folder with `libfinch.so`, by the name that it is installed under, too, and `libfinch.a`: those
/// that Cargo has built beside this program, with its profile. (To build this package alone compiles
/// much anew, since the features that packages ask for are then fewer.)
pub(crate) fn library() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let program = env::current_exe().unwrap();
        let built = program.parent().unwrap();
        let profile = built.parent().unwrap().file_name().unwrap();
        let links = scratch(&format!("lib-{}", profile.display()));
        for (name, file) in [
            ("libfinch.so", "libfinch.so"),
            ("libfinch.so.1", "libfinch.so"),
            ("libfinch.a", "libfinch.a"),
        ] {
            // Renamed into its place: other programs may use the link meanwhile.
            let beside = links.join(format!("{name}.{}", process::id()));
            symlink(built.join(file), &beside).unwrap();
            fs::rename(beside, links.join(name)).unwrap();
        }
        links
    });
    &FOLDER
}

/// A folder for what a test makes, which stays for people to look at.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("finch-ffi").join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Whether a program is installed. Where everything has to be tested, it must be.
pub(crate) fn has(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).any(|folder| folder.join(program).is_file());
    found || missing(program)
}

/// A Python with NumPy, if there is one: `PYTHON`, or `python3`. Where everything has to be tested,
/// there must be.
pub(crate) fn python() -> Option<OsString> {
    let python = env::var_os("PYTHON").unwrap_or("python3".into());
    let found = Command::new(&python).args(["-c", "import numpy"]).output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    missing(&format!("NumPy in {python:?}"));
    None
}

/// Flags with which a compiler watches memory and arithmetic.
pub(crate) const SANITIZERS: [&str; 3] =
    ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"];

/// Whether a compiler is installed with its sanitizers, which some systems package apart.
pub(crate) fn has_sanitizers(compiler: &str) -> bool {
    if !has(compiler) {
        return false;
    }
    let folder = scratch("sanitizers");
    let file = folder.join(format!("{compiler}.c"));
    fs::write(&file, "int main(void) { return 0; }\n").unwrap();
    let mut command = Command::new(compiler);
    command.args(SANITIZERS).arg(file).arg("-o").arg(folder.join(compiler));
    let found = output(&mut command).status.success();
    found || missing(&format!("the sanitizers of {compiler}"))
}

/// Says that a test, or a part of a test, is left out. Where everything has to be tested, the test
/// fails.
fn missing(what: &str) -> bool {
    assert!(env::var_os("CI").is_none_or(|ci| ci != "true"), "there is no {what}");
    let test = thread::current();
    let test = test.name().unwrap_or("a test");
    // Written to the stream itself: `eprintln!` is heard only of tests that fail. In one piece, since
    // other threads write, too.
    let line = format!("left out of {test}, for want of {what}\n");
    let _ = io::stderr().write_all(line.as_bytes());
    false
}

/// Runs a program that has to succeed, and returns what it printed.
pub(crate) fn run(command: &mut Command) -> String {
    let output = output(command);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{text}{errors}", output.status);
    text
}

/// Runs a program, and returns how it ended and what it printed.
pub(crate) fn output(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// What the example prints in every language.
pub(crate) const PLANETS: &str = "\
3 clusters
  Mercury, Venus, Earth, Moon, Mars
  Jupiter, Saturn
  Uranus, Neptune
";

/// Strict flags for C99 and for C++17.
pub(crate) const C99: [&str; 6] = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1"];
pub(crate) const CXX17: [&str; 6] =
    ["-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1"];

/// Compiles C or C++ against the shared library, which the program finds wherever it runs.
pub(crate) fn compile<S: AsRef<OsStr>>(
    compiler: &str,
    flags: &[S],
    sources: &[&Path],
    program: &Path,
) {
    run(Command::new(compiler)
        .args(flags)
        .arg("-I")
        .arg(root().join("include"))
        .args(sources)
        .arg("-L")
        .arg(library())
        .arg(format!("-Wl,-rpath,{}", library().display()))
        .args(["-lfinch", "-lpthread", "-lm", "-o"])
        .arg(program));
}
