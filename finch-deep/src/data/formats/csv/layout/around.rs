//! The rows around a table: titles above it, sums, statistics and remarks below.

use std::collections::HashSet;
use std::ops::Range;

use super::totals::{is_average_beside_gaps, is_of_column, is_statistic, is_total, plain};
use crate::data::formats::csv::field::number_of;
use crate::data::formats::csv::missing::is_told;
use crate::data::formats::csv::row::Row;
use crate::data::formats::csv::written::is_measured;
use crate::data::options::choices::Delimiter;

/// First rows that are looked at.
pub(super) const ROWS: usize = 200;

/// Rows that may be a title, and rows that may be totals and remarks.
const MOST_TITLES: usize = 20;
const MOST_TOTALS: usize = 5;
const MOST_REMARKS: usize = 20;
const MOST_ABOVE: usize = 5;
const MOST_STATISTICS: usize = 9;

/// Words that begin a remark, and hardly any sample.
const REMARKS: [&str; 9] =
    ["source", "sources", "note", "notes", "*", "©", "generated", "exported", "footnote"];

/// First fields of the lines in which a logger tells of itself.
const LOGGERS: [&str; 2] = ["TOA5", "TOACI1"];

/// Reads that a counter of genes, HTSeq, found no gene for, below the genes.
const UNCOUNTED: [&str; 5] =
    ["__no_feature", "__ambiguous", "__too_low_aqual", "__not_aligned", "__alignment_not_unique"];

/// The fields of a row that are not empty.
fn filled(row: &Row) -> usize {
    (0..row.fields.len()).filter(|&at| !row.field(at).is_empty()).count()
}

/// The rows above the table: with few fields, none of them a number, and a full row after them.
pub(super) fn titles(rows: &[Row], width: usize, delimiter: Delimiter) -> usize {
    let is_title = |at: &usize| {
        let Some(row) = rows.get(*at) else { return false };
        let (found, there) = (row.fields.len(), filled(row));
        if *at == 0 && found > 4 && LOGGERS.contains(&&row.text(0)[..]) {
            return true;
        }
        let few = 2 * there <= width
            && (found != width || width >= 3 && (there <= 1 || 3 * there <= width));
        // Where blanks part fields, a title has as many as words: `Report of 2023`. A header may lack one name, and rows
        // are below it.
        let are_words = delimiter == Delimiter::WhiteSpace;
        let looked_at = if are_words { found.min(1) } else { found };
        let has_number = |row: &Row| (0..row.fields.len()).any(|at| row.is_number(at));
        let is_above_titles = || match rows.get(at + 1..) {
            Some([next, after, ..]) => {
                next.fields.len() < width || !has_number(next) && has_number(after)
            }
            _ => false,
        };
        let is_short = found + 1 < width || found + 1 == width && is_above_titles();
        (few || are_words && is_short) && (0..looked_at).all(|at| !row.is_number(at))
    };
    let titles = (0..rows.len()).take_while(is_title).count();
    let are_above = |at: &usize| {
        is_title(at)
            || rows
                .get(*at)
                .is_some_and(|row| is_beside_name(row, width) || is_sentence(row, delimiter))
    };
    let further = (0..rows.len()).take_while(are_above).count();
    let titles = match further > titles && names_columns(&rows[further..], width) {
        true => further,
        false => titles + usize::from(groups_columns(&rows[titles..], width)),
    };
    let titles = titles.max(table_above(rows));
    let full = rows.get(titles).is_some_and(|row| 5 * filled(row) >= 4 * width.saturating_sub(1));
    let sound = titles <= MOST_TITLES && width > 1 && full && rows.len() > titles + 1;
    if sound { titles } else { 0 }
}

