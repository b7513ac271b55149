//! Files of samples and of labels.
//!
//! | name | format | read as |
//! |---|---|---|
//! | `.npy` | NumPy array | its type |
//! | `.npz` | NumPy archive: `X`, else the only matrix; or SciPy's CSR or CSC | its type |
//! | `.csv`, `.tsv`, `.txt` | text table | f64 |
//! | `.mat` | MATLAB, versions 5 to 7.3: `X`, else the only matrix, full or sparse | its type |
//! | `-idx3-ubyte`, `.idx3-ubyte`, `.idx` | IDX, as MNIST is: images become rows | its type |
//!
//! Each may be compressed with gzip, whether or not the name says so by `.gz`. Elements of f64, f32
//! and u8 stay as they are; booleans become u8, floats of 16 bits and integers of 8 and 16 f32, and
//! wider integers f64, if that is exact. NaN and infinities are read like other values: whoever computes with samples
//! has to look for them.
//!
//! ```no_run
//! use finch_deep::data::{self, LabelOptions, Matrix, ReadOptions};
//!
//! let images = ["train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz"];
//! let input = data::read(&images, &ReadOptions::default())?;
//! assert_eq!((input.samples(), input.features()), (70_000, 784));
//! assert!(matches!(input.matrix(), Matrix::U8(_)));
//!
//! let digits = ["train-labels-idx1-ubyte.gz", "t10k-labels-idx1-ubyte.gz"];
//! let labels = data::read_labels(&digits, &LabelOptions::default())?;
//! assert_eq!(labels.columns[0].classes, 10);
//! # Ok::<_, data::ReadError>(())
//! ```

mod csv;
mod element;
mod error;
mod idx;
mod labels;
mod mat;
mod mat73;
mod npy;
mod npz;
mod output;
mod source;
mod sparse;
mod variable;

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use ndarray::ArrayView2;

use self::element::{Array, Elements, Kept};
use self::source::Source;

pub use self::error::{Fault, ReadError, WriteError};
pub use self::labels::{LabelOptions, Labelling, Labels, read_labels};
pub use self::output::{
    UNFINISHED, missing_folders, write_atomically, write_embedding, write_json, write_labelling,
    write_labels,
};

/// The samples of one file, or of several that are stacked.
pub struct Input {
    storage: Storage,
    names: Option<Vec<String>>,
}

/// Samples as a view of N rows (samples) × d columns (features), of any strides.
#[derive(Clone, Debug)]
pub enum Matrix<'a> {
    /// Elements of f64.
    F64(ArrayView2<'a, f64>),
    /// Elements of f32.
    F32(ArrayView2<'a, f32>),
    /// Elements of u8.
    U8(ArrayView2<'a, u8>),
}

/// How to read samples. The default recognises whatever it can.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Text: whether the first row names the columns. `None`: it does if no feature in it is a
    /// number and some of later rows is, or if another option refers to a column by its name. If it
    /// may as well be a sample that lacks a value, that is an error.
    pub header: Option<bool>,
    /// Text: what separates the fields. `None`: the first of tab, semicolon and comma that the
    /// first line has, else white space.
    pub delimiter: Option<Delimiter>,
    /// Text: the column of the samples' names.
    pub names: NameColumn,
    /// Text: columns to leave out, such as one of labels.
    pub exclude: Vec<Column>,
    /// `.npz` and `.mat`: the variable to read. `None`: `X`, else the only matrix that there is.
    pub variable: Option<String>,
    /// `.npz` and `.mat`: the bytes that a sparse matrix may take when it is made dense.
    pub dense_limit: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            header: None,
            delimiter: None,
            names: NameColumn::Auto,
            exclude: Vec::new(),
            variable: None,
            dense_limit: DENSE_LIMIT,
        }
    }
}

