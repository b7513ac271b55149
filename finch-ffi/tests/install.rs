//! What `finch-ffi/install` puts into a prefix, as pkg-config, CMake and linkers find it.

#![cfg(target_os = "linux")]

mod common;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use common::{PLANETS, QUICK, building, has, output, root, run, scratch};

/// The script.
fn script(arguments: &[&str]) -> Command {
    let mut command = building(root().join("finch-ffi/install"));
    command.args(QUICK).args(arguments);
    command
}

/// A folder that is empty, and its path without `..`.
fn empty(name: &str) -> PathBuf {
    let folder = scratch("install").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder.canonicalize().unwrap()
}

/// Installs into a prefix of its own.
fn installed(name: &str) -> PathBuf {
    let prefix = empty(name);
    run(script(&["--prefix"]).arg(&prefix));
    prefix
}

/// One prefix for all tests that only look at it.
fn prefix() -> &'static Path {
    static PREFIX: LazyLock<PathBuf> = LazyLock::new(|| installed("prefix"));
    &PREFIX
}

/// All files below a folder, sorted.
fn files(folder: &Path) -> Vec<String> {
    let mut list = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let entry = entry.unwrap();
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false => {
                    list.push(entry.path().strip_prefix(folder).unwrap().display().to_string())
                }
            }
        }
    }
    list.sort();
    list
}

#[test]
fn only_functions_of_the_header_are_exported() {
    if !has("nm") || !has("readelf") {
        return;
    }
    let prefix = prefix();
    let header = fs::read_to_string(root().join("include/finch.h")).unwrap();
    for (flag, library, version) in
        [("--dynamic", "lib/libfinch.so", "@@FINCH_1"), ("--extern-only", "lib/libfinch.a", "")]
    {
        let list = run(Command::new("nm").args([flag, "--defined-only"]).arg(prefix.join(library)));
        let names: Vec<&str> =
            list.lines().filter_map(|line| line.split_once(" T ")).map(|(_, name)| name).collect();
        assert!(names.len() > 25, "{library}: {list}");
        for name in &names {
            let plain = name.strip_suffix(version).expect(name);
            let declared = plain.starts_with("finch_") && header.contains(&format!("{plain}("));
            assert!(declared, "{library} exports {name}");
        }
        // The name of the version is a symbol, too.
        let others = list.lines().filter(|line| {
            line.contains(' ') && !line.contains(" T ") && !line.ends_with(" A FINCH_1")
        });
        assert_eq!(others.collect::<Vec<_>>(), [""; 0], "{library} exports more than functions");
    }
    let sections = run(Command::new("readelf").arg("-SW").arg(prefix.join("lib/libfinch.so")));
    assert!(!sections.contains(".symtab"), "the shared library is not stripped: {sections}");
    let dynamic = run(Command::new("readelf").arg("-dW").arg(prefix.join("lib/libfinch.so")));
    assert!(dynamic.contains("Library soname: [libfinch.so.1]"), "{dynamic}");
    assert_eq!(fs::read_link(prefix.join("lib/libfinch.so")).unwrap(), Path::new("libfinch.so.1"));
}

/// Builds the C example as its first lines say, and compares what it prints.
fn c_example(prefix: &Path, pkg_config: &str, flags: &str) {
    let program = scratch("install").join("cluster-c");
    // The shell takes apart what pkg-config prints, in which spaces are escaped.
    let line = format!("eval cc -std=c99 {flags} $SOURCE $({pkg_config} finch) -o $PROGRAM");
    run(Command::new("sh")
        .args(["-ec", &line])
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
        .env("SOURCE", "examples/c/cluster.c")
        .env("PROGRAM", &program)
        .current_dir(root()));
    let mut command = Command::new(program);
    command.current_dir(root()).env("LD_LIBRARY_PATH", prefix.join("lib"));
    assert_eq!(run(&mut command), PLANETS);
}

