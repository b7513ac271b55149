//! Rules for the clusters of `--clusters`: pairs of samples, and sizes.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use finch_core::Refine;
use finch_deep::data::{Escaped, Input};

use super::values::whole;

// The constraints on clusters. Not a doc comment: clap would make that the description of the command.
#[derive(clap::Args)]
pub(crate) struct ConstraintArgs {
    /// Pairs of samples that must be in one cluster of --clusters
    ///
    /// The file is text, a pair a line: two names, or two rows from 0, with a tab, a comma or spaces
    /// between. A model keeps the clusters, but finch extend does not keep the pairs.
    #[arg(long, value_name = "FILE", requires = "clusters")]
    must_link: Option<PathBuf>,

    /// Pairs of samples that must be in two clusters of --clusters
    #[arg(long, value_name = "FILE", requires = "clusters")]
    cannot_link: Option<PathBuf>,

    /// Least size of the clusters of --clusters (with weights a sum of weights)
    #[arg(long, value_name = "SIZE", value_parser = whole::<usize>, requires = "clusters")]
    min_size: Option<usize>,

    /// Greatest size of the clusters of --clusters
    #[arg(long, value_name = "SIZE", value_parser = whole::<usize>, requires = "clusters")]
    max_size: Option<usize>,
}

/// Rules as they were read.
pub(crate) struct Rules {
    must_link: Vec<[u32; 2]>,
    cannot_link: Vec<[u32; 2]>,
    min_size: Option<usize>,
    max_size: Option<usize>,
}

/// Pairs that cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PairError {
    #[error("{}: {source}", Escaped(path.display()))]
    Unreadable { path: PathBuf, source: io::Error },
    #[error(
        "{}, line {line}: {text:?} is no pair: write two samples, a tab, a comma or spaces between",
        Escaped(path.display())
    )]
    NoPair { path: PathBuf, line: usize, text: String },
    #[error(
        "{}, line {line}: there is no sample {text:?}: samples go by {what}",
        Escaped(path.display())
    )]
    NoSample { path: PathBuf, line: usize, text: String, what: &'static str },
    #[error("{}, line {line}: {text:?} was left out, for want of values", Escaped(path.display()))]
    LeftOut { path: PathBuf, line: usize, text: String },
}

impl ConstraintArgs {
    /// True if the least size is above the greatest.
    pub(crate) fn is_impossible(&self) -> bool {
        self.min_size.zip(self.max_size).is_some_and(|(least, greatest)| least > greatest)
    }

    /// Reads the pairs.
    pub(crate) fn read(&self, input: &Input) -> Result<Rules, PairError> {
        let samples = Numbers::of(input);
        let pairs = |path: &Option<PathBuf>| match path {
            Some(path) => samples.pairs(path),
            None => Ok(Vec::new()),
        };
        Ok(Rules {
            must_link: pairs(&self.must_link)?,
            cannot_link: pairs(&self.cannot_link)?,
            min_size: self.min_size,
            max_size: self.max_size,
        })
    }
}

impl Rules {
    /// The request for clusters that keep the rules.
    pub(crate) fn of<'r>(&'r self, refine: Refine<'r>) -> Refine<'r> {
        let refine = refine.must_link(&self.must_link).cannot_link(&self.cannot_link);
        let refine = self.min_size.map_or(refine, |size| refine.min_size(size));
        self.max_size.map_or(refine, |size| refine.max_size(size))
    }
}

/// The names of samples in a file of pairs.
struct Numbers<'i> {
    input: &'i Input,
    /// The sample of each name, if samples have names.
    of_names: Option<HashMap<&'i str, u32>>,
}

impl<'i> Numbers<'i> {
    fn of(input: &'i Input) -> Self {
        let of_names = input.names().map(|names| {
            let mut of_names = HashMap::new();
            for (sample, name) in (0..).zip(names) {
                // Of equal names the first.
                of_names.entry(name.as_str()).or_insert(sample);
            }
            of_names
        });
        Self { input, of_names }
    }

    fn pairs(&self, path: &Path) -> Result<Vec<[u32; 2]>, PairError> {
        let text = fs::read_to_string(path)
            .map_err(|source| PairError::Unreadable { path: path.into(), source })?;
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        lines.map(|(number, line)| self.pair(path, number, line)).collect()
    }

    fn pair(&self, path: &Path, line: usize, text: &str) -> Result<[u32; 2], PairError> {
        let fields: Vec<&str> = match text {
            _ if text.contains('\t') => text.split('\t').map(str::trim).collect(),
            _ if text.contains(',') => text.split(',').map(str::trim).collect(),
            _ => text.split_whitespace().collect(),
        };
        let [a, b] = fields[..] else {
            let (path, text) = (path.into(), text.into());
            return Err(PairError::NoPair { path, line, text });
        };
        Ok([self.sample(path, line, a)?, self.sample(path, line, b)?])
    }

    fn sample(&self, path: &Path, line: usize, text: &str) -> Result<u32, PairError> {
        let missing =
            |what| PairError::NoSample { path: path.into(), line, text: text.into(), what };
        if let Some(of_names) = &self.of_names {
            return of_names.get(text).copied().ok_or(missing("their names"));
        }
        let dropped = self.input.dropped();
        let rows = self.input.samples() + dropped.len();
        let row = text.parse().ok().filter(|&row: &usize| row < rows);
        let row = row.ok_or(missing("their rows, from 0"))?;
        match dropped.binary_search_by_key(&row, |dropped| dropped.row) {
            Ok(_) => Err(PairError::LeftOut { path: path.into(), line, text: text.into() }),
            Err(before) => Ok((row - before) as u32),
        }
    }
}
