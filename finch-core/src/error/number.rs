//! A number as people read it.

use std::fmt::{self, Display};

/// A number in the fewest digits that read back as the same number, with an exponent where the digits
/// would be more than anybody counts: Rust's own text of 1e-300 has 300 zeros.
///
/// ```
/// use finch_core::Number;
///
/// let texts = [0.1, 5.0, -0.0, 1e15, 1e16, -1e308, 2.5e-7, f64::NAN].map(|x| Number(x).to_string());
/// assert_eq!(texts.join(" "), "0.1 5 -0 1000000000000000 1e16 -1e308 2.5e-7 NaN");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(pub f64);

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(number) = *self;
        // The limits of Rust's Debug, and nearly those of Python.
        match number == 0.0 || !number.is_finite() || (1e-5..1e16).contains(&number.abs()) {
            true => write!(f, "{number}"),
            false => write!(f, "{number:e}"),
        }
    }
}
