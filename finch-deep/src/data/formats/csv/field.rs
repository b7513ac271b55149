//! A field of a text table, and what it says.

/// The words by which programs write that a value is missing.
const MISSING: [&str; 9] = ["", "NA", "NaN", "N/A", "#N/A", "<NA>", "null", "none", "?"];

/// Days from 0000-03-01, with which the years of this calendar begin, to 1970-01-01.
const EPOCH: i64 = 719_468;

/// True if the field says that the value is missing.
pub(in crate::data) fn is_missing(field: &[u8]) -> bool {
    // Most fields are longer than any of these words, or begin with a digit.
    field.len() <= 4 && MISSING.iter().any(|word| field.eq_ignore_ascii_case(word.as_bytes()))
}

/// A number as programs write it, NaN and infinities included.
pub(in crate::data) fn number(field: &[u8]) -> Option<f64> {
    fast_float2::parse(field).ok()
}

/// A number with a decimal comma.
pub(in crate::data) fn number_with_comma(field: &[u8]) -> Option<f64> {
    match field.iter().position(|&byte| byte == b',') {
        None => number(field),
        // A point beside the comma separates thousands: what the number is would be a guess.
        Some(_) if field.contains(&b'.') => None,
        Some(comma) => {
            let mut point = field.to_vec();
            point[comma] = b'.';
            number(&point)
        }
    }
}

/// A number, with a decimal comma or without.
pub(in crate::data) fn number_of(field: &[u8], decimal_comma: bool) -> Option<f64> {
    if decimal_comma { number_with_comma(field) } else { number(field) }
}

/// The truth value of a field that is `true` or `false`, `yes` or `no`; `None` for any other.
pub(in crate::data) fn boolean(field: &[u8]) -> Option<bool> {
    let is = |word: &str| field.eq_ignore_ascii_case(word.as_bytes());
    match field.len() {
        2..=5 if is("true") || is("yes") => Some(true),
        2..=5 if is("false") || is("no") => Some(false),
        _ => None,
    }
}

/// The days from 1970-01-01 to a date of ISO 8601: `2024-02-29`, `2024-02-29T12:30`,
/// `2024-02-29 12:30:15.5+01:00`.
pub fn date(field: &[u8]) -> Option<f64> {
    let day = field.get(..10)?;
    if day[4] != b'-' || day[7] != b'-' {
        return None;
    }
    let (year, month, of_month) = (whole(&day[..4])?, whole(&day[5..7])?, whole(&day[8..])?);
    if !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&of_month) {
        return None;
    }
    // Years begin in March, so that the day of a leap year is their last.
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + of_month - 1;
    let leap = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let days = 365 * year + leap + of_year - EPOCH;
    match field.get(10) {
        None => Some(days as f64),
        Some(b'T' | b't' | b' ') => Some(days as f64 + time(&field[11..])? / 86_400.0),
        Some(_) => None,
    }
}

/// The date of ISO 8601 by the days from 1970-01-01.
pub(in crate::data) fn day(days: i64) -> String {
    let days = days + EPOCH;
    // Four centuries have 146,097 days. Within them, a year, from March, is estimated by leaving its
    // leap days out.
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * era + year + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{of_month:02}")
}

/// The seconds from midnight, UTC, to a time of day: `12:30`, `12:30:15.5`, `12:30Z`, `12:30+01:00`.
fn time(text: &[u8]) -> Option<f64> {
    let end = text.iter().position(|byte| b"Zz+-".contains(byte)).unwrap_or(text.len());
    let (clock, zone) = text.split_at(end);
    let offset = match zone {
        [] | [b'Z' | b'z'] => 0,
        [sign, hours @ .., b':', tens, ones] => {
            let minutes = whole(&[*tens, *ones])?;
            let offset = 60 * whole(hours).filter(|_| hours.len() == 2)? + minutes;
            if *sign == b'-' { -offset } else { offset }
        }
        _ => return None,
    };
    let (hour, minute) = (whole(clock.get(..2)?)?, whole(clock.get(3..5)?)?);
    let seconds = match clock.get(5) {
        None => Some(0.0),
        Some(b':') if clock.get(6)?.is_ascii_digit() => number(&clock[6..]),
        Some(_) => None,
    };
    let seconds = seconds.filter(|seconds| (0.0..61.0).contains(seconds))?;
    let sound = clock[2] == b':' && hour <= 24 && minute < 60;
    sound.then_some((60 * (60 * hour + minute - offset)) as f64 + seconds)
}

/// A whole number of digits alone.
fn whole(digits: &[u8]) -> Option<i64> {
    let all = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    all.then(|| digits.iter().fold(0, |number, digit| 10 * number + i64::from(digit - b'0')))
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Days by counting them, month by month.
    #[test]
    fn dates_are_days_by_definition() {
        let mut days = -719_528; // 0000-01-01
        for year in 0..2200 {
            for month in 1..=12 {
                for of_month in 1..=days_of(year, month) {
                    let text = format!("{year:04}-{month:02}-{of_month:02}");
                    assert_eq!(date(text.as_bytes()), Some(f64::from(days)), "{text}");
                    assert_eq!(day(days.into()), text);
                    days += 1;
                }
                let after = format!("{year:04}-{month:02}-{:02}", days_of(year, month) + 1);
                assert_eq!(date(after.as_bytes()), None, "{after}");
            }
        }
        assert_eq!(date(b"1970-01-01"), Some(0.0));
        assert_eq!(date(b"2024-02-29"), Some(19_782.0));
    }

    #[test]
    fn times_of_day_are_fractions_of_days() {
        for (text, expected) in [
            ("1970-01-01T12:00", Some(0.5)),
            ("1970-01-01 06:00:00", Some(0.25)),
            ("1970-01-01T00:00:43.2Z", Some(0.0005)),
            ("1970-01-01T01:00+01:00", Some(0.0)),
            ("1970-01-01T18:00-06:00", Some(1.0)),
            ("1970-01-01T", None),
            ("1970-01-01T25:00", None),
            ("1970-01-01T12", None),
            ("1970-01-01T12:60", None),
            ("1970-01-01T12:00:", None),
            ("1970-01-01T12:00:nan", None),
            ("1970-01-01T12:00+1", None),
            ("1970-01-01x", None),
            ("1970-1-1", None),
            ("01.01.1970", None),
        ] {
            assert_eq!(date(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn words_that_say_something() {
        assert!(
            ["", "na", "NaN", "NULL", "?", "#N/A", "None"].iter().all(|x| is_missing(x.as_bytes()))
        );
        assert!(!["-", "0", "nano", "missing", "nul"].iter().any(|x| is_missing(x.as_bytes())));
        let booleans =
            ["true", "No", "YES", "fAlse", "t", "1", "yess"].map(|x| boolean(x.as_bytes()));
        assert_eq!(booleans, [Some(true), Some(false), Some(true), Some(false), None, None, None]);
        let comma = ["1,5", "-2,5e3", "7", "1.234,5", "1,2,3", ","];
        let read = comma.map(|x| number_with_comma(x.as_bytes()));
        assert_eq!(read, [Some(1.5), Some(-2500.0), Some(7.0), None, None, None]);
    }
}
