//! Numbers, dates, times and ordered words as people write them.

mod angle;
mod marks;
mod numeral;
mod orders;
mod units;

use self::angle::degrees;
use self::marks::{FLAGS, feet, fraction, without_marks, without_spread};
use self::numeral::{numeral, plain};
use self::orders::order;
use self::units::{in_units, unit_of};
use super::dates::{
    are_durations, are_periods, day_of, day_of_digits, hours, is_blank, minutes, seconds,
};
use super::field::{day, number, number_of};
use crate::data::options::writing::Writing;

/// Signs and codes of currencies, before or after a number.
const CURRENCIES: [&str; 52] = [
    "\\", "￥", "元", "$", "€", "£", "¥", "₹", "₽", "₩", "₺", "₴", "฿", "¢", "US$", "R$", "C$",
    "A$", "HK$", "NZ$", "NT$", "S$", "MX$", "Rs.", "Rs", "kr.", "kr", "Fr.", "zł", "Kč", "Ft",
    "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "AUD", "CAD", "NZD", "SEK", "NOK", "DKK",
    "PLN", "CZK", "HUF", "BRL", "ZAR", "MXN", "TRY", "KRW",
];

/// Words for powers of ten after a number.
const MAGNITUDES: [(&str, f64); 25] = [
    ("thousand", 1e3),
    ("million", 1e6),
    ("billion", 1e9),
    ("trillion", 1e12),
    ("Mio.", 1e6),
    ("Mio", 1e6),
    ("Mrd.", 1e9),
    ("Mrd", 1e9),
    ("lakhs", 1e5),
    ("lakh", 1e5),
    ("crores", 1e7),
    ("crore", 1e7),
    ("万", 1e4),
    ("萬", 1e4),
    ("만", 1e4),
    ("亿", 1e8),
    ("億", 1e8),
    ("mn", 1e6),
    ("bn", 1e9),
    ("tn", 1e12),
    ("k", 1e3),
    ("K", 1e3),
    ("M", 1e6),
    ("B", 1e9),
    ("T", 1e12),
];

/// A word beside a number, of at most so many characters.
const LONGEST_UNIT: usize = 14;

/// A number and what stands beside it.
struct Quantity<'a> {
    value: f64,
    unit: &'a str,
    /// True of the end of a range, such as `<0.5` below what an instrument measures.
    is_limit: bool,
}

impl Writing {
    /// The number that a word stands for; none where it is not written so.
    pub(in crate::data) fn value(&self, word: &str) -> Option<f64> {
        match self {
            Writing::Number { decimal_comma } => {
                quantity(word, *decimal_comma).map(|found| found.value)
            }
            Writing::Date { day_first } => day_of(word, *day_first),
            Writing::Time => hours(word),
            Writing::Duration => {
                let of_minutes = minutes(word).map(|minutes| minutes / 60.0);
                of_minutes.or_else(|| hours(word)).or_else(|| Some(seconds(word)? / 3600.0))
            }
            Writing::Units { decimal_comma } => {
                in_units(word, *decimal_comma).map(|(_, value)| value)
            }
            Writing::Angle => degrees(word),
            Writing::Order(words) => {
                let word = word.trim().to_lowercase();
                words.iter().position(|other| *other == word).map(|place| place as f64)
            }
        }
    }

    /// The value of a word as people read it.
    pub(in crate::data) fn shown(&self, word: &str, value: f64) -> String {
        match self {
            Writing::Order(words) => format!("{value}, of {}", words.join(" < ")),
            Writing::Date { .. } => day(value.floor() as i64),
            Writing::Time | Writing::Duration => format!("{value:.3} hours"),
            Writing::Units { decimal_comma } => {
                format!("{value} {}", unit_of(word, *decimal_comma))
            }
            Writing::Angle => format!("{value:.4} degrees"),
            Writing::Number { .. } => value.to_string(),
        }
    }

