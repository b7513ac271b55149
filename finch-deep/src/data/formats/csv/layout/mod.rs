//! The layout of a text table, by the evidence of its first and last rows.

pub(in crate::data) mod aligned;
mod around;
pub(crate) mod header;
mod preface;
pub(crate) mod totals;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use aligned::Places;
use around::{ROWS, titles, totals};
use header::{FEWEST, counts_behind_names, lacks_first_name, names_by_numbers};
use preface::{begins_later, lines_before};

use crate::data::error::Fault;
use crate::data::formats::csv::delimiter::{none, recognise, separator};
use crate::data::formats::csv::encoding::{Encoding, is_utf16};
use crate::data::formats::csv::field::number_of;
use crate::data::formats::csv::lines::{Lines, names_above, rows_above};
use crate::data::formats::csv::missing::{MissingWords, is_told};
use crate::data::formats::csv::remarks::is_remark;
use crate::data::formats::csv::row::{Row, may_be_repeated};
use crate::data::formats::csv::written::{is_amount, is_measured};
use crate::data::options::ReadOptions;
use crate::data::options::choices::Delimiter;
use crate::data::source::Source;
use crate::data::source::memory::Memory;
use crate::data::source::spool::LONGEST_LINE;

/// Bytes of the first rows that are looked at, and of the last.
const HEAD: usize = 1 << 20;
const TAIL: usize = 1 << 16;

/// The share of rows that are of one width, with the right delimiter.
const EVEN: f64 = 0.6;

/// Of two delimiters that split rows as evenly, a comma within decimals, and the one that is meant, the latter leaves
/// this share of all fields more that are numbers.
const MORE_MEASURED: f64 = 0.15;
/// Shares of even rows that a remark or a title makes different.
const NEARLY_ONE_ROW: f64 = 0.15;
/// Shares of even rows that differ by less are alike.
const NEARLY: f64 = 0.05;

/// The place of a table in a text file, and the separators of its fields.
#[derive(Clone, Debug)]
pub(in crate::data) struct Layout {
    pub(in crate::data) delimiter: Delimiter,
    /// Lines above the table.
    pub(in crate::data) skip: usize,
    /// Lines below the table that are not blank.
    pub(in crate::data) skip_last: usize,
    pub(in crate::data) header: bool,
    /// True if the header lacks the name of the first column, as that of R does.
    pub(in crate::data) short_header: bool,
    /// True if the first line alone tells the delimiter.
    pub(in crate::data) is_plain: bool,
}

impl Layout {
    /// Looks at a file. The options that are given are kept.
    pub(in crate::data) fn of(
        source: Source,
        options: &ReadOptions,
        memory: &Memory,
    ) -> Result<Self, Fault> {
        let (head, tail, whole) = ends(source, memory)?;
        Ok(Self::of_ends(&head, &tail, whole, options, memory))
    }

