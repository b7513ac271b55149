//! The commands of the pages of `docs`, as their readers would run them, and what the pages show of them.
#![cfg(unix)]

mod common;

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Options that a run of training has beside those of a page: a tiny size.
const TINY: &str = " --epochs 1 --least-steps 8 --hidden 16,16 --quiet";

struct Block {
    language: String,
    /// The name of the file that a page asks its reader to save.
    title: Option<String>,
    text: String,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn blocks(page: &Path) -> Vec<Block> {
    let text = fs::read_to_string(page).unwrap();
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        if let Some(info) = line.strip_prefix("```") {
            is_open = !is_open;
            if is_open {
                let (language, rest) = info.split_once(' ').unwrap_or((info, ""));
                let title = rest.strip_prefix("title=\"").and_then(|rest| rest.strip_suffix('"'));
                let title = title.map(str::to_owned);
                blocks.push(Block { language: language.to_owned(), title, text: String::new() });
            }
        } else if is_open {
            let block = blocks.last_mut().unwrap();
            block.text += line;
            block.text += "\n";
        }
    }
    blocks
}

fn has_line(block: &Block, beginning: &str) -> bool {
    block.text.lines().any(|line| line.starts_with(beginning))
}

/// The Python that `PYTHON` names, if it has the packages of the pages' scripts.
fn python() -> Option<String> {
    let python = env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let found = Command::new(&python).args(["-c", "import numpy, sklearn"]).output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    common::leave_out(&format!("numpy and scikit-learn for {python}"));
    None
}

/// Runs commands of a page by a shell that stops at the first failure. Both streams go to one file, as to a
/// terminal.
fn run(folder: &Path, commands: &str, python: Option<&str>) -> (Output, String) {
    let finch = Path::new(env!("CARGO_BIN_EXE_finch"));
    let together = folder.join(".together");
    let python = python.unwrap_or("false");
    let script = format!(
        "finch() {{ '{}' \"$@\"; }}\npython() {{ '{python}' \"$@\"; }}\n{commands}",
        finch.display()
    );
    let file = fs::File::create(&together).unwrap();
    let output = Command::new("sh")
        .args(["-euc", &script])
        .current_dir(folder)
        .stdout(file.try_clone().unwrap())
        .stderr(file)
        .output()
        .unwrap();
    let said = fs::read_to_string(&together).unwrap();
    fs::remove_file(together).unwrap();
    (output, said)
}

/// Text without the seconds of a run.
fn timeless(text: &str) -> String {
    let is_time = |word: &str| {
        word.split_once('.').is_some_and(|(whole, part)| {
            part.len() == 2
                && [whole, part].iter().all(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
        })
    };
    let line = |line: &str| match line.rsplit_once(", ") {
        Some((before, time)) if time.strip_suffix(" s").is_some_and(is_time) => before.to_owned(),
        _ => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<String>>().join("\n")
}

#[test]
fn commands_of_the_pages_print_what_the_pages_show() {
    let docs = repository().join("docs");
    let (mut commands, mut shown) = (0, 0);
    for page in pages(&docs) {
        let blocks = blocks(&page);
        let is_command = |block: &Block| block.language == "sh" && has_line(block, "finch ");
        if !blocks.iter().any(is_command) {
            continue;
        }
        let name = page.strip_prefix(&docs).unwrap().to_str().unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        symlink(repository().join("examples"), folder.join("examples")).unwrap();
        for (at, block) in blocks.iter().enumerate() {
            if let Some(title) = &block.title {
                fs::write(folder.join(title), &block.text).unwrap();
            }
            let trains = has_line(block, "finch train ");
            if !is_command(block) || trains && !cfg!(feature = "train") {
                continue;
            }
            let python = if has_line(block, "python ") {
                let Some(python) = python() else { break };
                Some(python)
            } else {
                None
            };
            let tiny = |line: &str| match line.starts_with("finch train ") {
                true => format!("{line}{TINY}\n"),
                false => format!("{line}\n"),
            };
            let text: String = block.text.lines().map(tiny).collect();
            let (output, said) = run(&folder, &text, python.as_deref());
            assert!(output.status.success(), "{name}:\n{text}{said}");
            commands += block.text.lines().filter(|line| line.starts_with("finch ")).count();
            if let Some(next) = blocks.get(at + 1).filter(|next| next.language == "text") {
                // The output alone, or with what stands on standard error.
                let output = said.lines().filter(|line| !line.starts_with("finch: "));
                let output: Vec<&str> = output.collect();
                let expected = timeless(&next.text);
                let found = [timeless(&said), timeless(&output.join("\n"))];
                assert!(
                    found.contains(&expected),
                    "{name}:\n{text}prints\n{said}and shows\n{expected}"
                );
                shown += 1;
            }
        }
    }
    assert!(commands >= 15 && shown >= 4, "{commands} commands, {shown} of them with their output");
}
