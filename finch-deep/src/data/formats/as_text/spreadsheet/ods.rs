//! Sheets of OpenDocument (`.ods`), cell by cell.
//!
//! calamine makes lists of all cells of all sheets, and of cells as often as they are repeated: the memory for
//! them has no bound that a reader can know before.

use std::io::{BufRead, BufReader};

use finch_core::Number;
use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;

use super::archive;
use super::sheet::{Book, FORMAT, MOST_ROWS, Sheet, misplaced, place};
use crate::data::error::Fault;
use crate::data::formats::as_text::guard::{Guard, Guarded};
use crate::data::formats::as_text::rows::Rows;
use crate::data::source::Seekable;
use crate::data::source::memory::Memory;

/// Reads the sheet that is wanted; by default the first of several columns, or else the first with a value.
pub(super) fn book<'m>(
    mut file: Box<dyn Seekable>,
    wanted: Option<&str>,
    memory: &'m Memory,
) -> Result<Book<'m>, Fault> {
    let names = match wanted {
        None => Vec::new(),
        // A number is one of all sheets, of which the file has no list.
        Some(_) => Content::open(&mut file, memory, |content| {
            let mut names = Vec::new();
            while let Some(name) = content.next_sheet()? {
                memory.take(name.len() as u64)?;
                names.push(name);
            }
            Ok(names)
        })?,
    };
    let at = wanted.map(|wanted| place(wanted, &names));
    if at == Some(None) {
        return Ok(Book { names, read: None, others: Vec::new() });
    }
    Content::open(&mut file, memory, |content| {
        let (mut names, mut others) = (Vec::new(), Vec::new());
        let (mut list, mut read) = (None::<(usize, Rows<'m>)>, None);
        while let Some(name) = content.next_sheet()? {
            memory.take(name.len() as u64)?;
            names.push(name);
            let place = names.len() - 1;
            if at.is_some_and(|at| at != Some(place)) {
                continue;
            }
            let before = memory.taken();
            let rows = content.sheet(memory)?;
            if at.is_some() || !rows.is_empty() && !rows.is_list() {
                read = Some((place, rows));
                break;
            }
            let has_value = !rows.is_empty();
            if has_value && list.is_none() {
                list = Some((place, rows));
            } else {
                others.extend(has_value.then(|| names[place].clone()));
                memory.settle(before);
            }
        }
        if let (Some((place, _)), Some(_)) = (&list, &read) {
            others.insert(0, names[*place].clone());
        }
        if read.is_some() && wanted.is_none() {
            // A later sheet that cannot be read is none that is missed.
            while let Ok(Some(name)) = content.next_sheet()
                && let Ok(has_value) = content.has_value()
            {
                others.extend(has_value.then_some(name));
            }
        }
        let read = read.or(list);
        Ok(Book { names, read, others })
    })
}

/// The content of a file, event by event.
struct Content<'g, 'm, R> {
    xml: Reader<R>,
    guard: &'g Guard<'m>,
    buffer: Vec<u8>,
}

impl Content<'_, '_, ()> {
    /// Opens the content, and reads of it.
    fn open<'m, T>(
        file: &mut Box<dyn Seekable>,
        memory: &'m Memory,
        read: impl FnOnce(&mut Content<'_, 'm, &mut dyn BufRead>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut archive = ZipArchive::new(file).map_err(archive::fault)?;
        let part = archive.by_name("content.xml").map_err(archive::fault)?;
        let guard = Guard::new(memory);
        let mut reader = BufReader::with_capacity(1 << 16, Guarded { reader: part, guard: &guard });
        let mut xml = Reader::from_reader(&mut reader as &mut dyn BufRead);
        xml.config_mut().expand_empty_elements = true;
        let read = read(&mut Content { xml, guard: &guard, buffer: Vec::new() });
        guard.ended();
        read
    }
}

impl<R: BufRead> Content<'_, '_, R> {
    fn next(&mut self) -> Result<Event<'_>, Fault> {
        self.guard.ended();
        self.buffer.clear();
        let read = self.xml.read_event_into(&mut self.buffer);
        read.map_err(|error| match self.guard.fault() {
            Some(fault) => fault,
            None => Fault::malformed(FORMAT, error),
        })
    }

    /// The name of the next sheet; none behind the last.
    fn next_sheet(&mut self) -> Result<Option<String>, Fault> {
        loop {
            match self.next()? {
                Event::Start(start) if is(&start, "table:table") => {
                    return Ok(Some(value(&start, "table:name")?.unwrap_or_default()));
                }
                Event::Eof => return Ok(None),
                _ => {}
            }
        }
    }

    /// The rows of the sheet, if it has a value.
    fn sheet<'m>(&mut self, memory: &'m Memory) -> Result<Rows<'m>, Fault> {
        let mut sheet = Sheet::new(memory)?;
        let (mut row, mut repeats, mut column) = (0_u32, 1, 0_u32);
        // The cells of the row that have a value, and how often each is repeated.
        let mut cells: Vec<(u32, u32, String)> = Vec::new();
        loop {
            match self.next()? {
                Event::Start(start) if is(&start, "table:table-row") => {
                    repeats = count(&start, "table:number-rows-repeated")?;
                    column = 0;
                    cells.clear();
                }
                Event::Start(start)
                    if is(&start, "table:table-cell") || is(&start, "table:covered-table-cell") =>
                {
                    let times = count(&start, "table:number-columns-repeated")?;
                    let typed = typed(&start)?;
                    let name = if is(&start, "table:table-cell") {
                        "table:table-cell"
                    } else {
                        "table:covered-table-cell"
                    };
                    let shown = self.shown(name)?;
                    let text = typed.unwrap_or(shown);
                    let end = column.saturating_add(times);
                    if !text.is_empty() {
                        memory.take(text.len() as u64)?;
                        memory.push(&mut cells, (column, end, text))?;
                    }
                    column = end;
                }
                Event::End(end) if end.name().as_ref() == "table:table-row" => {
                    let rows = if cells.is_empty() { 0 } else { repeats };
                    for at in row..row.saturating_add(rows) {
                        if at >= MOST_ROWS {
                            return Err(misplaced(at, 0));
                        }
                        for (start, end, text) in &cells {
                            for column in *start..*end {
                                sheet.put(at, column, text)?;
                            }
                        }
                    }
                    let texts = cells.iter().map(|(_, _, text)| text.len() as u64);
                    memory.give_back(texts.sum());
                    cells.clear();
                    row = row.saturating_add(repeats);
                }
                Event::End(end) if end.name().as_ref() == "table:table" => return sheet.finish(),
                Event::Eof => return Err(Fault::malformed(FORMAT, "a sheet has no end")),
                _ => {}
            }
        }
    }

    /// True if the sheet, which is not read, has a value. Its end is found by the next one.
    fn has_value(&mut self) -> Result<bool, Fault> {
        loop {
            match self.next()? {
                Event::Start(start) if is(&start, "table:table-cell") => {
                    let typed = typed(&start)?;
                    let shown = self.shown("table:table-cell")?;
                    if !typed.unwrap_or(shown).is_empty() {
                        return Ok(true);
                    }
                }
                Event::End(end) if end.name().as_ref() == "table:table" => return Ok(false),
                Event::Eof => return Err(Fault::malformed(FORMAT, "a sheet has no end")),
                _ => {}
            }
        }
    }

    /// The text that a cell shows, and its end.
    fn shown(&mut self, cell: &str) -> Result<String, Fault> {
        let (mut text, mut paragraphs, mut notes) = (String::new(), 0, 0_u32);
        loop {
            match self.next()? {
                Event::Start(start) if is(&start, "office:annotation") => notes += 1,
                Event::End(end) if end.name().as_ref() == "office:annotation" => {
                    notes = notes.saturating_sub(1);
                }
                Event::End(end) if end.name().as_ref() == cell => return Ok(text.trim().into()),
                Event::Eof => return Err(Fault::malformed(FORMAT, "a cell has no end")),
                _ if notes > 0 => {}
                Event::Start(start) if is(&start, "text:p") => {
                    paragraphs += 1;
                    if paragraphs > 1 {
                        text.push(' ');
                    }
                }
                Event::Start(start)
                    if is(&start, "text:s")
                        || is(&start, "text:tab")
                        || is(&start, "text:line-break") =>
                {
                    text.push(' ');
                }
                Event::Text(part) => text.push_str(&part.xml10_content()),
                Event::CData(part) => text.push_str(&part.xml10_content()),
                Event::GeneralRef(reference) => {
                    if let Ok(Some(character)) = reference.resolve_char_ref() {
                        text.push(character);
                    } else {
                        let name = reference.xml10_content();
                        text.push_str(resolve_predefined_entity(&name).unwrap_or_default());
                    }
                }
                _ => {}
            }
            if text.len() > LONGEST_TEXT {
                let reason = format!("the text of a cell is longer than {LONGEST_TEXT} bytes");
                return Err(Fault::malformed(FORMAT, reason));
            }
        }
    }
}