    /// Looks at the first bytes of a text and at the last, of which the first may be all.
    fn of_ends(
        head: &[u8],
        tail: &[u8],
        whole: bool,
        options: &ReadOptions,
        memory: &Memory,
    ) -> Self {
        let (remarks, above, start) = start(head, options.skip);
        let of_excel = separator(&head[start..]);
        let (above, start) = match (of_excel, head[start..].iter().position(|&b| b == b'\n')) {
            (Some(_), Some(end)) => (above + 1, start + end + 1),
            _ => (above, start),
        };
        let text = &head[start..];
        let first_rows = |delimiter| rows(text, above as u64, delimiter, ROWS, memory);
        let told = options.delimiter.or(of_excel);
        let delimiter = told.unwrap_or_else(|| best(text, options.decimal_comma, first_rows));
        if told.is_none()
            && !options.transpose
            && let Some(places) = places(text, delimiter, &first_rows(delimiter))
        {
            let [head, tail] = [head, tail].map(|text| parted(text, &places));
            let options =
                ReadOptions { delimiter: Some(Delimiter::Byte(b'\t')), ..options.clone() };
            let found = Self::of_ends(&head, &tail, whole, &options, memory);
            return Self { delimiter: Delimiter::Aligned, is_plain: false, ..found };
        }
        // Rows that begin as remarks do, but for those to skip.
        let missing = MissingWords::new(&options.missing_words, options.decimal_comma);
        let remarks = &head[remarks..start];
        let mut back = rows_above(remarks, text, delimiter, &missing, memory);
        let mut is_named = false;
        if back == 0
            && options.header != Some(false)
            && let Some((length, _)) =
                names_above(remarks, text, delimiter, options.decimal_comma, memory)
        {
            (back, is_named) = (length, true);
        }
        let lines = remarks[remarks.len() - back..].iter().filter(|&&byte| byte == b'\n').count();
        let (above, start) = (above - lines, start - back);
        let text = &head[start..];
        let rows = |delimiter, most| rows(text, above as u64, delimiter, most, memory);
        let rows = rows(delimiter, if whole { usize::MAX } else { 2 * ROWS });
        let width = mode(&rows, delimiter).map_or(0, |(width, _)| width);
        let titles = match options.skip {
            // Of a table that was transposed, the first and last rows are columns of the file.
            0 if !options.transpose => titles(&rows, width, delimiter),
            _ => 0,
        };
        // Lines are counted from 1, and titles and blank lines stand before the first row.
        let skip = match rows.get(titles) {
            Some(row) if titles > 0 => row.line as usize - 1,
            _ if of_excel.is_some() => above,
            _ => options.skip,
        };
        let table = &rows[titles..];
        // A row of several lines, such as a quoted remark, is one of the rows below and several of the lines.
        let (below, skip_last) = match options.skip_last {
            0 if !options.transpose => {
                let last = self::rows(tail, 0, delimiter, usize::MAX, memory);
                let (last, text, above) =
                    if whole { (table, text, above) } else { (&last[..], tail, 0) };
                let below = totals(last, width, delimiter, table.len());
                (below, lines_of(&last[last.len() - below..], text, above))
            }
            given => (given, given),
        };
        let table = if whole { &table[..table.len().saturating_sub(below)] } else { table };
        if options.skip == 0 && !options.transpose && begins_later(table) {
            let bytes = [b'\t', b';', b',', b'|'].map(Delimiter::Byte);
            let usual = [&bytes[..], &[Delimiter::WhiteSpace]].concat();
            let delimiters = told.map_or(usual, |delimiter| vec![delimiter]);
            let rows_by = |delimiter| self::rows(head, 0, delimiter, preface::LOOKED_AT, memory);
            if let Some(skip) = lines_before(&delimiters, rows_by) {
                let options = ReadOptions { skip, ..options.clone() };
                return Self::of_ends(head, tail, whole, &options, memory);
            }
        }
        let header = options.header.or((is_named || options.is_by_name()).then_some(true));
        let header = header.unwrap_or_else(|| has_header(table, &missing));
        let short_header = header && lacks_first_name(table);
        let first = rows.get(titles).map_or(0, |row| row.line as usize - 1 - above);
        let line = text.split(|&byte| byte == b'\n').nth(first).unwrap_or_default();
        let is_plain = recognise(line, options.decimal_comma) == delimiter;
        Self { delimiter, skip, skip_last, header, short_header, is_plain }
    }

    /// Checks that as many lines are above the table and below it as in the first file, whose options serve
    /// all files.
    pub(in crate::data) fn expect_lines_of(&self, first: &Self, other: &Path) -> Result<(), Fault> {
        match [self, first].map(|layout| [layout.skip, layout.skip_last]) {
            [[above, below], expected] if [above, below] != expected => {
                Err(Fault::Layout { above, below, expected, other: other.into() })
            }
            _ => Ok(()),
        }
    }
}

