//! Marks that people write about a number: flags, intervals, fractions, feet and inches.

use crate::data::formats::csv::dates::is_blank;
use crate::data::formats::csv::field::number;

/// The letters by which offices of statistics flag a number: estimated, provisional, revised and so on.
pub(super) const FLAGS: &[u8] = b"bcdefnpruz";

/// Words in brackets behind a number that flag it.
const WORDS: [&str; 7] =
    ["est.", "est", "estimated", "estimate", "approx.", "prov.", "provisional"];

/// A number without the numbers in brackets behind it, as tables of papers have them: its share, `12 (34%)`, deviation,
/// `5.1 (0.3)`, or interval, `62.3 [45.1–75.2]`.
pub(super) fn without_spread(text: &str) -> &str {
    let of_spread = |c: char| c.is_ascii_digit() || ".,;%±-–−".contains(c) || is_blank(c);
    let brackets = [('(', ')'), ('[', ']')];
    let split =
        brackets.iter().find_map(|&(open, close)| text.strip_suffix(close)?.rsplit_once(open));
    let is_spread = |spread: &str| {
        let spread = spread.replace(" to ", "-");
        spread.contains(|c: char| c.is_ascii_digit()) && spread.chars().all(of_spread)
    };
    match split {
        // `(5)` is negative.
        Some((number, spread)) if is_spread(spread) && !number.is_empty() => number.trim_end(),
        _ => text,
    }
}

/// A number without the marks of footnotes and flags, `414,925[a]`, `12.5*`, `7¹`, `3.2 (e)`, the ending of a rank, `29th`, or
/// the strokes that end an amount of money, `1'250.–`, `93,-`, `500/-`.
pub(super) fn without_marks(text: &str) -> &str {
    const LONGEST: usize = 8;
    let is_mark = |mark: &str| mark.len() <= LONGEST && mark.chars().all(char::is_alphanumeric);
    // Excel keeps a number as text behind an apostrophe.
    let begins = |rest: &&str| rest.starts_with(|c: char| c.is_ascii_digit() || "-+.".contains(c));
    let text = text.strip_prefix('\'').filter(begins).unwrap_or(text);
    let marked = text.strip_suffix(']').and_then(|text| text.rsplit_once('['));
    let text = marked.filter(|(_, mark)| is_mark(mark)).map_or(text, |(text, _)| text);
    let is_flag = |flag: &str| {
        flag.len() == 1 && flag.bytes().all(|c| FLAGS.contains(&c)) || WORDS.contains(&flag)
    };
    let flagged = text.strip_suffix(')').and_then(|text| text.rsplit_once('('));
    let flagged =
        flagged.filter(|(text, flag)| is_flag(flag) && text.contains(|c: char| c.is_ascii_digit()));
    let text = flagged.map_or(text, |(text, _)| text.trim_end());
    let bare = text.trim_end_matches(['*', '†', '‡', '¹', '²', '³', '⁴', '⁵']);
    // `10⁴` is a power.
    let is_power = bare.ends_with("10") && !text.ends_with(['*', '†', '‡']);
    let is_marked = bare.ends_with(|c: char| c.is_ascii_digit()) && !is_power;
    let text = if is_marked { bare } else { text };
    if let Some(digits) = ["st", "nd", "rd", "th"].iter().find_map(|end| text.strip_suffix(end))
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
    {
        return digits;
    }
    const STROKES: [&str; 10] = [".–", ".-", ".—", ".--", "/-", ",-", ",--", ",–", ",—", ",––"];
    STROKES.iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text).trim_end()
}

/// A whole number and the fraction behind it: `5½`, `3 1/2`.
pub(super) fn fraction(text: &str) -> Option<(&str, f64)> {
    const SIGNS: [(char, f64); 9] = [
        ('½', 0.5),
        ('¼', 0.25),
        ('¾', 0.75),
        ('⅓', 1.0 / 3.0),
        ('⅔', 2.0 / 3.0),
        ('⅛', 0.125),
        ('⅜', 0.375),
        ('⅝', 0.625),
        ('⅞', 0.875),
    ];
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let of_sign = SIGNS.iter().find_map(|&(sign, part)| Some((text.strip_suffix(sign)?, part)));
    if let Some((whole, part)) = of_sign {
        let whole = whole.trim_end_matches(is_blank);
        return are_digits(whole).then_some((whole, part));
    }
    let (whole, rest) = text.split_once(' ')?;
    let (above, below) = rest.split_once('/')?;
    let is_part = |text: &str| (1..=2).contains(&text.len()) && are_digits(text);
    let sound = !whole.is_empty() && are_digits(whole) && is_part(above) && is_part(below);
    let (above, below) = (number(above.as_bytes())?, number(below.as_bytes())?);
    (sound && above < below).then_some((whole, above / below))
}

/// The feet of `6'11"`, `5'7` and `6 ft 3 in`.
pub(super) fn feet(text: &str) -> Option<f64> {
    let signs = ["'", "’", "′", "ft.", "ft", "feet"];
    let (feet, rest) = signs.iter().find_map(|sign| text.split_once(sign))?;
    let rest = rest.trim_matches(is_blank);
    let ends = ["\"", "”", "″", "''", "inches", "in.", "in"];
    let inches = ends.iter().find_map(|end| rest.strip_suffix(end)).unwrap_or(rest);
    let [feet, inches] = [feet, inches].map(|text| text.trim_matches(is_blank));
    let is_short = |text: &str| {
        (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    // Inches alone are a number with a unit, and so are feet alone.
    let sound = is_short(feet) && is_short(inches);
    let [feet, inches] = [feet, inches].map(|text| number(text.as_bytes()));
    Some(feet? + inches.filter(|inches| sound && *inches < 12.0)? / 12.0)
}
