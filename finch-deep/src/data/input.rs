//! Reading samples, from one file or from several that are stacked.

use std::fmt;
use std::path::{Path, PathBuf};

use super::elements::{Array, Elements};
use super::error::{Fault, ReadError};
use super::format::Format;
use super::guard::guarded;
use super::mapped::Mapped;
use super::matrix::{Kept, Matrix};
use super::memory::Memory;
use super::options::ReadOptions;
use super::source::Source;
use super::{csv, idx, mat, npy, npz};

/// The samples of one file, or of several that are stacked.
pub struct Input {
    /// The file, or the first of several.
    path: PathBuf,
    storage: Storage,
    names: Option<Vec<String>>,
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
    let memory = Memory::new(options.memory_limit);
    let mut inputs = Vec::with_capacity(paths.len());
    for path in paths {
        let before = memory.taken();
        let input = guarded(path.as_ref(), |path| read_one(path, options, &memory))?;
        memory.settle(before + input.bytes());
        inputs.push((path.as_ref(), input));
    }
    let no_input = || ReadError::new(Path::new(""), Fault::NoInput);
    let (first, _) = inputs.first().ok_or_else(no_input)?;
    let first = first.to_path_buf();
    if inputs.len() == 1 {
        return inputs.pop().map(|(_, input)| input).ok_or_else(no_input);
    }
    stack(inputs, &memory).map_err(|(path, fault)| ReadError::new(path.unwrap_or(&first), fault))
}

fn read_one(path: &Path, options: &ReadOptions, memory: &Memory) -> Result<Input, Fault> {
    let format = Format::of(path);
    let source = Source::open(path)?;
    let variable = options.variable.as_deref();
    let mut names = None;
    let storage = match format.ok_or(Fault::UnknownExtension)? {
        Format::Npy => match Mapped::open(&source)? {
            Some(mapped) => Storage::Mapped(mapped),
            None => Storage::Read(npy::samples(source, memory)?),
        },
        Format::Npz => Storage::Read(npz::samples(source, variable, memory)?),
        Format::Mat => Storage::Read(mat::samples(source, variable, memory)?),
        Format::Idx => Storage::Read(idx::samples(source, memory)?),
        Format::Text => {
            let (array, found) = csv::samples(source, options, memory)?;
            names = found;
            Storage::Read(array)
        }
    };
    Ok(Input { path: path.into(), storage, names })
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
    let mut names = Some(Vec::new());
    for (path, input) in inputs {
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
    Ok(Input { path: first.into(), storage: Storage::Read(array), names })
}

impl Input {
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

    /// The bytes of memory that samples and names take; those of a mapped file are the system's.
    fn bytes(&self) -> u64 {
        let elements = match &self.storage {
            Storage::Read(array) => array.bytes(),
            Storage::Mapped(_) => 0,
        };
        let names = self.names.iter().flatten();
        elements + names.map(|name| (size_of::<String>() + name.capacity()) as u64).sum::<u64>()
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
