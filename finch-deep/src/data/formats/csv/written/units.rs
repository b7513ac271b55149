//! Units of one kind, of which a column may mix several.

use super::numeral::{numeral, plain};
use crate::data::formats::csv::dates::is_blank;

/// The units of each kind, with the first one's number in them.
const KINDS: [&[(&str, f64)]; 5] = [
    &[("m", 1.0), ("km", 1e3), ("cm", 1e-2), ("mm", 1e-3), ("µm", 1e-6), ("nm", 1e-9)],
    &[("g", 1.0), ("kg", 1e3), ("mg", 1e-3), ("µg", 1e-6), ("t", 1e6)],
    &[
        ("l", 1.0),
        ("L", 1.0),
        ("ml", 1e-3),
        ("mL", 1e-3),
        ("cl", 1e-2),
        ("dl", 0.1),
        ("µl", 1e-6),
        ("hl", 1e2),
    ],
    &[("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9), ("min", 60.0), ("h", 3600.0)],
    &[("B", 1.0), ("KB", 1e3), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)],
];

/// The kind of a number with a unit, and the number in the first unit of the kind: `8.5 km` as 8500.
pub(super) fn in_units(word: &str, decimal_comma: bool) -> Option<(usize, f64)> {
    let word = word.trim_matches(is_blank);
    let (sign, word) = match word.strip_prefix(['-', '−']) {
        Some(rest) => (-1.0, rest),
        None => (1.0, word),
    };
    let (numeral, unit) = numeral(word);
    let unit = unit.trim_matches(is_blank);
    let of_kind = |(kind, units): (usize, &&[(&str, f64)])| {
        units.iter().find(|(name, _)| *name == unit).map(|(_, size)| (kind, *size))
    };
    let (kind, size) = KINDS.iter().enumerate().find_map(of_kind)?;
    Some((kind, sign * plain(numeral, decimal_comma)? * size))
}

/// The first unit of the kind that a number with a unit is of.
pub(super) fn unit_of(word: &str, decimal_comma: bool) -> &'static str {
    in_units(word, decimal_comma).map_or("", |(kind, _)| KINDS[kind][0].0)
}
