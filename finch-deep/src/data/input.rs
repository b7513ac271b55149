//! Reading samples, from one file or from several that are stacked.

use std::fmt;
use std::path::{Path, PathBuf};

use super::cells::Cells;
use super::choices::{Missing, Standardize};
use super::csv::Raw;
use super::elements::{Array, Elements};
use super::error::{Fault, ReadError};
use super::feature::Feature;
use super::features::{Featured, featured};
use super::format::Format;
use super::guard::guarded;
use super::mapped::Mapped;
use super::matrix::{Kept, Matrix};
use super::memory::Memory;
use super::note::Note;
use super::options::ReadOptions;
use super::prepare::{Preparation, copied, drop_missing, has_missing, prepare, prepare_as};
use super::profile::{ColumnProfile, profile, scales};
use super::recipe::Recipe;
use super::source::{STANDARD_INPUT, Source};
use super::stacked::Stretch;
use super::{csv, idx, mat, npy, npz};

/// The samples of one file, or of several that are stacked.
pub struct Input {
    /// The file, or the first of several.
    path: PathBuf,
    storage: Storage,
    names: Option<Vec<String>>,
    features: Option<Vec<Feature>>,
    cells: Option<Cells>,
    notes: Vec<Note>,
    /// The files of text that the samples are of.
    stretches: Vec<Stretch>,
    dropped: Vec<Dropped>,
    /// Of text: the number of all columns, and whether a header names them.
    table: Option<(usize, bool)>,
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
enum Storage {
    Read(Array),
    Mapped(Mapped),
}

/// Reads the samples of one file, or of several stacked in this order.
///
/// Stacked files must have as many features each; elements are widened, exactly, to the widest
/// type among them. The result has names if all files have. A single file is not copied: an
/// uncompressed `.npy` of 64 MiB or more is mapped into memory, and must then not be changed or
/// cut while the samples are in use: [`Input::expect_unchanged`] tells.
///
/// # Errors
/// [`ReadError`] names the file; its [`Fault`] tells what is wrong with it and where. An option that
/// serves none of the files is an error of the first.
pub fn read(paths: &[impl AsRef<Path>], options: &ReadOptions) -> Result<Input, ReadError> {
    options.expect_useful(paths)?;
    let of_recipe = options.recipe.as_ref().map(|recipe| recipe.options(options));
    let options = of_recipe.as_ref().unwrap_or(options);
    let memory = Memory::new(options.memory_limit);
    let of = |path: &Path| options.format.or_else(|| Format::of(path));
    let all_text = paths.iter().all(|path| of(path.as_ref()) == Some(Format::Text));
    let no_input = || ReadError::new(Path::new(""), Fault::NoInput);
    let first = paths.first().ok_or_else(no_input)?.as_ref();
    let mut input = match all_text {
        true => read_text(paths, options, &memory)?,
        false => {
            let mut inputs = Vec::with_capacity(paths.len());
            for path in paths {
                let before = memory.taken();
                let input = read_one(path.as_ref(), options, &memory)?;
                memory.settle(before + input.bytes());
                inputs.push((path.as_ref(), input));
            }
            match inputs.len() {
                1 => inputs.remove(0).1,
                _ => stack(inputs, &memory)
                    .map_err(|(path, fault)| ReadError::new(path.unwrap_or(first), fault))?,
            }
        }
    };
    input.prepare(options, &memory).map_err(|fault| ReadError::new(first, fault))?;
    Ok(input)
}

fn read_one(path: &Path, options: &ReadOptions, memory: &Memory) -> Result<Input, ReadError> {
    let format = options.format.or_else(|| Format::of(path));
    if format == Some(Format::Text) {
        return read_text(&[path], options, memory);
    }
    let variable = options.variable.as_deref();
    let storage = guarded(path, |path| {
        // There is no use in waiting for what comes.
        if format.is_none() && path == Path::new(STANDARD_INPUT) {
            return Err(Fault::UnknownExtension);
        }
        let source = Source::open(path)?;
        Ok(match format.ok_or(Fault::UnknownExtension)? {
            Format::Npy => match Mapped::open(&source)? {
                Some(mapped) => Storage::Mapped(mapped),
                None => Storage::Read(npy::samples(source, memory)?),
            },
            Format::Npz => Storage::Read(npz::samples(source, variable, memory)?),
            Format::Mat => Storage::Read(mat::samples(source, variable, memory)?),
            Format::Idx => Storage::Read(idx::samples(source, memory)?),
            Format::Text => unreachable!("text was read above"),
        })
    })?;
    Ok(Input::new(path, storage))
}

/// Reads text tables as one, so that the words of a column are the same in all of them.
fn read_text(
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
    memory: &Memory,
) -> Result<Input, ReadError> {
    let (mut all, mut stretches, mut notes) = (None::<Raw>, Vec::new(), Vec::new());
    let first = paths[0].as_ref();
    for (file, path) in paths.iter().enumerate() {
        let path = path.as_ref();
        let note = guarded(path, |path| {
            let mut raw = csv::read(Source::open(path)?, options, memory)?;
            let start = all.as_ref().map_or(0, |all| all.rows.rows);
            stretches.push(raw.stretch(path, start));
            let Some(all) = &mut all else {
                all = Some(raw);
                return Ok(None);
            };
            let [expected, found] = [&all.plan, &raw.plan].map(|plan| plan.features().count());
            if expected != found {
                let other = first.to_path_buf();
                return Err(Fault::ColumnCount { what: "features", found, expected, other });
            }
            all.stack(raw, file, path, memory)
        });
        notes.extend(note?);
    }
    let mut raw = all.expect("one file at least was read");
    let at = |(file, fault)| {
        let path: &Path = paths.get(file).map_or(first, AsRef::as_ref);
        ReadError::new(path, fault)
    };
    let made = match options.recipe.as_ref().filter(|recipe| recipe.is_of_table()) {
        Some(recipe) => recipe.featured(&mut raw, options, memory),
        None => featured(&mut raw, options, memory),
    };
    let Featured { array, features, notes: found } = made.map_err(at)?;
    let mut input = Input::new(first, Storage::Read(array));
    if options.standardize == Standardize::None && options.recipe.is_none() {
        notes.extend(scales(&input.matrix(), &features));
    }
    input.notes = found.into_iter().chain(notes).collect();
    input.names = raw.plan.name.map(|_| raw.rows.names);
    input.table = Some((raw.plan.parts.len(), raw.plan.header.is_some()));
    input.features = Some(features);
    input.cells = options.keep_cells.then_some(raw.rows.cells);
    input.stretches = stretches;
    Ok(input)
}

/// Puts inputs below each other. Errors name the path of the input at fault, or all paths.
fn stack<'a>(
    inputs: Vec<(&'a Path, Input)>,
    memory: &Memory,
) -> Result<Input, (Option<&'a Path>, Fault)> {
    let (first, features) = (inputs[0].0, inputs[0].1.features());
    for (path, input) in &inputs {
        if input.features() != features {
            let (found, expected, other) = (input.features(), features, first.to_path_buf());
            let fault = Fault::ColumnCount { what: "features", found, expected, other };
            return Err((Some(path), fault));
        }
    }
    let samples = inputs.iter().map(|(_, input)| input.samples()).sum();
    let kept = inputs.iter().map(|(_, input)| input.matrix().kept()).max();
    let all = |fault| (None, fault);
    let mut elements =
        Elements::with_room(kept.unwrap_or(Kept::U8), samples * features, memory).map_err(all)?;
    let (mut names, mut notes) = (Some(Vec::new()), Vec::new());
    for (path, input) in inputs {
        notes.extend_from_slice(&input.notes);
        elements.append(&input.matrix());
        input.expect_unchanged().map_err(|error| (Some(path), error.fault))?;
        names = match (names, input.names) {
            (Some(mut names), Some(more)) => {
                memory.reserve(&mut names, more.len()).map_err(all)?;
                names.extend(more);
                Some(names)
            }
            _ => None,
        };
    }
    let array = Array { elements, shape: vec![samples, features], column_major: false };
    let mut input = Input::new(first, Storage::Read(array));
    (input.names, input.notes) = (names, notes);
    Ok(input)
}

impl Input {
    fn new(path: &Path, storage: Storage) -> Self {
        Self {
            path: path.into(),
            storage,
            names: None,
            features: None,
            cells: None,
            notes: Vec::new(),
            stretches: Vec::new(),
            dropped: Vec::new(),
            table: None,
            profile: Vec::new(),
            preparation: None,
        }
    }

