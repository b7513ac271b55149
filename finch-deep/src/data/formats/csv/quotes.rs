//! Quotes of fields, and the line ends within them.

use std::ops::Range;

use crate::data::error::Fault;

/// The place of the next word of a line from a place on, apart from others by white space, or within quotes as long as
/// the line `has_quotes` that end a word.
pub(super) fn next_word(line: &[u8], from: usize, has_quotes: &mut bool) -> Option<Range<usize>> {
    let rest = line.get(from..)?;
    let start = from + rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let is_end = |at: &usize| line.get(*at).is_none_or(u8::is_ascii_whitespace);
    if *has_quotes && line[start] == b'"' {
        let mut at = start + 1;
        while let Some(&byte) = line.get(at) {
            match (byte, line.get(at + 1)) {
                (b'"', _) if is_end(&(at + 1)) => return Some(start + 1..at),
                // A quote within quotes, as programs write it.
                (b'\\', Some(_)) | (b'"', Some(b'"')) => at += 2,
                _ => at += 1,
            }
        }
        *has_quotes = false;
    }
    let end = (start..).find(is_end).unwrap_or(line.len());
    Some(start..end)
}

/// True if a quoted field is open at the end of a text, at whose start one is `open` or none.
///
/// A quote opens a field at the field's start alone, or behind blanks at the field's start: that of `5"` or `45°30'15"N` is a
/// character like others. Between tabs it opens a field that ends with a quote ([`Closing`]).
pub(super) fn ends_quoted(text: &[u8], mut open: bool, delimiters: &[u8]) -> bool {
    let mut next = 0;
    while let Some(quote) = quote_from(text, next) {
        (open, next) = after_quote(text, quote, open, delimiters);
    }
    open
}

/// The place of the quote whose field is open at the end of a text, from a place that is in no field of quotes.
pub(super) fn open_at(text: &[u8], delimiter: u8, from: usize) -> Option<usize> {
    let (mut open, mut next, mut at) = (false, from, None);
    while let Some(quote) = quote_from(text, next) {
        let was_open = open;
        (open, next) = after_quote(text, quote, open, &[delimiter]);
        at = if open && !was_open { Some(quote) } else { at };
    }
    at.filter(|_| open)
}

/// The fault of a text from line `first` on, whose last field in quotes has no end.
pub(super) fn open_quote(text: &[u8], delimiter: u8, first: u64) -> Fault {
    let last = open_at(text, delimiter, 0).unwrap_or_default();
    Fault::OpenQuote { line: first + count(&text[..last], b'\n') as u64 }
}

/// The place of the first quote from a place on.
fn quote_from(text: &[u8], from: usize) -> Option<usize> {
    let ahead = text.get(from..)?;
    ahead.iter().position(|&byte| byte == b'"').map(|ahead| from + ahead)
}

/// True if a quoted field is open after the quote at a place, and the place to go on from: within a quoted field
/// two quotes are a character.
fn after_quote(text: &[u8], quote: usize, open: bool, delimiters: &[u8]) -> (bool, usize) {
    if open && text.get(quote + 1) == Some(&b'"') {
        return (true, quote + 2);
    }
    if !open && delimiters == TAB && is_behind_tab(text, quote) {
        return match Closing::of(quote).find(text) {
            Closed::At(end) => (false, end),
            Closed::Never => (false, quote + 1),
            Closed::Open => (true, text.len()),
        };
    }
    (!open && opens_field(text, quote, delimiters), quote + 1)
}

/// True if the quote at a place is at the start of a field, or behind blanks there and ends in its line.
fn opens_field(text: &[u8], quote: usize, delimiters: &[u8]) -> bool {
    let blanks = match delimiters.contains(&b' ') {
        true => 0,
        false => text[..quote].iter().rev().take_while(|&&byte| byte == b' ').count(),
    };
    match text[..quote - blanks].last() {
        None | Some(b'\r' | b'\n') => blanks == 0,
        Some(before) => {
            delimiters.contains(before) && (blanks == 0 || ends_in_line(text, quote, delimiters))
        }
    }
}

/// The delimiter of files that many programs write without quotes.
const TAB: &[u8] = b"\t";

/// The bytes that stand between fields of such a file.
const BETWEEN: &[u8] = b"\t\r\n";

/// The search for the quote that ends a field between tabs, as far as a text goes.
///
/// Sheets put cells with tabs or line ends within quotes, and other programs no field: there a quote is a character of a
/// text, as in `"Great`. The quote that ends a field stands before a tab or a line end. It is in the line of the first one,
/// or in a further line without a tab before it, if there is none in the first line either.
pub(super) struct Closing {
    at: usize,
    has_tab: bool,
    is_further: bool,
}

/// The outcome of a search for a closing quote.
pub(super) enum Closed {
    /// Behind the quote that ends the field.
    At(usize),
    /// No quote ends the field.
    Never,
    /// The text ends before.
    Open,
}

