//! The command that goes on with a run.

use std::path::Path;

/// The command that goes on with a run.
pub(crate) fn again(directory: &Path) -> String {
    format!("finch train --resume {}", quoted(directory))
}

/// A path as a shell takes it.
pub(crate) fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if path.chars().all(plain) {
        return path;
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
