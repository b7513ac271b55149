//! Rules for the sources of all crates, and of the Python package: no circle among files or folders, no
//! arrow up, no file too long to read, no crowded folder, comments that name the noun, and a current picture of
//! modules.

mod circles;
mod comments;
mod modules;
mod picture;
mod python;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use modules::{Arrows, Modules};

const PACKAGES: [&str; 3] = ["finch-core", "finch-ffi", "finch-deep"];
const PYTHON: &str = "python/finch_clustering";

/// Lines of a source file without its tests, of a test file, and of the README.
const LONGEST_SOURCE: usize = 600;
const LONGEST_TEST: usize = 900;
const LONGEST_README: usize = 160;

/// Files and folders in a folder of sources, beside a file of tests.
const MOST_ENTRIES: usize = 20;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn arrows() -> Arrows {
    let read = |package| Modules::read(&repository(), package).arrows();
    let of_python = python::arrows(&repository(), &files_in(&[PYTHON]));
    PACKAGES.into_iter().flat_map(read).chain(of_python).collect()
}

/// All files below some folders of the repository, by their paths below it.
fn files_in(folders: &[&str]) -> Vec<String> {
    let mut files = Vec::new();
    let mut open: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(repository().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            if !entry.file_type().unwrap().is_dir() {
                files.push(path.to_str().unwrap().replace('\\', "/"));
            } else if entry.file_name() != "target" {
                open.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn no_circles_among_files() {
    let arrows = arrows();
    let circles: String =
        circles::knots(&arrows).iter().map(|knot| circles::describe(&arrows, knot)).collect();
    assert!(circles.is_empty(), "these files use each other in a circle:{circles}");
}

/// A folder counts as one: what is in it stands above another entry of the folder around it, or below.
#[test]
fn no_circles_among_entries_of_a_folder() {
    let arrows = arrows();
    let folders: BTreeSet<String> = arrows
        .keys()
        .flat_map(|(from, _)| Path::new(from).ancestors().skip(1))
        .map(|folder| format!("{}/", folder.display()))
        .collect();
    let mut circles = String::new();
    for folder in &folders {
        let mut entries = Arrows::new();
        for ((from, to), name) in &arrows {
            if let (Some(above), Some(below)) =
                (picture::node(folder, from), picture::node(folder, to))
                && above != below
            {
                entries.entry((above, below)).or_insert_with(|| format!("{name} ({from})"));
            }
        }
        for knot in circles::knots(&entries) {
            circles += &format!(
                "
{folder}: {}",
                circles::describe(&entries, &knot)
            );
        }
    }
    assert!(circles.is_empty(), "these entries use each other in a circle:{circles}");
}

/// `lib.rs` lists the modules of finch-core from the top down, and no arrow leads up.
#[test]
fn a_module_uses_only_those_below() {
    let source = "finch-core/src/";
    let text = fs::read_to_string(repository().join(source).join("lib.rs")).unwrap();
    let listed = text.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    let listed: Vec<&str> = listed.collect();
    let place = |file: &String| {
        let node = picture::node(source, file)?;
        listed.iter().position(|name| *name == node.trim_end_matches('/'))
    };
    let arrows = Modules::read(&repository(), "finch-core").arrows();
    let up = arrows
        .iter()
        .filter(|((from, to), _)| place(from).zip(place(to)).is_some_and(|(from, to)| from > to));
    let up: Vec<_> = up.collect();
    assert!(up.is_empty(), "these arrows lead up: {up:#?}");
}

/// The finder itself, on a crate with one circle: through a re-export, a macro and a module in braces.
#[test]
fn a_circle_through_a_re_export_is_found() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("circle");
    let source = folder.join("round/src");
    fs::create_dir_all(source.join("wing")).unwrap();
    for (file, text) in [
        ("lib.rs", "mod wing; mod user; mod apart; mod ring; mod stone; pub use wing::Wheel;"),
        ("wing/mod.rs", "mod wheel; pub use wheel::{self as turning, Wheel}; pub struct Unused;"),
        ("wing/wheel.rs", "pub struct Wheel; fn f() { let x = vec![crate::user::MAX; 2]; }"),
        ("user.rs", "pub const MAX: u8 = 2; mod inner { type W = <crate::Wheel as Clone>::Out; }"),
        ("ring.rs", "macro_rules! ring { () => { $crate::stone::cut() }; } pub(crate) use ring;"),
        ("stone.rs", "use crate::ring::ring; pub fn cut() {}"),
        ("apart.rs", "use super::wing::Wheel; #[cfg(test)] mod tests { use crate::user; }"),
    ] {
        fs::write(source.join(file), text).unwrap();
    }
    let modules = Modules::read(&folder, "round");
    assert_eq!(modules.files().len(), 7);
    let knots = circles::knots(&modules.arrows());
    let of_files =
        |files: [&str; 2]| files.map(|file| format!("round/src/{file}.rs")).into_iter().collect();
    let mut expected: Vec<BTreeSet<String>> =
        vec![of_files(["ring", "stone"]), of_files(["user", "wing/wheel"])];
    expected.sort();
    assert_eq!(knots, expected);
    assert_eq!(
        circles::describe(&modules.arrows(), &knots[1]),
        "\n  round/src/user.rs\n    uses crate::Wheel of round/src/wing/wheel.rs\
         \n    uses crate::user::MAX of round/src/user.rs"
    );
}

/// CONTRIBUTING.md shows the modules as they are. With `FINCH_BLESS` set, the test rewrites the picture.
#[test]
fn the_picture_of_modules_is_current() {
    let file = repository().join("CONTRIBUTING.md");
    let text = fs::read_to_string(&file).unwrap();
    let mut current = text.clone();
    for package in PACKAGES {
        let (begin, end) =
            (format!("<!-- {package} -->\n"), format!("<!-- end of {package} -->\n"));
        let (before, rest) = current.split_once(&begin).expect(&begin);
        let (_, after) = rest.split_once(&end).expect(&end);
        let picture = picture::pictures(package, &Modules::read(&repository(), package));
        current = format!("{before}{begin}\n{picture}{end}{after}");
    }
    if env::var_os("FINCH_BLESS").is_some() {
        fs::write(file, &current).unwrap();
    } else {
        assert!(
            current == text,
            "CONTRIBUTING.md shows other modules than there are: run\n\
             FINCH_BLESS=1 cargo test -p finch-core --test sources"
        );
    }
}

/// The documentation tests of finch-core run the example of its own README, which the page on Rust shows, too.
#[test]
fn the_page_on_rust_shows_the_example_that_is_tested() {
    let example = |file: &str| {
        let text = fs::read_to_string(repository().join(file)).unwrap();
        let blocks: Vec<&str> = text.split("```rust\n").skip(1).collect();
        let [block] = blocks[..] else { panic!("{file} has {} blocks of Rust", blocks.len()) };
        block.split("```").next().unwrap().to_owned()
    };
    assert_eq!(example("docs/languages/rust.md"), example("finch-core/README.md"));
}

#[test]
fn every_source_file_is_part_of_its_crate() {
    for package in PACKAGES {
        let read = Modules::read(&repository(), package).files();
        let sources = files_in(&[&format!("{package}/src")]);
        // The unit tests of a module may be a file of their own, declared under `#[cfg(test)]`.
        let of_crate = |file: &&String| file.ends_with(".rs") && !file.ends_with("/tests.rs");
        for file in sources.iter().filter(of_crate) {
            assert!(read.contains(file), "{file} is declared by no module");
        }
    }
}

/// A file of tests that nobody declares is never run, and no compiler says so.
#[test]
fn every_test_file_is_part_of_its_program() {
    for package in PACKAGES {
        let files = files_in(&[&format!("{package}/tests")]);
        let files: Vec<&Path> = files.iter().map(Path::new).collect();
        for folder in files.iter().filter(|file| file.ends_with("main.rs")) {
            let folder = folder.parent().unwrap();
            let of_program = files.iter().filter(|file| file.starts_with(folder));
            let of_program: Vec<_> =
                of_program.filter(|file| file.extension().is_some_and(|end| end == "rs")).collect();
            let read = |file: &&&Path| fs::read_to_string(repository().join(file)).unwrap();
            let texts: String = of_program.iter().map(read).collect();
            for file in of_program {
                let named = if file.ends_with("mod.rs") { file.parent().unwrap() } else { file };
                let declaration = format!("mod {};", named.file_stem().unwrap().to_str().unwrap());
                let declared = file.ends_with("main.rs") || texts.contains(&declaration);
                assert!(declared, "{} is declared by no module", file.display());
            }
        }
    }
}

#[test]
fn no_folder_is_crowded() {
    let sources = PACKAGES.map(|package| format!("{package}/src"));
    let folders: Vec<&str> = sources.iter().map(String::as_str).chain([PYTHON]).collect();
    let mut entries: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
    for file in files_in(&folders) {
        let is_source = [".rs", ".py", ".css"].iter().any(|ending| file.ends_with(ending));
        if !is_source || file.ends_with("/tests.rs") {
            continue;
        }
        for entry in Path::new(&file).ancestors() {
            if let Some(folder) = entry.parent() {
                entries.entry(folder.into()).or_default().insert(entry.into());
            }
        }
    }
    let crowded = entries.iter().filter(|(_, entries)| entries.len() > MOST_ENTRIES);
    let crowded: Vec<_> = crowded.map(|(folder, entries)| (folder, entries.len())).collect();
    assert!(crowded.is_empty(), "folders with more than {MOST_ENTRIES} entries: {crowded:?}");
}

#[test]
fn no_file_is_too_long() {
    let mut folders: Vec<&str> = PACKAGES.to_vec();
    folders.extend(["benches", "examples", "include", PYTHON]);
    let endings = [".rs", ".py", ".c", ".h", ".cpp", ".hpp", ".m", ".css"];
    let mut files = files_in(&folders);
    files.retain(|file| endings.iter().any(|ending| file.ends_with(ending)));
    files.push("README.md".to_owned());
    let mut too_long = Vec::new();
    for file in &files {
        let text = fs::read_to_string(repository().join(file)).unwrap();
        let limit = if file == "README.md" {
            LONGEST_README
        } else if ["/tests/", "/fuzz/", "/tests.rs"].iter().any(|part| file.contains(part)) {
            LONGEST_TEST
        } else {
            LONGEST_SOURCE
        };
        // Unit tests stand at the end of a file, or in a sibling `tests.rs`.
        let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
        let lines = code.lines().count();
        // The headers are the manuals of the library, read from top to end: tests of finch-ffi have
        // limits for them.
        if lines > limit && !file.starts_with("include/") {
            too_long.push((file.as_str(), lines, limit));
        }
    }
    assert!(too_long.is_empty(), "files to split, with their lines and the most: {too_long:?}");
}
