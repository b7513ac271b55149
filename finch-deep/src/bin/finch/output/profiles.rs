//! A look at the columns of the input, for people.

use comfy_table::CellAlignment;
use finch_deep::data::{ColumnProfile, Escaped, Input};

use super::summary::plain;

/// Columns that are listed. Of hundreds nobody reads all.
const LISTED: usize = 60;

/// A line for each column of a text table; nothing for an array, whose columns nobody named.
pub(crate) fn profiles(input: &Input) -> String {
    match input.feature_columns() {
        Some(_) => of_columns(input.profile()) + "\n",
        None => String::new(),
    }
}

fn of_columns(columns: &[ColumnProfile]) -> String {
    let mut table =
        plain(&["column", "kind", "distinct", "missing", "least", "mean", "largest", "deviation"]);
    for column in columns.iter().take(LISTED) {
        let name = match column.name.as_deref() {
            None | Some("") => column.column.to_string(),
            Some(name) => Escaped(name).to_string(),
        };
        let counts = [column.distinct, column.missing].map(|count| count.to_string());
        let numbers = match column.numbers {
            Some(found) => [found.least, found.mean, found.largest, found.deviation].map(short),
            None => [(); 4].map(|()| "–".to_string()),
        };
        let cells = [name, column.kind.name().into()].into_iter().chain(counts).chain(numbers);
        table.add_row(cells);
    }
    for left in [0, 1] {
        if let Some(column) = table.column_mut(left) {
            column.set_cell_alignment(CellAlignment::Left);
        }
    }
    let rest = columns.len().saturating_sub(LISTED);
    let more = if rest > 0 { format!("… and {rest} more columns\n") } else { String::new() };
    format!("{}\n{more}", table.trim_fmt())
}

/// A number in at most six digits.
pub(crate) fn short(number: f64) -> String {
    let size = number.abs();
    match () {
        () if number == 0.0 || number.fract() == 0.0 && size < 1e6 => format!("{number}"),
        () if (1e-3..1e6).contains(&size) => {
            let decimals = (4.0 - size.log10().floor()).clamp(0.0, 6.0) as usize;
            format!("{number:.decimals$}")
        }
        () => format!("{number:.3e}"),
    }
}
