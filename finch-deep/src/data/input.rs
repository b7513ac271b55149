//! The samples of one file, or of several that are stacked.

use std::fmt;
use std::path::{Path, PathBuf};

use super::columns::prepare::{
    Lacking, Preparation, copied, drop_missing, has_missing, logged, prepare, prepare_as,
};
use super::columns::profile::{ColumnProfile, profile};
use super::columns::stacked::Stretch;
use super::columns::survey::Survey;
use super::error::column::ColumnFault;
use super::error::column_at::ColumnAt;
use super::error::note::Note;
use super::error::sparse::SparseFault;
use super::error::{Fault, ReadError};
use super::formats::csv::cells::Cells;
use super::formats::npy_mapped::Mapped;
use super::matrix::Matrix;
use super::matrix::elements::Array;
use super::matrix::logarithm::{Negative, take_logarithms};
use super::matrix::sparse_rows::SparseRows;
use super::options::ReadOptions;
use super::options::choices::{Missing, Standardize};
use super::options::feature::Feature;
use super::options::recipe::Recipe;
use super::source::memory::Memory;

/// The samples of one file, or of several that are stacked.
pub struct Input {
    /// The file, or the first of several.
    path: PathBuf,
    pub(super) storage: Storage,
    pub(super) names: Option<Vec<String>>,
    pub(super) features: Option<Vec<Feature>>,
    pub(super) cells: Option<Cells>,
    pub(super) notes: Vec<Note>,
    /// The files of tables that the samples are of.
    pub(super) stretches: Vec<Stretch>,
    dropped: Vec<Dropped>,
    /// The numbers of the rows that samples without names are of, where others were left out.
    rows: Option<Vec<String>>,
    /// Of a table: the number of all columns, and whether a header names them.
    pub(super) table: Option<(usize, bool)>,
    /// Of a table: the name of the column that was taken for that of names.
    pub(super) likely_names: Option<String>,
    /// The look at the table by which its options were chosen, and these.
    pub(super) survey: Option<Box<Survey>>,
    pub(super) chosen: Option<Box<ReadOptions>>,
    profile: Vec<ColumnProfile>,
    preparation: Option<Preparation>,
}

/// A sample that was left out, since it has a missing value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// The row that it would have been.
    pub row: usize,
    /// Its name, if samples have names.
    pub name: Option<String>,
}

/// Where samples are.
pub(super) enum Storage {
    Read(Array),
    Mapped(Mapped),
    Sparse(SparseRows),
}

impl Input {
    pub(super) fn new(path: &Path, storage: Storage) -> Self {
        Self {
            path: path.into(),
            storage,
            names: None,
            features: None,
            cells: None,
            notes: Vec::new(),
            stretches: Vec::new(),
            dropped: Vec::new(),
            rows: None,
            table: None,
            likely_names: None,
            survey: None,
            chosen: None,
            profile: Vec::new(),
            preparation: None,
        }
    }

