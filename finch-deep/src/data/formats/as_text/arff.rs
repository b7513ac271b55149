//! ARFF, as Weka and OpenML write it.

use std::collections::HashSet;

use super::rows::Rows;
use crate::data::error::Fault;
use crate::data::error::table::TableFault;
use crate::data::formats::csv::encoding::Encoding;
use crate::data::formats::csv::lines::read_line;
use crate::data::source::Source;
use crate::data::source::memory::Memory;
use crate::data::source::spool::MadeText;

/// The bytes of an attribute beside its names.
const ENTRY: u64 = 128;

/// A column of the table.
struct Attribute {
    name: String,
    kind: Kind,
}

impl Attribute {
    /// The value that a sparse row leaves out.
    fn left_out(&self) -> &str {
        match &self.kind {
            Kind::Number => "0",
            Kind::Nominal { first, .. } => first,
            Kind::Other => "",
        }
    }
}

/// The values of an attribute.
enum Kind {
    Number,
    /// One of these, the first of which a sparse row leaves out.
    Nominal {
        first: String,
        all: HashSet<String>,
    },
    /// Texts and dates.
    Other,
}

/// Makes ARFF text. Its rows are on the lines of the file.
pub(super) fn text(source: Source, memory: &Memory) -> Result<MadeText, Fault> {
    let encoding = Encoding::default();
    let mut reader = encoding.recoded(source.reader(), memory)?;
    let mut rows = Rows::new(memory)?;
    let (mut attributes, mut line, mut number) = (Vec::<Attribute>::new(), Vec::new(), 0);
    let (mut in_data, mut samples) = (false, 0_u64);
    loop {
        line.clear();
        number += 1;
        if read_line(&mut reader, &mut line, number, memory)? == 0 {
            break;
        }
        let whole = String::from_utf8_lossy(&line);
        let text = whole.trim_start_matches('\u{feff}').trim();
        let unsound = |reason: String| TableFault::Arff { line: number, reason };
        let comment = text.is_empty() || text.starts_with('%');
        match () {
            () if comment => rows.end()?,
            () if in_data => {
                sample(text, &attributes, number, &mut rows)?;
                samples += 1;
            }
            () => {
                let word = text.split_whitespace().next().unwrap_or_default();
                let (keyword, rest) = (word.to_lowercase(), text[word.len()..].trim_start());
                match keyword.as_str() {
                    "@relation" => rows.end()?,
                    "@attribute" => {
                        memory.take(ENTRY + 2 * rest.len() as u64)?;
                        attributes.push(attribute(rest).map_err(unsound)?);
                        rows.end()?;
                    }
                    "@data" if attributes.is_empty() => {
                        return Err(unsound("@data before any @attribute".into()).into());
                    }
                    "@data" => {
                        in_data = true;
                        attributes.iter().try_for_each(|one| rows.field(&one.name))?;
                        rows.end()?;
                    }
                    _ => {
                        let found: String = keyword.chars().take(20).collect();
                        let reason = format!(
                            "{found:?} where @relation, @attribute or @data is expected: is this ARFF?"
                        );
                        return Err(unsound(reason).into());
                    }
                }
            }
        }
    }
    match (in_data, samples) {
        (true, 1..) => {
            let notes = encoding.note().into_iter().collect();
            Ok(MadeText { file: rows.finish(None)?, header: Some(true), notes })
        }
        (true, 0) => Err(Fault::OnlyHeader),
        (false, _) => Err(Fault::malformed("an ARFF file", "it has no @data")),
    }
}

/// An attribute behind its keyword.
fn attribute(text: &str) -> Result<Attribute, String> {
    let (name, rest) = token(text, "{").ok_or("the attribute has no name")??;
    let rest = rest.trim_start();
    let kind = match rest.strip_prefix('{') {
        Some(values) => {
            let (mut all, mut first, mut rest) = (HashSet::new(), None, values.trim_start());
            while !rest.starts_with('}') {
                let (value, after) = token(rest, ",}").ok_or("the list of values has no end")??;
                first.get_or_insert_with(|| value.clone());
                all.insert(value);
                rest = after.trim_start();
                rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
            }
            Kind::Nominal { first: first.unwrap_or_default(), all }
        }
        None => match rest.split_whitespace().next().unwrap_or_default().to_lowercase().as_str() {
            "numeric" | "real" | "integer" => Kind::Number,
            "string" | "date" => Kind::Other,
            "relational" => {
                return Err("an attribute of rows within rows is not read: flatten it".into());
            }
            other => {
                return Err(format!("the attribute {name:?} is of the unknown type {other:?}"));
            }
        },
    };
    // An empty name would make the header a sample.
    let name = if name.is_empty() { "_".into() } else { name };
    Ok(Attribute { name, kind })
}

