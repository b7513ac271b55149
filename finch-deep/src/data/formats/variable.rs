//! The choice of a variable of a file that holds several.

use std::collections::HashMap;

use crate::data::error::Fault;
use crate::data::matrix::dtype::Layout;

/// One variable of a `.npz` or `.mat` file.
pub(in crate::data) struct Variable {
    pub(in crate::data) name: String,
    /// The layout of the variable in the file, or why the variable cannot be read.
    pub(in crate::data) layout: Result<Layout, Fault>,
}

/// The purpose that a variable is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::data) enum Use {
    Samples,
    Labels,
}

/// The position of the variable to read: the one that is named, else the one of the usual name
/// (`X` or `y`), else the only one that fits.
///
/// Variables that fit are tried from strict to lax. MATLAB has no lists, so that a matrix of one row or
/// column counts as one.
pub(in crate::data) fn pick(
    variables: &[Variable],
    wanted: Option<&str>,
    role: Use,
) -> Result<usize, Fault> {
    let fault = || Fault::Variable {
        wanted: wanted.map(str::to_owned),
        found: variables.iter().map(|variable| variable.describe(variables.len() == 1)).collect(),
    };
    // A program that appends a variable to a file leaves there what had its name before.
    let last: HashMap<&str, usize> =
        variables.iter().enumerate().map(|(at, variable)| (variable.name.as_str(), at)).collect();
    let named = |name: &str| last.get(name).copied();
    if let Some(name) = wanted {
        return named(name).ok_or_else(fault);
    }
    let matrix = |layout: &Layout| layout.shape.len() == 2;
    let list = |layout: &Layout| match layout.shape[..] {
        [_] => true,
        [rows, columns] => rows == 1 || columns == 1,
        _ => false,
    };
    let rules: [&dyn Fn(&Layout) -> bool; 3] = match role {
        Use::Samples => [&|layout| matrix(layout) && !list(layout), &matrix, &|_| false],
        Use::Labels => [&|layout| list(layout) && layout.kind.is_integer(), &list, &matrix],
    };
    let usual = named(if role == Use::Samples { "X" } else { "y" });
    let fitting = |rule: &dyn Fn(&Layout) -> bool| -> Vec<usize> {
        let fits = |variable: &Variable| variable.layout.as_ref().is_ok_and(rule);
        let is_last = |&at: &usize| last[variables[at].name.as_str()] == at;
        (0..variables.len()).filter(is_last).filter(|&at| fits(&variables[at])).collect()
    };
    let only = || match rules.iter().map(|rule| fitting(rule)).find(|fit| !fit.is_empty())?[..] {
        [position] => Some(position),
        _ => None,
    };
    usual.or_else(only).ok_or_else(fault)
}

impl Variable {
    /// `X: float64 1077 × 77`, and for the `only` variable what to do if it is of no use.
    fn describe(&self, only: bool) -> String {
        let Self { name, layout } = self;
        match layout {
            Ok(layout) => format!("{name}: {}", layout.describe()),
            Err(Fault::Element { found }) => format!("{name}: {found}"),
            Err(Fault::Object { found, .. }) if !only => format!("{name}: {found}"),
            Err(fault) => format!("{name}: {fault}"),
        }
    }
}
