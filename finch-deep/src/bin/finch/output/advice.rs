//! The columns of a table that was refused, and commands that read it.

use comfy_table::CellAlignment;
use finch_deep::data::{Advice, Escaped};

use super::shell::with_arguments;
use super::summary::plain;

/// Columns that are listed.
const LISTED: usize = 60;

/// A line for each column that is no plain number, and the commands to copy.
pub(crate) fn advice(advice: &Advice) -> String {
    let mut table = plain(&["column", "words", "missing", "for example", "with --auto"]);
    for column in advice.odd.iter().take(LISTED) {
        let counts = [column.distinct, column.missing].map(|count| count.to_string());
        let example = Escaped(&column.example).to_string();
        let title = [Escaped(&column.title).to_string()].into_iter();
        table.add_row(title.chain(counts).chain([example, Escaped(&column.part).to_string()]));
    }
    for left in [0, 3, 4] {
        if let Some(column) = table.column_mut(left) {
            column.set_cell_alignment(CellAlignment::Left);
        }
    }
    let rest = advice.odd.len().saturating_sub(LISTED);
    let more = if rest > 0 { format!("… and {rest} more columns\n") } else { String::new() };
    let listed =
        if advice.odd.is_empty() { String::new() } else { format!("{}\n", table.trim_fmt()) };
    format!(
        "{advice}\n{listed}{more}To read it so:\n  {}\nor, with every choice in sight:\n  {}",
        with_arguments(&["--auto".into()]),
        with_arguments(&advice.arguments)
    )
}
