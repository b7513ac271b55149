//! The number that messages count from: 0, or in the alternate form, `{:#}`, 1.

use std::fmt::Formatter;

/// The number that counting begins with, and what a message says of that where people may expect another one.
pub(crate) fn counted_from(f: &Formatter<'_>) -> (usize, &'static str) {
    if f.alternate() { (1, "") } else { (0, " (from 0)") }
}
