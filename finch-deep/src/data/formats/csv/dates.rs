//! Dates and times of day as people write them.

use super::field::{date, number};

/// Names of months by language, without accents of the West, in the forms that dates have.
const MONTHS: [&str; 19] = [
    "january february march april may june july august september october november december",
    "januar februar marz april mai juni juli august september oktober november dezember",
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari mars april maj juni juli augusti september oktober november december",
    "januar februar marts april maj juni juli august september oktober november december",
    "styczen luty marzec kwiecien maj czerwiec lipiec sierpien wrzesien pazdziernik listopad grudzien",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia",
    "leden unor brezen duben kveten cerven cervenec srpen zari rijen listopad prosinec",
    "ledna unora brezna dubna kvetna cervna cervence srpna zari rijna listopadu prosince",
    "ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik",
    "januar februar marcius aprilis majus junius julius augusztus szeptember oktober november december",
    "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "січень лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень",
    "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
];

/// Days of the week, which a date needs not.
const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Eras of Japan, and the years before their first ones.
const ERAS: [(&str, u32); 5] =
    [("令和", 2018), ("平成", 1988), ("昭和", 1925), ("大正", 1911), ("明治", 1867)];

/// Zones of time by their names, and their hours. Several zones are called `CST` and `BST`: those of North America and
/// Europe are meant.
const ZONES: [(&str, f64); 24] = [
    ("Z", 0.0),
    ("GMT", 0.0),
    ("UTC", 0.0),
    ("WET", 0.0),
    ("BST", 1.0),
    ("WEST", 1.0),
    ("CET", 1.0),
    ("CEST", 2.0),
    ("EET", 2.0),
    ("EEST", 3.0),
    ("MSK", 3.0),
    ("JST", 9.0),
    ("KST", 9.0),
    ("AEST", 10.0),
    ("AEDT", 11.0),
    ("EST", -5.0),
    ("EDT", -4.0),
    ("CST", -6.0),
    ("CDT", -5.0),
    ("MST", -7.0),
    ("MDT", -6.0),
    ("PST", -8.0),
    ("PDT", -7.0),
    ("AKST", -9.0),
];

/// Years that a quarter, a week or a month alone is of: other numbers of four digits are codes.
const YEARS: std::ops::Range<u32> = 1800..2200;

/// True for all that people take for a blank.
pub(super) fn is_blank(character: char) -> bool {
    character.is_whitespace() || ['\u{a0}', '\u{202f}', '\u{2009}'].contains(&character)
}

/// The days from 1970-01-01 to a date without separators, `20240229`, of the last century or of this one, or with an hour,
/// `2024022912`.
pub(super) fn day_of_digits(word: &str) -> Option<f64> {
    let is_date = [8, 10].contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
    let year: u32 = word.get(..4).filter(|_| is_date)?.parse().ok()?;
    let clock = if word.len() == 10 { format!("T{}:00", &word[8..]) } else { String::new() };
    let of_iso = format!("{}-{}-{}{clock}", &word[..4], &word[4..6], &word[6..8]);
    date(of_iso.as_bytes()).filter(|_| (1900..2100).contains(&year))
}

/// The days from 1970-01-01 to a date; to the first day of a month, a quarter (`2020Q1`) or a week of ISO 8601
/// (`2020-W05`).
pub(super) fn day_of(word: &str, day_first: bool) -> Option<f64> {
    if word.contains(['年', '년']) {
        return day_of_signs(word);
    }
    // Logs of web servers have `20/Aug/2004:10:31:58 +0000`.
    match word.split_once(':') {
        Some((day, time)) if is_of_log(day) => day_of_parts(&format!("{day} {time}"), day_first),
        _ => day_of_parts(word, day_first),
    }
}

/// True for `20/Aug/2004`.
fn is_of_log(day: &str) -> bool {
    day.len() == 11 && day.matches('/').count() == 2 && !day.contains(' ')
}

