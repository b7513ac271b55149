//! finch.hpp as C++ programs use it, and both headers as compilers see them.

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use common::{C99, CXX17, SANITIZERS, compile, has, has_sanitizers, output, root, run, scratch};

/// Beyond common's flags: what careful projects turn on, for templates that they instantiate.
const STRICT: [&str; 6] = [
    "-Wshadow",
    "-Wconversion",
    "-Wsign-conversion",
    "-Wold-style-cast",
    "-Wnon-virtual-dtor",
    "-Wextra-semi",
];

fn source(name: &str) -> PathBuf {
    root().join("finch-ffi/tests/cpp").join(name)
}

fn cxx(standard: &str) -> Vec<&str> {
    [standard].into_iter().chain(CXX17.into_iter().skip(1)).collect()
}

/// Compiles a file that has nothing but the header, twice.
fn compile_alone(compiler: &str, flags: &[&str], language: &str, header: &str) {
    let file = scratch("cpp").join(format!("alone-{compiler}-{header}.{language}"));
    fs::write(&file, format!("#include <{header}>\n#include <{header}>\n")).unwrap();
    let include = root().join("include");
    run(Command::new(compiler).args(flags).arg("-fsyntax-only").arg("-I").arg(include).arg(file));
}

#[test]
fn headers_compile_alone() {
    for compiler in ["gcc", "clang"].into_iter().filter(|compiler| has(compiler)) {
        compile_alone(compiler, &C99, "c", "finch.h");
    }
    for compiler in ["g++", "clang++"].into_iter().filter(|compiler| has(compiler)) {
        for standard in ["-std=c++17", "-std=c++20"] {
            let flags = [cxx(standard), STRICT.to_vec()].concat();
            compile_alone(compiler, &flags, "cpp", "finch.h");
            compile_alone(compiler, &flags, "cpp", "finch.hpp");
        }
    }
}

#[test]
fn an_older_standard_is_refused_in_words() {
    if !has("g++") {
        return;
    }
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++14", "-fsyntax-only", "-x", "c++"]);
    let output = output(compiler.arg(root().join("include/finch.hpp")));
    assert!(String::from_utf8_lossy(&output.stderr).contains("finch.hpp needs C++17"));
}

#[test]
fn two_files_of_a_program_may_include_it() {
    for compiler in ["g++", "clang++"].into_iter().filter(|compiler| has(compiler)) {
        let folder = scratch("cpp");
        let first = folder.join("first.cpp");
        fs::write(&first, "#define FIRST\n#include \"unit.cpp\"\n").unwrap();
        let program = folder.join(format!("units-{compiler}"));
        let tests = format!("-I{}", root().join("finch-ffi/tests/cpp").display());
        let flags: Vec<&str> = CXX17.into_iter().chain([tests.as_str()]).collect();
        compile(compiler, &flags, &[&first, &source("unit.cpp")], &program);
        run(&mut Command::new(program));
    }
}

/// Compiles and runs the programs that use every member.
fn every_member(compiler: &str, name: &str, flags: &[&str]) {
    for file in ["members", "model"] {
        let program = scratch("cpp").join(format!("{file}-{compiler}-{name}"));
        compile(compiler, flags, &[&source(&format!("{file}.cpp"))], &program);
        let saved = program.with_extension("finch");
        run(Command::new(program).arg(saved));
    }
}

#[test]
fn every_member_works() {
    for compiler in ["g++", "clang++"].into_iter().filter(|compiler| has(compiler)) {
        for standard in ["-std=c++17", "-std=c++20"] {
            every_member(compiler, standard, &cxx(standard));
        }
    }
}

#[test]
fn every_member_passes_the_sanitizers() {
    for compiler in ["g++", "clang++"].into_iter().filter(|compiler| has_sanitizers(compiler)) {
        every_member(compiler, "sanitized", &[&CXX17[..], &SANITIZERS].concat());
    }
}