/// The places of columns, where the best delimiter does not split the lines evenly into the same ones.
fn places(text: &[u8], found: Delimiter, split: &[Row]) -> Option<Places> {
    let is_even = found.byte().is_some() && mode(split, found).is_some_and(|(width, _)| width > 1);
    let is_split_by_blanks = || {
        let first = split.first().map_or(0, |row| row.fields.len());
        let odd = |share: f64| (1.0 - share) * split.len().min(ROWS) as f64;
        // One row may be a remark.
        let is_whole = |(width, share)| width == first && odd(share) < 1.5;
        // R begins the line of names with blanks, as the first column has no name.
        let lacks_first = usize::from(text.starts_with(b" "));
        let is_whole =
            |(width, share)| is_whole((width - lacks_first, share)) || is_whole((width, share));
        found == Delimiter::WhiteSpace && mode(split, found).is_some_and(is_whole)
    };
    let is_told = is_even || is_split_by_blanks() && !Places::are_drawn(text);
    if is_told { None } else { Places::of(text) }
}

/// Lines with tabs between their columns.
fn parted(text: &[u8], places: &Places) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let line = |line: &str| match places.fields(line) {
        Some(fields) if !line.trim().is_empty() => fields.join("\t").replace('"', "'") + "\n",
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect::<String>().into_bytes()
}

/// The first bytes of a file, as whole lines, the last bytes, and true if the first are all.
fn ends(source: Source, memory: &Memory) -> Result<(Vec<u8>, Vec<u8>, bool), Fault> {
    let plain = source.plain().map(|(file, length)| Ok::<_, Fault>((file.try_clone()?, length)));
    let plain = plain.transpose()?;
    let mut reader = source.reader();
    let is_utf16 = is_utf16(reader.fill_buf()?);
    let encoding = Encoding::default();
    let mut reader = encoding.recoded(reader, memory)?;
    let mut head = Vec::new();
    let read = (&mut reader).take(HEAD as u64).read_to_end(&mut head)?;
    if read < HEAD {
        return Ok((head, Vec::new(), true));
    }
    if let Some((mut file, length)) = plain.filter(|_| !is_utf16) {
        let mut tail = Vec::new();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL as u64)))?;
        file.take(TAIL as u64).read_to_end(&mut tail)?;
        // Behind the first line end no character is cut.
        let mut reader = encoding.recoded(Box::new(Cursor::new(from_line(tail, 0))), memory)?;
        let mut tail = Vec::new();
        reader.read_to_end(&mut tail)?;
        return Ok((whole_lines(head), tail, false));
    }
    let (mut tail, mut line) = (head.clone(), head.len());
    loop {
        let available = reader.fill_buf()?;
        if available.is_empty() {
            break;
        }
        line = match available.iter().rposition(|&byte| byte == b'\n') {
            Some(end) => available.len() - end,
            None => line + available.len(),
        };
        if line > LONGEST_LINE {
            return Err(Fault::LongLine { line: 1, limit: LONGEST_LINE });
        }
        tail.extend_from_slice(available);
        let length = available.len();
        reader.consume(length);
        if tail.len() > 8 * TAIL {
            tail.drain(..tail.len() - TAIL);
        }
    }
    let start = tail.len().saturating_sub(TAIL);
    Ok((whole_lines(head), from_line(tail, start), false))
}

/// Some bytes up to the end of their last whole line.
fn whole_lines(mut bytes: Vec<u8>) -> Vec<u8> {
    let cut = bytes.iter().rposition(|&byte| byte == b'\n').map_or(bytes.len(), |at| at + 1);
    bytes.truncate(cut);
    bytes
}

/// The bytes behind the first line end from `start` on.
fn from_line(mut bytes: Vec<u8>, start: usize) -> Vec<u8> {
    let end = |end: u8| bytes[start..].iter().position(|&byte| byte == end);
    let line = end(b'\n').or_else(|| end(b'\r')).map_or(0, |at| at + 1);
    bytes.split_off(start + line)
}

/// The place behind the lines to skip, the lines before the table, and where it begins: behind blank lines and
/// comments, too.
pub(in crate::data) fn start(head: &[u8], skip: usize) -> (usize, usize, usize) {
    let (mut lines, mut at) = (0, if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 });
    let mut behind_skipped = at;
    while at < head.len() {
        let end = head[at..].iter().position(|&byte| byte == b'\n');
        let line = head[at..end.map_or(head.len(), |end| at + end)].trim_ascii();
        if lines >= skip && !line.is_empty() && !is_remark(line) {
            break;
        }
        (lines, at) = (lines + 1, end.map_or(head.len(), |end| at + end + 1));
        behind_skipped = if lines <= skip { at } else { behind_skipped };
    }
    (behind_skipped, lines, at)
}

