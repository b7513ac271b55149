//! The picture of modules in CONTRIBUTING.md: Mermaid graphs of a crate, one for each folder that has
//! folders.
//!
//! A node is a file or folder. An arrow leads from the user of a name to the definition of the name, and
//! is left out where a chain of other arrows leads there, too.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::circles;
use super::modules::Modules;

/// All graphs of a package, without the files that only re-export.
pub(crate) fn pictures(package: &str, modules: &Modules) -> String {
    let source = format!("{package}/src/");
    let mut folders = BTreeSet::from([String::new()]);
    for file in modules.files() {
        let mut folder = parent(&file[source.len()..]);
        while !folder.is_empty() {
            folders.insert(parent(folder).to_owned());
            folder = parent(folder);
        }
    }
    let arrows = modules.arrows();
    let below = |name: &String| name[source.len()..].to_owned();
    let arrows: Vec<[String; 2]> =
        arrows.keys().map(|(from, to)| [below(from), below(to)]).collect();
    folders.iter().map(|folder| picture(folder, &arrows)).collect()
}

/// The graph of what is directly in a folder, from arrows between files; nothing without an arrow.
fn picture(folder: &str, files: &[[String; 2]]) -> String {
    let mut arrows = BTreeSet::new();
    for [from, to] in files {
        let nodes = (node(folder, from), node(folder, to));
        if let (Some(from), Some(to)) = nodes
            && from != to
        {
            arrows.insert((from, to));
        }
    }
    if arrows.is_empty() {
        return String::new();
    }
    let mut text = if folder.is_empty() { String::new() } else { format!("`{folder}`:\n\n") };
    text.push_str("```mermaid\ngraph TD\n");
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (from, to) in circles::reduced(&arrows) {
        users.entry(from).or_default().push(to);
    }
    let mut known = BTreeSet::new();
    let mut name = |node: &str| {
        // Not the text itself, which Mermaid may take for a word of its own, such as `end`.
        let name = format!("_{}", node.replace('/', "_"));
        if known.insert(name.clone()) { format!("{name}[\"{node}\"]") } else { name }
    };
    for (from, to) in users {
        let from = name(&from);
        let to: Vec<String> = to.iter().map(|to| name(to)).collect();
        writeln!(text, "  {from} --> {}", to.join(" & ")).unwrap();
    }
    text + "```\n\n"
}

/// The file or folder, directly in a folder, that a file is or is in.
pub(crate) fn node(folder: &str, file: &str) -> Option<String> {
    let inside = file.strip_prefix(folder)?;
    Some(match inside.split_once('/') {
        Some((inner, _)) => format!("{inner}/"),
        None => inside.trim_end_matches(".rs").to_owned(),
    })
}

/// The folder of a file or folder, with a slash at the end; nothing for what is at the top.
fn parent(name: &str) -> &str {
    let name = name.trim_end_matches('/');
    name.rfind('/').map_or("", |slash| &name[..=slash])
}