#[test]
fn the_example_of_the_header_prints_what_it_says() {
    if !has("g++") {
        return;
    }
    let header = fs::read_to_string(root().join("include/finch.hpp")).unwrap();
    let example: Vec<&str> =
        header.lines().filter_map(|line| line.strip_prefix("//     ")).collect();
    let printed = example.last().unwrap().rsplit_once("// ").unwrap().1;
    let file = scratch("cpp").join("example.cpp");
    let body = example.join("\n");
    let program = format!("#include <finch.hpp>\n#include <iostream>\nint main() {{\n{body}\n}}\n");
    fs::write(&file, program).unwrap();
    let program = scratch("cpp").join("example");
    compile("g++", &CXX17, &[&file], &program);
    assert_eq!(run(&mut Command::new(program)).trim_end(), printed);
}

/// What would dangle: each line with a matrix or rows that lead to a temporary.
const DANGLING: [&str; 13] = [
    "finch::matrix m(std::array<double, 12>{1}, 2);",
    "finch::matrix m(std::array<const double, 2>{1, 2}, 2);",
    "finch::matrix m(std::vector<double>{1, 2}, 2);",
    "using array = double[2]; finch::matrix m(array{1, 2}, 2);",
    "const auto make = [] { return std::vector<double>(2); }; finch::matrix m(make(), 2);",
    "finch::matrix m(std::initializer_list<double>{1, 2}, 2);",
    "struct owner { double v[2]; const double *data() const { return v; } double *data() { return v; } \
     size_t size() const { return 2; } }; finch::matrix m(owner{}, 2);",
    "auto m = finch::matrix::f16(std::array<uint16_t, 2>{}, 2);",
    "auto m = finch::matrix::bf16(std::vector<uint16_t>(2), 2);",
    "auto m = finch::matrix::bits(std::array<uint8_t, 2>{}, 8);",
    "std::vector<int> at; std::vector<double> v; finch::csr rows(std::array<int, 1>{}, at, v, 2);",
    "std::vector<int> at; finch::csr rows(at, at, std::vector<double>{}, 2);",
    "std::vector<int> at{0, 0}, of; std::vector<float> v; finch::matrix m(finch::csr(at, of, v, 2));",
];

/// What leads to memory that stays.
const STAYING: [&str; 5] = [
    "const std::array<double, 2> x{1, 2}; finch::matrix m(x, 2);",
    "double x[2] = {1, 2}; finch::matrix m(x, 2);",
    "std::vector<double> x{1, 2}; finch::matrix m(finch::span<double>(x), 2);",
    "std::vector<double> x{1, 2}; finch::matrix m(finch::span<const double>(x.data(), 2), 2);",
    "std::vector<int64_t> at{0, 0}, of; std::vector<float> v; const finch::csr rows(at, of, v, 2); \
     finch::matrix m(rows);",
];

#[test]
fn a_matrix_of_a_temporary_does_not_compile() {
    let compiles = |compiler: &str, line: &str| {
        let file = scratch("cpp").join(format!("temporary-{compiler}.cpp"));
        let program = format!(
            "#include <finch.hpp>\n#include <array>\n#include <vector>\nint main() {{ {line} (void)0; }}\n"
        );
        fs::write(&file, program).unwrap();
        let mut command = Command::new(compiler);
        command.args(["-std=c++17", "-fsyntax-only", "-I"]).arg(root().join("include"));
        output(command.arg(file)).status.success()
    };
    for compiler in ["g++", "clang++"].into_iter().filter(|compiler| has(compiler)) {
        for line in DANGLING {
            assert!(!compiles(compiler, line), "{compiler}: {line}");
        }
        for line in STAYING {
            assert!(compiles(compiler, line), "{compiler}: {line}");
        }
    }
}

#[test]
fn the_header_stays_small() {
    let header = fs::read_to_string(root().join("include/finch.hpp")).unwrap();
    assert!(header.lines().count() <= 990, "finch.hpp is read as a manual; keep it short");
    let wide = header.lines().find(|line| line.len() > 100);
    assert_eq!(wide, None);
}
