//! The fields of text whose columns are at fixed positions of its lines, as R and databases print tables.

use std::ops::Range;

use crate::data::formats::csv::remarks::{is_of_print, is_rule};

/// Lines that are looked at, and the fewest that tell.
pub(in crate::data) const LINES: usize = 200;
const FEWEST: usize = 4;

/// The share of lines that may cross the gaps between columns, as remarks do, and of fields that may be empty.
pub(in crate::data) const CROSSING: f64 = 0.05;
const EMPTY: f64 = 0.4;

/// Blanks between two names of columns, at least, where names have blanks within them.
const APART: usize = 2;

/// The places of the columns in a line, in characters.
pub(in crate::data) struct Places {
    columns: Vec<Range<usize>>,
    /// The names of the columns, in the line that has them.
    header: (Vec<char>, Vec<String>),
}

impl Places {
    /// The places by the first lines of a text; none where fields are not at fixed places, or blanks alone tell them.
    pub(in crate::data) fn of(text: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(text);
        let is_line = |line: &&str| !line.trim().is_empty() && !is_of_print(line.as_bytes());
        let lines = text.lines().filter(is_line).take(LINES);
        let all: Vec<Vec<char>> = lines.map(|line| line.trim_end().chars().collect()).collect();
        let is_drawn = |line: &[char]| is_rule(line.iter().collect::<String>().trim().as_bytes());
        let rule = all.iter().take(FEWEST).position(|line| is_drawn(line));
        let header = all.get(rule.unwrap_or(1).checked_sub(1)?)?.clone();
        let first = rule.map_or(1, |rule| rule + 1);
        let rows: Vec<&[char]> =
            all.get(first..)?.iter().map(|line| &line[..]).filter(|line| !is_drawn(line)).collect();
        // Programs that write one blank between fields do not align them.
        let is_apart =
            |row: &&[char]| row.windows(APART).any(|pair| pair.iter().all(|c| *c == ' '));
        if rows.len() < FEWEST || rule.is_none() && !rows.iter().any(is_apart) {
            return None;
        }
        let phrases = runs(header.len(), APART, |at| header[at] == ' ');
        let words = runs(header.len(), 1, |at| header[at] == ' ').len();
        let lacks_first = usize::from(header.first() == Some(&' '));
        let (columns, names) = match rule.map(|rule| &all[rule]) {
            Some(rule) => {
                let columns = runs(rule.len(), 1, |at| rule[at] == ' ');
                let names = names(&columns, &phrases, &header)?;
                (columns, names)
            }
            None => {
                let mut columns = columns_of(&rows);
                // R names all columns but the first, whose names may have several words.
                let start = phrases.first().map_or(0, |first| first.start);
                let of_names = columns.iter().take_while(|column| column.end <= start).count();
                if lacks_first > 0 && of_names > 1 {
                    columns[0].end = columns[of_names - 1].end;
                    columns.drain(1..of_names);
                }
                let is_named = words + lacks_first == columns.len();
                let named = |columns: Vec<Range<usize>>| {
                    let is_named = is_named || phrases.len() == columns.len();
                    let names = names(&columns, &phrases, &header).filter(|_| is_named)?;
                    Some((columns, names))
                };
                let unmerged = if is_named { named(columns.clone()) } else { None };
                unmerged.or_else(|| named(merged(&columns, &phrases, &header)))?
            }
        };
        let is_otherwise = words + lacks_first != columns.len();
        let found = Self { columns, header: (header, names) };
        found.is_sound(&rows, is_otherwise).then_some(found)
    }

    /// True if a line below the first draws a stroke for each column.
    pub(in crate::data) fn are_drawn(text: &[u8]) -> bool {
        let strokes = |line: &[u8]| {
            line.trim_ascii().split(|&byte| byte == b' ').filter(|part| !part.is_empty()).count()
        };
        let mut lines = text.split(|&byte| byte == b'\n').skip(1).take(FEWEST);
        lines.any(|line| strokes(line) > 1 && is_rule(line.trim_ascii()) && !line.contains(&b'|'))
    }