    /// The way in which all of some words are written, if there is one. Of two that read all of them, and
    /// differently, the more usual one: a decimal point, unless the comma is given, and the month first.
    pub(in crate::data) fn of(
        words: &[&str],
        day_first: Option<bool>,
        decimal_comma: bool,
    ) -> Option<Self> {
        if words.is_empty() {
            return None;
        }
        if Writing::Angle.reads(words) {
            return Some(Writing::Angle);
        }
        if are_dates_of_digits(words) {
            return Some(Writing::Date { day_first: day_first.unwrap_or_default() });
        }
        if let Some(found) = Self::of_amounts(words, decimal_comma) {
            return Some(found);
        }
        let point = words.iter().any(|word| word.contains('.') && !word.contains(['/', '-']));
        // Nobody writes the month first where a comma is before decimals.
        let first = day_first.unwrap_or(point || decimal_comma);
        let dates = [first, !first].map(|day_first| Writing::Date { day_first });
        let dates = dates.iter().take(if day_first.is_some() { 1 } else { 2 });
        if let Some(found) = dates.into_iter().find(|writing| writing.reads(words)) {
            return Some(found.clone());
        }
        if Writing::Duration.reads(words) && are_durations(words) {
            return Some(Writing::Duration);
        }
        if Writing::Time.reads(words) && !are_periods(words) {
            return Some(Writing::Time);
        }
        let kinds =
            |decimal_comma| words.iter().map(move |word| Some(in_units(word, decimal_comma)?.0));
        let are_of_one_kind = |decimal_comma: &bool| {
            let first = kinds(*decimal_comma).next().flatten();
            first.is_some() && kinds(*decimal_comma).all(|kind| kind == first)
        };
        if let Some(decimal_comma) = [decimal_comma, true].into_iter().find(are_of_one_kind) {
            return Some(Writing::Units { decimal_comma });
        }
        let number = |text: &str| quantity(text, false).map(|found| found.value);
        order(words, &number).map(Writing::Order)
    }

    /// The way in which all of some words are numbers, if there is one and they are no angles.
    pub(in crate::data) fn of_numbers(words: &[&str], decimal_comma: bool) -> Option<Self> {
        let is_other =
            words.is_empty() || Writing::Angle.reads(words) || are_dates_of_digits(words);
        if is_other { None } else { Self::of_amounts(words, decimal_comma) }
    }

    /// The decimal sign by which all of some words are numbers: the given one, or else a comma.
    fn of_amounts(words: &[&str], decimal_comma: bool) -> Option<Self> {
        let fits = |writing: &Writing| {
            writing.reads(words)
                && has_one_unit(writing, words)
                && has_few_limits(writing, words)
                && !are_codes(words)
        };
        let given = Writing::Number { decimal_comma };
        let are_thousands = !decimal_comma && points_part_thousands(words);
        if !are_thousands && fits(&given) {
            return Some(given);
        }
        Some(Writing::Number { decimal_comma: true }).filter(|comma| !decimal_comma && fits(comma))
    }

    /// True if each of some words is written so.
    fn reads(&self, words: &[&str]) -> bool {
        words.iter().all(|word| self.value(word).is_some())
    }

    /// True if the words may be written in another way, too, and mean other numbers then. An order of days
    /// and months that is given, and a given comma, are not in doubt.
    pub(in crate::data) fn is_ambiguous(
        &self,
        words: &[&str],
        day_first: Option<bool>,
        decimal_comma: bool,
    ) -> bool {
        let other = match self {
            Writing::Number { .. } if decimal_comma => return false,
            Writing::Date { .. } if day_first.is_some() => return false,
            Writing::Number { decimal_comma } => Writing::Number { decimal_comma: !decimal_comma },
            Writing::Date { day_first } => Writing::Date { day_first: !day_first },
            Writing::Time
            | Writing::Duration
            | Writing::Angle
            | Writing::Order(_)
            | Writing::Units { .. } => return false,
        };
        let differs = |word: &&str| other.value(word) != self.value(word);
        other.reads(words) && words.iter().any(differs)
    }
}

/// True if a word is a number with all that people write about it.
pub(in crate::data) fn is_amount(word: &str) -> bool {
    [false, true].iter().any(|&decimal_comma| quantity(word, decimal_comma).is_some())
}

