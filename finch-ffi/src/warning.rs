//! Warnings of a hierarchy, and of predictions.

use std::ffi::c_char;
use std::fmt::{self, Display, Formatter, Write};

use finch_core::Warning;

use crate::border::enums::named;
use crate::border::message::{Warned, text_of};

/// A warning of a hierarchy, or of a call that succeeded: its result may mean less than it seems.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum finch_warning {
    /// An approximate search, of samples or of the means of a partition, found fewer of the
    /// nearest neighbours than the option `recall` asks for, by more than 0.01.
    FINCH_WARNING_LOW_RECALL = 0,
    /// More than a quarter of the first neighbours are ties: another sample, which is not equal to
    /// the first neighbour, is exactly as near. The smallest number counts, so clusters depend on
    /// the order of the samples. The message says how many.
    FINCH_WARNING_TIES = 1,
    /// Under FINCH_COSINE there are zero rows, which have no direction: they are a cluster of their
    /// own in every partition. The message says how many, and names the first.
    FINCH_WARNING_ZERO_ROWS = 2,
    /// Of a prediction under FINCH_COSINE: nothing in the model is near some new samples, zero rows
    /// where it keeps none, or others where it keeps these alone. Their labels mean nothing.
    FINCH_WARNING_NOTHING_NEAR = 3,
}
use finch_warning::*;

named!(finch_warning {
    FINCH_WARNING_LOW_RECALL,
    FINCH_WARNING_TIES,
    FINCH_WARNING_ZERO_ROWS,
    FINCH_WARNING_NOTHING_NEAR,
});

/// A warning as C sees it.
pub(crate) fn warned(warning: &Warning) -> Warned {
    warned_as(warning, warning)
}

/// The warnings of a call as C sees them: the kind of the first, and a line for each.
pub(crate) fn warned_of_call(warnings: &[Warning]) -> Option<Warned> {
    warnings.first().map(|first| warned_as(first, &Lines(warnings)))
}

/// Sentences, a line each.
struct Lines<'a, S>(&'a [S]);

impl<S: Display> Display for Lines<'_, S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (number, warning) in self.0.iter().enumerate() {
            if number > 0 {
                f.write_char('\n')?;
            }
            // In the numbers that the formatter asks for.
            warning.fmt(f)?;
        }
        Ok(())
    }
}

/// A warning with a sentence of its own.
pub(crate) fn warned_as(warning: &Warning, sentence: &impl Display) -> Warned {
    let kind = match warning {
        Warning::LowRecall { .. } => FINCH_WARNING_LOW_RECALL as i32,
        Warning::Ties { .. } => FINCH_WARNING_TIES as i32,
        Warning::ZeroRows { .. } => FINCH_WARNING_ZERO_ROWS as i32,
        Warning::NothingNear { .. } => FINCH_WARNING_NOTHING_NEAR as i32,
        _ => -1,
    };
    Warned { kind, message: text_of(sentence).unwrap_or_default() }
}

/// The name of a `finch_warning`, such as "FINCH_WARNING_LOW_RECALL", or "unknown" for a number
/// that no warning has: a string that is always valid.
#[unsafe(no_mangle)]
pub extern "C" fn finch_warning_name(warning: i32) -> *const c_char {
    finch_warning::name_of(warning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_two_warnings_has_two_lines() {
        assert_eq!(Lines(&[1.5, 2.0]).to_string(), "1.5\n2");
        assert_eq!(Lines(&["one"]).to_string(), "one");
    }

    #[test]
    fn every_warning_has_its_own_number_and_name() {
        assert!(finch_warning::ALL.is_sorted_by(|a, b| (*a as i32) < *b as i32));
        for warning in finch_warning::ALL {
            assert_eq!(warning.name().to_str().unwrap(), format!("{warning:?}"));
        }
    }
}