/// The rows of a short table above the one that is meant: of names and values that tell of all samples, as services of
/// weather and watches put them first. Another line of names, above numbers, follows them behind a blank line, or is of
/// another width, and the values before it are not like those below.
fn table_above(rows: &[Row]) -> usize {
    let texts = |row: &Row| -> Vec<String> {
        let mut texts: Vec<String> =
            (0..row.fields.len()).map(|at| row.text(at).into_owned()).collect();
        let named = texts.iter().rposition(|text| !text.is_empty()).map_or(0, |last| last + 1);
        texts.truncate(named);
        texts
    };
    let names = |row: &Row| {
        let texts = texts(row);
        let are_words =
            texts.iter().all(|text| !text.is_empty() && !is_measured(text) && !is_told(text));
        let are_distinct = texts.iter().collect::<HashSet<_>>().len() == texts.len();
        (are_words && are_distinct && texts.len() > 1).then_some(texts.len())
    };
    let Some(above) = rows.first().and_then(names) else { return 0 };
    let is_header = |at: &usize| {
        let [before, header, later @ ..] = &rows[at - 1..] else { return false };
        let Some(width) = names(header) else { return false };
        let later = &later[..later.len().min(ROWS)];
        let fits = |row: &&Row| texts(row).len() <= width;
        // Values of a sample would be like those below.
        let is_unlike = texts(before).iter().enumerate().any(|(at, text)| {
            at >= width && !text.is_empty()
                || !text.is_empty()
                    && !is_told(text)
                    && !is_measured(text)
                    && is_of_numbers(later, at)
        });
        let is_apart = header.line > before.line + 1 || width != above;
        is_apart
            && is_unlike
            && texts(before).iter().any(|text| is_measured(text))
            && later.len() > MOST_ABOVE
            && 5 * later.iter().filter(fits).count() >= 4 * later.len()
            && (0..width).any(|at| is_of_numbers(later, at))
    };
    (2..=MOST_ABOVE.min(rows.len().saturating_sub(1))).find(is_header).unwrap_or(0)
}

/// True if a row has a number in a column.
pub(super) fn is_number_at(row: &Row, at: usize) -> bool {
    at < row.fields.len() && is_measured(&row.text(at))
}

/// True if nearly all rows have a number in a column.
pub(super) fn is_of_numbers(rows: &[Row], at: usize) -> bool {
    5 * rows.iter().filter(|row| is_number_at(row, at)).count() >= 4 * rows.len()
}

/// True for a row of words that differ, none of which is a number.
pub(super) fn are_names(row: &Row) -> bool {
    let texts: HashSet<_> = (0..row.fields.len()).map(|at| row.text(at)).collect();
    texts.len() == row.fields.len()
        && texts.iter().all(|text| !text.is_empty() && !is_measured(text))
}

/// True for a row that tells one thing by its name, `Date:, 2023-01-01`, above a table of more columns.
fn is_beside_name(row: &Row, width: usize) -> bool {
    let is_empty = |at: usize| row.field(at).is_empty();
    width >= 3 && !is_empty(0) && !row.is_number(0) && (2..row.fields.len()).all(is_empty)
}

/// True for a sentence that its commas split: behind each of them is a blank.
fn is_sentence(row: &Row, delimiter: Delimiter) -> bool {
    let begins_blank = |field: &Range<usize>| row.content[field.clone()].starts_with(b" ");
    delimiter == Delimiter::Byte(b',')
        && row.fields.len() > 1
        && row.fields[1..].iter().all(begins_blank)
}

/// True if the first row has a word of its own above each column, and numbers are in one of these.
fn names_columns(rows: &[Row], width: usize) -> bool {
    let [names, later @ ..] = rows else { return false };
    let later = &later[..later.len().min(ROWS)];
    let is_below = |at: usize| later.iter().any(|row| row.text(at) == names.text(at));
    let of_numbers = |at: &usize| {
        let there = later.iter().map(|row| row.text(*at)).filter(|text| !text.is_empty());
        let (all, measured) = there.fold((0, 0), |(all, measured), text| {
            (all + 1, measured + usize::from(is_measured(&text)))
        });
        all >= 2 && 5 * measured >= 4 * all
    };
    names.fields.len() == width
        && are_names(names)
        && !(0..width).any(is_below)
        && (0..width).any(|at| of_numbers(&at))
}

