//! The first words of sentences in comments.

use std::fs;

use crate::{PACKAGES, PYTHON, files_in, repository};

/// Words that stand where a noun belongs.
const UNNAMED: [&str; 6] = ["What", "Which", "Whether", "How", "Those", "Such"];

/// Attributes below a text for users, who read it as the help of an option, of a command or of a value.
const HELP: [&str; 3] = ["#[arg(", "#[command(", "#[default]"];

/// A sentence names its noun, so that a reader who opens a file in the middle understands it.
#[test]
fn sentences_begin_with_a_noun_or_a_verb() {
    let mut found = Vec::new();
    for file in PACKAGES.iter().flat_map(|package| files_in(&[&format!("{package}/src")])) {
        let text = fs::read_to_string(repository().join(&file)).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        let (mut begins, mut in_code) = (true, false);
        for (at, line) in lines.iter().enumerate() {
            let Some(comment) = line.strip_prefix("//").filter(|_| file.ends_with(".rs")) else {
                (begins, in_code) = (true, false);
                continue;
            };
            let comment = comment.trim_start_matches(['/', '!']).trim_start();
            let is_fence = comment.starts_with("```");
            let below = lines[at..].iter().find(|line| !line.starts_with("//"));
            let is_help = below.is_some_and(|line| HELP.iter().any(|help| line.starts_with(*help)));
            for word in comment.split_whitespace().filter(|_| !in_code && !is_fence) {
                let name = word.trim_matches(|c: char| !c.is_alphabetic());
                if begins && !is_help && UNNAMED.contains(&name) {
                    found.push(format!("{file}:{}: {name}", at + 1));
                }
                let is_mark = word.trim_matches(['-', '*', '|', '#']).is_empty();
                let end = word.trim_end_matches([')', '"', '*', '_', '`']);
                begins = is_mark || end.ends_with(['.', '!', '?']);
            }
            begins |= is_fence || comment.is_empty() || comment.starts_with('#');
            in_code ^= is_fence;
        }
    }
    assert!(found.is_empty(), "sentences to begin with a noun:\n{}", found.join("\n"));
}

/// The same for the docstrings and comments of Python, and the comments of MATLAB and its gateway in C:
/// the first word of each.
#[test]
fn docstrings_begin_with_a_noun_or_a_verb() {
    const BEGINNINGS: [&str; 4] = ["\"\"\"", "# ", "% ", "/* "];
    let mut found = Vec::new();
    let mut docstrings = 0;
    for file in files_in(&[PYTHON, "examples/matlab"]) {
        // Compiled files are no text.
        let Ok(text) = fs::read_to_string(repository().join(&file)) else { continue };
        let mut before = "";
        for (at, line) in text.lines().map(str::trim_start).enumerate() {
            let goes_on = ["#", "%"]
                .iter()
                .any(|mark| [before, line].iter().all(|one| one.starts_with(mark)));
            let begun = BEGINNINGS.iter().find_map(|beginning| line.strip_prefix(beginning));
            let first = begun.and_then(|comment| comment.split_whitespace().next());
            docstrings += usize::from(first.is_some());
            if !goes_on && first.is_some_and(|word| UNNAMED.contains(&word)) {
                found.push(format!("{file}:{}: {line}", at + 1));
            }
            before = line;
        }
    }
    assert!(docstrings > 100, "{docstrings}");
    assert!(found.is_empty(), "comments to begin with a noun:\n{}", found.join("\n"));
}