#[test]
fn pkg_config_finds_it_wherever_it_is_moved() {
    if !has("pkg-config") {
        return;
    }
    let prefix = installed("pkg-config");
    let moved = prefix.with_file_name("pkg-config moved");
    let _ = fs::remove_dir_all(&moved);
    let both = |prefix: &Path| {
        c_example(prefix, "pkg-config --cflags --libs", "");
        c_example(prefix, "pkg-config --static --cflags --libs", "-static");
    };
    both(&prefix);
    fs::rename(&prefix, &moved).unwrap();
    both(&moved);
    let version = run(Command::new("pkg-config")
        .args(["--modversion", "finch"])
        .env("PKG_CONFIG_PATH", moved.join("lib/pkgconfig")));
    assert_eq!(version.trim(), env!("CARGO_PKG_VERSION"));
}

/// Configures and builds a CMake project, for which finch is in a prefix.
fn cmake(source: &Path, prefix: &Path) -> PathBuf {
    let build = empty("cmake-build");
    let mut define = OsString::from("-DCMAKE_PREFIX_PATH=");
    define.push(prefix);
    run(Command::new("cmake").arg("-S").arg(source).arg("-B").arg(&build).arg(define));
    run(Command::new("cmake").arg("--build").arg(&build));
    build
}

#[test]
fn cmake_finds_it_wherever_it_is_moved() {
    if !has("cmake") || !has("c++") {
        return;
    }
    let prefix = installed("cmake");
    let moved = prefix.with_file_name("cmake moved");
    let _ = fs::remove_dir_all(&moved);
    let both = |prefix: &Path| {
        let build = cmake(&root().join("examples/cpp"), prefix);
        for target in ["cluster_finch", "cluster_finch_static"] {
            assert_eq!(run(Command::new(build.join(target)).current_dir(root())), PLANETS);
        }
    };
    both(&prefix);
    fs::rename(&prefix, &moved).unwrap();
    both(&moved);
}

#[test]
fn cmake_takes_the_versions_that_it_can() {
    if !has("cmake") {
        return;
    }
    let prefix = prefix();
    let found = |version: &str| {
        let folder = empty("cmake-version");
        let project = format!(
            "cmake_minimum_required(VERSION 3.12)\nproject(any NONE)\n\
             find_package(finch {version} CONFIG REQUIRED)\n"
        );
        fs::write(folder.join("CMakeLists.txt"), project).unwrap();
        let mut command = Command::new("cmake");
        command.arg("-S").arg(&folder).arg("-B").arg(folder.join("build"));
        output(command.env("CMAKE_PREFIX_PATH", prefix)).status.success()
    };
    let [major, minor, patch] = env!("CARGO_PKG_VERSION").split('.').collect::<Vec<_>>()[..] else {
        panic!("a version has three numbers");
    };
    assert_eq!(major, "0", "from 1.0 on, other minor versions are compatible");
    for version in ["", &format!("0.{minor}"), &format!("0.{minor}.{patch} EXACT")] {
        assert!(found(version), "{version}");
    }
    for version in [&format!("0.{minor}.999"), "0.999", "1", &format!("0.{minor}9")] {
        assert!(!found(version), "{version}");
    }
}

#[test]
fn cmake_links_to_the_library_that_a_package_has() {
    if !has("cmake") {
        return;
    }
    for (kept, dropped) in
        [("static", &["libfinch.so", "libfinch.so.1"][..]), ("shared", &["libfinch.a"])]
    {
        let prefix = installed(&format!("cmake-{kept}"));
        for file in dropped {
            fs::remove_file(prefix.join("lib").join(file)).unwrap();
        }
        let folder = empty(&format!("cmake-program-{kept}"));
        let recipe = root().join("release/recipes/conan/test_package");
        let mut command = Command::new("cmake");
        command.arg("-S").arg(recipe).arg("-B").arg(&folder);
        run(command.env("CMAKE_PREFIX_PATH", &prefix));
        run(Command::new("cmake").arg("--build").arg(&folder));
        let program = folder.join("six");
        assert_eq!(run(&mut Command::new(&program)), "3 clusters\n");
        let needed = run(Command::new("readelf").arg("-dW").arg(&program));
        assert_eq!(needed.contains("[libfinch.so.1]"), kept == "shared", "{needed}");
    }
}