/// Bytes of the text of a cell: Excel has 32,767 characters.
const LONGEST_TEXT: usize = 16 << 20;

fn is(start: &BytesStart<'_>, name: &str) -> bool {
    start.name().as_ref() == name
}

/// The value of an attribute.
fn value(start: &BytesStart<'_>, name: &str) -> Result<Option<String>, Fault> {
    let unsound = |error: &dyn std::fmt::Display| Fault::malformed(FORMAT, error.to_string());
    let found = start.try_get_attribute(name).map_err(|error| unsound(&error))?;
    found
        .map(|found| {
            let text = found.normalized_value(quick_xml::XmlVersion::Implicit1_0);
            text.map(std::borrow::Cow::into_owned).map_err(|error| unsound(&error))
        })
        .transpose()
}

/// The number of times that a row or a cell is repeated.
fn count(start: &BytesStart<'_>, name: &str) -> Result<u32, Fault> {
    match value(start, name)? {
        None => Ok(1),
        Some(text) => text.parse().map_err(|_| {
            Fault::malformed(FORMAT, format!("{name} is {text:?}, and no whole number"))
        }),
    }
}

/// The value of a cell that is of a type; none of a text, which the cell shows. An error is no value.
fn typed(start: &BytesStart<'_>) -> Result<Option<String>, Fault> {
    let of = |name: &str| value(start, name);
    if of("calcext:value-type")?.as_deref() == Some("error") {
        return Ok(Some(String::new()));
    }
    Ok(match of("office:value-type")?.as_deref() {
        // Cells without a type may show a text, and are empty all the same.
        None => Some(String::new()),
        Some("float" | "percentage" | "currency") => {
            let text = of("office:value")?.unwrap_or_default();
            Some(text.parse().map_or(text, |value| Number(value).to_string()))
        }
        Some("boolean") => of("office:boolean-value")?,
        Some("date") => of("office:date-value")?.map(|text| match text.strip_suffix("T00:00:00") {
            Some(day) => day.to_string(),
            None => text,
        }),
        Some("time") => of("office:time-value")?.map(|text| clock(&text).unwrap_or(text)),
        Some(_) => of("office:string-value")?.filter(|text| !text.is_empty()),
    })
}

/// `PT12H30M15S` as `12:30:15`.
fn clock(text: &str) -> Option<String> {
    let (hours, rest) = text.strip_prefix("PT")?.split_once('H')?;
    let (minutes, rest) = rest.split_once('M')?;
    let seconds = rest.strip_suffix('S')?.replace(',', ".");
    let all = [hours, minutes, &seconds].iter().all(|part| part.parse::<f64>().is_ok());
    all.then(|| format!("{hours:0>2}:{minutes:0>2}:{seconds:0>2}"))
}