/// True if a word looks like a number, a date or a time of any kind, as no name does.
pub(in crate::data) fn is_measured(word: &str) -> bool {
    let ways = [
        Writing::Number { decimal_comma: false },
        Writing::Number { decimal_comma: true },
        Writing::Date { day_first: true },
        Writing::Date { day_first: false },
        Writing::Time,
        Writing::Duration,
        Writing::Angle,
    ];
    ways.iter().any(|writing| writing.value(word).is_some())
}

/// The numbers of some words, all plain and finite. With a decimal comma, a point is between thousands, and
/// such a number is not plain.
pub(in crate::data) fn plain_numbers(words: &[&str], decimal_comma: bool) -> Option<Vec<f64>> {
    if !decimal_comma && points_part_thousands(words) {
        return None;
    }
    let value = |word: &&str| {
        let is_grouped = decimal_comma && word.contains('.');
        let value = number_of(word.as_bytes(), decimal_comma);
        value.filter(|value| value.is_finite() && !is_grouped)
    };
    words.iter().map(value).collect()
}

/// Two words, by their places, that no one way of writing reads, if each is a number, a date or a time: of
/// different units, say. The second is the first word that does not go with those before.
pub(in crate::data) fn unlike(
    words: &[&str],
    day_first: Option<bool>,
    decimal_comma: bool,
) -> Option<(usize, usize)> {
    if !words.iter().all(|word| is_measured(word)) {
        return None;
    }
    let reads = |words: &[&str]| Writing::of(words, day_first, decimal_comma).is_some();
    // Words that are not read together are not read with further ones.
    let (mut read, mut unread) = (0, words.len());
    while read + 1 < unread {
        let middle = (read + unread) / 2;
        match reads(&words[..middle]) {
            true => read = middle,
            false => unread = middle,
        }
    }
    let last = unread.checked_sub(1)?;
    let other = (0..last).find(|&other| !reads(&[words[other], words[last]]));
    other.map(|other| (other, last))
}

/// True if words are dates without separators, such as `20240229`: no such number of a measurement is the date of a day,
/// word after word.
pub(in crate::data) fn are_dates_of_digits(words: &[&str]) -> bool {
    const FEWEST: usize = 3;
    let words = || words.iter().map(|word| word.trim_matches(is_blank));
    // Numbers that count the orders of a day begin with 1, and seldom reach those of an afternoon.
    let hours = || words().filter(|word| word.len() == 10).map(|word| &word[8..]);
    let are_hours = || hours().any(|hour| hour == "00") && hours().any(|hour| hour >= "12");
    words().count() >= FEWEST
        && words().all(|word| day_of_digits(word).is_some())
        && (hours().next().is_none() || are_hours())
}

/// True if words are codes such as `85123A` or `2B`: whole numbers, some with a letter behind them that others lack, or
/// have another one. Letters of amounts are `K` and `M`, and `B` beside them; small ones are of units.
fn are_codes(words: &[&str]) -> bool {
    let parts = |word: &&str| {
        let word = word.trim_matches(is_blank);
        let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let letter = match &word.as_bytes()[digits..] {
            [] => None,
            [letter] if letter.is_ascii_uppercase() => Some(*letter),
            _ => return None,
        };
        (digits > 0).then_some((word.starts_with('0') && digits > 1, letter))
    };
    let Some(parts) = words.iter().map(parts).collect::<Option<Vec<_>>>() else { return false };
    let letters = || parts.iter().filter_map(|(_, letter)| *letter);
    let Some(first) = letters().next() else { return false };
    let is_mixed = parts.iter().any(|(_, letter)| *letter != Some(first));
    let are_scales = letters().all(|letter| b"KMBT".contains(&letter))
        && letters().any(|letter| b"KM".contains(&letter))
        && !parts.iter().any(|(has_zero, _)| *has_zero);
    is_mixed && !are_scales
}