/// The days to `2020年1月5日`, `令和2年1月5日` or `2020년 1월 5일`.
fn day_of_signs(word: &str) -> Option<f64> {
    let parts: Vec<&str> = word
        .split(['年', '月', '日', '년', '월', '일'])
        .map(|part| part.trim_matches(is_blank))
        .collect();
    let day = match parts[..] {
        [_, _, ""] => 1,
        [_, _, day, ""] => whole(day)?,
        _ => return None,
    };
    let era = ERAS.iter().find_map(|(era, before)| Some((parts[0].strip_prefix(era)?, before)));
    let year = match era {
        // The first year has a sign.
        Some(("元", before)) => before + 1,
        Some((year, before)) => before + whole(year).filter(|year| (1..100).contains(year))?,
        None => whole(parts[0]).filter(|_| is_year(parts[0]))?,
    };
    of_parts(year, whole(parts[1])?, day)
}

fn day_of_parts(word: &str, day_first: bool) -> Option<f64> {
    let (word, zone) = without_zone(word.trim_matches(is_blank));
    // `Mon Mar 01 14:20:22 +0000 2020`, as C's ctime and others write it.
    if let Some((before, year)) = word.rsplit_once(' ').filter(|(_, year)| is_year(year))
        && let (before, zone) = without_zone(before)
        && let Some((day, clock)) = before.rsplit_once(' ')
        && clock.contains(':')
    {
        let day = day_of_parts(&format!("{day} {year}"), day_first)?;
        return Some(day + (hours(clock)? - zone) / 24.0);
    }
    let of_digits = || day_of_digits(word);
    if let Some(days) = date(word.as_bytes()).or_else(|| period(word)).or_else(of_digits) {
        return Some(days - zone / 24.0);
    }
    // The clock is behind the first blank or T that a colon follows.
    let (day, clock) = match word.find(':') {
        None => (word, ""),
        Some(colon) => {
            let start = word[..colon].rfind([' ', 'T'])?;
            (&word[..start], &word[start + 1..])
        }
    };
    let hours = if clock.is_empty() { 0.0 } else { hours(clock.trim_end_matches('Z'))? };
    let mut parts: Vec<&str> =
        day.split([' ', ',', '/', '.', '-']).filter(|part| !part.is_empty()).collect();
    // `Monday, 5 January 2020`, `5 de enero de 2020`.
    if parts.len() > 3 {
        const BESIDE: [&str; 7] = ["de", "of", "r", "г", "р", "рік", "года"];
        parts.retain(|part| !BESIDE.contains(part) && !is_weekday(part));
    }
    // `05JAN2020`, as SAS writes it.
    if let [joined] = parts[..] {
        let of_month = joined.trim_start_matches(|c: char| c.is_ascii_digit());
        let year = of_month.trim_start_matches(char::is_alphabetic);
        if [2, 4].contains(&year.len()) {
            let day = joined.len() - of_month.len();
            parts = vec![&joined[..day], &of_month[..of_month.len() - year.len()], year];
        }
    }
    let named = parts.iter().position(|part| month(part).is_some());
    let (year, month, day) = match (named, &parts[..]) {
        (Some(0), [name, day, year]) => (*year, month(name)?, whole(day_number(day))?),
        (Some(1), [year, name, day]) if year.len() == 4 => (*year, month(name)?, whole(day)?),
        (Some(1), [day, name, year]) => (*year, month(name)?, whole(day_number(day))?),
        (Some(0), [name, year]) if year.len() == 4 => (*year, month(name)?, 1),
        // As sheets write a month: `Jan-20`.
        (Some(0), [name, year]) if year.len() == 2 && word.contains('-') => {
            (*year, month(name)?, 1)
        }
        (None, [year, month, day]) if year.len() == 4 => (*year, whole(month)?, whole(day)?),
        (None, [year, month]) if is_year(year) && month.len() == 2 && !word.contains('.') => {
            (*year, whole(month)?, 1)
        }
        (None, [month, year]) if is_year(year) && month.len() <= 2 && word.contains('/') => {
            (*year, whole(month)?, 1)
        }
        (None, [first, second, year]) if year.len() == 4 || year.len() == 2 => {
            let (first, second) = (whole(first)?, whole(second)?);
            let (day, month) = if day_first { (first, second) } else { (second, first) };
            (*year, month, day)
        }
        _ => return None,
    };
    let year = match (year.len(), whole(year)?) {
        // As Excel has it: birthdays are before, and no dates of bookings are behind.
        (2, year @ 0..30) => 2000 + year,
        (2, year) => 1900 + year,
        (_, year) => year,
    };
    Some(of_parts(year, month, day)? + (hours - zone) / 24.0)
}

