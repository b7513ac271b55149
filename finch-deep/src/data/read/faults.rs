//! The faults of tables, put for the place where people look for them.

use std::path::Path;

use crate::data::error::Fault;
use crate::data::error::column::ColumnFault;
use crate::data::error::column_at::ColumnAt;
use crate::data::error::note::Note;
use crate::data::error::settled::{Place, SettledFault};
use crate::data::format::Format;
use crate::data::options::ReadOptions;
use crate::data::recognise::format_of;

/// True if other options on layout or columns may read the table.
pub(super) fn is_of_columns(fault: &Fault) -> bool {
    let of_table = |fault: &ColumnFault| {
        matches!(fault, ColumnFault::Words { .. } | ColumnFault::Missing { .. })
    };
    match fault {
        Fault::Column(fault) => of_table(fault),
        Fault::Transposed(fault) | Fault::Sheet { fault, .. } => is_of_columns(fault),
        Fault::Words { .. }
        | Fault::NotANumber { .. }
        | Fault::NotWritten { .. }
        | Fault::Unlike { .. }
        | Fault::MissingValue { .. }
        | Fault::ManyWords { .. }
        | Fault::Header { .. }
        | Fault::Ragged { .. }
        | Fault::Infinite { .. }
        | Fault::NoFeatures { .. } => true,
        _ => false,
    }
}

/// The fault of a table that is read as one before, where no option on columns helps.
pub(super) fn of_settled(fault: Fault) -> Fault {
    let settled = match fault {
        Fault::MissingValue { line, column, .. } => {
            SettledFault::Missing { place: Place::Line(line), column }
        }
        Fault::Words { line, column, text } => {
            SettledFault::Words { place: Place::Line(line), column, text }
        }
        Fault::Column(ColumnFault::Missing { row, column }) => {
            SettledFault::Missing { place: Place::Row(row), column }
        }
        Fault::Column(ColumnFault::Words { row, column, text }) => {
            SettledFault::Words { place: Place::Row(row), column, text }
        }
        other => return other,
    };
    settled.into()
}

/// The fault of a table, with the sheet that was read if its workbook has others.
pub(super) fn of_sheet(fault: Fault, notes: &[Note]) -> Fault {
    let sheets = notes.iter().find_map(|note| match note {
        Note::Sheets { read, others } => Some((read.clone(), others[0].clone())),
        _ => None,
    });
    match sheets {
        Some((read, other)) => Fault::Sheet { read, other, fault: Box::new(fault) },
        None => fault,
    }
}

/// The fault of a file as people look for it: of a table of columns on a row, and not on a line.
pub(super) fn placed(path: &Path, options: &ReadOptions, header: bool, fault: Fault) -> Fault {
    match format_of(path, options.format) {
        _ if options.transpose => match fault {
            fault @ Fault::Ragged { .. } => fault,
            fault if is_of_columns(&fault) => Fault::Transposed(Box::new(fault)),
            fault => fault,
        },
        Some(Format::Json) => of_rows(fault, 1 + u64::from(header)),
        Some(format) if format.is_text() => fault,
        _ => of_rows(fault, 1),
    }
}

/// The fault of a table without lines, of one whose line is the number of its row, from `first`.
fn of_rows(fault: Fault, first: u64) -> Fault {
    let row = |line: u64| line.saturating_sub(first);
    let found = match fault {
        Fault::Words { line, column, text } => ColumnFault::Words { row: row(line), column, text },
        Fault::NotANumber { line, column, text } => {
            let column = ColumnAt { position: column - 1, name: None };
            ColumnFault::Words { row: row(line), column, text }
        }
        Fault::MissingValue { line, column, .. } => ColumnFault::Missing { row: row(line), column },
        Fault::Infinite { line, column, text } => {
            ColumnFault::Infinite { row: row(line), column, text }
        }
        other => return other,
    };
    found.into()
}