/// The first rows of a text, at most so many; those before the first that cannot be split.
fn rows(text: &[u8], above: u64, delimiter: Delimiter, most: usize, memory: &Memory) -> Vec<Row> {
    let mut lines = Lines::within(text, above, delimiter, memory);
    let mut rows = Vec::new();
    let mut row = Row::default();
    while rows.len() < most
        && let Ok(true) = lines.read(&mut row)
    {
        rows.push(std::mem::take(&mut row));
    }
    rows
}

/// The number of fields that most rows have, and the share of these rows. Empty fields beyond it at the end
/// of a row do not count.
fn mode(rows: &[Row], delimiter: Delimiter) -> Option<(usize, f64)> {
    let rows = &rows[..rows.len().min(ROWS)];
    let mut counts: HashMap<usize, usize> = HashMap::new();
    rows.iter().for_each(|row| *counts.entry(row.fields.len()).or_default() += 1);
    let (&most, _) = counts.iter().max_by_key(|&(width, count)| (*count, *width))?;
    // Rows may be as short as most where they end with missing values; words between blanks are of any number.
    let first = rows[0].fields.len();
    let is_widest =
        delimiter != Delimiter::WhiteSpace && counts.keys().all(|&width| width <= first);
    let are_shorter =
        is_widest && most > 1 && most + 2 >= first && 4 * counts[&first] >= rows.len();
    let width = if are_shorter { first } else { most };
    let fits = |&(at, row): &(usize, &Row)| {
        let found = row.fields.len();
        // The header of R lacks the name of the first column.
        let is_header = at == 0 && found + 1 == width;
        let blank = || (width..found).all(|at| row.field(at).is_empty());
        found == width || is_header || found > width && blank() || are_shorter && found + 2 >= width
    };
    Some((width, rows.iter().enumerate().filter(fits).count() as f64 / rows.len() as f64))
}

/// The delimiter that splits the rows most evenly; of two, the one that leaves clearly more fields that are numbers,
/// dates or times, or else the one that is recognised by the first line.
fn best(text: &[u8], decimal_comma: bool, rows: impl Fn(Delimiter) -> Vec<Row>) -> Delimiter {
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let first = recognise(line, decimal_comma);
    // A title has blanks, too, and another number of them than the rows.
    let split = rows(first);
    let begins = split.first().map_or(0, |row| row.fields.len());
    let fits = |(width, _): (usize, f64)| begins == width || begins + 1 == width;
    let mut candidates = match first {
        Delimiter::WhiteSpace => vec![Delimiter::Byte(b'\t'), Delimiter::Byte(b';')],
        _ => Vec::new(),
    };
    if first != Delimiter::WhiteSpace || mode(&split, first).is_some_and(fits) {
        candidates.push(first);
    }
    let bytes = [b'\t', b';', b',', b'|'].into_iter().filter(|&b| b != b',' || !decimal_comma);
    candidates.extend(bytes.map(Delimiter::Byte));
    candidates.push(Delimiter::WhiteSpace);
    // Blanks beside a bar are no delimiters.
    let bar = Delimiter::Byte(b'|');
    if mode(&rows(bar), bar).is_some_and(|(width, share)| width > 1 && share >= 0.9) {
        candidates.retain(|&one| one != Delimiter::WhiteSpace);
    }
    let mut found: Option<Split> = None;
    for delimiter in candidates {
        if found.as_ref().is_some_and(|best| best.delimiter == delimiter) {
            continue;
        }
        let rows = rows(delimiter);
        let Some((width, share)) = mode(&rows, delimiter) else { continue };
        let needed = if delimiter == Delimiter::WhiteSpace { 0.8 } else { EVEN };
        if width < 2 || share < needed {
            continue;
        }
        let lacks_name = rows[0].fields.len() + 1 == width;
        let split = Split { delimiter, share, lacks_name, rows, measured: OnceCell::new() };
        if found.as_ref().is_none_or(|best| split.is_better(best)) {
            found = Some(split);
        }
    }
    found.map_or_else(|| none(text), |best| best.delimiter)
}