/// A time without its zone, `GMT+1`, `PST` or `+0530`, and the hours of this. A zone of digits may be right behind the
/// clock: `12:30:15+02`.
fn without_zone(word: &str) -> (&str, f64) {
    let bare = (word, 0.0);
    let split = word.rsplit_once(' ').filter(|(before, _)| before.contains(':'));
    // Behind hours and minutes alone, `08:00-10:00`, it may be the end of a span.
    let attached = || {
        let colon = word.find(':')?;
        let sign = colon + word[colon..].find(['+', '-'])?;
        (word[..sign].matches(':').count() == 2).then_some((&word[..sign], &word[sign..]))
    };
    let Some((before, zone)) = split.or_else(attached) else { return bare };
    if let Some((_, hours)) = ZONES.iter().find(|(name, _)| *name == zone) {
        return (before, *hours);
    }
    let offset = zone.trim_start_matches("GMT").trim_start_matches("UTC");
    let sign = if offset.starts_with('-') { -1.0 } else { 1.0 };
    let digits: String = offset.chars().skip(1).filter(|c| *c != ':').collect();
    let hours = match digits.len() {
        _ if !offset.starts_with(['+', '-']) => None,
        1 | 2 => whole(&digits).map(f64::from),
        4 => whole(&digits).map(|digits| f64::from(digits / 100) + f64::from(digits % 100) / 60.0),
        _ => None,
    };
    let hours = hours.filter(|hours| *hours <= 14.0);
    hours.map_or(bare, |hours| (before, sign * hours))
}

fn of_parts(year: u32, month: u32, day: u32) -> Option<f64> {
    date(format!("{year:04}-{month:02}-{day:02}").as_bytes())
}

/// A number of at most four digits.
fn whole(part: &str) -> Option<u32> {
    let digits = part.len() <= 4 && part.chars().all(|c| c.is_ascii_digit());
    if digits { part.parse().ok() } else { None }
}

fn is_year(part: &str) -> bool {
    part.len() == 4 && whole(part).is_some_and(|year| YEARS.contains(&year))
}

/// The first day of a quarter or of a week.
fn period(word: &str) -> Option<f64> {
    let separates = [' ', '-', '/', '_', '.'];
    // Months of Eurostat: `1999M12`.
    if let Some((year, month)) = word.split_once('M')
        && is_year(year)
        && month.len() == 2
    {
        return of_parts(whole(year)?, whole(month)?, 1);
    }
    let letter = word.find(|c: char| "QqWw".contains(c))?;
    let before = word[..letter].trim_end_matches(separates);
    let after = word[letter + 1..].trim_start_matches(separates);
    if word[letter..].starts_with(['W', 'w']) {
        let week = whole(after).filter(|week| after.len() == 2 && (1..=53).contains(week))?;
        let year = whole(before).filter(|_| is_year(before))?;
        // Week 1 has 4 January; 1970-01-01 was a Thursday.
        let fourth = of_parts(year, 1, 4)?;
        return Some(fourth - (fourth + 3.0).rem_euclid(7.0) + 7.0 * f64::from(week - 1));
    }
    let (quarter, year) = match before {
        "" => {
            let (quarter, year) = after.split_at_checked(1)?;
            (quarter, year.trim_start_matches(separates))
        }
        quarter if quarter.len() == 1 => (quarter, after),
        year => (after, year),
    };
    let quarter = whole(quarter).filter(|number| quarter.len() == 1 && (1..=4).contains(number))?;
    let year = whole(year).filter(|_| is_year(year))?;
    of_parts(year, 3 * quarter - 2, 1)
}

/// `3` of `3rd`.
fn day_number(text: &str) -> &str {
    let ends = ["st", "nd", "rd", "th"];
    ends.iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text)
}

fn is_weekday(part: &str) -> bool {
    let part = part.to_lowercase();
    part.len() >= 3 && WEEKDAYS.iter().any(|day| day.starts_with(&part))
}

