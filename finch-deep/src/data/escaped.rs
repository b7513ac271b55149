//! Texts of files, made safe to print.

use std::fmt::{self, Write as _};

/// Prints a text from a file or of a parser with each character escaped that would break the line,
/// steer a terminal or turn the direction of what follows.
pub struct Escaped<T>(pub T);

impl<T: fmt::Display> fmt::Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaper(f), "{}", self.0)
    }
}

struct Escaper<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl fmt::Write for Escaper<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|character| match character {
            // Separators of lines and paragraphs, and marks of direction.
            '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => self.escape(character),
            _ if character.is_control() => self.escape(character),
            _ => self.0.write_char(character),
        })
    }
}

impl Escaper<'_, '_> {
    fn escape(&mut self, character: char) -> fmt::Result {
        write!(self.0, "{}", character.escape_default())
    }
}