    /// Looks at the columns, and does what the options say about missing values and scales.
    pub(super) fn prepare(&mut self, options: &ReadOptions, memory: &Memory) -> Result<(), Fault> {
        if let Storage::Sparse(rows) = &mut self.storage {
            expect_left_alone(rows, options)?;
            let log = options.recipe.as_ref().map_or(options.log, Recipe::takes_logarithms);
            return if log { rows.take_logarithms() } else { Ok(()) };
        }
        if options.profile {
            self.profile = profile(&self.matrix(), self.features.as_deref());
        }
        let lacks = has_missing(&self.matrix());
        if let Some(recipe) = &options.recipe {
            return self.prepare_as(recipe, lacks, memory);
        }
        let given = options.missing.unwrap_or_default();
        let missing = match given {
            _ if lacks => given,
            // The numbers that stand for missing values are kept, since later samples may have some.
            Missing::Mean | Missing::Median if matches!(self.storage, Storage::Read(_)) => given,
            _ => Missing::Error,
        };
        let standardize = options.standardize.unwrap_or_default();
        let (scaled, log) = (standardize != Standardize::None, options.log);
        if missing == Missing::Error && !scaled && !log {
            return Ok(());
        }
        let mut array = self.plain(scaled || log, memory)?;
        match missing {
            Missing::Drop => self.drop_missing(&mut array, Lacking::Any, memory)?,
            // Of one feature, to fill it is what was asked for.
            Missing::Mean | Missing::Median if lacks && array.shape[1] > 1 => {
                self.drop_missing(&mut array, Lacking::All, memory)?;
            }
            _ => {}
        }
        let of_log = match log {
            true => logged(self.features.as_deref(), array.shape[1]),
            false => vec![false; array.shape[1]],
        };
        self.take_logarithms(&mut array, &of_log)?;
        let features = self.features.as_deref();
        let (mut preparation, note) = prepare(&mut array, features, missing, standardize)?;
        self.notes.extend(note);
        preparation.log = of_log;
        self.preparation = Some(preparation);
        self.storage = Storage::Read(array);
        Ok(())
    }

    /// Does what was done to other samples.
    fn prepare_as(&mut self, recipe: &Recipe, lacks: bool, memory: &Memory) -> Result<(), Fault> {
        recipe.expect_features(self.features())?;
        let fills = lacks && recipe.missing() != Missing::Error;
        let log = recipe.takes_logarithms();
        if !recipe.scales() && !fills && !log {
            return Ok(());
        }
        let mut array = self.plain(recipe.scales() || log, memory)?;
        if lacks && recipe.missing() == Missing::Drop {
            self.drop_missing(&mut array, Lacking::Any, memory)?;
        }
        let preparation = recipe.preparation();
        self.take_logarithms(&mut array, &preparation.log)?;
        let filled = prepare_as(&mut array, self.features.as_deref(), &preparation);
        let by = recipe.missing().name();
        self.notes.extend((filled > 0).then_some(Note::Filled { filled, by }));
        self.preparation = Some(preparation);
        self.storage = Storage::Read(array);
        Ok(())
    }

    /// Takes the logarithms of some features.
    fn take_logarithms(&self, array: &mut Array, logged: &[bool]) -> Result<(), Fault> {
        if !logged.contains(&true) {
            return Ok(());
        }
        take_logarithms(array, logged).map_err(|Negative { row, column, value }| {
            let feature = self.features.as_ref().map(|features| &features[column]);
            let column = ColumnAt {
                position: feature.map_or(column, |feature| feature.column),
                name: feature.and_then(|feature| feature.name.clone()),
            };
            let line = self.line(row).filter(|(path, _)| *path == self.path).map(|(_, line)| line);
            let row = self.row(row);
            ColumnFault::Negative { row: row as u64, line, column, value }.into()
        })
    }

    /// Takes the samples out as an array of row after row, of elements that hold scaled values if there
    /// are to be some.
    fn plain(&mut self, scaled: bool, memory: &Memory) -> Result<Array, Fault> {
        let bytes = self.bytes();
        match std::mem::replace(&mut self.storage, Storage::Read(Array::empty())) {
            Storage::Read(array) if array.is_plain(scaled) => Ok(array),
            other => {
                self.storage = other;
                let array = copied(&self.matrix(), scaled, memory)?;
                self.expect_unchanged().map_err(|error| error.fault)?;
                memory.give_back(bytes);
                Ok(array)
            }
        }
    }

    /// Leaves out the samples that lack values.
    fn drop_missing(
        &mut self,
        array: &mut Array,
        lacking: Lacking,
        memory: &Memory,
    ) -> Result<(), Fault> {
        let (dropped, kept) = (drop_missing(array, lacking, memory)?, array.shape[0]);
        let (count, of) = (dropped.len(), kept + dropped.len());
        self.notes.extend(match lacking {
            Lacking::Any => Some(Note::Dropped { dropped: count, of }),
            Lacking::All => (count > 0).then_some(Note::Empty { dropped: count, of }),
        });
        self.leave_out(&dropped, kept);
        Ok(())
    }