/// The number of a month by its name, or by the first letters of it that no other month of the language has.
fn month(name: &str) -> Option<u32> {
    let plain = |c: char| match c {
        'é' | 'è' | 'ê' | 'ě' => 'e',
        'û' | 'ù' | 'ú' | 'ü' => 'u',
        'ä' | 'á' => 'a',
        'ç' | 'č' => 'c',
        'ğ' => 'g',
        'í' | 'ı' => 'i',
        'ń' => 'n',
        'ó' => 'o',
        'ř' => 'r',
        'ś' | 'ş' => 's',
        'ź' => 'z',
        other => other,
    };
    let name: String = name.to_lowercase().chars().map(plain).collect();
    if name.chars().count() < 3 {
        return None;
    }
    if name == "sept" {
        return Some(9);
    }
    let of_language = |months: &&str| {
        let months = || (1..).zip(months.split(' '));
        let mut found = months().filter(|(_, month)| month.starts_with(&name));
        let first = found.next()?;
        // June begins July in Czech.
        let whole = months().find(|(_, month)| *month == name);
        whole.or_else(|| found.next().is_none().then_some(first)).map(|(number, _)| number)
    };
    MONTHS.iter().find_map(of_language)
}

/// The hours of a time of day, or of how long something took.
pub(super) fn hours(word: &str) -> Option<f64> {
    let word = word.trim_matches(is_blank);
    if let Some(hours) = hours_of_units(word) {
        return Some(hours);
    }
    // As pandas writes them: `0 days 02:59:49`.
    let behind_days = word.split_once(" days ").or_else(|| word.split_once(" day "));
    if let Some((days, clock)) = behind_days {
        let days = number(days.as_bytes()).filter(|days| days.fract() == 0.0)?;
        let clock = Some(clock.trim_start_matches('+')).filter(|clock| !clock.contains("day"))?;
        return Some(24.0 * days + hours(clock)?);
    }
    let lower = word.to_lowercase();
    let (clock, afternoon) = match (lower.strip_suffix("pm"), lower.strip_suffix("am")) {
        (Some(clock), _) => (clock.trim_end(), Some(true)),
        (_, Some(clock)) => (clock.trim_end(), Some(false)),
        _ => (&lower[..], None),
    };
    let parts: Vec<&str> = clock.split(':').collect();
    let (last, before) = parts.split_last()?;
    if !(1..=2).contains(&before.len()) || !last.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut hours = 0.0;
    let mut unit = 1.0;
    for (place, part) in parts.iter().enumerate() {
        let digits = part.chars().filter(char::is_ascii_digit).count();
        let fraction = place == 2 && part.contains('.');
        // `0:1` and `16:9` are scores and ratios.
        let whole = part.split('.').next().unwrap_or_default();
        let sound = digits + usize::from(fraction) == part.len()
            && (1..=4).contains(&digits)
            && (place == 0 || parts.len() == 3 || whole.len() == 2);
        let value = number(part.as_bytes()).filter(|_| sound)?;
        if place > 0 && !(0.0..61.0).contains(&value) {
            return None;
        }
        hours += value * unit;
        unit /= 60.0;
    }
    match afternoon {
        None => Some(hours),
        Some(_) if !(1.0..13.0).contains(&hours) => None,
        Some(afternoon) => Some(hours % 12.0 + if afternoon { 12.0 } else { 0.0 }),
    }
}

/// The minutes of `45:30` and `05:31.4`: minutes and seconds.
pub(super) fn minutes(word: &str) -> Option<f64> {
    let (minutes, seconds) = word.trim_matches(is_blank).split_once(':')?;
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let sound = (1..=4).contains(&minutes.len())
        && whole.len() == 2
        && !fraction.is_empty()
        && [minutes, whole, fraction].iter().all(|text| are_digits(text));
    let seconds = number(seconds.as_bytes()).filter(|seconds| sound && *seconds < 60.0)?;
    Some(number(minutes.as_bytes())? + seconds / 60.0)
}