    /// Looks at the columns, and does what the options say about missing values and scales.
    fn prepare(&mut self, options: &ReadOptions, memory: &Memory) -> Result<(), Fault> {
        if options.profile {
            self.profile = profile(&self.matrix(), self.features.as_deref());
        }
        let lacks = has_missing(&self.matrix());
        if let Some(recipe) = &options.recipe {
            return self.prepare_as(recipe, lacks, memory);
        }
        let missing = match options.missing {
            _ if lacks => options.missing,
            // What stands for missing values is kept, since later samples may have some.
            Missing::Mean | Missing::Median if matches!(self.storage, Storage::Read(_)) => {
                options.missing
            }
            _ => Missing::Error,
        };
        let scaled = options.standardize != Standardize::None;
        if missing == Missing::Error && !scaled {
            return Ok(());
        }
        let mut array = self.plain(scaled, memory)?;
        if missing == Missing::Drop {
            self.drop_missing(&mut array, memory)?;
        }
        let features = self.features.as_deref();
        let (preparation, note) = prepare(&mut array, features, missing, options.standardize)?;
        self.notes.extend(note);
        self.preparation = Some(preparation);
        self.storage = Storage::Read(array);
        Ok(())
    }

    /// Does what was done to other samples.
    fn prepare_as(&mut self, recipe: &Recipe, lacks: bool, memory: &Memory) -> Result<(), Fault> {
        recipe.expect_features(self.features())?;
        let fills = lacks && recipe.missing() != Missing::Error;
        if !recipe.scales() && !fills {
            return Ok(());
        }
        let mut array = self.plain(recipe.scales(), memory)?;
        if lacks && recipe.missing() == Missing::Drop {
            self.drop_missing(&mut array, memory)?;
        }
        let preparation = recipe.preparation();
        let filled = prepare_as(&mut array, &preparation);
        let by = recipe.missing().name();
        self.notes.extend((filled > 0).then_some(Note::Filled { filled, by }));
        self.preparation = Some(preparation);
        self.storage = Storage::Read(array);
        Ok(())
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

    /// Leaves out the samples with a missing value.
    fn drop_missing(&mut self, array: &mut Array, memory: &Memory) -> Result<(), Fault> {
        let (dropped, kept) = (drop_missing(array, memory)?, array.shape[0]);
        self.notes.push(Note::Dropped { dropped: dropped.len(), of: kept + dropped.len() });
        self.leave_out(&dropped);
        Ok(())
    }

    /// Of text: the number of all columns, and whether a header names them.
    pub(super) fn table(&self) -> Option<(usize, bool)> {
        self.table
    }

    /// Takes the names of dropped samples out of those of the others.
    fn leave_out(&mut self, rows: &[usize]) {
        self.dropped = rows.iter().map(|&row| Dropped { row, name: None }).collect();
        let Some(names) = self.names.take() else { return };
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
    pub fn matrix(&self) -> Matrix<'_> {
        match &self.storage {
            Storage::Read(array) => array.matrix(),
            Storage::Mapped(mapped) => mapped.matrix(),
        }
    }

    /// The number of samples, N.
    pub fn samples(&self) -> usize {
        self.matrix().shape()[0]
    }

    /// The number of features, d.
    pub fn features(&self) -> usize {
        self.matrix().shape()[1]
    }

    /// The names of the samples, if every file has some.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
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

    /// What was found that may not be meant so, and what was done about missing values.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// A look at each column, before missing values and scales were seen to, if
    /// [`ReadOptions::profile`] asked for it.
    pub fn profile(&self) -> &[ColumnProfile] {
        &self.profile
    }

    /// What was done about missing values and scales, if anything was.
    pub fn preparation(&self) -> Option<&Preparation> {
        self.preparation.as_ref()
    }

    /// The samples that were left out for their missing values, by their rows.
    pub fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    /// The file and the line, from 1, that a sample of text is on.
    pub fn line(&self, sample: usize) -> Option<(&Path, u64)> {
        let mut row = sample;
        for dropped in &self.dropped {
            row += usize::from(dropped.row <= row);
        }
        let stretch = self.stretches.iter().rev().find(|stretch| stretch.start <= row)?;
        let row = row - stretch.start;
        let (start, line) = stretch.breaks.iter().rev().find(|(start, _)| *start <= row)?;
        Some((&stretch.path, line + (row - start) as u64))
    }

    /// The bytes of memory that samples and names take; those of a mapped file are the system's.
    fn bytes(&self) -> u64 {
        let elements = match &self.storage {
            Storage::Read(array) => array.bytes(),
            Storage::Mapped(_) => 0,
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

    /// Whether the samples lie in a mapped file and not in memory of their own.
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
            Storage::Read(_) => Ok(()),
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

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").field("matrix", &self.matrix()).field("names", &self.names).finish()
    }
}
