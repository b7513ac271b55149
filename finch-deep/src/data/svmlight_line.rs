//! A line of SVMlight's text: a label, and `feature:value` for each value that is not 0, by rising features.
//!
//! The format is that of T. Joachims: *SVMlight*, <https://www.cs.cornell.edu/people/tj/svm_light/>, and of the
//! data sets of LIBSVM, which may have several labels, with commas between.

/// Lines by which the format is recognised, at most.
const LOOKED_AT: usize = 20;

/// True if the lines of a text, of which the last may be cut, are of this format. Columns of times, such as
/// `7 10:30 12:45`, are not.
pub(super) fn are_so(text: &[u8]) -> bool {
    let end = text.iter().rposition(|&byte| byte == b'\n');
    // The only line may be longer than what there is of it.
    let end = end.or_else(|| text.iter().rposition(u8::is_ascii_whitespace));
    let lines = text[..end.unwrap_or(text.len())].split(|&byte| byte == b'\n').map(content);
    let (mut pairs, mut times) = (0, 0);
    for line in lines.filter(|line| !line.trim_ascii().is_empty()).take(LOOKED_AT) {
        let (label, entries) = entries(line);
        let is_label =
            |label: &[u8]| label.split(|&byte| byte == b',').all(|one| number(one).is_some());
        if !label.is_none_or(is_label) {
            return false;
        }
        let mut last = None;
        for entry in entries {
            let Some((feature, _)) = entry.filter(|entry| last < Some(entry.0)) else {
                return false;
            };
            (last, pairs) = (Some(feature), pairs + 1);
        }
        times += words(line).filter(|word| is_time(word)).count();
    }
    pairs > times
}

/// True for an hour and two digits of minutes.
fn is_time(word: &[u8]) -> bool {
    let [hour, minute] = &word.split(|&byte| byte == b':').collect::<Vec<_>>()[..] else {
        return false;
    };
    let below = |word: &[u8], most: f64| {
        word.iter().all(u8::is_ascii_digit) && number(word).is_some_and(|number| number < most)
    };
    minute.len() == 2 && below(hour, 24.0) && below(minute, 60.0)
}

/// The label of a line, and its features and values: `None` for what is none.
pub(super) fn entries(line: &[u8]) -> (Option<&[u8]>, impl Iterator<Item = Option<(usize, f64)>>) {
    let is_label = |word: &&[u8]| !word.contains(&b':');
    let label = words(line).next().filter(is_label);
    // The query that a line belongs to, where lines are ranked, is no feature.
    let rest =
        words(line).skip(usize::from(label.is_some())).filter(|word| !word.starts_with(b"qid:"));
    let entry = |word: &[u8]| {
        let colon = word.iter().position(|&byte| byte == b':')?;
        let feature = std::str::from_utf8(&word[..colon]).ok()?.parse().ok()?;
        Some((feature, number(&word[colon + 1..])?))
    };
    (label, rest.map(entry))
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A line without its remark.
pub(super) fn content(line: &[u8]) -> &[u8] {
    line.split(|&byte| byte == b'#').next().unwrap_or_default()
}

fn number(word: &[u8]) -> Option<f64> {
    fast_float2::parse(word).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_lines_tell_it_from_columns_of_blanks() {
        for (text, expected) in [
            (&b"+1 1:0.708333 3:1\n-1 2:1 3:-0.3\n"[..], true),
            (b"# made by hand\n3 qid:1 1:1 2:1 # doc a\n", true),
            (b"1,4,9 5:1 17:1\n 2:1\n2\n", true),
            (b"-1 1:7 3:2\n1 1:3 3:", true),
            (b"1 10:30 12:45\n2 11:30 13:45\n", false),
            (b"1 10:30 42:45\n2 qid:10 11:70 13:45\n", true),
            (b"a 1:2 3:4\n", false),
            (b"1 3:4 2:1\n", false),
            (b"1 2 3\n4 5 6\n", false),
            (b"1\n2\n", false),
            (b"x:1\n", false),
            (b"", false),
        ] {
            assert_eq!(are_so(text), expected, "{}", text.escape_ascii());
        }
        // The beginning of a long line, wherever it ends.
        let line: String =
            (1..400).map(|feature| format!(" {}:-{feature}.5e-1", 3 * feature)).collect();
        let line = format!("-1{line}");
        assert!((20..line.len()).all(|end| are_so(&line.as_bytes()[..end])));
    }
}
