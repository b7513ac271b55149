//! Text whose columns are at fixed positions, as rows of fields.

use super::rows::Rows;
use crate::data::error::Fault;
use crate::data::formats::csv::aligned::Places;
use crate::data::formats::csv::encoding::Encoding;
use crate::data::formats::csv::lines::read_line;
use crate::data::source::Source;
use crate::data::source::memory::Memory;
use crate::data::source::spool::MadeText;

/// Bytes of the first lines that tell the columns, about.
const HEAD: usize = 1 << 16;

/// Splits each line at the places of the columns. Rows are on the lines of the file.
pub(super) fn text(source: Source, memory: &Memory) -> Result<MadeText, Fault> {
    let encoding = Encoding::default();
    let mut reader = encoding.recoded(source.reader(), memory)?;
    let (mut head, mut lines, mut number) = (Vec::new(), Vec::new(), 1);
    while head.len() < HEAD {
        let start = head.len();
        if read_line(&mut reader, &mut head, number, memory)? == 0 {
            break;
        }
        (number, _) = (number + 1, lines.push(start..head.len()));
    }
    let places = Places::of(&head).ok_or(Fault::NotAligned)?;
    let mut rows = Rows::new(memory)?;
    let mut write = |line: &[u8]| {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_start_matches('\u{feff}').trim_end();
        match places.fields(text) {
            _ if text.is_empty() => {}
            Some(fields) => fields.iter().try_for_each(|field| rows.field(field))?,
            None => rows.field(text.trim())?,
        }
        rows.end()
    };
    lines.into_iter().try_for_each(|line| write(&head[line]))?;
    let mut line = Vec::new();
    while read_line(&mut reader, &mut line, number, memory)? > 0 {
        write(&line)?;
        number += 1;
        line.clear();
    }
    let file = rows.finish(None)?;
    Ok(MadeText { file, header: None, notes: encoding.note().into_iter().collect() })
}
