//! Numbers as people read them.

use crate::data::Feature;

/// A count with commas: 9,298.
pub(in crate::report) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count and its noun: 1 cluster, 2 clusters.
pub(in crate::report) fn counted(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Words as a list in a sentence: a, b and c.
pub(in crate::report) fn joined(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The name of a sample: its own where it has one, else its number, from 0.
pub(in crate::report) fn name_of(names: Option<&[String]>, sample: usize) -> String {
    match names.and_then(|names| names.get(sample)) {
        Some(name) => name.clone(),
        None => format!("sample {sample}"),
    }
}

/// A name that fits in a plot.
pub(in crate::report) fn shortened(name: &str) -> String {
    const MOST: usize = 16;
    match name.char_indices().nth(MOST) {
        None => name.to_string(),
        Some(_) => name.chars().take(MOST - 1).chain(['…']).collect(),
    }
}

/// A percentage to one decimal.
pub(in crate::report) fn percent(percent: f64) -> String {
    finite(percent, || format!("{percent:.1}"))
}

/// A number to four significant digits, without trailing zeros; in powers of ten where it is tiny
/// or huge.
pub(in crate::report) fn short(number: f64) -> String {
    finite(number, || {
        if number == 0.0 {
            return "0".into();
        }
        let (sign, size) = (if number < 0.0 { "−" } else { "" }, number.abs());
        let magnitude = size.log10().floor();
        let digits = match (-4.0..6.0).contains(&magnitude) {
            true => trimmed(&format!("{size:.*}", (3.0 - magnitude).max(0.0) as usize)),
            false => trimmed(&format!("{size:.3e}")),
        };
        format!("{sign}{digits}")
    })
}

/// The mean of a feature: a percentage where values are 0 or 1, else as its column is read, or a number.
pub(in crate::report) fn mean_of(column: Option<&Feature>, is_share: bool, mean: f64) -> String {
    match column.and_then(|column| column.in_words(mean)) {
        _ if is_share => format!("{} %", percent(100.0 * mean)),
        Some(words) => words,
        None => short(mean),
    }
}

fn finite(number: f64, text: impl Fn() -> String) -> String {
    if number.is_finite() { text() } else { "–".into() }
}

/// Without the zeros that end the decimals.
fn trimmed(number: &str) -> String {
    let (digits, exponent) = number.split_once('e').map_or((number, ""), |(d, e)| (d, e));
    let digits = match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    };
    match exponent {
        "" => digits.into(),
        exponent => format!("{digits}e{}", exponent.replace('-', "−")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let list = |n: usize| joined(&["a", "b", "c"].map(String::from)[..n]);
        assert_eq!([0, 1, 2, 3].map(list), ["", "a", "a and b", "a, b and c"]);
        let names = ["Mars".to_string()];
        assert_eq!([0, 1].map(|one| name_of(Some(&names), one)), ["Mars", "sample 1"]);
    }

    #[test]
    fn numbers() {
        assert_eq!(
            [0, 999, 1000, 70_000, 1_234_567].map(count).join(" "),
            "0 999 1,000 70,000 1,234,567"
        );
        assert_eq!(
            [0, 1, 2].map(|n| counted(n, "cluster")).join(" "),
            "0 clusters 1 cluster 2 clusters"
        );
        let short =
            [0.0, 1.0, 0.1, 2.345_678, 0.001, 1e-5, 1.5e-7, 12_345.6, 1e9, -0.25].map(short);
        assert_eq!(short.join(" "), "0 1 0.1 2.346 0.001 1e−5 1.5e−7 12346 1e9 −0.25");
        assert_eq!(super::short(f64::NAN), "–");
        assert_eq!(percent(99.95), "100.0");
        assert_eq!(percent(f64::INFINITY), "–");
    }
}
