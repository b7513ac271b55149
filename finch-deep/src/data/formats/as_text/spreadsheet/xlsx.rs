//! Sheets of Excel (`.xlsx`), cell by cell.

use calamine::{DataRef, ExcelDateTime, Reader, SheetType, Xlsx, XlsxError};
use finch_core::Number;

use super::archive;
use super::sheet::{Book, FORMAT, Sheet, place};
use crate::data::error::Fault;
use crate::data::error::table::TableFault;
use crate::data::formats::as_text::rows::Rows;
use crate::data::source::Seekable;
use crate::data::source::memory::Memory;

/// Milliseconds of a day.
const DAY: f64 = 86_400_000.0;

/// Reads the sheet that is wanted; by default the first of several columns, or else the first with a value.
pub(super) fn book<'m>(
    file: Box<dyn Seekable>,
    wanted: Option<&str>,
    memory: &'m Memory,
) -> Result<Book<'m>, Fault> {
    let mut book = Xlsx::new(file).map_err(fault)?;
    let sheets = book.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
    let names: Vec<String> = sheets.map(|sheet| sheet.name.clone()).collect();
    let of = |wanted: &str| place(wanted, &names).map(|at| at..at + 1);
    let looked_at = match wanted {
        Some(wanted) => of(wanted).unwrap_or(0..0),
        None => 0..names.len(),
    };
    let mut list = None;
    let mut read = None;
    for at in looked_at {
        let before = memory.taken();
        let rows = sheet(&mut book, &names[at], memory)?;
        match () {
            () if wanted.is_some() || !rows.is_empty() && !rows.is_list() => {
                read = Some((at, rows));
                break;
            }
            () if !rows.is_empty() && list.is_none() => list = Some((at, rows)),
            () => memory.settle(before),
        }
    }
    let read = read.or(list);
    let mut others = Vec::new();
    if let (Some((at, _)), None) = (&read, wanted) {
        let beside = names.iter().enumerate().filter(|(other, _)| other != at);
        others.extend(
            beside.filter(|(_, name)| has_value(&mut book, name)).map(|(_, name)| name.clone()),
        );
    }
    Ok(Book { names, read, others })
}

/// True if a sheet, which is not read, has a value.
fn has_value(book: &mut Xlsx<Box<dyn Seekable>>, name: &str) -> bool {
    let Ok(mut cells) = book.worksheet_cells_reader(name) else { return false };
    while let Ok(Some(cell)) = cells.next_cell() {
        if !text(cell.get_value()).is_empty() {
            return true;
        }
    }
    false
}

fn sheet<'m>(
    book: &mut Xlsx<Box<dyn Seekable>>,
    name: &str,
    memory: &'m Memory,
) -> Result<Rows<'m>, Fault> {
    let mut cells = book.worksheet_cells_reader(name).map_err(fault)?;
    let mut sheet = Sheet::new(memory)?;
    while let Some(cell) = cells.next_cell().map_err(fault)? {
        let (row, column) = cell.get_position();
        let text = text(cell.get_value());
        if text.is_empty() {
            // A cell without a value may have a place beyond all others.
            continue;
        }
        sheet.put(row, column, &text)?;
    }
    sheet.finish()
}

/// The text of a cell; none where it is empty, or an error such as `#DIV/0!`.
fn text(cell: &DataRef<'_>) -> String {
    match cell {
        DataRef::Empty | DataRef::Error(_) => String::new(),
        DataRef::Int(value) => value.to_string(),
        DataRef::Float(value) => Number(*value).to_string(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.trim().to_string()
        }
        DataRef::SharedString(text) => text.trim().to_string(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTime(time) => date(time),
    }
}

/// A date, a time of day or how long something took.
fn date(time: &ExcelDateTime) -> String {
    let value = time.as_f64();
    let clock = |milliseconds: f64, separator: &str| {
        let all = milliseconds.max(0.0) as u64;
        let (seconds, rest) = (all / 1000, all % 1000);
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let fraction = if rest > 0 { format!(".{rest:03}") } else { String::new() };
        format!("{separator}{hours:02}:{minutes:02}:{seconds:02}{fraction}")
    };
    if time.is_duration() || (0.0..1.0).contains(&value) {
        return clock((value * DAY).round(), "");
    }
    let (year, month, day, hour, minute, second, milli) = time.to_ymd_hms_milli();
    let seconds = (u32::from(hour) * 60 + u32::from(minute)) * 60 + u32::from(second);
    let of_day = seconds * 1000 + u32::from(milli);
    let clock = if of_day > 0 { clock(f64::from(of_day), "T") } else { String::new() };
    format!("{year:04}-{month:02}-{day:02}{clock}")
}

fn fault(error: XlsxError) -> Fault {
    match error {
        XlsxError::Io(error) => error.into(),
        XlsxError::Zip(error) => archive::fault(error),
        XlsxError::Password => TableFault::Protected.into(),
        error => Fault::malformed(FORMAT, error),
    }
}
