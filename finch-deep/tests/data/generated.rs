//! Tables that a generator has written, which knows what each field means: all is read as it was meant.

use finch_deep::data::{self, FeatureKind, ReadOptions, Standardize, date};

use super::common::{folder, put};
use super::values;

/// Tables of a test; six thousand were tried.
const TABLES: u64 = 200;

/// Random numbers of SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// True once in so many times.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// The way in which a table is written.
struct Style {
    delimiter: char,
    comma: bool,
    /// Between thousands, if any.
    thousands: Option<char>,
    header: bool,
    title: bool,
    total: bool,
    remark: bool,
    crlf: bool,
    /// Each field is quoted.
    quotes: bool,
    /// A delimiter ends each line.
    trailing: bool,
    /// Blanks stand behind delimiters.
    blanks: bool,
    /// The header is there once more, as where files were joined.
    repeated: bool,
    /// A line of units stands below the header.
    units: bool,
    encoding: usize,
    missing: &'static str,
    /// A number that stands for a missing value.
    code: Option<f64>,
}

impl Style {
    fn drawn(random: &mut Random) -> Self {
        let delimiter = [',', ',', ';', '\t', '|'][random.below(5)];
        let comma = delimiter != ',' && random.once_in(2);
        let thousands = match comma {
            true => [None, Some('.'), Some(' '), Some('\u{a0}'), Some('\'')][random.below(5)],
            false => [None, None, Some(','), Some(' '), Some('\'')][random.below(5)],
        };
        Self {
            delimiter,
            comma,
            thousands,
            header: !random.once_in(5),
            title: random.once_in(5),
            total: random.once_in(6),
            remark: random.once_in(8),
            crlf: random.once_in(3),
            quotes: random.once_in(6),
            trailing: random.once_in(10),
            blanks: random.once_in(10),
            repeated: random.once_in(10),
            units: random.once_in(10),
            encoding: random.below(8),
            code: [None, None, None, Some(-999.0), Some(-9999.0)][random.below(5)],
            missing: random.one(&["", "", "NA", "n/a", "-", "..", "NULL", "?", "#N/A", "k.A."]),
        }
    }

    /// A number with so many decimals.
    fn number(&self, value: f64, decimals: usize) -> String {
        let plain = format!("{:.decimals$}", value.abs());
        let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
        let mut text = String::new();
        for (at, digit) in whole.chars().enumerate() {
            if at > 0 && (whole.len() - at).is_multiple_of(3) {
                text.extend(self.thousands);
            }
            text.push(digit);
        }
        if decimals > 0 {
            text.push(if self.comma { ',' } else { '.' });
            text.push_str(fraction);
        }
        if value < 0.0 { format!("-{text}") } else { text }
    }
}

/// A column: its fields, and the numbers that they mean.
struct Column {
    name: &'static str,
    unit: &'static str,
    fields: Vec<String>,
    means: Meaning,
}

enum Meaning {
    Numbers(FeatureKind, Vec<f64>),
    /// Words of a category, or true and false.
    Words,
    /// The names of the samples, or keys: no feature.
    NoFeature,
}

const WORDS: [&[&str]; 4] = [
    &["north", "south", "east"],
    &["Köln", "Bonn", "Essen", "Aachen"],
    &["retail", "wholesale"],
    &["A", "B", "AB", "0"],
];