    /// Of text: the number of all columns, and whether a header names them.
    pub(super) fn table(&self) -> Option<(usize, bool)> {
        self.table
    }

    /// Takes the names of dropped samples out of those of the `kept` others, or names these by their rows.
    fn leave_out(&mut self, rows: &[usize], kept: usize) {
        self.dropped = rows.iter().map(|&row| Dropped { row, name: None }).collect();
        let Some(names) = self.names.take() else {
            let titles = || self.rows_of(kept).map(|row| row.to_string()).collect();
            self.rows = (!rows.is_empty()).then(titles);
            return;
        };
        let (mut dropped, mut kept) = (self.dropped.iter_mut().peekable(), Vec::new());
        for (row, name) in names.into_iter().enumerate() {
            match dropped.next_if(|dropped| dropped.row == row) {
                Some(dropped) => dropped.name = Some(name),
                None => kept.push(name),
            }
        }
        self.names = Some(kept);
    }

    /// The samples: N rows × d columns, in the type and the order of the file.
    ///
    /// # Panics
    /// For sparse samples, which there are only where [`ReadOptions::sparse`] asked for them.
    pub fn matrix(&self) -> Matrix<'_> {
        match &self.storage {
            Storage::Read(array) => array.matrix(),
            Storage::Mapped(mapped) => mapped.matrix(),
            Storage::Sparse(_) => panic!("sparse samples have no matrix of all values"),
        }
    }

    /// The samples, where they are sparse.
    pub fn sparse(&self) -> Option<&SparseRows> {
        match &self.storage {
            Storage::Sparse(rows) => Some(rows),
            Storage::Read(_) | Storage::Mapped(_) => None,
        }
    }

    pub(super) fn is_sparse(&self) -> bool {
        self.sparse().is_some()
    }

    /// The number of samples, N.
    pub fn samples(&self) -> usize {
        self.sparse().map_or_else(|| self.matrix().shape()[0], SparseRows::samples)
    }

    /// The number of features, d.
    pub fn features(&self) -> usize {
        self.sparse().map_or_else(|| self.matrix().shape()[1], SparseRows::features)
    }

    /// The names of the samples, if every file has some.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// The words by which people call the samples: their names; or the numbers of their rows from 0, where rows were left out.
    /// `None`: the number of each sample is that of its row.
    pub fn titles(&self) -> Option<&[String]> {
        self.names().or(self.rows.as_deref())
    }

    /// The features, of a text table: the columns that they are of, in the order of the samples'
    /// columns.
    pub fn feature_columns(&self) -> Option<&[Feature]> {
        self.features.as_deref()
    }

    /// The fields of the table, if [`ReadOptions::keep_cells`] asked for them.
    pub fn cells(&self) -> Option<&Cells> {
        self.cells.as_ref()
    }

    /// The notes on findings that may not be meant so, and on the treatment of missing values.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// A look at each column, before missing values and scales were seen to, if
    /// [`ReadOptions::profile`] asked for it.
    pub fn profile(&self) -> &[ColumnProfile] {
        &self.profile
    }

    /// The look at the table by which its options were chosen, where [`ReadOptions::auto`] asked for it.
    pub fn survey(&self) -> Option<&Survey> {
        self.survey.as_deref()
    }

    /// The options that the samples were read with: those that were chosen by a look at the table, or those
    /// that were given.
    pub fn options<'o>(&'o self, given: &'o ReadOptions) -> &'o ReadOptions {
        self.chosen.as_deref().unwrap_or(given)
    }

    /// The treatment of missing values and scales, if there was any.
    pub fn preparation(&self) -> Option<&Preparation> {
        self.preparation.as_ref()
    }

    /// The samples that were left out for their missing values, by their rows.
    pub fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    /// The file and the line, from 1, that a sample of text is on; none for a sample of other files.
    pub fn line(&self, sample: usize) -> Option<(&Path, u64)> {
        let row = self.row(sample);
        let stretch = self.stretches.iter().rev().find(|stretch| stretch.start <= row)?;
        let row = row - stretch.start;
        let (start, line) = stretch.breaks.iter().rev().find(|(start, _)| *start <= row)?;
        Some((&stretch.path, line + (row - start) as u64))
    }

    /// The row of a sample, from 0, where those that were left out count, too.
    pub fn row(&self, sample: usize) -> usize {
        self.dropped.iter().fold(sample, |row, dropped| row + usize::from(dropped.row <= row))
    }

    /// The row of each sample, as [`Input::row`] counts them.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        self.rows_of(self.samples())
    }

    /// The rows of so many samples.
    fn rows_of(&self, samples: usize) -> impl Iterator<Item = usize> {
        let mut dropped = self.dropped.iter().map(|dropped| dropped.row).peekable();
        let all = 0..samples + self.dropped.len();
        all.filter(move |row| dropped.next_if_eq(row).is_none())
    }

    /// The bytes of memory that samples and names take; those of a mapped file are the system's.
    pub(super) fn bytes(&self) -> u64 {
        let elements = match &self.storage {
            Storage::Read(array) => array.bytes(),
            Storage::Mapped(_) => 0,
            Storage::Sparse(rows) => rows.bytes(),
        };
        let names = self.names.iter().flatten();
        let cells = self.cells.as_ref().map_or(0, Cells::size);
        elements
            + cells
            + names.map(|name| (size_of::<String>() + name.capacity()) as u64).sum::<u64>()
    }

    /// The file that the samples are of, or the first of several.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if the samples lie in a mapped file and not in memory of their own.
    pub fn is_mapped(&self) -> bool {
        matches!(self.storage, Storage::Mapped(_))
    }

    /// Checks that the samples are still those that were read. The samples of a mapped file are not
    /// if the file was changed or cut meanwhile. A result computed from them then belongs to no one
    /// state of the file: whoever keeps a result checks first.
    ///
    /// # Errors
    /// [`Fault::Changed`], or [`Fault::Unreadable`] if the system does not tell.
    pub fn expect_unchanged(&self) -> Result<(), ReadError> {
        let unchanged = match &self.storage {
            Storage::Read(_) | Storage::Sparse(_) => Ok(()),
            Storage::Mapped(mapped) => mapped.expect_unchanged(),
        };
        unchanged.map_err(|fault| ReadError::new(&self.path, fault))
    }

    /// Tells the system that the samples will be read in any order from here on, as clustering and
    /// training do. That matters where they are mapped and more than fit in memory: systems read
    /// 128 kB to several MB around each row otherwise. A first look at all, which reads them in
    /// order, is best taken before: it is several times slower afterwards.
    pub fn expect_any_order(&self) {
        // In a file of column after column, rows have no pages of their own.
        if let Storage::Mapped(mapped) = &self.storage
            && mapped.matrix().is_row_major()
        {
            mapped.expect_any_order();
        }
    }
}

/// Checks that nothing is to be done with sparse samples that would fill in what they leave out.
fn expect_left_alone(rows: &SparseRows, options: &ReadOptions) -> Result<(), Fault> {
    let refused = |option| Err(SparseFault::NeedsDense { option }.into());
    let (missing, scales) = match &options.recipe {
        None => (
            options.missing.unwrap_or_default() != Missing::Error,
            options.standardize.unwrap_or_default() != Standardize::None,
        ),
        Some(recipe) => {
            recipe.expect_features(rows.features())?;
            (recipe.missing() != Missing::Error && rows.has_missing(), recipe.scales())
        }
    };
    match (missing, scales) {
        (true, _) => refused("missing"),
        (_, true) => refused("standardize"),
        _ => Ok(()),
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Input");
        match self.sparse() {
            Some(rows) => shown.field("sparse", rows),
            None => shown.field("matrix", &self.matrix()),
        };
        shown.field("names", &self.names).finish()
    }
}
