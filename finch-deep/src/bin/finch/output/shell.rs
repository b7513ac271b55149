//! Commands to copy, as a shell takes them.

use std::path::Path;

/// Options that take one value, which advice may change where it is the default.
const ONCE: [&str; 4] = ["--missing", "--standardize", "--skip", "--skip-last"];

/// The command that goes on with a run.
#[cfg(feature = "train")]
pub(crate) fn again(directory: &Path) -> String {
    format!("finch train --resume {}", quoted(directory))
}

/// This command with further arguments, before `--` where there is one.
pub(crate) fn with_arguments(further: &[String]) -> String {
    let mut words: Vec<String> =
        std::env::args_os().skip(1).map(|word| quoted(Path::new(&word))).collect();
    let mut end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let quoted_further = further.iter().map(|word| quoted(Path::new(word)));
    words.splice(end..end, quoted_further);
    // An option that takes one value is not given twice.
    for option in ONCE.iter().filter(|option| further.iter().any(|word| word == **option)) {
        let is = |word: &String| word == option || word.starts_with(&format!("{option}="));
        let size = |word: &String| if word == option { 2 } else { 1 };
        if let Some(at) = words[..end].iter().position(is) {
            let after = (at + size(&words[at])).min(end);
            words.drain(at..after);
            end -= after - at;
        }
    }
    format!("finch {}", words.join(" "))
}

/// A path as a shell takes it.
pub(crate) fn quoted(path: &Path) -> String {
    let Some(path) = path.to_str() else {
        // Bytes that are no text are written as Bash and other shells take them.
        let escaped = |&byte: &u8| match byte {
            b'\\' | b'\'' => format!("\\{}", char::from(byte)),
            b' '..=b'~' => char::from(byte).to_string(),
            _ => format!("\\x{byte:02x}"),
        };
        let bytes = path.as_os_str().as_encoded_bytes();
        return format!("$'{}'", bytes.iter().map(escaped).collect::<String>());
    };
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if !path.is_empty() && path.chars().all(plain) {
        return path.into();
    }
    if !path.contains(char::is_control) {
        return format!("'{}'", path.replace('\'', r"'\''"));
    }
    // Characters that would steer a terminal are written as Bash and other shells take them.
    let escaped = |c: char| match c {
        '\\' | '\'' => format!("\\{c}"),
        _ if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        _ => c.to_string(),
    };
    format!("$'{}'", path.chars().map(escaped).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_as_a_shell_takes_them() {
        for (word, expected) in
            [("", "''"), ("a.csv", "a.csv"), ("a b", "'a b'"), ("it's", r"'it'\''s'")]
        {
            assert_eq!(quoted(Path::new(word)), expected);
        }
    }
}