/// True if points are between thousands, though each number alone might have decimals: `145` beside `1.655`. Behind each
/// point are three digits, no number begins with a zero, and those without a point are below 1,000.
fn points_part_thousands(words: &[&str]) -> bool {
    const FEWEST: usize = 3;
    let are_digits = |part: &str, lengths: std::ops::RangeInclusive<usize>| {
        lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (mut parted, mut whole) = (0, 0);
    for word in words {
        let word = word.trim().trim_start_matches('-');
        match word.split_once('.') {
            Some((before, behind)) => {
                if before.starts_with('0')
                    || !are_digits(before, 1..=3)
                    || !are_digits(behind, 3..=3)
                {
                    return false;
                }
                parted += 1;
            }
            None if are_digits(word, 1..=3) => whole += 1,
            None => return false,
        }
    }
    parted >= FEWEST && whole >= FEWEST
}

/// True if words that are numbers of one decimal sign are numbers of the other one, too.
pub(in crate::data) fn read_either_way(words: &[&str], decimal_comma: bool) -> bool {
    let mut of_signs = words.iter().filter(|word| word.contains(['.', ',']));
    of_signs.all(|word| quantity(word, !decimal_comma).is_some())
}

/// True if the words have one unit, or none: percents and numbers without a sign do not mix.
fn has_one_unit(writing: &Writing, words: &[&str]) -> bool {
    let Writing::Number { decimal_comma } = writing else { return true };
    if are_flags(words, *decimal_comma) {
        return true;
    }
    let mut unit = None::<&str>;
    let mut bare = false;
    for found in words.iter().filter_map(|word| quantity(word, *decimal_comma)) {
        match (found.unit, unit) {
            ("", _) => bare |= found.value != 0.0,
            (one, Some(other)) if !is_same_unit(one, other) => return false,
            (one, _) => unit = Some(one),
        }
    }
    !(bare && unit.is_some_and(|unit| unit.starts_with(['%', '‰', '/'])))
}

/// True if the units are small letters that flag single numbers, as `12.3 p` is provisional in tables of Eurostat: of two
/// kinds at least, and most numbers have none.
fn are_flags(words: &[&str], decimal_comma: bool) -> bool {
    let units =
        || words.iter().filter_map(|word| quantity(word, decimal_comma)).map(|found| found.unit);
    let flags = || units().filter(|unit| !unit.is_empty());
    let is_flag = |unit: &str| unit.len() <= 2 && unit.bytes().all(|byte| FLAGS.contains(&byte));
    let first = flags().next();
    flags().all(is_flag)
        && flags().any(|unit| Some(unit) != first)
        && 2 * flags().count() < words.len()
}

/// True if two units are one, in capitals or not, and of several or of one: `year` and `years`.
fn is_same_unit(one: &str, other: &str) -> bool {
    if let (Some(one), Some(other)) = (points_of(one), points_of(other)) {
        return one == other;
    }
    let singular = |unit: &str| {
        let is_word = unit.len() > 3 && unit.is_ascii();
        unit.strip_suffix(['s', 'S']).filter(|_| is_word).unwrap_or(unit).to_lowercase()
    };
    singular(one) == singular(other)
}

/// True if one number ends with a minus and another one with a plus, the least and the largest: `2,500-` and `250,000+`
/// are ranges then.
fn is_open_at_both_ends(words: &[&str]) -> bool {
    let number =
        |word: &str| plain(word, false).filter(|_| word.ends_with(|c: char| c.is_ascii_digit()));
    let ends = |sign: char| {
        let mut found =
            words.iter().filter_map(|word| number(word.trim_matches(is_blank).strip_suffix(sign)?));
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)
    };
    let (Some(least), Some(largest)) = (ends('-'), ends('+')) else { return false };
    words
        .iter()
        .filter_map(|word| number(word.trim_matches(is_blank)))
        .all(|value| (least..=largest).contains(&value))
}

/// True if most words are numbers, and no limits: `<18` and `18+` are two ranges, and not one number.
fn has_few_limits(writing: &Writing, words: &[&str]) -> bool {
    let Writing::Number { decimal_comma } = writing else { return true };
    let has =
        |sign: &[char]| words.iter().any(|word| word.trim_matches(is_blank).starts_with(sign));
    // Beside others of its kind a white triangle is no minus.
    if is_open_at_both_ends(words) || has(&['△']) && has(&['▲', '▼', '▽']) {
        return false;
    }
    let is_limit =
        |word: &&&str| quantity(word, *decimal_comma).is_some_and(|found| found.is_limit);
    2 * words.iter().filter(is_limit).count() < words.len()
}

