//! Lines of a text that are no rows: remarks, rules, and what programs print between rows.

/// True if a line before the table begins as a remark: with `#`, or as `!Series_title` of an archive of genes.
pub(in crate::data) fn is_remark(line: &[u8]) -> bool {
    let is_of_genes = |name: &[u8]| {
        let letters = name.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        letters > 0 && name.get(letters) == Some(&b'_')
    };
    match line {
        [b'#', ..] => true,
        [b'!', name @ ..] => is_of_genes(name),
        // The command that R printed a table for.
        [b'>', b' ', name, ..] if name.is_ascii_alphabetic() => true,
        _ => is_rule(line) || is_of_print(line),
    }
}

/// True for the title of a page that SAS prints, and for the types of columns below their names that a tibble of R has:
/// `<chr>  <dbl>`.
pub(in crate::data) fn is_of_print(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    match line.first() {
        Some(b'T') => line.starts_with(b"The SAS System"),
        Some(b'<') => {
            let is_type = |word: &[u8]| {
                let name = word.strip_prefix(b"<").and_then(|word| word.strip_suffix(b">"));
                name.is_some_and(|name| (2..=6).contains(&name.len()) && name.is_ascii())
            };
            let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            words.all(is_type) && line.contains(&b' ')
        }
        _ => false,
    }
}

/// True for a line that draws a rule, as below the names of columns: `------  ---`, `|:---|---:|`, `+----+----+`.
pub(in crate::data) fn is_rule(line: &[u8]) -> bool {
    let draws = |byte: &u8| b"-=+:| ".contains(byte);
    // Most lines begin otherwise, or go on with a digit.
    line.first().is_some_and(draws)
        && line.iter().all(draws)
        && (line.windows(3).any(|three| three == b"---" || three == b"===")
            || line.contains(&b'|') && line.windows(2).any(|two| two == b":-" || two == b"-:"))
}
