//! Text whose columns are at fixed positions, as rows of fields.

use super::rows::Rows;
use crate::data::error::Fault;
use crate::data::formats::csv::encoding::Encoding;
use crate::data::formats::csv::layout::aligned::{CROSSING, LINES, Places};
use crate::data::formats::csv::layout::start;
use crate::data::formats::csv::lines::read_line;
use crate::data::formats::csv::remarks::is_of_print;
use crate::data::source::Source;
use crate::data::source::memory::Memory;
use crate::data::source::spool::{LONGEST_LINE, MadeText};

/// Splits each line at the places of the columns, which the first lines tell behind those to skip. Rows are on the lines
/// of the file.
pub(super) fn text(source: Source, skip: usize, memory: &Memory) -> Result<MadeText, Fault> {
    let encoding = Encoding::default();
    let mut reader = encoding.recoded(source.reader(), memory)?;
    let (mut head, mut ends, mut number) = (Vec::new(), Vec::new(), 1);
    while ends.len() < skip + 2 * LINES && head.len() < LONGEST_LINE {
        if read_line(&mut reader, &mut head, number, memory)? == 0 {
            break;
        }
        number += 1;
        ends.push(head.len());
    }
    let (_, _, begins) = start(&head, skip);
    let places = Places::of(&head[begins..]).ok_or(Fault::NotAligned)?;
    let mut rows = Rows::new(memory)?;
    let (mut split, mut crossing) = (0_u64, 0_u64);
    let mut write = |line: &[u8], is_above: bool| {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_start_matches('\u{feff}').trim_end();
        match places.fields(text) {
            _ if text.is_empty() || is_above || is_of_print(line) => {}
            Some(fields) => {
                split += 1;
                fields.iter().try_for_each(|field| rows.field(field))?;
            }
            None => {
                crossing += 1;
                rows.field(text.trim())?;
            }
        }
        rows.end()
    };
    let mut before = 0;
    for end in ends {
        write(&head[before..end], end <= begins)?;
        before = end;
    }
    let mut line = Vec::new();
    while read_line(&mut reader, &mut line, number, memory)? > 0 {
        write(&line, false)?;
        number += 1;
        line.clear();
    }
    if crossing as f64 > 1.0 + CROSSING * (split + crossing) as f64 {
        return Err(Fault::NotAligned);
    }
    let file = rows.finish(None)?;
    Ok(MadeText { file, header: None, notes: encoding.note().into_iter().collect() })
}
