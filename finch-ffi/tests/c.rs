//! C programs against the shared library, under sanitizers and valgrind.

mod common;

use std::path::PathBuf;
use std::process::Command;

use common::{C99, SANITIZERS, compile, has, has_sanitizers, library, output, root, run, scratch};

fn source(name: &str) -> PathBuf {
    root().join("finch-ffi/tests/c").join(name)
}

#[test]
fn only_finch_symbols_are_exported() {
    let symbols =
        run(Command::new("nm").args(["-D", "--defined-only"]).arg(library().join("libfinch.so")));
    let names: Vec<&str> = symbols.lines().map(|line| line.rsplit(' ').next().unwrap()).collect();
    assert!(names.contains(&"finch_cluster"), "{names:?}");
    let others: Vec<&&str> = names.iter().filter(|name| !name.starts_with("finch_")).collect();
    assert!(others.is_empty(), "also exported: {others:?}");
    // And every function of the header is there.
    let listed = std::fs::read_to_string(root().join("finch-ffi/abi.txt")).unwrap();
    let functions =
        listed.lines().filter(|line| line.contains('(') && !line.starts_with("typedef"));
    let functions: Vec<&str> = functions
        .map(|line| line.split('(').next().unwrap().rsplit([' ', '*']).next().unwrap())
        .collect();
    let missing: Vec<&&str> = functions.iter().filter(|name| !names.contains(name)).collect();
    assert!(missing.is_empty(), "not exported: {missing:?}");
    assert_eq!(functions.len(), names.len());
}

fn cases(text: &str) -> u32 {
    text.trim().parse().unwrap_or_else(|_| panic!("{text}"))
}

/// Programs that print how many calls failed as they should, and how many there are at least.
const COUNTED: [(&str, u32); 9] = [
    ("describe", 54),
    ("elements", 12),
    ("extension", 15),
    ("faults", 251),
    ("given", 46),
    ("shards", 30),
    ("sparse", 35),
    ("trees", 60),
    ("weights", 41),
];

#[test]
fn faults_under_address_and_undefined_behavior_sanitizers() {
    for compiler in ["gcc", "clang"].into_iter().filter(|compiler| has_sanitizers(compiler)) {
        for (name, least) in COUNTED {
            let program = scratch("c").join(format!("{name}-{compiler}"));
            let flags = [&C99[..], &SANITIZERS].concat();
            compile(compiler, &flags, &[&source(&format!("{name}.c"))], &program);
            assert!(cases(&run(&mut Command::new(program))) >= least);
        }
    }
}

#[test]
fn faults_under_valgrind() {
    if has("valgrind") {
        COUNTED.iter().for_each(|(name, least)| under_valgrind(name, *least));
    }
}

fn under_valgrind(name: &str, least: u32) {
    let program = scratch("c").join(name);
    let source = source(&format!("{name}.c"));
    compile("cc", &[&C99[..], &["-g"]].concat(), &[&source], &program);
    let mut valgrind = Command::new("valgrind");
    // What the shared pool of threads keeps until the end is still reachable, and no leak.
    valgrind.args(["--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
    let ended = output(valgrind.arg("--fair-sched=yes").arg(program));
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{errors}");
    assert!(errors.contains("ERROR SUMMARY: 0 errors"), "{errors}");
    assert!(cases(&String::from_utf8_lossy(&ended.stdout)) >= least);
}

/// Runs the checks of models in an empty folder, and says how many bad inputs there were.
fn expect_models(command: &mut Command, folder: &str) {
    let folder = scratch("c").join(folder);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).unwrap();
    let ended = output(command.arg(&folder));
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{errors}");
    assert!(cases(&String::from_utf8_lossy(&ended.stdout)) > 50);
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn models_under_address_and_undefined_behavior_sanitizers() {
    for compiler in ["gcc", "clang"].into_iter().filter(|compiler| has_sanitizers(compiler)) {
        let program = scratch("c").join(format!("model-{compiler}"));
        let flags = [&C99[..], &SANITIZERS].concat();
        compile(compiler, &flags, &[&source("model.c")], &program);
        expect_models(&mut Command::new(program), &format!("models-{compiler}"));
    }
}

#[test]
fn models_under_valgrind() {
    if !has("valgrind") {
        return;
    }
    let program = scratch("c").join("model");
    compile("cc", &[&C99[..], &["-g"]].concat(), &[&source("model.c")], &program);
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
    expect_models(valgrind.arg("--fair-sched=yes").arg(program), "models-valgrind");
}

/// For data races: `finch-ffi/tests/thread-sanitizer` runs the same under ThreadSanitizer, which
/// takes a library that is instrumented, too, and so a nightly compiler.
#[test]
fn eight_threads_at_once() {
    let program = scratch("c").join("threads");
    compile("cc", &C99, &[&source("threads.c")], &program);
    assert_eq!(run(Command::new(program).arg("12")), "12 rounds\n");
}

#[test]
fn a_forked_process_clusters() {
    let program = scratch("c").join("fork");
    compile("cc", &C99, &[&source("fork.c")], &program);
    assert_eq!(run(&mut Command::new(program)), "the same labels\n");
}

/// Address space is what a limit can be set to, and glibc what the program asks not to waste it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn calls_under_a_limit_of_memory_refuse_or_find_the_same() {
    let program = scratch("c").join("memory");
    compile("cc", &C99, &[&source("memory.c")], &program);
    let ended = output(&mut Command::new(program));
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && errors.is_empty(), "{errors}");
    assert_eq!(String::from_utf8_lossy(&ended.stdout).lines().count(), 2 * 23 + 7);
}

/// The tests of all calls are of those that `calls.h` lists: a new function of the header that can fail is
/// listed there, too.
#[test]
fn every_function_that_returns_a_status_is_among_the_calls() {
    let names = run(Command::new(program_of_calls("calls")).arg("names"));
    let mut names: Vec<&str> = names.lines().collect();
    let listed = std::fs::read_to_string(root().join("finch-ffi/abi.txt")).unwrap();
    let functions = listed.lines().filter_map(|line| line.strip_prefix("finch_status finch_"));
    let mut functions: Vec<String> = functions
        .map(|function| format!("finch_{}", function.split('(').next().unwrap()))
        .collect();
    functions.sort();
    names.sort();
    assert_eq!(names, functions);
}

/// Compiles a program that makes all calls.
fn program_of_calls(name: &str) -> PathBuf {
    let program = scratch("c").join(name);
    compile("cc", &C99, &[&source(&format!("{name}.c"))], &program);
    program
}

#[cfg(target_os = "linux")]
#[test]
fn every_call_serves_in_a_forked_process_and_starts_no_thread_where_one_is_asked_for() {
    let ended = output(Command::new(program_of_calls("calls")).arg(scratch("c/calls-models")));
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && errors.is_empty(), "{errors}");
}

/// The program takes the place of glibc's `malloc`.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn no_call_ends_its_process_where_one_allocation_is_refused() {
    let ended =
        output(Command::new(program_of_calls("refusals")).arg(scratch("c/refusals-models")));
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && errors.is_empty(), "{errors}");
    let refusals = String::from_utf8_lossy(&ended.stdout);
    assert!(refusals.split(' ').next().unwrap().parse::<u32>().unwrap() > 1_000, "{refusals}");
}

#[test]
fn threads_that_do_not_start_are_a_status_until_they_start() {
    let program = scratch("c").join("no-threads");
    compile("cc", &C99, &[&source("no_threads.c")], &program);
    let ended = output(&mut Command::new(program));
    assert!(ended.status.success(), "{ended:?}");
    assert!(ended.stderr.is_empty(), "{ended:?}");
}