/// A number with all that people write about it: also its limit (`<0.5`), about it (`~5`), its error (`2.0 ± 0.2`), or
/// its share or interval (`12 (34%)`).
fn quantity(word: &str, decimal_comma: bool) -> Option<Quantity<'_>> {
    let word = word.trim_matches(is_blank);
    let text = without_marks(word);
    // The comma of `19.279,-` is before decimals.
    if !decimal_comma && word.strip_prefix(text).is_some_and(|strokes| strokes.starts_with(',')) {
        return None;
    }
    let of_limit = ["<=", ">=", "<", ">", "≤", "≥"].iter().find_map(|sign| text.strip_prefix(sign));
    if let Some(rest) = of_limit {
        return Some(Quantity { is_limit: true, ..amount(rest, decimal_comma)? });
    }
    let about = without_spread(text.strip_prefix(['~', '≈']).unwrap_or(text));
    if let Some(value) = feet(about) {
        return Some(Quantity { value, unit: "ft", is_limit: false });
    }
    if let Some((whole, part)) = fraction(about) {
        let of_whole = if whole.is_empty() { Some(0.0) } else { plain(whole, decimal_comma) };
        return Some(Quantity { value: of_whole? + part, unit: "", is_limit: false });
    }
    // An error in a column of its own: `±862`.
    let alone = about.strip_prefix('±').or_else(|| about.strip_prefix("+/-"));
    if let Some(error) = alone.filter(|error| error.starts_with(|c: char| c.is_ascii_digit())) {
        return amount(error, decimal_comma);
    }
    match about.split_once('±').or_else(|| about.split_once("+/-")) {
        Some((value, error)) => {
            let (of_value, of_error) =
                (amount(value, decimal_comma)?, amount(error, decimal_comma)?);
            let sound = of_error.value >= 0.0
                && (of_value.unit.is_empty() || of_value.unit == of_error.unit);
            sound.then_some(Quantity { value: of_value.value, ..of_error })
        }
        None => amount(about, decimal_comma),
    }
}

/// A number with its sign, currency, magnitude and unit.
fn amount(word: &str, decimal_comma: bool) -> Option<Quantity<'_>> {
    let mut text = word.trim_matches(is_blank);
    let mut negative = false;
    if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        (negative, text) = (true, inner.trim_matches(is_blank));
    }
    let (mut currency, mut signed) = ("", negative);
    loop {
        let sign = text.strip_prefix(['-', '−', '–', '－']).map(|rest| (rest, true));
        // A white triangle is the minus of bookings in Japan.
        let sign = sign.or_else(|| text.strip_prefix(['▼', '↓', '△']).map(|rest| (rest, true)));
        let sign = sign.or_else(|| text.strip_prefix(['+', '▲', '↑']).map(|rest| (rest, false)));
        if let Some((rest, minus)) = sign.filter(|_| !signed) {
            (text, negative, signed) = (rest.trim_start_matches(is_blank), minus, true);
            continue;
        }
        let before = |sign: &&&str| text.starts_with(**sign);
        match CURRENCIES.iter().filter(before).max_by_key(|sign| sign.len()) {
            Some(sign) if currency.is_empty() => {
                (currency, text) = (sign, text[sign.len()..].trim_start_matches(is_blank));
            }
            _ => break,
        }
    }
    let (numeral, rest) = numeral(text);
    let value = plain(numeral, decimal_comma)?;
    let mut rest = rest.trim_matches(is_blank);
    if let Some(before) = rest.strip_suffix('-').filter(|_| !signed) {
        (rest, negative) = (before.trim_end_matches(is_blank), true);
    }
    // Of a booking: credit, and debit.
    if ["dr", "dr."].iter().any(|debit| rest.eq_ignore_ascii_case(debit)) && currency.is_empty() {
        (rest, negative) = ("CR", true);
    }
    let mut scale = 1.0;
    let of_money = |sign: &str| CURRENCIES.contains(&sign);
    let tail = |rest: &str, size: usize| rest[size..].trim_start_matches(is_blank).to_string();
    let found = MAGNITUDES.iter().find(|(name, _)| {
        rest.starts_with(name) && {
            let tail = tail(rest, name.len());
            tail.is_empty() || tail == "+" || of_money(&tail)
        }
    });
    if let Some((name, power)) = found {
        (scale, rest) = (*power, rest[name.len()..].trim_start_matches(is_blank));
    } else if rest == "m" && !currency.is_empty() {
        (scale, rest) = (1e6, "");
    }
    let unit = match (currency.is_empty(), rest) {
        (false, "" | "+") => currency,
        (false, _) => return None,
        // `10+ years`.
        (true, rest) => rest.strip_prefix('+').unwrap_or(rest).trim_start_matches(is_blank),
    };
    match points_of(unit) {
        Some(most) if (0.0..=most).contains(&value) => {}
        None if is_unit(unit) => {}
        _ => return None,
    }
    // Times a power of ten a decimal number would be rounded: of `67.1M` too little is left.
    let value = match scale {
        1.0 => value,
        _ => number(format!("{value}e{}", scale.log10()).as_bytes())?,
    };
    Some(Quantity { value: if negative { -value } else { value }, unit, is_limit: false })
}

