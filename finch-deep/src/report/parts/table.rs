//! Tables of numbers that fit a phone, where each row of many columns becomes a list of names and values.

use maud::{Markup, html};

/// The title of a column, and the class of its cells: `text` is aligned to the left, `bar` is left out
/// on a phone. The cells of the first column name their rows.
pub(in crate::report) struct Column {
    pub(in crate::report) name: &'static str,
    pub(in crate::report) class: Option<&'static str>,
}

/// A column of numbers.
pub(in crate::report) fn numbers(name: &'static str) -> Column {
    Column { name, class: None }
}

/// The most columns that a phone shows side by side.
const MOST: usize = 5;

/// The table.
pub(in crate::report) fn table(
    columns: &[Column],
    rows: impl Iterator<Item = Vec<Markup>>,
) -> Markup {
    let narrow = columns.iter().filter(|column| column.class != Some("bar")).count() <= MOST;
    html! {
        table.numbers.list[!narrow] {
            thead { tr {
                @for column in columns {
                    @if column.name.is_empty() { td class=[column.class] {} }
                    @else { th scope="col" class=[column.class] { (column.name) } }
                }
            } }
            tbody { @for row in rows { tr {
                @for (place, (column, cell)) in columns.iter().zip(row).enumerate() {
                    @if place == 0 {
                        th scope="row" data-label=(column.name) { (cell) }
                    } @else {
                        td class=[column.class] data-label=(column.name) { (cell) }
                    }
                }
            } } }
        }
    }
}
