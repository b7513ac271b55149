//! The committed header is what the sources say, and so is the list of what may not change.
//!
//! `FINCH_BLESS=1 cargo test -p finch-ffi --test header` rewrites both.

#[path = "header/layout.rs"]
mod layout;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use layout::{WIDTH, layout};

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn header() -> PathBuf {
    package().join("../include/finch.h")
}

fn generated() -> String {
    let config = cbindgen::Config::from_file(package().join("cbindgen.toml")).unwrap();
    let bindings = cbindgen::generate_with_config(package(), config).unwrap();
    let mut text = Vec::new();
    bindings.write(&mut text);
    layout(&String::from_utf8(text).unwrap())
}

/// Compares a file with what it should be, or writes it.
fn assert_up_to_date(path: &Path, expected: &str) {
    if env::var_os("FINCH_BLESS").is_some() {
        fs::write(path, expected).unwrap();
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    let name = path.file_name().unwrap().display();
    let advice = "run FINCH_BLESS=1 cargo test -p finch-ffi --test header, and look at the change";
    let lines = found.lines().zip(expected.lines()).enumerate();
    for (number, (found, expected)) in lines {
        assert_eq!(found, expected, "{name}, line {}: {advice}", number + 1);
    }
    assert_eq!(found, expected, "{name} has another length: {advice}");
}

#[test]
fn the_header_is_up_to_date() {
    assert_up_to_date(&header(), &generated());
}

/// What a C99 compiler sees, one line for each declaration, and the macros.
fn declarations(header: &str) -> String {
    let mut list = String::new();
    let mut statement = String::new();
    // Whether each `#if` around a line holds in C99.
    let mut conditions = Vec::new();
    for line in header.lines() {
        let code = line.split("//").next().unwrap().trim();
        match code.split_once(' ').unwrap_or((code, "")) {
            ("#if" | "#ifdef", _) => conditions.push(false),
            ("#ifndef", _) => conditions.push(true),
            ("#elif", _) => {}
            ("#else", _) => *conditions.last_mut().unwrap() ^= true,
            ("#endif", _) => drop(conditions.pop().unwrap()),
            _ if conditions.contains(&false) || code.is_empty() => {}
            ("#include", _) | ("#define", "FINCH_H" | "FINCH_API") => {}
            ("#define", _) => list += &format!("{code}\n"),
            _ => {
                statement += code.trim_start_matches("FINCH_API ");
                statement.push(' ');
                let open = statement.matches('{').count() > statement.matches('}').count();
                if code.ends_with(';') && !open {
                    list += &format!("{}\n", statement.trim());
                    statement.clear();
                }
            }
        }
    }
    assert_eq!((statement.as_str(), conditions.len()), ("", 0), "the header ends midway");
    list
}

/// `abi.txt` is what programs that are already compiled rely on. A change that does more than add
/// lines, numbers or last fields there breaks them, and needs another `FINCH_ABI`.
#[test]
fn the_binary_interface_is_as_listed() {
    let list = declarations(&generated());
    assert!(list.contains("finch_status finch_cluster("), "{list}");
    assert_up_to_date(&package().join("abi.txt"), &list);
}

/// What programs look for when they start: `finch-ffi/install` asks the header, the build and cargo-c do not.
#[test]
fn the_shared_library_is_named_by_the_binary_interface() {
    let header = generated();
    let number = header.lines().find_map(|line| line.strip_prefix("#define FINCH_ABI ")).unwrap();
    let file = |name: &str| std::fs::read_to_string(package().join(name)).unwrap();
    assert!(file("build.rs").contains(&format!("-soname,libfinch.so.{number}\"")));
    let manifest = file("Cargo.toml");
    let of_capi = manifest.split("[package.metadata.capi.library]").nth(1).unwrap();
    assert!(of_capi.contains(&format!("\nversion = \"{number}.")), "{of_capi}");
}

/// What holds for every function is said once, at the top, and each function says what it does.
#[test]
fn rules_are_said_once_and_functions_are_described() {
    let header = generated();
    let lines: Vec<&str> = header.lines().collect();
    for rule in ["NULL", "Ownership", "Threads", "Faults", "Processes"] {
        let beginning = format!("// - {rule}. ");
        let said = lines.iter().filter(|line| line.starts_with(&beginning)).count();
        assert_eq!(said, 1, "the rule {rule} at the top");
    }
    assert_eq!(header.to_lowercase().matches("any thread").count(), 1, "{header}");
    let declared = lines.iter().enumerate().filter(|(_, line)| line.starts_with("FINCH_API "));
    let undescribed: Vec<&str> = declared
        .clone()
        .filter(|(number, _)| !lines[number - 1].starts_with("///"))
        .map(|(_, line)| *line)
        .collect();
    assert!(undescribed.is_empty(), "{undescribed:?}");
    assert!(declared.count() > 25);
}

/// The header is a manual, which is read from top to end: ten lines for each of its functions.
#[test]
fn the_header_stays_short() {
    let header = generated();
    assert!(header.lines().count() <= 1_310, "{} lines", header.lines().count());
    let wide: Vec<&str> = header.lines().filter(|line| line.len() > WIDTH).collect();
    assert!(wide.is_empty(), "{wide:?}");
}

/// What a program that includes the header finds in its name space, beyond the standard's own.
#[test]
fn all_names_begin_with_finch() {
    let list = declarations(&generated());
    let mut names = Vec::new();
    for line in list.lines() {
        let words =
            || line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty());
        match line.split(' ').next().unwrap() {
            "#define" => names.extend(words().nth(1)),
            "enum" => {
                let values = line.split(['{', ',']).skip(1).filter(|value| value.contains('='));
                names.extend(values.map(|value| value.split('=').next().unwrap().trim()));
            }
            "typedef" if line.contains("(*") => {
                names.extend(line.split("(*").nth(1).unwrap().split(')').next());
            }
            "typedef" => names.extend(words().next_back()),
            _ => names.extend(line.split('(').next().unwrap().rsplit([' ', '*']).next()),
        }
    }
    assert!(names.len() > 80, "{names:?}");
    for expected in ["finch_progress_fn", "FINCH_ABI", "FINCH_OK", "finch_options", "finch_score"] {
        assert!(names.contains(&expected), "{expected} of {names:?}");
    }
    let foreign: Vec<&&str> = names
        .iter()
        .filter(|name| !name.starts_with("finch_") && !name.starts_with("FINCH_"))
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}