/// The seconds of `40.01`, beside which a longer time is `1:05.25`.
pub(super) fn seconds(word: &str) -> Option<f64> {
    let word = word.trim_matches(is_blank);
    let value = number(word.as_bytes())?;
    (word.contains('.') && (0.0..60.0).contains(&value)).then_some(value)
}

/// True if two numbers between colons are minutes and seconds: more than hours of a day are, beside three numbers, or
/// seconds have a fraction.
pub(super) fn are_durations(words: &[&str]) -> bool {
    let has_three = words.iter().any(|word| word.matches(':').count() == 2);
    let are_minutes = |word: &&str| {
        minutes(word).is_some_and(|minutes| minutes >= 24.0 && has_three || word.contains('.'))
    };
    words.iter().any(are_minutes)
}

/// True if words are days and months, as `7d` and `3m` are beside each other: no minutes.
pub(super) fn are_periods(words: &[&str]) -> bool {
    let unit = |word: &&str| {
        word.trim_matches(is_blank).trim_start_matches(|c: char| c.is_ascii_digit()).to_string()
    };
    let units: Vec<String> = words.iter().map(unit).collect();
    let has = |unit: &str| units.iter().any(|other| other == unit);
    has("d") && has("m") && units.iter().all(|unit| ["d", "m"].contains(&&unit[..]))
}