    /// The fields of a line, no field of a rule; none of a line that crosses the gaps between columns, such as a remark.
    pub(in crate::data) fn fields(&self, text: &str) -> Option<Vec<String>> {
        let line: Vec<char> = text.trim_end().chars().collect();
        let (header, names) = &self.header;
        if line == *header {
            return Some(names.clone());
        }
        if is_rule(text.trim().as_bytes()) {
            return Some(Vec::new());
        }
        // Databases write `(5 rows)` below.
        if text.trim().starts_with('(') && text.trim().ends_with(')') {
            return None;
        }
        let mut start = 0;
        let mut fields = Vec::new();
        for (at, column) in self.columns.iter().enumerate() {
            let end = match self.columns.get(at + 1) {
                // Longer values reach into the gap.
                Some(next) => {
                    (column.end..next.start).rev().find(|&place| is_blank_at(&line, place))?
                }
                None => line.len().max(start),
            };
            let field: String =
                line.get(start..end.min(line.len())).unwrap_or_default().iter().collect();
            fields.push(field.trim().to_string());
            start = end.min(line.len());
        }
        Some(fields)
    }

    /// True if nearly all rows are of these columns, and blanks alone part some lines into others.
    fn is_sound(&self, rows: &[&[char]], is_otherwise: bool) -> bool {
        let width = self.columns.len();
        let texts = rows.iter().map(|row| row.iter().collect::<String>());
        let (mut crossing, mut empty, mut otherwise) = (0, 0, usize::from(is_otherwise));
        for text in texts {
            match self.fields(&text) {
                Some(fields) => empty += fields.iter().filter(|field| field.is_empty()).count(),
                None => crossing += 1,
            }
            otherwise += usize::from(text.split_whitespace().count() != width);
        }
        let share = |count: usize, of: usize| count as f64 / of as f64;
        width > 1
            && crossing as f64 <= f64::max(1.0, CROSSING * rows.len() as f64)
            && share(empty, rows.len() * width) <= EMPTY
            && otherwise > 0
    }
}

fn is_blank_at(line: &[char], at: usize) -> bool {
    line.get(at).is_none_or(|character| *character == ' ')
}

