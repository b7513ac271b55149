//! The text of the parts of an error.

use std::fmt;

use super::escaped::Escaped;

/// The thing that a field resembles that is no number, and what to do about it.
pub(super) struct Resemblance<'a>(pub(super) &'a str);

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
pub(super) struct Shape<'a>(pub(super) &'a [usize]);

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
pub(super) struct Size(pub(super) u64);

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

pub(super) struct Taker<'a>(pub(super) &'a Option<Vec<usize>>);

impl fmt::Display for Taker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(shape) => write!(f, "the sparse matrix of {}, made dense,", Shape(shape)),
            None => write!(f, "reading it"),
        }
    }
}

pub(super) struct Start<'a>(pub(super) &'a [u8]);

impl fmt::Display for Start<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

pub(super) struct Wanted<'a>(pub(super) &'a Option<String>);

impl fmt::Display for Wanted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, "there is no variable {name:?}"),
            None => write!(f, "name the variable to read: no single one fits"),
        }
    }
}

pub(super) struct Listed<'a>(pub(super) &'a [String]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => write!(f, "no variable"),
            all => write!(f, "{}", Escaped(all.join(", "))),
        }
    }
}
