//! The parts of an error as text, safe to print.

use std::fmt::{self, Write as _};

/// The thing that a field resembles that is no number, and what to do about it.
pub(in crate::data) struct Resemblance<'a>(pub(in crate::data) &'a str);

impl fmt::Display for Resemblance<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.trim_start_matches(['+', '-']);
        let numeric = text.starts_with(|c: char| c.is_ascii_digit());
        let of =
            |characters: &str| text.chars().all(|c| c.is_ascii_digit() || characters.contains(c));
        let said = match text.matches(',').count() {
            _ if !numeric => "",
            1 if of(",") => " (of a decimal comma? say --decimal comma)",
            1.. if of(",.") => " (are thousands separated? take out the separators)",
            _ if of(";, ") && text.contains(';') => {
                " (are fields separated so? say --delimiter ';')"
            }
            _ if of("|") => " (are fields separated so? say --delimiter '|')",
            _ if of(":") => " (are fields separated so? say --delimiter ':')",
            _ => "",
        };
        f.write_str(said)
    }
}

/// `1077 × 77`.
pub(in crate::data) struct Shape<'a>(pub(in crate::data) &'a [usize]);

impl fmt::Display for Shape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => write!(f, "() (a single value)"),
            [length] => write!(f, "({length})"),
            [first, rest @ ..] => {
                write!(f, "{first}")?;
                rest.iter().try_for_each(|length| write!(f, " × {length}"))
            }
        }
    }
}

/// Bytes, exactly below 10 KiB: `6.3 GiB`.
pub(in crate::data) struct Size(pub(in crate::data) u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
        match units.into_iter().find(|(power, _)| self.0 >> power > 0) {
            Some((power, unit)) if self.0 >= 10 << 10 => {
                write!(f, "{:.1} {unit}", self.0 as f64 / (1u64 << power) as f64)
            }
            _ => write!(f, "{} bytes", self.0),
        }
    }
}

pub(in crate::data) struct Taker<'a>(pub(in crate::data) &'a Option<Vec<usize>>);

impl fmt::Display for Taker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(shape) => write!(f, "the sparse matrix of {}, made dense,", Shape(shape)),
            None => write!(f, "reading it"),
        }
    }
}

pub(in crate::data) struct Start<'a>(pub(in crate::data) &'a [u8]);

impl fmt::Display for Start<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

pub(in crate::data) struct Wanted<'a>(pub(in crate::data) &'a Option<String>);

impl fmt::Display for Wanted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, "there is no variable {name:?}"),
            None => write!(f, "name the variable to read: no single one fits"),
        }
    }
}

pub(in crate::data) struct Listed<'a>(pub(in crate::data) &'a [String]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => write!(f, "no variable"),
            all => write!(f, "{}", Escaped(all.join(", "))),
        }
    }
}

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
