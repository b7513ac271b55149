//! Which file of a Python package uses names of which other, read from its relative imports.
//!
//! An import counts wherever it stands: within a function, or for a checker of types alone.

use std::fs;
use std::path::Path;

use super::modules::Arrows;

/// Every arrow from a file to another that it imports, or imports a name of.
pub(crate) fn arrows(repository: &Path, files: &[String]) -> Arrows {
    let mut arrows = Arrows::new();
    for file in files.iter().filter(|file| file.ends_with(".py")) {
        let text = fs::read_to_string(repository.join(file)).unwrap();
        for (module, names) in imports(&text) {
            for name in names {
                let target = target(files, file, module, name);
                if target != *file {
                    let name = format!("{module} {name}");
                    arrows.entry((file.clone(), target)).or_insert(name);
                }
            }
        }
    }
    arrows
}

/// The relative imports of a file: `from MODULE import NAMES`.
fn imports(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut imports = Vec::new();
    for (at, found) in text.match_indices("from .") {
        let before = text[..at].rsplit('\n').next().unwrap();
        let after = &text[at + found.len() - 1..];
        let Some((module, names)) = after.split_once(" import ") else { continue };
        if !before.trim().is_empty() || module.contains(char::is_whitespace) {
            continue;
        }
        let names = match names.strip_prefix('(') {
            Some(listed) => listed.split(')').next().unwrap(),
            None => names.lines().next().unwrap(),
        };
        let lines = names.lines().filter_map(|line| line.split('#').next());
        let names = lines.flat_map(|line| line.split(','));
        // Without `as` and what follows.
        let names = names.filter_map(|name| name.split_whitespace().next());
        imports.push((module, names.collect()));
    }
    imports
}

/// The file that an import of a name leads to: the name may be a module itself.
fn target(files: &[String], file: &str, module: &str, name: &str) -> String {
    let path = module.trim_start_matches('.');
    let up = module.len() - path.len();
    let mut place = Path::new(file).ancestors().nth(up).unwrap().to_owned();
    place.extend(path.split('.').filter(|part| !part.is_empty()));
    let names = [place.join(name).with_extension("py"), place.join(name).join("__init__.py")];
    let candidates =
        names.into_iter().chain([place.with_extension("py"), place.join("__init__.py")]);
    let mut candidates = candidates.map(|file| file.to_str().unwrap().replace('\\', "/"));
    let target = candidates.find(|candidate| files.contains(candidate));
    target.unwrap_or_else(|| panic!("{file}: no file has {module} {name}"))
}

#[test]
fn imports_are_found_as_python_has_them() {
    let text = "from . import a, b\nfrom ..c.d import (\n    E,  # noqa\n    F as G,\n)\n\
                # from .x import y\nif T:\n    from .h import I\nfrom j import K\n";
    let expected = [(".", vec!["a", "b"]), ("..c.d", vec!["E", "F"]), (".h", vec!["I"])];
    assert_eq!(imports(text), expected);
    let files = ["p/__init__.py", "p/a.py", "p/q/__init__.py", "p/q/b.py"].map(String::from);
    let target = |file, module, name| target(&files, file, module, name);
    assert_eq!(target("p/q/b.py", "..a", "X"), "p/a.py");
    assert_eq!(target("p/q/b.py", ".", "X"), "p/q/__init__.py");
    assert_eq!(target("p/a.py", ".", "q"), "p/q/__init__.py");
    assert_eq!(target("p/a.py", ".q.b", "X"), "p/q/b.py");
}