/// The stretches of so many places that are not blank, with as many blanks between two of them, at least.
fn runs(length: usize, apart: usize, is_blank: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in (0..length).filter(|&at| !is_blank(at)) {
        match runs.last_mut() {
            Some(run) if at < run.end + apart => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// The columns of rows: the places that not all rows have blank, but for a few rows.
fn columns_of(rows: &[&[char]]) -> Vec<Range<usize>> {
    let length = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let most = (CROSSING * rows.len() as f64) as usize;
    let there = |at: usize| rows.iter().filter(|row| !is_blank_at(row, at)).count();
    runs(length, 1, |at| there(at) <= most)
}

/// Columns that one name stands above, and one blank parts in every row, as one: `John A` and `Mary B`.
fn merged(
    columns: &[Range<usize>],
    phrases: &[Range<usize>],
    header: &[char],
) -> Vec<Range<usize>> {
    let phrase_of =
        |column: &Range<usize>| (0..phrases.len()).min_by_key(|&at| distance(&phrases[at], column));
    let of: Vec<Option<usize>> = columns.iter().map(phrase_of).collect();
    let mut counts = vec![0_usize; phrases.len()];
    of.iter().flatten().for_each(|&phrase| counts[phrase] += 1);
    let words = |phrase: &Range<usize>| {
        runs(phrase.len(), 1, |place| header[phrase.start + place] == ' ').len()
    };
    let is_one: Vec<bool> = phrases.iter().zip(&counts).map(|(one, &of)| words(one) < of).collect();
    let mut merged: Vec<Range<usize>> = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        let is_of_one = at > 0 && of[at] == of[at - 1] && of[at].is_some_and(|one| is_one[one]);
        match merged.last_mut() {
            Some(last) if is_of_one && column.start == last.end + 1 => last.end = column.end,
            _ => merged.push(column.clone()),
        }
    }
    merged
}

/// The places between two ranges; less where they share some.
fn distance(one: &Range<usize>, other: &Range<usize>) -> isize {
    one.start.max(other.start) as isize - one.end.min(other.end) as isize
}

/// The name of each column: a phrase each, or else the words that are nearest to it. None where names are left over.
fn names(
    columns: &[Range<usize>],
    phrases: &[Range<usize>],
    header: &[char],
) -> Option<Vec<String>> {
    let text = |range: &Range<usize>| header[range.clone()].iter().collect::<String>();
    if phrases.len() == columns.len() {
        return Some(phrases.iter().map(text).collect());
    }
    let words = runs(header.len(), 1, |at| header[at] == ' ');
    let mut names = vec![String::new(); columns.len()];
    let mut before = 0;
    for word in &words {
        // Of two as near the latter: names of numbers end where these do.
        let nearest = (0..columns.len()).rev().min_by_key(|&at| distance(&columns[at], word))?;
        if nearest < before {
            return None;
        }
        before = nearest;
        let name = &mut names[nearest];
        *name = format!("{name} {}", text(word)).trim().to_string();
    }
    // The first column of R has no name.
    names.iter().skip(1).all(|name| !name.is_empty()).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Option<Vec<Vec<String>>> {
        let places = Places::of(text.as_bytes())?;
        Some(text.lines().map(|line| places.fields(line).unwrap_or_default()).collect())
    }

    #[test]
    fn values_and_names_with_blanks() {
        let text = "Name     Age   Income\nJohn A    34    1,234\nMary B    35    2,234\nJane C     9       12\n\
                    Jack D    71  123,456\n";
        let rows = split(text).unwrap();
        assert_eq!(rows[0], ["Name", "Age", "Income"]);
        assert_eq!(rows[2], ["Mary B", "35", "2,234"]);
        assert_eq!(rows[4], ["Jack D", "71", "123,456"]);
        let text = "name      Total Sales   Wt\nn0                 93   51\nn1                 60   93\n\
                    n2 b                7    4\nn3                  5   10\n";
        let rows = split(text).unwrap();
        assert_eq!(rows[0], ["name", "Total Sales", "Wt"]);
        assert_eq!(rows[3], ["n2 b", "7", "4"]);
    }

    #[test]
    fn rows_of_r_with_names_of_several_words() {
        let text = "                   mpg cyl  disp\nMazda RX4         21.0   6 160.0\nDatsun 710        22.8   4 108.0\n\
                    Hornet Sportabout 18.7   8 360.0\nValiant           18.1   6 225.0\n";
        let rows = split(text).unwrap();
        assert_eq!(rows[0], ["", "mpg", "cyl", "disp"]);
        assert_eq!(rows[3], ["Hornet Sportabout", "18.7", "8", "360.0"]);
    }

    #[test]
    fn names_of_rows_of_as_many_words() {
        let text = "            mpg   gear\nMazda  A 1  21.0     4\nDatsun B 2  22.8     4\n\
                    Hornet C 3  18.7     3\nFiat   D 4   8.1     3\n";
        let rows = split(text).unwrap();
        assert_eq!(rows[0], ["", "mpg", "gear"]);
        assert_eq!(rows[4], ["Fiat   D 4", "8.1", "3"]);
    }

    #[test]
    fn a_rule_below_the_names_tells_the_columns() {
        let text = "Size     Cost\n-------  ----\nSize S     12\nSize M      3\nSize L     10\nSize S      1\n";
        let rows = split(text).unwrap();
        assert_eq!(rows[2], ["Size S", "12"]);
        // A remark crosses the gaps.
        let places = Places::of(text.as_bytes()).unwrap();
        assert!(places.fields("Source:asurvey of 2023").is_none());
    }

    #[test]
    fn blanks_alone_are_told_as_such() {
        assert!(split("a b c\n1 2 3\n4 5 6\n7 8 9\n10 11 12\n13 14 15\n").is_none());
        assert!(
            split("mpg cyl\nMazda 21 6\nDatsun 22.8 4\nHornet 18.7 8\nValiant 18.1 6\n").is_none()
        );
        let prose = "It was the best of times,\nit was the worst of times,\nit was the age of wisdom,\n\
                     it was the age of foolishness,\nit was the epoch of belief,\nit was the epoch of\n";
        assert!(split(prose).is_none());
        assert!(split("").is_none());
    }
}