impl ReadOptions {
    /// That what is asked for can be done: a column that was to be left out, and is not, makes a
    /// result that is wrong and looks right.
    fn expect_useful(&self, paths: &[impl AsRef<Path>]) -> Result<(), ReadError> {
        let formats = paths.iter().map(|path| Format::of(path.as_ref()));
        // Files that cannot be read have errors of their own.
        let Ok(formats) = formats.collect::<Result<Vec<_>, _>>() else { return Ok(()) };
        let text = formats.contains(&Format::Text);
        let archive = formats.contains(&Format::Npz) || formats.contains(&Format::Mat);
        let useless = [
            ("header", self.header == Some(true) && !text),
            ("names", matches!(self.names, NameColumn::At(_)) && !text),
            ("exclude", !self.exclude.is_empty() && !text),
            ("variable", self.variable.is_some() && !archive),
        ];
        match (useless.into_iter().find(|(_, useless)| *useless), paths.first()) {
            (Some((option, _)), Some(path)) => {
                Err(ReadError::new(path.as_ref(), Fault::UselessOption { option }))
            }
            _ => Ok(()),
        }
    }
}

/// 16 GiB: the text collections in use as benchmarks take less, and a damaged shape mostly more.
const DENSE_LIMIT: u64 = 16 << 30;

/// A column of a text table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// By position, from 0.
    Index(usize),
    /// By the name that the header gives it.
    Name(String),
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Column::Index(index) => write!(f, "{index} (from 0)"),
            Column::Name(name) => write!(f, "{name:?}"),
        }
    }
}

/// Which column of a text table names the samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NameColumn {
    /// The first, if none of the first hundred rows has a number there.
    #[default]
    Auto,
    /// None: every column is a feature.
    None,
    /// This one.
    At(Column),
}

/// What separates the fields of a text table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimiter {
    /// Any run of spaces and tabs.
    WhiteSpace,
    /// This byte, once. Fields may be quoted.
    Byte(u8),
}

/// Reads the samples of one file, or of several stacked in this order.
///
/// Stacked files must have as many features each; elements are widened, exactly, to the widest
/// type among them. The result has names if all files have. A single file is not copied: an
/// uncompressed `.npy` of 64 MiB or more is mapped into memory, and must then not be changed or
/// cut while the samples are in use.
///
/// # Errors
/// [`ReadError`] names the file; its [`Fault`] tells what is wrong with it and where. An option that
/// serves none of the files is an error of the first.
pub fn read(paths: &[impl AsRef<Path>], options: &ReadOptions) -> Result<Input, ReadError> {
    options.expect_useful(paths)?;
    let mut inputs = Vec::with_capacity(paths.len());
    for path in paths {
        let input = guarded(path.as_ref(), |path| read_one(path, options))?;
        inputs.push((path.as_ref(), input));
    }
    let no_input = || ReadError::new(Path::new(""), Fault::NoInput);
    let (first, _) = inputs.first().ok_or_else(no_input)?;
    let first = first.to_path_buf();
    if inputs.len() == 1 {
        return inputs.pop().map(|(_, input)| input).ok_or_else(no_input);
    }
    stack(inputs).map_err(|(path, fault)| ReadError::new(path.unwrap_or(&first), fault))
}

fn read_one(path: &Path, options: &ReadOptions) -> Result<Input, Fault> {
    let format = Format::of(path);
    let source = Source::open(path)?;
    let (variable, limit) = (options.variable.as_deref(), options.dense_limit);
    let mut names = None;
    let storage = match format? {
        Format::Npy => npy::samples(source)?,
        Format::Npz => Storage::Read(npz::samples(source, variable, limit)?),
        Format::Mat => Storage::Read(mat::samples(source, variable, limit)?),
        Format::Idx => Storage::Read(idx::samples(source)?),
        Format::Text => {
            let (array, found) = csv::samples(source, options)?;
            names = found;
            Storage::Read(array)
        }
    };
    Ok(Input { storage, names })
}

