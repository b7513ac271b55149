//! Lays out what cbindgen writes as C programmers would, so that the header is short enough to be read
//! from top to end.
//!
//! - An enum is its values and a typedef: cbindgen spends twelve lines of `#if` on giving an enum a
//!   type in every standard of C and C++, where an `int32_t` does.
//! - Values and fields whose comments are short stand in a table, one a line.
//! - Structs go by their typedefs; long declarations are filled, not written one argument a line;
//!   short declarations follow each other without empty lines.

/// Widest line of the header, in characters.
pub(crate) const WIDTH: usize = 100;

/// A comment before the declaration that it describes.
const COMMENT: &str = "///";

/// Lays out the whole header.
pub(crate) fn layout(generated: &str) -> String {
    let mut text = String::new();
    let mut before = String::new();
    for paragraph in generated.trim_end().split("\n\n").map(paragraph) {
        if !before.is_empty() {
            text += if is_short(&before) && is_short(&paragraph) { "\n" } else { "\n\n" };
        }
        text += &paragraph;
        before = paragraph;
    }
    text + "\n"
}

/// Whether a paragraph is a comment of one line and a function or macro of one line.
fn is_short(paragraph: &str) -> bool {
    let lines: Vec<&str> = paragraph.lines().collect();
    matches!(lines[..], [comment, code] if comment.starts_with(COMMENT)
        && (code.starts_with("FINCH_API ") || code.starts_with("#define ")))
}

/// Lays out lines that cbindgen wrote without an empty line between them.
fn paragraph(paragraph: &str) -> String {
    let lines: Vec<&str> = paragraph.lines().collect();
    let comments = lines.iter().take_while(|line| line.starts_with(COMMENT)).count();
    let (comment, code) = lines.split_at(comments);
    let code = match code.first() {
        Some(line) if line.starts_with("enum ") => plain_enum(code),
        Some(line) if line.starts_with("typedef struct ") && line.ends_with('{') => table(code),
        Some(&"FINCH_API") => vec![filled(&code.join(" "))],
        Some(line) if line.starts_with("FINCH_API ") => vec![filled(line)],
        _ => code.iter().map(|line| line.replace("(const struct ", "(const ")).collect(),
    };
    let comment = comment.iter().map(|line| line.to_string());
    comment.chain(code).collect::<Vec<_>>().join("\n")
}

/// `typedef int32_t finch_name;` and the values, of an enum with `#if` around its type.
fn plain_enum(code: &[&str]) -> Vec<String> {
    let name = code[0].trim_start_matches("enum ");
    let begin = code.iter().position(|&line| line == " {").expect("values follow");
    let end = code.iter().position(|&line| line == "};").expect("values end");
    let mut lines = vec![format!("typedef int32_t {name};"), "enum {".into()];
    lines.extend(table(&code[begin..=end]).into_iter().skip(1));
    lines
}

/// A block in braces, with comments beside values and fields where all of them fit in that way.
fn table(code: &[&str]) -> Vec<String> {
    let unchanged = || code.iter().map(|line| line.to_string()).collect();
    let [first, rows @ .., last] = code else { return unchanged() };
    let pairs: Vec<(&str, &str)> =
        rows.chunks(2).map(|pair| (pair[0], pair[pair.len() - 1])).collect();
    let described = pairs.iter().all(|(comment, item)| {
        comment.trim_start().starts_with(COMMENT) && !item.trim_start().starts_with(COMMENT)
    });
    if !described || rows.len() % 2 != 0 {
        return unchanged();
    }
    let column = pairs.iter().map(|(_, item)| item.len()).max().unwrap_or(0) + 1;
    let beside = pairs.iter().map(|(comment, item)| {
        let comment = comment.trim_start().trim_start_matches(COMMENT);
        format!("{item:column$}{COMMENT}<{comment}")
    });
    let beside: Vec<String> = beside.collect();
    if beside.iter().any(|line| line.len() > WIDTH) {
        return unchanged();
    }
    [first.to_string()].into_iter().chain(beside).chain([last.to_string()]).collect()
}

/// A declaration in lines that are as full as the width allows, broken between arguments.
fn filled(declaration: &str) -> String {
    let words = declaration.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut lines = vec![String::new()];
    for argument in words.replace("struct ", "").split_inclusive(", ") {
        let line = lines.last_mut().expect("there is a line");
        if line.len() + argument.trim_end().len() > WIDTH {
            lines.push(format!("    {argument}"));
        } else {
            line.push_str(argument);
        }
    }
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}