/// True if the first row groups the columns that the second row names, as merged cells of a sheet do: it repeats words,
/// or leaves fields empty beyond the first, and the second row has a word in each field, above numbers.
fn groups_columns(rows: &[Row], width: usize) -> bool {
    let [groups, names, later @ ..] = rows else { return false };
    if groups.fields.len() > width || names.fields.len() != width || later.is_empty() {
        return false;
    }
    let texts = |row: &Row| -> Vec<String> {
        let texts = (0..row.fields.len()).map(|at| row.text(at).into_owned());
        texts.filter(|text| !text.is_empty()).collect()
    };
    let (above, below) = (texts(groups), texts(names));
    let repeats = above.iter().collect::<HashSet<_>>().len() < above.len();
    let grouped = above.len() >= 2 && (repeats || width - above.len() >= 2);
    let named = below.len() + 1 >= width && !below.iter().any(|text| is_measured(text));
    let later = &later[..later.len().min(ROWS)];
    grouped && named && (0..width).filter(|&at| is_of_numbers(later, at)).count() >= 2
}

/// The rows below the table: of sums, and remarks.
pub(super) fn totals(rows: &[Row], width: usize, delimiter: Delimiter, of: usize) -> usize {
    // A word that several rows begin with, and that may be one of a column.
    let is_category = |word: &str| {
        let is_first = |row: &&Row| !row.fields.is_empty() && plain(&row.text(0)) == plain(word);
        is_of_column(word) && rows.iter().filter(is_first).nth(1).is_some()
    };
    // The row that alone lacks the name that all others have, and has more in each column than any other.
    let lacks_name = |row: &Row| !row.fields.is_empty() && row.field(0).is_empty();
    let number = |row: &Row, at: usize| number_of(row.field(at), false);
    let has_most = |row: &Row, at: usize| {
        let others = rows.iter().filter(|other| other.line != row.line && at < other.fields.len());
        let mut others = others.filter_map(|other| number(other, at));
        number(row, at).is_some_and(|sum| others.all(|other| other < sum))
    };
    let is_sum_without_name = |row: &Row| {
        lacks_name(row)
            && row.fields.len() == width
            && width > 2
            && rows.len() > MOST_TITLES
            && (1..width).all(|at| has_most(row, at))
            && rows.iter().filter(|row| lacks_name(row)).count() == 1
            && rows.iter().filter(|row| is_measured(&row.text(0))).count() < rows.len() / 2
    };
    let is_below = |row: &Row| {
        let Some(first) = (0..row.fields.len()).find(|&at| !row.field(at).is_empty()) else {
            return true;
        };
        let text = row.text(first).to_lowercase();
        let is_average = || is_average_beside_gaps(&text) && filled(row) < row.fields.len();
        let is_sum = (is_total(&text) || is_average()) && filled(row) > 1 && !is_category(&text);
        let alone = width > 1 && filled(row) == 1 && (row.fields.len() != width || width >= 3);
        let remark = REMARKS.iter().any(|start| text.starts_with(start)) || is_total(&text);
        let sentence = text.split_whitespace().count() >= 4;
        // Blanks part the words of a remark, too.
        let is_split = delimiter == Delimiter::WhiteSpace && row.fields.len() != width;
        let word = text.split_whitespace().next().unwrap_or_default();
        let is_called = || REMARKS.contains(&word.trim_end_matches(':'));
        let is_hashed = || delimiter == Delimiter::WhiteSpace && word == "#";
        // A sentence that commas split has as many fields as rows by chance.
        let is_sentence = || is_sentence(row, delimiter) && word.ends_with(':');
        let is_split_remark = || (is_split || is_sentence()) && is_called() || is_hashed();
        // Databases count the rows below, `(5 rows)`, and so does pandas, `[344 rows x 4 columns]`. Columns may cut them.
        let joined = || (0..row.fields.len()).map(|at| row.text(at)).collect::<String>();
        let counts_rows = || {
            let joined = joined().replace(' ', "");
            let before = joined.split("row").next().filter(|before| before.len() < joined.len());
            before.is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()))
        };
        let counts_rows =
            text.starts_with(['(', '[']) && joined().ends_with([')', ']']) && counts_rows();
        let is_rest = || UNCOUNTED.contains(&&text[..]);
        // `Closing balance;4,321.55` below bookings that begin with dates.
        let is_phrase = || text.len() > 3 && !text.contains(|c: char| c.is_ascii_digit());
        let is_named_value = || {
            width > 3
                && row.fields.len() == 2
                && is_phrase()
                && !is_measured(&text)
                && is_measured(&row.text(1))
                && is_of_numbers(&rows[..rows.len().min(ROWS)], 0)
        };
        is_sum
            || counts_rows
            || is_rest()
            || is_named_value()
            || first > 0 && is_sum_without_name(row)
            || is_split_remark()
            || alone && !row.is_number(first) && (remark || sentence || row.fields.len() != width)
    };
    // Statistics come in several rows, and words such as `n` and `max` alone are names.
    let statistic = |row: &&Row| {
        let word = row.text(0).to_lowercase();
        let is_first = |row: &&Row| plain(&row.text(0)) == plain(&word);
        is_statistic(&word) && filled(row) > 1 && rows.iter().filter(is_first).nth(1).is_none()
    };
    let last = |most: usize| rows.iter().rev().take(most + 1);
    let further = last(MOST_STATISTICS).take_while(|row| statistic(row) || is_below(row)).count();
    let found = || last(further).take(further).filter(|row| statistic(row));
    // `SD` and `SE`, or `Max` and `Mode`, may be names; a mean beside them is none.
    let has_mean = found().any(|row| is_of_column(&row.text(0).to_lowercase()));
    let (below, most) = match has_mean && found().count() > 1 {
        true => (further, MOST_STATISTICS),
        false => (last(MOST_TOTALS).take_while(|row| is_below(row)).count(), MOST_TOTALS),
    };
    let below = if below <= most { below } else { 0 };
    let below = below.max(remarks(rows, width)).max(summary(rows, width));
    if below + 2 <= of { below } else { 0 }
}