/// The hours of `2h 22m`, `1 hr 30 min`, `45 s` or, of ISO 8601, `PT2H15M`: numbers with units, the longest first.
/// Another large letter is that of a code.
fn hours_of_units(text: &str) -> Option<f64> {
    const UNITS: [(f64, &[&str]); 4] = [
        (24.0, &["d", "day", "days"]),
        (1.0, &["h", "hr", "hrs", "hour", "hours"]),
        (1.0 / 60.0, &["m", "min", "mins", "minute", "minutes"]),
        (1.0 / 3600.0, &["s", "sec", "secs", "second", "seconds"]),
    ];
    let of_iso = text.strip_prefix("PT").map(str::to_lowercase);
    let (mut rest, mut hours, mut least) = (of_iso.as_deref().unwrap_or(text), 0.0, f64::INFINITY);
    while !rest.is_empty() {
        let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let value = number(&rest.as_bytes()[..rest.len() - behind.len()])?;
        let behind = behind.trim_start_matches(is_blank);
        let after = behind.trim_start_matches(char::is_alphabetic);
        let unit = &behind[..behind.len() - after.len()];
        // `23h33`, as in French.
        if rest.len() == 2 && behind.is_empty() && least == 1.0 && value < 60.0 {
            return Some(hours + value / 60.0);
        }
        let (size, _) =
            UNITS.iter().find(|(size, names)| *size < least && names.contains(&unit))?;
        (hours, least) = (hours + value * size, *size);
        rest = after.trim_start_matches(|c: char| is_blank(c) || c == ',' || c == '.');
    }
    least.is_finite().then_some(hours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_years_and_months_of_languages() {
        for (word, iso) in [
            ("2020Q1", "2020-01-01"),
            ("2020-Q3", "2020-07-01"),
            ("2020 q4", "2020-10-01"),
            ("Q2 2019", "2019-04-01"),
            ("Q2/2019", "2019-04-01"),
            ("3Q2018", "2018-07-01"),
            // The first weeks of 2015, 2020 and 2021 begin on these Mondays.
            ("2015-W01", "2014-12-29"),
            ("2020W01", "2019-12-30"),
            ("2021-W01", "2021-01-04"),
            ("2020-W53", "2020-12-28"),
            ("1999M12", "1999-12-01"),
            ("2020-07", "2020-07-01"),
            ("2020/07", "2020-07-01"),
            ("7/2020", "2020-07-01"),
            ("Jan-10", "2010-01-01"),
            ("Dez-99", "1999-12-01"),
            ("1 janvier 1900", "1900-01-01"),
            ("3. März 2021", "2021-03-03"),
            ("3 Okt. 2021", "2021-10-03"),
            ("14 févr. 2021", "2021-02-14"),
            ("14 juil. 1989", "1989-07-14"),
            ("5 de enero de 2020", "2020-01-05"),
            ("12 dic 2020", "2020-12-12"),
            ("1 agosto 2020", "2020-08-01"),
            ("Monday, January 5, 2020", "2020-01-05"),
            ("Sun 5 Jan 2020", "2020-01-05"),
            ("05JAN2020", "2020-01-05"),
            ("5may20", "2020-05-05"),
            ("2020-Jan-05", "2020-01-05"),
            ("5 stycznia 2020", "2020-01-05"),
            ("7 paź 2020", "2020-10-07"),
            ("1. září 2020", "2020-09-01"),
            ("1 červen 2020", "2020-06-01"),
            ("1. července 2020", "2020-07-01"),
            ("12 Ağustos 2020", "2020-08-12"),
            ("3 Şub 2021", "2021-02-03"),
            ("5 января 2020", "2020-01-05"),
            ("9 мая 2020", "2020-05-09"),
            ("24 серпня 1991", "1991-08-24"),
            ("2020. október 23.", "2020-10-23"),
            ("6 juni 2020", "2020-06-06"),
            ("2020年1月5日", "2020-01-05"),
            ("5 marca 2022 r.", "2022-03-05"),
            ("5 марта 2022 г.", "2022-03-05"),
            ("2020年12月", "2020-12-01"),
            ("20200105", "2020-01-05"),
            ("2020010512", "2020-01-05T12:00"),
            ("令和元年8月8日", "2019-08-08"),
            ("平成30年12月", "2018-12-01"),
            ("2020년 1월 5일", "2020-01-05"),
        ] {
            assert_eq!(day_of(word, false), date(iso.as_bytes()), "{word}");
            assert!(day_of(word, false).is_some(), "{word}");
        }
        for none in [
            "2020Q5",
            "2020Q0",
            "2020Q",
            "Q1",
            "Q12020x",
            "1234Q1",
            "2020-W54",
            "2020-W00",
            "2020-W5",
            "W05",
            "2018-19",
            "1234-12",
            "2020.07",
            "202001301230",
            "2020013025",
            "202013",
            "14 jui 2020",
            "May 10",
            "10-Jan",
            "12-20",
            "QW",
            "5JAN1",
            "JAN",
            "12ABC2020",
            "1Q",
            "é",
            "年1月5日",
            "2020年13月5日",
            "2020年1月5日 x",
            "1 че 2020",
        ] {
            assert_eq!(day_of(none, false), None, "{none}");
        }
    }

    #[test]
    fn times_with_a_zone() {
        let noon = |word: &str| day_of(word, false).map(|days| days.fract());
        for word in [
            "2023/03/12 1:00:00 PM GMT+1",
            "2023/03/12 17:30 +0530",
            "Mon Mar 01 12:00:00 +0000 2020",
            "Mon, 02 Mar 2020 12:00:00 GMT",
            "2020-03-02 12:00 UTC",
            "2020-03-02 14:00:00.000000+02",
            "2020-03-02 04:30:00-0730",
            "Jan 5, 2023 4:00:00 AM PST",
            "1/5/2024 12:00:00",
            "1/15/2024 12:00:00",
            "06/03/19 12:00:00 PM",
            "2021/8/15 12:00:00",
        ] {
            assert_eq!(noon(word), Some(0.5), "{word}");
        }
        assert_eq!(noon("Mon Mar 01 2020 x"), None);
    }

    #[test]
    fn how_long_something_took() {
        for (word, expected) in [
            ("2h 15m", 2.25),
            ("1 hr 30 min", 1.5),
            ("45 min", 0.75),
            ("1d 6h", 30.0),
            ("1h30", 1.5),
            ("1 hour, 30 minutes", 1.5),
            ("1.5 h", 1.5),
            ("36s", 0.01),
            ("PT2H15M", 2.25),
            ("PT", f64::NAN),
            ("2H 15M", f64::NAN),
            ("30m 2h", f64::NAN),
            ("2h 3h", f64::NAN),
            ("h", f64::NAN),
            ("5 km", f64::NAN),
            ("", f64::NAN),
        ] {
            let found = hours(word).unwrap_or(f64::NAN);
            assert!(
                (found - expected).abs() < 1e-12 || found.is_nan() && expected.is_nan(),
                "{word}"
            );
        }
    }
}