/// Runs a reader. A panic in it, which no file should be able to cause, is an error of the file.
fn guarded<T>(path: &Path, read: impl FnOnce(&Path) -> Result<T, Fault>) -> Result<T, ReadError> {
    let message = |panic: Box<dyn Any + Send>| match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => panic.downcast_ref::<&str>().unwrap_or(&"no message").to_string(),
    };
    catch_unwind(AssertUnwindSafe(|| read(path)))
        .unwrap_or_else(|panic| Err(Fault::Parser(message(panic))))
        .map_err(|fault| ReadError::new(path, fault))
}

/// Puts inputs below each other. Errors are of the path given, or of all.
fn stack(inputs: Vec<(&Path, Input)>) -> Result<Input, (Option<&Path>, Fault)> {
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
        Elements::with_room(kept.unwrap_or(Kept::U8), samples * features).map_err(all)?;
    let mut names = Some(Vec::new());
    for (_, input) in inputs {
        elements.append(&input.matrix());
        names = names.zip(input.names).map(|(mut names, more)| {
            names.extend(more);
            names
        });
    }
    let array = Array { elements, shape: vec![samples, features], column_major: false };
    Ok(Input { storage: Storage::Read(array), names })
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

    /// Whether the samples lie in a mapped file and not in memory of their own.
    pub fn is_mapped(&self) -> bool {
        matches!(self.storage, Storage::Mapped(_))
    }

    /// Tells the system that the samples will be read in any order from here on, as clustering and
    /// training do. That matters where they are mapped and more than fit in memory: systems read
    /// 128 kB to several MB around each row otherwise. A first look at all, which reads them in
    /// order, is best taken before: it is several times slower afterwards.
    pub fn expect_any_order(&self) {
        // Column by column, rows have no pages of their own.
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

impl Matrix<'_> {
    fn shape(&self) -> &[usize] {
        match self {
            Matrix::F64(view) => view.shape(),
            Matrix::F32(view) => view.shape(),
            Matrix::U8(view) => view.shape(),
        }
    }

    fn is_row_major(&self) -> bool {
        match self {
            Matrix::F64(view) => view.is_standard_layout(),
            Matrix::F32(view) => view.is_standard_layout(),
            Matrix::U8(view) => view.is_standard_layout(),
        }
    }

    fn kept(&self) -> Kept {
        match self {
            Matrix::F64(_) => Kept::F64,
            Matrix::F32(_) => Kept::F32,
            Matrix::U8(_) => Kept::U8,
        }
    }
}

macro_rules! from_view {
    ($($variant:ident($type:ty)),*) => {$(
        impl<'a> From<ArrayView2<'a, $type>> for Matrix<'a> {
            fn from(view: ArrayView2<'a, $type>) -> Self {
                Matrix::$variant(view)
            }
        }
    )*};
}
from_view!(F64(f64), F32(f32), U8(u8));

/// Where samples are.
enum Storage {
    Read(Array),
    Mapped(npy::Mapped),
}

/// The format of a file, which its name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Npy,
    Npz,
    Text,
    Mat,
    Idx,
}

impl Format {
    const KNOWN: &'static str =
        ".npy, .npz, .csv, .tsv, .txt, .mat, .idx and names like train-images-idx3-ubyte";

    fn of(path: &Path) -> Result<Self, Fault> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
            "npy" => Ok(Format::Npy),
            "npz" => Ok(Format::Npz),
            "csv" | "tsv" | "txt" => Ok(Format::Text),
            "mat" => Ok(Format::Mat),
            "idx" => Ok(Format::Idx),
            _ if is_idx(name) => Ok(Format::Idx),
            _ => Err(Fault::UnknownExtension),
        }
    }
}

/// Whether the name ends like `-idx3-ubyte` or `.idx3-ubyte`.
fn is_idx(name: &str) -> bool {
    let suffix = name.rfind("idx").map(|start| (&name[..start], &name[start + 3..]));
    suffix.is_some_and(|(before, after)| {
        let types = ["-ubyte", "-byte", "-short", "-int", "-float", "-double"];
        before.ends_with(['-', '.'])
            && after.starts_with(|first: char| first.is_ascii_digit())
            && types.contains(&after[1..].as_ref())
    })
}