/// True if a text may be a unit: a sign, or a short word.
fn is_unit(text: &str) -> bool {
    // A sign of another encoding than UTF-8 is some unit, too.
    let of_unit = |c: char| c.is_alphabetic() || "%‰°/²³.$€£¥₹₽₩₺₴฿¢ \"'\u{fffd}".contains(c);
    CURRENCIES.contains(&text)
        || text.chars().count() <= LONGEST_UNIT
            && text.strip_suffix(['2', '3']).unwrap_or(text).chars().all(of_unit)
            && !text.starts_with(|c: char| c.is_ascii_digit())
            && text.matches(' ').count() <= 1
}

/// The points of which `4/5`, `7 / 10` and `3 of 5` are some, by the end of such a text.
fn points_of(text: &str) -> Option<f64> {
    let most = ["/", "of ", "out of "].iter().find_map(|sign| text.strip_prefix(sign))?;
    let most = most.trim_matches(is_blank);
    let is_number = (1..=3).contains(&most.len()) && most.bytes().all(|c| c.is_ascii_digit());
    number(most.as_bytes()).filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::formats::csv::field::date;

    #[test]
    fn numbers_as_people_write_them() {
        let point = Writing::Number { decimal_comma: false };
        let comma = Writing::Number { decimal_comma: true };
        for (word, of_point, of_comma) in [
            ("1,234,567.5", Some(1_234_567.5), None),
            ("1.299,99", None, Some(1299.99)),
            ("1 234", Some(1234.0), Some(1234.0)),
            ("1\u{a0}234,5", None, Some(1234.5)),
            ("1’234.50", Some(1234.5), None),
            ("12,34,567", Some(1_234_567.0), None),
            ("−3.5", Some(-3.5), None),
            ("(123)", Some(-123.0), Some(-123.0)),
            ("($1,234.50)", Some(-1234.5), None),
            ("-$5", Some(-5.0), Some(-5.0)),
            ("$-5", Some(-5.0), Some(-5.0)),
            ("12 %", Some(12.0), Some(12.0)),
            ("12,5 %", None, Some(12.5)),
            ("1.2M", Some(1.2e6), None),
            ("€110.5M", Some(1.105e8), None),
            ("500k", Some(5e5), Some(5e5)),
            ("10,000+", Some(1e4), Some(10.0)),
            ("1.299,99 €", None, Some(1299.99)),
            ("EUR 12", Some(12.0), Some(12.0)),
            ("25 kg", Some(25.0), Some(25.0)),
            ("1e5", Some(1e5), Some(1e5)),
            ("1.5e-3", Some(1.5e-3), None),
            (".5", Some(0.5), None),
            ("5.", Some(5.0), None),
            ("123-", Some(-123.0), Some(-123.0)),
            ("1,23", None, Some(1.23)),
            ("0,445", None, Some(0.445)),
            ("-0.445", Some(-0.445), None),
            ("5,919E+02", None, Some(591.9)),
            ("1,2,3", None, None),
            ("12,345,67", None, None),
            ("A12", None, None),
            ("1.2.3", None, None),
            ("$", None, None),
            ("", None, None),
            ("4/5", Some(4.0), Some(4.0)),
            ("67.1M", Some(67.1e6), None),
            ("7.1万", Some(71_000.0), None),
            ("3 lakh", Some(3e5), Some(3e5)),
            ("414,925[a]", Some(414_925.0), Some(414.925)),
            ("[a]", None, None),
            ("CHF 1'250.–", Some(1250.0), Some(1250.0)),
            ("Rs. 3,69,700/-", Some(369_700.0), None),
            ("10+ years", Some(10.0), Some(10.0)),
            ("±1,180", Some(1180.0), Some(1.18)),
            ("±x", None, None),
            ("△2.1", Some(-2.1), None),
            ("< 1 year", Some(1.0), Some(1.0)),
            ("7.5 / 10", Some(7.5), None),
            ("12.5*", Some(12.5), None),
            ("12 (34%)", Some(12.0), Some(12.0)),
            ("5.1 (0.3)", Some(5.1), None),
            ("62.3 [45.1–75.2]", Some(62.3), None),
            ("8 (5 to 11)", Some(8.0), Some(8.0)),
            ("word (5)", None, None),
            ("7¹", Some(7.0), Some(7.0)),
            ("12.5 (e)", Some(12.5), None),
            ("12.5 m2", Some(12.5), None),
            ("(e)", None, None),
            ("10⁴", None, None),
            ("5 (kg)", None, None),
            ("*", None, None),
            ("\\86", Some(86.0), Some(86.0)),
            ("－5", Some(-5.0), Some(-5.0)),
            ("3 of 5", Some(3.0), Some(3.0)),
            ("7 of 5", None, None),
            ("NT$1,200", Some(1200.0), Some(1.2)),
            ("1/2/3", None, None),
            ("4/5000", None, None),
            ("12/5", None, None),
            ("-", None, None),
            ("10.0.0.1", None, None),
            ("12-34", None, None),
            ("<0.5", Some(0.5), None),
            ("< 0,5", None, Some(0.5)),
            (">=10", Some(10.0), Some(10.0)),
            ("~5 kg", Some(5.0), Some(5.0)),
            ("2.0 ± 0.2", Some(2.0), None),
            ("2,0±0,2 mg", None, Some(2.0)),
            ("5 +/- 1", Some(5.0), Some(5.0)),
            ("2 ± -1", None, None),
            ("2 mg ± 1 kg", None, None),
            ("1000,50 \u{fffd}", None, Some(1000.5)),
            ("<", None, None),
            ("<<5", None, None),
            ("±", None, None),
        ] {
            assert_eq!(point.value(word), of_point, "{word}");
            assert_eq!(comma.value(word), of_comma, "{word}");
        }
    }

    #[test]
    fn few_limits_are_numbers_and_many_are_ranges() {
        let of = |words: &[&str]| Writing::of(words, None, false);
        let point = Some(Writing::Number { decimal_comma: false });
        assert_eq!(of(&["<0.5", "0.7", "1.25"]), point);
        assert_eq!(of(&["<0.5", "0.7", "1.25", ">100"]), None, "half are limits");
        assert_eq!(of(&["<18", "18+"]), None);
        assert_eq!(of(&["45°30'N", "12.5° S"]), Some(Writing::Angle));
        assert_eq!(of(&["12 N", "13 N"]), point);
        assert_eq!(of(&["1200m", "800m"]), point);
        assert_eq!(of(&["4/5", "3/5"]), point);
        assert_eq!(of(&["10+ years", "< 1 year", "2 years", "1 year"]), point);
        assert_eq!(of(&["1 m", "2 ms"]), None);
        assert_eq!(of(&["1.5 p", "2.5", "3.5 b", "4", "5.5", "6"]), point, "flags");
        assert_eq!(of(&["1.5 p", "2.5 b", "3.5 b", "4"]), None, "units");
        assert_eq!(of(&["5 cm", "50 mm", "10", "12", "14", "16"]), None);
        assert_eq!(of(&["120/80", "130/85"]), None, "two numbers each");
        assert_eq!(of(&["1/2", "3/4"]), None, "fractions");
        assert_eq!(of(&["4/5", "3 / 5"]), point);
        assert_eq!(of(&["1d", "7d", "3m"]), None, "months");
        assert_eq!(of(&["58m", "2h"]), Some(Writing::Time));
        assert_eq!(of(&["950", "15K", "2M", "1B"]), point);
    }

    #[test]
    fn dates_by_the_evidence_of_their_column() {
        let day = |iso: &str| date(iso.as_bytes());
        for (words, day_first, word, expected) in [
            (&["05.01.2020", "06.02.2020"][..], None, "05.01.2020", "2020-01-05"),
            (&["05/01/2020", "06/02/2020"], None, "05/01/2020", "2020-05-01"),
            (&["05/01/2020", "06/02/2020"], Some(true), "05/01/2020", "2020-01-05"),
            (&["05/01/2020", "16/02/2020"], None, "05/01/2020", "2020-01-05"),
            (&["1/31/99", "2/1/01"], None, "1/31/99", "1999-01-31"),
            (&["5 Jan 2020", "6 Feb 2021"], None, "5 Jan 2020", "2020-01-05"),
            (&["January 5, 2020", "Sept 6, 2021"], None, "Sept 6, 2021", "2021-09-06"),
            (&["05-Jan-2020", "06-Feb-2021"], None, "06-Feb-2021", "2021-02-06"),
            (&["2020/1/5"], None, "2020/1/5", "2020-01-05"),
            (&["20200105", "20200229", "20201231"], None, "20200229", "2020-02-29"),
        ] {
            let found = Writing::of(words, day_first, false).expect("a date");
            assert!(matches!(found, Writing::Date { .. }), "{words:?}: {found:?}");
            assert_eq!(found.value(word), day(expected), "{words:?}");
        }
        let clock = Writing::Date { day_first: false }.value("1/2/1970 6:00 PM");
        assert_eq!(clock, Some(1.75));
        let ambiguous = Writing::of(&["05/01/2020"], None, false).expect("a date");
        assert!(ambiguous.is_ambiguous(&["05/01/2020"], None, false));
        assert!(!ambiguous.is_ambiguous(&["05/05/2020"], None, false));
    }

    #[test]
    fn times_ranges_and_words_with_an_order() {
        assert_eq!(Writing::of(&["12:30", "0:45:36"], None, false), Some(Writing::Time));
        assert_eq!(Writing::Time.value("5:30 PM"), Some(17.5));
        assert_eq!(Writing::Time.value("12:15 am"), Some(0.25));
        assert_eq!(Writing::Time.value("12:75"), None);
        let races = ["45:30", "1:02:33", "58:12"];
        assert_eq!(Writing::of(&races, None, false), Some(Writing::Duration));
        assert_eq!(Writing::Duration.value("45:30"), Some(0.7583333333333333));
        assert_eq!(Writing::Duration.value("1:30:00"), Some(1.5));
        assert_eq!(Writing::of(&["05:31.4", "04:59.8"], None, false), Some(Writing::Duration));
        let places = |words: &[&str]| {
            let writing = Writing::of(words, None, false)?;
            words.iter().map(|word| writing.value(word)).collect::<Option<Vec<f64>>>()
        };
        assert_eq!(places(&["Large", "small", "Medium"]), Some(vec![2.0, 0.0, 1.0]));
        assert_eq!(places(&["65+", "18-25", "26-64", "<18"]), Some(vec![3.0, 1.0, 2.0, 0.0]));
        assert_eq!(places(&["$50k-$75k", "$10k-$50k", "$75k+"]), Some(vec![1.0, 0.0, 2.0]));
        for none in [
            &["2-1", "0-0", "3-4"][..],
            &["red", "green", "blue"],
            &["10%", "5"],
            &["1 kg", "2 lb"],
            &["85123A", "71053B", "22752"],
            &["85123A", "85123"],
            &["01", "2A", "2B", "75"],
            &["3B", "12B", "7"],
        ] {
            assert_eq!(Writing::of(none, None, false), None, "{none:?}");
        }
    }
}