/// The next word of a line, quoted or not, and the text behind it; none at the end of the line. A word
/// without quotes ends at white space, or at one of `ends`.
fn token<'t>(text: &'t str, ends: &str) -> Option<Result<(String, &'t str), String>> {
    let text = text.trim_start();
    let quote = text.chars().next()?;
    if quote != '\'' && quote != '"' {
        let end = |c: char| c.is_whitespace() || ends.contains(c);
        let at = text.find(end).unwrap_or(text.len());
        return Some(Ok((text[..at].to_string(), &text[at..])));
    }
    let (mut word, mut escaped) = (String::new(), false);
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => {
                word.push(match character {
                    'n' | 'r' | 't' => ' ',
                    other => other,
                });
                escaped = false;
            }
            '\\' => escaped = true,
            _ if character == quote => return Some(Ok((word, &text[at + 1..]))),
            _ => word.push(character),
        }
    }
    Some(Err("a quote is not closed".into()))
}

/// Writes the row of a line.
fn sample(
    text: &str,
    attributes: &[Attribute],
    line: u64,
    rows: &mut Rows<'_>,
) -> Result<(), Fault> {
    let unsound = |reason: String| Fault::from(TableFault::Arff { line, reason });
    if let Some(entries) = text.strip_prefix('{') {
        return sparse(entries, attributes, line, rows);
    }
    let (mut rest, mut found) = (text, 0);
    let by_comma = has_comma(text);
    loop {
        rest = rest.trim_start();
        if rest.starts_with('{') && found == attributes.len() {
            return Err(unsound("weights of rows are not read: take out {…}".into()));
        }
        let (quoted, word, after) = match rest.chars().next() {
            // Nothing between two commas, or behind the last.
            None | Some(',') => (false, String::new(), rest),
            Some(first) => {
                let (word, after) =
                    token(rest, ",").unwrap_or(Ok((String::new(), ""))).map_err(unsound)?;
                ("'\"".contains(first), word, after)
            }
        };
        if let Some(attribute) = attributes.get(found) {
            rows.field(cell(attribute, word, quoted, line)?.as_str())?;
        }
        found += 1;
        rest = after.trim_start();
        match rest.strip_prefix(',') {
            Some(after) => rest = after,
            None if rest.is_empty() => break,
            None if by_comma && !rest.starts_with('{') => {
                let shown: String = rest.chars().take(20).collect();
                return Err(unsound(format!("a comma is missing before {shown:?}")));
            }
            None => {}
        }
    }
    match found == attributes.len() {
        true => rows.end_sample(),
        false => {
            Err(unsound(format!("{found} values, and there are {} attributes", attributes.len())))
        }
    }
}

/// True if commas separate the values of a line, which tabs or blanks may do, too.
fn has_comma(text: &str) -> bool {
    let mut quote = None;
    text.chars().any(|character| {
        match (quote, character) {
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            (None, ',') => return true,
            _ => {}
        }
        false
    })
}