/// A column of numbers, some of which are missing, and one of which may be a code.
fn numbers(
    random: &mut Random,
    style: &Style,
    rows: usize,
    [name, unit]: [&'static str; 2],
    may_lack: bool,
    written: &dyn Fn(&mut Random) -> (String, f64),
) -> Column {
    let missing = if may_lack && random.once_in(3) { 8 } else { usize::MAX };
    let (mut fields, mut means) = (Vec::new(), Vec::new());
    for row in 0..rows {
        // The first row tells whether there is a header.
        let is_missing = row > 0 && missing < usize::MAX && random.once_in(missing);
        let (field, value) = match is_missing {
            true => {
                let code = style.code.filter(|_| unit == "mm").map(|code| style.number(code, 0));
                (code.unwrap_or(style.missing.to_string()), f64::NAN)
            }
            false => written(random),
        };
        fields.push(field);
        means.push(value);
    }
    Column { name, unit, fields, means: Meaning::Numbers(FeatureKind::Number, means) }
}

fn column(random: &mut Random, style: &Style, rows: usize, kind: usize, lacks: bool) -> Column {
    let uniform = |random: &mut Random, end: usize| random.below(end * 1000) as f64 / 1000.0;
    match kind {
        0 => {
            let end = [9, 90, 2_000, 90_000, 4_000_000][random.below(5)];
            numbers(random, style, rows, ["count", "n"], lacks, &|random| {
                let value = random.below(end) as f64;
                (style.number(value, 0), value)
            })
        }
        1 => {
            let (end, decimals) = ([2, 50, 900, 30_000][random.below(4)], 1 + random.below(3));
            let below = if random.once_in(4) { 0.3 * end as f64 } else { 0.0 };
            numbers(random, style, rows, ["measure", "mm"], lacks, &|random| {
                let tens = 10_f64.powi(decimals as i32);
                let value = ((uniform(random, end) - below) * tens).round() / tens + 0.0;
                (style.number(value, decimals), value)
            })
        }
        2 => {
            let sign: &str = random.one(&["$", "€", "£", " €", " EUR"]);
            let end = [80, 5_000, 2_000_000][random.below(3)];
            numbers(random, style, rows, ["price", "EUR"], lacks, &|random| {
                let value = (uniform(random, end) * 100.0).round() / 100.0;
                let number = style.number(value, 2);
                let text = match sign.starts_with(' ') {
                    true => number + sign,
                    false => format!("{sign}{number}"),
                };
                (text, value)
            })
        }
        3 => {
            let behind: &str = random.one(&["%", " %"]);
            numbers(random, style, rows, ["share", "%"], lacks, &|random| {
                let value = (uniform(random, 100) * 10.0).round() / 10.0;
                (style.number(value, 1) + behind, value)
            })
        }
        4 => {
            let order = random.below(4);
            let mut column = numbers(random, style, rows, ["day", "date"], lacks, &|random| {
                let (y, m, d) =
                    (1990 + random.below(34), 1 + random.below(12), 1 + random.below(28));
                let text = match order {
                    0 => format!("{y}-{m:02}-{d:02}"),
                    1 => format!("{d:02}.{m:02}.{y}"),
                    2 => format!("{m}/{d}/{y}"),
                    _ => {
                        let months = "JanFebMarAprMayJunJulAugSepOctNovDec";
                        format!("{d} {} {y}", &months[3 * m - 3..3 * m])
                    }
                };
                let day = date(format!("{y}-{m:02}-{d:02}").as_bytes()).unwrap();
                (text, day)
            });
            if let Meaning::Numbers(kind, _) = &mut column.means {
                *kind = FeatureKind::Date;
            }
            column
        }
        5 => {
            let seconds = random.once_in(2);
            numbers(random, style, rows, ["time", "h"], lacks, &|random| {
                let (h, m, s) = (random.below(24), random.below(60), random.below(60));
                match seconds {
                    true => {
                        let hours = h as f64 + m as f64 / 60.0 + s as f64 / 3600.0;
                        (format!("{h:02}:{m:02}:{s:02}"), hours)
                    }
                    false => (format!("{h}:{m:02}"), h as f64 + m as f64 / 60.0),
                }
            })
        }
        6 => {
            let unit: &str = random.one(&["kg", " kg", " cm", "°C", " km/h", "mg/L"]);
            numbers(random, style, rows, ["size", "kg"], lacks, &|random| {
                let value = (uniform(random, 300) * 10.0).round() / 10.0;
                (style.number(value, 1) + unit, value)
            })
        }
        7 => numbers(random, style, rows, ["balance", "EUR"], lacks, &|random| {
            let value = ((uniform(random, 900) - 300.0) * 100.0).round() / 100.0 + 0.0;
            let text = style.number(value.abs(), 2);
            (if value < 0.0 { format!("({text})") } else { text }, value)
        }),
        8 => {
            let words = [
                ["low", "medium", "high"],
                ["small", "medium", "large"],
                ["gering", "mittel", "hoch"],
            ];
            let words = words[random.below(3)];
            numbers(random, style, rows, ["level", ""], lacks, &|random| {
                let place = random.below(3);
                (words[place].into(), place as f64)
            })
        }
        9 => {
            let words: &[&str] = random.one(&WORDS);
            let mut fields: Vec<String> = (0..rows).map(|_| random.one(words).into()).collect();
            // Each word is there.
            for (field, word) in fields.iter_mut().zip(words) {
                *field = word.to_string();
            }
            Column { name: "group", unit: "", fields, means: Meaning::Words }
        }
        _ => {
            let words: &[&str] =
                random.one(&[&["yes", "no"][..], &["true", "false"], &["Ja", "Nein"]]);
            let fields =
                (0..rows).map(|row| words[if row < 2 { row } else { random.below(2) }].into());
            Column { name: "member", unit: "", fields: fields.collect(), means: Meaning::Words }
        }
    }
}

/// A table, and its columns.
fn table(seed: u64) -> (Vec<u8>, Vec<Column>) {
    let random = &mut Random(seed);
    let style = Style::drawn(random);
    let rows = 12 + random.below(50);
    let mut columns = Vec::new();
    match random.below(4) {
        0 => {
            let first = ["Miller", "Smith, Jones", "Weber", "O'Neil", "Björk"];
            let field = |row: usize| format!("{} {}", first[row % 5], (row * 7919) % 1000);
            let fields = (0..rows).map(field).collect();
            columns.push(Column { name: "company", unit: "", fields, means: Meaning::NoFeature });
        }
        1 => {
            let fields = (0..rows).map(|row| format!("K-{:04}", 1000 + row * 37)).collect();
            columns.push(Column { name: "key", unit: "", fields, means: Meaning::NoFeature });
        }
        2 => {
            let fields = (0..rows).map(|row| (row + 1).to_string()).collect();
            columns.push(Column { name: "id", unit: "", fields, means: Meaning::NoFeature });
        }
        _ => {}
    }
    // A number at least, and each kind once.
    let mut kinds = vec![random.below(4)];
    for _ in 0..1 + random.below(5) {
        let kind = random.below(11);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.len() == 1 {
        kinds.push((kinds[0] + 1) % 4);
    }
    for (at, kind) in kinds.into_iter().enumerate() {
        // Each row has a value.
        columns.push(column(random, &style, rows, kind, at > 0));
    }
    let quoted = |field: &str| match style.quotes || field.contains([style.delimiter, '"']) {
        true => format!("\"{field}\""),
        false => field.to_string(),
    };
    let line = |fields: Vec<String>| {
        let blank = if style.blanks && !style.quotes { " " } else { "" };
        let end = if style.trailing { style.delimiter.to_string() } else { String::new() };
        fields.join(&format!("{}{blank}", style.delimiter)) + &end
    };
    let header = || line(columns.iter().map(|column| quoted(column.name)).collect());
    let mut lines = Vec::new();
    if style.title {
        lines.extend(["Report of the year".to_string(), String::new()]);
    }
    if style.header {
        lines.push(header());
        // Of a single column they may be a sample's.
        let units = columns.iter().filter(|column| !column.unit.is_empty()).count();
        if style.units && (units > 1 || matches!(columns[0].means, Meaning::NoFeature)) {
            lines.push(line(columns.iter().map(|column| quoted(column.unit)).collect()));
        }
    }
    for row in 0..rows {
        if style.repeated && style.header && row == rows / 2 {
            lines.push(header());
        }
        lines.push(line(columns.iter().map(|column| quoted(&column.fields[row])).collect()));
    }
    let has_names = matches!(columns[0].means, Meaning::NoFeature);
    if style.total && style.header && has_names {
        let sums = columns.iter().enumerate().map(|(at, column)| match &column.means {
            _ if at == 0 => quoted("Total"),
            Meaning::Numbers(FeatureKind::Number, values) => {
                let sum = values.iter().filter(|value| !value.is_nan()).sum();
                quoted(&style.number(sum, 2))
            }
            _ => String::new(),
        });
        lines.push(line(sums.collect()));
    }
    if style.remark && style.header {
        lines.extend([String::new(), "Source: our own survey".to_string()]);
    }
    let end = if style.crlf { "\r\n" } else { "\n" };
    let text = lines.join(end) + end;
    let bytes = match style.encoding {
        0 => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        1 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        2 if !text.contains('€') => text.chars().map(|letter| letter as u8).collect(),
        _ => text.into_bytes(),
    };
    (bytes, columns)
}

/// The first thing that was read otherwise than it was meant.
fn fault(seed: u64) -> Option<String> {
    let folder = folder();
    let (content, columns) = table(seed);
    let path = put(&folder, "x.csv", &content);
    let mut options = ReadOptions::default();
    (options.auto, options.standardize) = (true, Some(Standardize::None));
    let input = match data::read(&[path], &options) {
        Ok(input) => input,
        Err(error) => return Some(format!("refused: {error}")),
    };
    let rows = columns[0].fields.len();
    if input.samples() != rows {
        return Some(format!("{} samples of {rows}", input.samples()));
    }
    let features = input.feature_columns().unwrap();
    let read = values(&input);
    for (position, column) in columns.iter().enumerate() {
        let of_column = features.iter().position(|feature| feature.column == position);
        let name = column.name;
        match (&column.means, of_column) {
            (Meaning::NoFeature, None) => {}
            (Meaning::NoFeature, Some(_)) => return Some(format!("{name} is a feature")),
            (_, None) => return Some(format!("{name} is none")),
            (Meaning::Words, Some(at)) => {
                let kind = features[at].kind;
                if !matches!(kind, FeatureKind::Category | FeatureKind::Boolean) {
                    return Some(format!("{name} is a {kind:?}"));
                }
            }
            (Meaning::Numbers(kind, means), Some(at)) => {
                if features[at].kind != *kind {
                    return Some(format!("{name} is a {:?}", features[at].kind));
                }
                let found = read.column(at);
                let is_read = |times: f64| {
                    let like = |(found, value): (&f64, &f64)| {
                        (times * found - value).abs() <= 1e-9 * value.abs().max(1.0)
                    };
                    found.iter().zip(means).filter(|(_, value)| !value.is_nan()).all(like)
                };
                // Three digits behind a comma or a point in every field: decimals, or thousands.
                if !is_read(1.0) && !is_read(1e3) && !is_read(1e-3) {
                    return Some(format!("{name} is {found}"));
                }
            }
        }
    }
    None
}

#[test]
fn tables_are_read_as_they_were_meant() {
    for seed in 0..TABLES {
        let found = fault(seed);
        let content = table(seed).0;
        assert!(
            found.is_none(),
            "{seed}: {}\n{}",
            found.unwrap(),
            String::from_utf8_lossy(&content)
        );
    }
}