#[test]
fn a_program_may_have_another_rust_library() {
    let prefix = prefix();
    let folder = scratch("install");
    let source = |name| root().join("finch-ffi/tests/install").join(name);
    let rustc = env::var_os("RUSTC").unwrap_or("rustc".into());
    let (other, program) = (folder.join("libother.a"), folder.join("two-libraries"));
    run(Command::new(rustc)
        .args(["--edition", "2024", "--crate-type", "staticlib", "-o"])
        .arg(&other)
        .arg(source("other.rs")));
    run(Command::new("cc")
        .arg("-I")
        .arg(prefix.join("include"))
        .arg(source("beside.c"))
        .args([prefix.join("lib/libfinch.a"), other])
        .args(["-lpthread", "-lm", "-ldl", "-o"])
        .arg(&program));
    let output = output(&mut Command::new(program));
    assert!(output.status.success(), "{output:?}");
    // That finch is silent about panics is its own affair.
    assert!(String::from_utf8_lossy(&output.stderr).contains("on purpose"), "{output:?}");
}

#[test]
fn stages_for_packages_and_uninstalls() {
    let stage = empty("stage");
    let arguments = ["--prefix=/usr", "--libdir", "lib/x86_64-linux-gnu"];
    // Twice: over what is there.
    for _ in 0..2 {
        run(script(&arguments).env("DESTDIR", &stage));
    }
    let expected = [
        "usr/include/finch.h",
        "usr/include/finch.hpp",
        "usr/lib/x86_64-linux-gnu/cmake/finch/finchConfig.cmake",
        "usr/lib/x86_64-linux-gnu/cmake/finch/finchConfigVersion.cmake",
        "usr/lib/x86_64-linux-gnu/libfinch.a",
        "usr/lib/x86_64-linux-gnu/libfinch.so",
        "usr/lib/x86_64-linux-gnu/libfinch.so.1",
        "usr/lib/x86_64-linux-gnu/pkgconfig/finch.pc",
    ];
    assert_eq!(files(&stage), expected);
    if has("pkg-config") {
        let folder = stage.join("usr/lib/x86_64-linux-gnu/pkgconfig");
        let flags = run(Command::new("pkg-config")
            .args(["--cflags", "finch"])
            .env("PKG_CONFIG_PATH", folder));
        let include = Path::new(flags.trim().strip_prefix("-I").unwrap()).canonicalize().unwrap();
        assert_eq!(include, stage.join("usr/include"));
    }
    run(script(&arguments).arg("--uninstall").env("DESTDIR", &stage));
    assert_eq!(files(&stage), [""; 0]);
}

#[test]
fn wrong_arguments_are_refused() {
    let cases: [(&[&str], &str); 6] = [
        (&["--prefix"], "--prefix needs a value"),
        (&["--prefix="], "--prefix needs a value"),
        (&["--libdir", "/usr/lib"], "below the prefix"),
        (&["--libdir", "../lib"], "below the prefix"),
        (&["--bogus"], "--bogus is no option"),
        (&["somewhere"], "somewhere is no option"),
    ];
    for (arguments, message) in cases {
        let output = output(&mut script(arguments));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(message), "{arguments:?}: {errors}");
    }
    assert!(run(&mut script(&["--help"])).contains("Examples:"));
    let unknown = output(&mut script(&["--profile", "nix", "--prefix", "/nowhere"]));
    assert!(!unknown.status.success() && !Path::new("/nowhere").exists());
}

#[test]
fn other_systems_are_refused() {
    let folder = empty("bin");
    symlink("/bin/echo", folder.join("uname")).unwrap();
    let path = env::join_paths([folder, PathBuf::from("/usr/bin"), PathBuf::from("/bin")]).unwrap();
    // There, `uname -s` prints its argument.
    let output = output(script(&["--prefix", "/nowhere"]).env("PATH", path));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("only Linux is supported so far"));
}