/// The merits of a delimiter.
struct Split {
    delimiter: Delimiter,
    /// The share of the rows that have the width of most.
    share: f64,
    /// True if the first row has a field less than others, as where it is a header that another delimiter splits.
    lacks_name: bool,
    rows: Vec<Row>,
    /// The share of the fields that are numbers, dates or times, once a rival asks for it.
    measured: OnceCell<f64>,
}

impl Split {
    /// True if rows are split by a delimiter clearly more evenly than by one that is recognised before it; or as evenly,
    /// more fields are numbers, and the first row does not speak against it.
    fn is_better(&self, than: &Self) -> bool {
        // Rows that a comma splits as evenly may have it within amounts alone.
        let comma = Delimiter::Byte(b',');
        let is_near = |one: &Self, other: &Self| one.share >= other.share - NEARLY_ONE_ROW;
        if than.delimiter == comma && is_near(self, than) && self.has_commas_of_amounts(than) {
            return true;
        }
        if self.delimiter == comma && is_near(than, self) && than.has_commas_of_amounts(self) {
            return false;
        }
        let blanks = Delimiter::WhiteSpace;
        if than.delimiter == blanks && is_near(self, than) && self.has_blanks_of_amounts() {
            return true;
        }
        if self.delimiter == blanks && is_near(than, self) && than.has_blanks_of_amounts() {
            return false;
        }
        let is_even = || self.share >= than.share - NEARLY;
        let are_blanks = self.delimiter == Delimiter::WhiteSpace;
        // Blanks are within dates, times and amounts; a tab may part a name from numbers that blanks part, and a comma
        // may be before decimals.
        let is_rival = || match than.delimiter {
            _ if !are_blanks => true,
            Delimiter::Byte(b'\t') => than.measured() < NEARLY,
            Delimiter::Byte(b',') => self.measured() > 1.0 - NEARLY,
            _ => false,
        };
        let speaks_for_it = || !self.lacks_name || than.lacks_name;
        let is_meant = || self.measured() > than.measured() + MORE_MEASURED;
        // Blanks within fields are as even by chance where a remark is below these.
        let is_chance = || are_blanks && than.measured() > self.measured() + MORE_MEASURED;
        self.share > than.share + NEARLY && !is_chance()
            || is_even() && speaks_for_it() && is_rival() && is_meant()
    }

    /// True if there are no blanks within fields but in amounts, `48 526`: other blanks are those of a title or a remark.
    fn has_blanks_of_amounts(&self) -> bool {
        let width = mode(&self.rows, self.delimiter).map_or(0, |(width, _)| width);
        let (mut there, mut all, mut of_amounts) = (0, 0, 0);
        for row in self.rows.iter().take(ROWS).skip(1).filter(|row| row.fields.len() == width) {
            there += 1;
            for text in (0..width).map(|at| row.text(at)).filter(|text| text.trim().contains(' ')) {
                (all, of_amounts) = (all + 1, of_amounts + usize::from(is_amount(&text)));
            }
        }
        width > 1 && there >= FEWEST && 10 * of_amounts >= 9 * all
    }

    /// True if there are commas within fields, and nearly all of them are in amounts. Blanks have to leave as many
    /// fields that are numbers as `commas`: they are within `10 kg`, too.
    fn has_commas_of_amounts(&self, commas: &Self) -> bool {
        if self.delimiter == Delimiter::WhiteSpace && self.measured() + NEARLY < commas.measured() {
            return false;
        }
        let width = mode(&self.rows, self.delimiter).map_or(0, |(width, _)| width);
        let is_digit = |c: char| c.is_ascii_digit();
        let (mut all, mut of_amounts) = (0, 0);
        for row in self.rows.iter().take(ROWS).skip(1).filter(|row| row.fields.len() == width) {
            for text in (0..width).map(|at| row.text(at)).filter(|text| text.contains(',')) {
                let mut parts = text.split(',');
                let begins = parts.next().is_some_and(|part| part.ends_with(is_digit));
                let is_between = begins && parts.all(|part| part.starts_with(is_digit));
                let is_of_amount = is_between && is_amount(&text);
                (all, of_amounts) = (all + 1, of_amounts + usize::from(is_of_amount));
            }
        }
        all >= FEWEST && 10 * of_amounts >= 9 * all
    }

