//! A number of digits, with thousands apart or not.

use crate::data::formats::csv::dates::is_blank;
use crate::data::formats::csv::field::number;

/// Splits a text behind the digits and separators that it begins with.
pub(super) fn numeral(text: &str) -> (&str, &str) {
    let separates = |c: char| ".,'’".contains(c) || is_blank(c);
    let mut end = 0;
    for (at, character) in text.char_indices() {
        match character {
            _ if character.is_ascii_digit() => end = at + 1,
            _ if separates(character) => {}
            _ => break,
        }
    }
    // A point or comma behind the last digit is of the number: `1.`.
    if text[end..].starts_with(['.', ',']) && end > 0 {
        end += 1;
    }
    // The power of `1e5`.
    let power =
        text[end..].strip_prefix(['e', 'E']).map(|rest| rest.trim_start_matches(['+', '-']));
    if let Some(power) = power.filter(|power| power.starts_with(|c: char| c.is_ascii_digit())) {
        let digits = power.len() - power.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        end = text.len() - power.len() + digits;
    }
    text.split_at(end)
}

/// A number of digits, with thousands apart or not.
pub(super) fn plain(numeral: &str, decimal_comma: bool) -> Option<f64> {
    let (decimal, other) = if decimal_comma { (',', '.') } else { ('.', ',') };
    let (whole, fraction) = match numeral.split_once(decimal) {
        Some((whole, fraction)) => (whole, fraction),
        None => (numeral, ""),
    };
    let mantissa = fraction.split(['e', 'E']).next().unwrap_or_default();
    if !mantissa.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let separates = |c: char| c == other || "'’".contains(c) || is_blank(c);
    let (integer, power) = match whole.split_once(['e', 'E']) {
        Some((integer, power)) => (integer, Some(power)),
        None => (whole, None),
    };
    let used: Vec<char> = integer.chars().filter(|&c| separates(c)).collect();
    if used.windows(2).any(|pair| pair[0] != pair[1]) {
        return None;
    }
    let mut groups: Vec<&str> = integer.split(separates).collect();
    if groups.iter().any(|group| !group.chars().all(|c| c.is_ascii_digit())) {
        return None;
    }
    if groups.len() > 1 {
        let last = groups.pop().unwrap_or_default();
        let first = groups.remove(0);
        // Groups of three, or of two before the last as in India.
        let of = |size: usize| groups.iter().all(|group| group.len() == size);
        let starts = |most: usize| (1..=most).contains(&first.len());
        let fits = of(3) && starts(3) || used[0] == ',' && of(2) && starts(2);
        // Thousands begin with no zero, and have no power of ten.
        let has_power = numeral.contains(['e', 'E']);
        if last.len() != 3 || !fits || first.starts_with('0') || has_power {
            return None;
        }
    }
    let digits: String = integer.chars().filter(char::is_ascii_digit).collect();
    if digits.is_empty() && mantissa.is_empty() {
        return None;
    }
    let mut text = if digits.is_empty() { "0".into() } else { digits };
    if !fraction.is_empty() {
        text = text + "." + fraction;
    }
    if let Some(power) = power {
        text = text + "e" + power;
    }
    number(text.as_bytes()).filter(|value| value.is_finite())
}