/// The last rows that ImageJ writes behind the numbers of the rows: mean, deviation, least and largest.
fn summary(rows: &[Row], width: usize) -> usize {
    const WORDS: [&str; 4] = ["mean", "sd", "min", "max"];
    let Some(last) = rows.len().checked_sub(WORDS.len()).map(|first| &rows[first..]) else {
        return 0;
    };
    let is_of_summary = |(row, word): (&Row, &&str)| {
        row.fields.len() == width && row.is_number(0) && row.text(1).eq_ignore_ascii_case(word)
    };
    if width > 2 && last.iter().zip(&WORDS).all(is_of_summary) { WORDS.len() } else { 0 }
}

/// The last rows, behind a blank line, that are all shorter than those of the table, and have no number where these have
/// some, as legends and footnotes are.
fn remarks(rows: &[Row], width: usize) -> usize {
    let looked_at = &rows[..rows.len().min(ROWS)];
    let numbers = |at: usize| looked_at.iter().filter(|row| is_number_at(row, at)).count();
    let of_numbers: Vec<bool> = (0..width).map(|at| 2 * numbers(at) > looked_at.len()).collect();
    let has_value = |row: &Row| (0..width).any(|at| of_numbers[at] && is_number_at(row, at));
    let is_short = |row: &&Row| row.fields.len() < width && filled(row) < width && !has_value(row);
    let short = rows.iter().rev().take(MOST_REMARKS + 1).take_while(is_short).count();
    let last = &rows[rows.len() - short..];
    let is_behind_gap = |at: &usize| {
        let before = (rows.len() - short + at).checked_sub(1).map(|before| &rows[before]);
        before.is_some_and(|before| last[*at].line > before.line + 1)
    };
    let has_numbers = of_numbers.contains(&true);
    match (0..last.len()).find(is_behind_gap) {
        Some(first) if short <= MOST_REMARKS && has_numbers => short - first,
        _ => 0,
    }
}