    fn measured(&self) -> f64 {
        *self.measured.get_or_init(|| share_measured(&self.rows))
    }
}

/// The share of the fields of some rows, but for the first, that are numbers, dates or times.
fn share_measured(rows: &[Row]) -> f64 {
    let fields =
        rows.iter().take(ROWS).skip(1).flat_map(|row| (0..row.fields.len()).map(|at| row.text(at)));
    let (mut all, mut measured) = (0, 0);
    for text in fields.filter(|text| !text.is_empty()) {
        (all, measured) = (all + 1, measured + usize::from(is_measured(&text)));
    }
    measured as f64 / all.max(1) as f64
}

/// The lines that are not blank of the last rows of a text, above which there are some lines.
fn lines_of(rows: &[Row], text: &[u8], above: usize) -> usize {
    let lines = |row: &Row| {
        text.split(|&byte| byte == b'\n').skip((row.line as usize - 1).saturating_sub(above))
    };
    let filled = |line: &&[u8]| !line.trim_ascii().is_empty();
    rows.first().map_or(0, |row| lines(row).filter(filled).count())
}

/// True if a number with a unit stands above some plain numbers.
fn names_by_unit(text: &str, values: &[Cow<'_, str>]) -> bool {
    let is_plain = |text: &str| number_of(text.as_bytes(), true).is_some();
    values.len() >= FEWEST
        && text.contains(char::is_alphabetic)
        && !is_plain(text)
        && values.iter().all(|value| is_plain(value))
}

/// True if the first row names the columns, by a vote of these.
fn has_header(rows: &[Row], missing: &MissingWords) -> bool {
    let Some((first, later)) = rows.split_first() else { return false };
    let texts: Vec<String> =
        (0..first.fields.len()).map(|at| first.text(at).into_owned()).collect();
    // Between tables that were joined the header is repeated.
    let later: Vec<&Row> = later
        .iter()
        .take(ROWS)
        .filter(|row| !(may_be_repeated(&texts) && row.is(&texts)))
        .collect();
    if later.is_empty() {
        return !(0..first.fields.len()).any(|at| is_measured(&first.text(at)));
    }
    if lacks_first_name(rows) {
        return true;
    }
    let is_missing = |field: &[u8]| missing.is_missing(field);
    let mut votes = 0.0;
    let by_numbers = names_by_numbers(&texts, &later) || counts_behind_names(&texts);
    for (at, text) in texts.iter().enumerate() {
        let values = later.iter().filter(|row| at < row.fields.len()).map(|row| row.text(at));
        let is_there = |value: &Cow<'_, str>| !is_missing(value.as_bytes()) && !is_told(value);
        let values: Vec<_> = values.filter(is_there).collect();
        if values.is_empty() || is_missing(text.as_bytes()) && !text.is_empty() {
            continue;
        }
        let measured = values.iter().filter(|value| is_measured(value)).count();
        let of_numbers = 5 * measured >= 4 * values.len();
        let different: HashSet<&str> = values.iter().map(|value| value.as_ref()).collect();
        votes += match (of_numbers, is_measured(text)) {
            (true, true) if by_numbers => 0.5,
            // Months and quarters name columns of amounts.
            (true, true) if !is_amount(text) && values.iter().all(|value| is_amount(value)) => 1.0,
            // Numbers with a unit, `2h` or `5K`, name columns of plain ones.
            (true, true) if names_by_unit(text, &values) => 1.0,
            (true, true) => -1.0,
            // A first sample may lack the number.
            (true, false) if text.is_empty() => 0.0,
            (true, false) => 1.0,
            (false, true) => 0.0,
            (false, false) if different.contains(text.as_str()) => -1.0,
            (false, false) if 2 * different.len() <= values.len() => 0.5,
            (false, false) => 0.1,
        };
    }
    let distinct = texts.iter().collect::<HashSet<_>>().len() == texts.len();
    votes > if distinct { 0.0 } else { 0.5 }
}