/// Writes the row of a line of places and values; the others are 0, or the first value that is declared.
fn sparse(
    text: &str,
    attributes: &[Attribute],
    line: u64,
    rows: &mut Rows<'_>,
) -> Result<(), Fault> {
    let unsound = |reason: &str| Fault::from(TableFault::Arff { line, reason: reason.into() });
    let (mut rest, mut next) = (text.trim_start(), 0);
    while !rest.starts_with('}') {
        let (place, after) = token(rest, ",}")
            .ok_or_else(|| unsound("the row has no }"))?
            .map_err(|reason| unsound(&reason))?;
        let place: usize =
            place.parse().map_err(|_| unsound("a sparse row is of pairs: a place and a value"))?;
        if place >= attributes.len() || place < next {
            return Err(unsound("the places of a sparse row rise, from 0, and are of attributes"));
        }
        let quoted = after.trim_start().starts_with(['\'', '"']);
        let (word, after) = token(after, ",}")
            .ok_or_else(|| unsound("the row has no }"))?
            .map_err(|reason| unsound(&reason))?;
        if word.is_empty() && !quoted {
            return Err(unsound("a sparse row is of pairs: a place and a value"));
        }
        for attribute in &attributes[next..place] {
            rows.field(attribute.left_out())?;
        }
        rows.field(cell(&attributes[place], word, quoted, line)?.as_str())?;
        next = place + 1;
        rest = after.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    for attribute in &attributes[next..] {
        rows.field(attribute.left_out())?;
    }
    match rest[1..].trim() {
        "" => rows.end_sample(),
        _ => Err(unsound("weights of rows are not read: take out what is behind the }")),
    }
}

/// The text of a value.
fn cell(attribute: &Attribute, word: String, quoted: bool, line: u64) -> Result<String, Fault> {
    match &attribute.kind {
        _ if word == "?" && !quoted => Ok(String::new()),
        Kind::Nominal { all, .. } if !all.contains(&word) => {
            let (attribute, text) = (attribute.name.clone(), word.chars().take(40).collect());
            Err(TableFault::Undeclared { line, attribute, text }.into())
        }
        _ => Ok(word),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, Write};

    use super::super::rows::text_of;
    use super::*;

    fn made(arff: &str) -> Result<String, String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(arff.as_bytes()).unwrap();
        file.rewind().unwrap();
        let memory = Memory::new(None);
        let text = text(Source::of(file).unwrap(), &memory).map_err(|fault| fault.to_string())?;
        Ok(text_of(text.file))
    }

    const HEAD: &str = "% made by hand\n@RELATION 'a b'\n\n@attribute 'the \\'x\\'' REAL\n\
        @ATTRIBUTE kind {cat, 'big dog', \"owl\"}\n@attribute note string\n@data\n";

    #[test]
    fn values_are_on_their_lines() {
        let rows = "1.5,cat,'it, is'\n% no row\n?,'big dog',?\n2\towl\t'?'\n{}\n{0 7, 1 'big dog'}\n{1 owl}\n";
        let text = made(&format!("{HEAD}{rows}")).unwrap();
        let expected = "\n\n\n\n\n\nthe 'x',kind,note\n1.5,cat,\"it, is\"\n\n,big dog,\n2,owl,?\n0,cat,\n\
            7,big dog,\n0,owl,\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn each_refusal_says_where() {
        for (rows, said) in [
            ("1,fish,x", "line 8: \"fish\" is none of the values that the attribute \"kind\""),
            ("1,cat", "line 8: 2 values, and there are 3 attributes"),
            ("1,cat,x,y", "line 8: 4 values"),
            ("1,cat,'x", "line 8: a quote is not closed"),
            ("1 cat,x,y", "line 8: a comma is missing before \"cat,x,y\""),
            ("1,cat,x,{2}", "line 8: weights of rows are not read"),
            ("{0 1, 0 2}", "line 8: the places of a sparse row rise"),
            ("{0 1, 3 2}", "line 8: the places of a sparse row rise"),
            ("{0 1", "line 8: the row has no }"),
            ("{x 1}", "line 8: a sparse row is of pairs"),
            ("{0,1}", "line 8: a sparse row is of pairs"),
            ("{0 1, 1}", "line 8: a sparse row is of pairs"),
            ("", "only a header and no sample"),
        ] {
            let told = made(&format!("{HEAD}{rows}")).unwrap_err();
            assert!(told.contains(said), "{rows}: {told}");
        }
        for (arff, said) in [
            ("a,b\n1,2\n", "line 1: \"a,b\" where @relation"),
            ("\u{130}", "where @relation"),
            ("\u{212a}\u{130}\u{212a} x", "where @relation"),
            ("@relation x\n@attribute a numeric\n", "it has no @data"),
            ("@data\n1\n", "line 1: @data before any @attribute"),
            ("@attribute a {x, y\n", "line 1: the list of values has no end"),
            ("@attribute a complex\n", "line 1: the attribute \"a\" is of the unknown type"),
            ("@attribute a relational\n", "line 1: an attribute of rows within rows"),
        ] {
            let told = made(arff).unwrap_err();
            assert!(told.contains(said), "{arff}: {told}");
        }
    }
}
