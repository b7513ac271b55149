//! Lines of a text that are no rows: remarks, rules, and what programs print between rows.

/// True if a line before the table begins as a remark: with `#`, as `!Series_title` of an archive of genes, as `@ title` of
/// Grace, or as the command that R printed the table for; or if it is no row at all.
pub(in crate::data) fn is_remark(line: &[u8]) -> bool {
    let is_of_genes = |name: &[u8]| {
        let letters = name.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        letters > 0 && name.get(letters) == Some(&b'_')
    };
    match line {
        [b'#', ..] => true,
        [b'@', b' ', ..] => true,
        [b'@', rest @ ..] if rest.starts_with(b"TYPE ") => true,
        [b'!', name @ ..] => is_of_genes(name),
        [b'>', b' ', command @ ..] if is_command(command.trim_ascii()) => true,
        _ => is_rule(line) || is_of_print(line),
    }
}

/// True for a command of R, which a table was printed for: a name, or a call.
fn is_command(text: &[u8]) -> bool {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"._$".contains(byte);
    let name = text.iter().take_while(|byte| is_of_name(byte)).count();
    let is_call = text.ends_with(b")") || text.ends_with(b"]");
    text.first().is_some_and(u8::is_ascii_alphabetic)
        && (name == text.len() || is_call && b"([".contains(&text[name]))
}

/// True for the title of a page that SAS prints, and for the types of columns below their names that a tibble of R has:
/// `<chr>  <dbl>`.
pub(in crate::data) fn is_of_print(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    match line.first() {
        // With the time and the number of the page, far from it.
        Some(b'T') => {
            line.starts_with(b"The SAS System  ")
                && line.contains(&b':')
                && line.last().is_some_and(u8::is_ascii_digit)
        }
        Some(b'<') => {
            const TYPES: [&[u8]; 13] = [
                b"<chr>", b"<dbl>", b"<int>", b"<lgl>", b"<fct>", b"<ord>", b"<date>", b"<dttm>",
                b"<time>", b"<drtn>", b"<list>", b"<cplx>", b"<int64>",
            ];
            let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            words.all(|word| TYPES.contains(&word)) && line.contains(&b' ')
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
