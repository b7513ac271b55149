//! The delimiter of a text table, by its first lines.

use crate::data::options::choices::Delimiter;

/// Lines by which blanks are told from other delimiters.
pub(in crate::data) const LOOKED_AT: usize = 100;

/// The delimiter that a first line `sep=;` names, as Excel reads it.
pub(in crate::data) fn separator(text: &[u8]) -> Option<Delimiter> {
    let line = text.split(|&byte| byte == b'\n').next()?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match line.get(..4)?.eq_ignore_ascii_case(b"sep=").then_some(&line[4..])? {
        [byte] => Some(Delimiter::Byte(*byte)),
        _ => None,
    }
}

/// A delimiter that is not in a text, which has one column then.
pub(in crate::data) fn none(text: &[u8]) -> Delimiter {
    let bytes = [b',', b';', b'\t', b'|', b'^', b'~'];
    Delimiter::Byte(bytes.into_iter().find(|byte| !text.contains(byte)).unwrap_or(b'~'))
}

/// The delimiter of a table whose first line has blanks, and neither tab, semicolon nor comma: the blanks,
/// but where bars or nothing splits the whole lines `after` it more evenly.
pub(in crate::data) fn beside_blanks(first: &[u8], after: &[u8]) -> Delimiter {
    let later = after.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let lines = std::iter::once(first.trim_ascii()).chain(later);
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).take(LOOKED_AT).collect();
    let blanks =
        |line: &[u8]| line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).count();
    let bars = |line: &[u8]| line.iter().filter(|&&byte| byte == b'|').count();
    let even =
        |fields: &dyn Fn(&[u8]) -> usize| lines.iter().all(|line| fields(line) == fields(lines[0]));
    if bars(lines[0]) > 0 && even(&bars) {
        return Delimiter::Byte(b'|');
    }
    let mut words = lines[0].split(u8::is_ascii_whitespace);
    let named = words.all(|word| fast_float2::parse::<f64, _>(word).is_err());
    let alone = named && lines.len() > 1 && lines[1..].iter().all(|line| blanks(line) == 1);
    match alone && blanks(lines[0]) > 1 {
        true => none(&[first, after].concat()),
        false => Delimiter::WhiteSpace,
    }
}

/// The delimiter of a line: tab, semicolon or comma, outside of quotes, else white space; a bar if
/// there is none of them.
///
/// Tab and semicolon come first since a comma may be within text, or be a decimal comma.
pub(in crate::data) fn recognise(line: &[u8], decimal_comma: bool) -> Delimiter {
    let mut bytes = line.to_vec();
    let (mut quoted, mut before) = (false, b',');
    bytes.retain(|&byte| {
        // Within a word a quote is a character, such as that of inches.
        let turns = byte == b'"' && (quoted || !before.is_ascii_alphanumeric());
        (quoted, before) = (quoted ^ turns, byte);
        !quoted
    });
    let bytes = bytes.trim_ascii();
    let bar = !bytes.contains(&b' ');
    let candidates = [(b'\t', true), (b';', true), (b',', !decimal_comma), (b'|', bar)];
    let candidates = candidates.into_iter().filter(|&(_, possible)| possible);
    let found = candidates.map(|(byte, _)| byte).find(|byte| bytes.contains(byte));
    found.map_or(Delimiter::WhiteSpace, Delimiter::Byte)
}
