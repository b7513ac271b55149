//! What a hierarchy says against itself.

use std::ffi::{CStr, CString, c_char};

use finch_core::Warning;

use crate::caller::Caller;
use crate::guard::guard_or;
use crate::hierarchy::{HIERARCHY, finch_hierarchy};

/// What a hierarchy says against itself: the run did what it was asked to do, and its clusters
/// may mean less than they seem to.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum finch_warning {
    /// An approximate search, of samples or of the means of a partition, found fewer of the
    /// nearest neighbours than the option `recall` asks for, by more than 0.01. The message
    /// says how many.
    FINCH_WARNING_LOW_RECALL = 0,
    /// More than a quarter of the first neighbours are ties: another sample, which is not equal to
    /// the first neighbour, is exactly as near. The one of the smallest number counts, so that
    /// clusters hang on the order of the samples. The message says how many.
    FINCH_WARNING_TIES = 1,
}
use finch_warning::*;

impl finch_warning {
    const ALL: [Self; 2] = [FINCH_WARNING_LOW_RECALL, FINCH_WARNING_TIES];

    fn name(self) -> &'static CStr {
        match self {
            FINCH_WARNING_LOW_RECALL => c"FINCH_WARNING_LOW_RECALL",
            FINCH_WARNING_TIES => c"FINCH_WARNING_TIES",
        }
    }
}

/// A warning as C sees it.
pub(crate) struct Warned {
    /// A `finch_warning`, or -1 for one that C does not know yet.
    kind: i32,
    message: CString,
}

impl Warned {
    pub(crate) fn new(warning: &Warning) -> Self {
        let kind = match warning {
            Warning::LowRecall { .. } => FINCH_WARNING_LOW_RECALL as i32,
            Warning::Ties { .. } => FINCH_WARNING_TIES as i32,
            _ => -1,
        };
        Self { kind, message: CString::new(warning.to_string()).unwrap_or_default() }
    }
}

/// The number of warnings of a hierarchy; most hierarchies have none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_warning_count(hierarchy: *const finch_hierarchy) -> usize {
    let body = |caller: &Caller| Ok(caller.reference(HIERARCHY, hierarchy)?.warnings().len());
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, body) }
}

/// The `finch_warning` of a warning by its number; -1 if there is no such warning. A later
/// library may have other warnings. Of each kind the one of the finest level is first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_warning(
    hierarchy: *const finch_hierarchy,
    warning: usize,
) -> i32 {
    let body = |caller: &Caller| {
        let warnings = caller.reference(HIERARCHY, hierarchy)?.warnings();
        Ok(warnings.get(warning).map_or(-1, |warned| warned.kind))
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1, body) }
}

/// A warning as a sentence that says what was found, and what to do. Borrowed. NULL if there is
/// no such warning.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_warning_message(
    hierarchy: *const finch_hierarchy,
    warning: usize,
) -> *const c_char {
    let body = |caller: &Caller| {
        let warnings = caller.reference(HIERARCHY, hierarchy)?.warnings();
        Ok(warnings.get(warning).map_or(std::ptr::null(), |warned| warned.message.as_ptr()))
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// The name of a `finch_warning`, such as "FINCH_WARNING_LOW_RECALL", or "unknown" for a number
/// that no warning has: a string that is always valid.
#[unsafe(no_mangle)]
pub extern "C" fn finch_warning_name(warning: i32) -> *const c_char {
    let known = finch_warning::ALL.into_iter().find(|known| *known as i32 == warning);
    known.map_or(c"unknown", finch_warning::name).as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_warning_has_its_own_number_and_name() {
        assert!(finch_warning::ALL.is_sorted_by(|a, b| (*a as i32) < *b as i32));
        for warning in finch_warning::ALL {
            assert_eq!(warning.name().to_str().unwrap(), format!("{warning:?}"));
        }
    }
}