impl Closing {
    /// The search from the quote at a place on.
    pub(super) fn of(quote: usize) -> Self {
        Self { at: quote + 1, has_tab: false, is_further: false }
    }

    /// Goes on in a text to which more may have been added.
    pub(super) fn find(&mut self, text: &[u8]) -> Closed {
        while let Some(&byte) = text.get(self.at) {
            let after = text.get(self.at + 1);
            match byte {
                b'"' if after == Some(&b'"') => self.at += 1,
                b'"' if after.is_none_or(|byte| BETWEEN.contains(byte)) => {
                    return Closed::At(self.at + 1);
                }
                b'\t' if self.is_further => return Closed::Never,
                b'\t' => self.has_tab = true,
                b'\n' if self.has_tab => return Closed::Never,
                b'\n' => self.is_further = true,
                _ => {}
            }
            self.at += 1;
        }
        Closed::Open
    }
}

/// True if a place is at the start of a field between tabs.
fn is_behind_tab(text: &[u8], place: usize) -> bool {
    place == 0 || BETWEEN.contains(&text[place - 1])
}

/// Puts fields of a row between tabs that begin with a quote of their own within quotes, so that it is a character of
/// theirs; and doubles quotes within quotes.
pub(super) fn quote_stray_quotes(row: &mut Vec<u8>) {
    let (mut kept, mut taken, mut from) = (Vec::new(), 0, 0);
    while let Some(quote) = quote_from(row, from) {
        from = quote + 1;
        if !is_behind_tab(row, quote) {
            continue;
        }
        let (inner, end) = match Closing::of(quote).find(row) {
            Closed::At(end) => (quote + 1..end - 1, end),
            Closed::Never | Closed::Open => {
                let is_end = |byte: &u8| BETWEEN.contains(byte);
                let end = row[quote..].iter().position(is_end).map_or(row.len(), |end| quote + end);
                (quote..end, end)
            }
        };
        let is_whole = inner.start > quote;
        kept.extend_from_slice(&row[taken..quote]);
        kept.push(b'"');
        let mut bytes = row[inner].iter().peekable();
        while let Some(&byte) = bytes.next() {
            kept.push(byte);
            if byte == b'"' {
                kept.push(b'"');
                if is_whole {
                    bytes.next_if_eq(&&b'"');
                }
            }
        }
        kept.push(b'"');
        (taken, from) = (end, end);
    }
    if taken > 0 {
        kept.extend_from_slice(&row[taken..]);
        *row = kept;
    }
}

/// True if a quote behind the one at a place ends a field of the same line.
fn ends_in_line(text: &[u8], quote: usize, delimiters: &[u8]) -> bool {
    let line = text[quote + 1..].split(|&byte| byte == b'\n').next().unwrap_or_default();
    let is_end = |at: usize| {
        let after = line[at + 1..].trim_ascii_start();
        after.is_empty() || delimiters.contains(&after[0])
    };
    line.iter().enumerate().any(|(at, &byte)| byte == b'"' && is_end(at))
}

/// Takes out the blanks between a delimiter and the quote that opens a field, as `a, "b"` has them.
pub(super) fn without_blanks_before_quotes(row: &mut Vec<u8>, delimiter: u8) {
    let (mut kept, mut taken) = (Vec::new(), 0);
    let (mut open, mut from) = (false, 0);
    while let Some(quote) = quote_from(row, from) {
        let was_open = open;
        (open, from) = after_quote(row, quote, open, &[delimiter]);
        let before = &row[taken..quote];
        let blanks = before.iter().rev().take_while(|&&byte| byte == b' ').count();
        if open && !was_open && blanks > 0 && delimiter != b' ' {
            kept.extend_from_slice(&before[..before.len() - blanks]);
            taken = quote;
        }
    }
    if taken > 0 {
        kept.extend_from_slice(&row[taken..]);
        *row = kept;
    }
}

/// The end of the last whole row of `bytes`, which begin with a row: behind a line end at which no quoted field is
/// open. Without a delimiter there are no quotes.
pub(super) fn last_end(bytes: &[u8], delimiter: Option<u8>) -> Option<usize> {
    let last = |from: usize, to: usize| {
        bytes[from..to].iter().rposition(|&byte| byte == b'\n').map(|at| from + at + 1)
    };
    let Some(delimiter) = delimiter else { return last(0, bytes.len()) };
    let (mut open, mut next, mut end) = (false, 0, None);
    while let Some(quote) = quote_from(bytes, next) {
        end = if open { end } else { last(next, quote).or(end) };
        (open, next) = after_quote(bytes, quote, open, &[delimiter]);
    }
    if open { end } else { last(next.min(bytes.len()), bytes.len()).or(end) }
}

/// The number of times that a byte is in a text.
pub(super) fn count(text: &[u8], byte: u8) -> usize {
    // Sums of bytes, which the compiler adds many of at once.
    let of = |part: &[u8]| part.iter().map(|&other| u8::from(other == byte)).sum::<u8>();
    text.chunks(255).map(|part| usize::from(of(part))).sum()
}
