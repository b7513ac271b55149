//! Files of samples and of labels.
//!
//! | name | format | read as |
//! |---|---|---|
//! | `.npy` | NumPy array | its type |
//! | `.npz` | NumPy archive: `X`, else the only matrix; or a sparse matrix of SciPy (CSR, CSC, COO) | its type |
//! | `.mtx` | Matrix Market: coordinates or an array, real, integer or pattern, general, symmetric or skew-symmetric | f64 |
//! | `.svmlight`, `.svm`, `.libsvm` | text of SVMlight and LIBSVM, whose labels are no features | f64 |
//! | `.csv`, `.tsv`, `.txt` | text table | f64 |
//! | `.xlsx`, `.ods` | a sheet of Excel or OpenDocument | f64 |
//! | `.json`, `.jsonl` | JSON: an object on each line, an array of flat objects or of arrays; what pandas writes | f64 |
//! | `.arff` | ARFF of Weka and OpenML, dense or sparse | f64 |
//! | `.parquet`, `.pq` | Parquet | f64 |
//! | `.arrow`, `.feather`, `.ipc` | Arrow IPC, a file or a stream; Feather | f64 |
//! | `.mat` | MATLAB, versions 4 to 7.3: `X`, else the only matrix, full or sparse | its type |
//! | `-idx3-ubyte`, `.idx3-ubyte`, `.idx` | IDX, as MNIST is: images become rows | its type |
//!
//! The first bytes tell the format of a file whose name does not; `.txt` may be SVMlight, too. Each may be
//! compressed with gzip or, by the feature `zstd`, with zstd, whether or not the name says so by `.gz` or `.zst`. Elements of f64, f32
//! and u8 stay as they are; booleans become u8, floats of 16 bits and integers of 8 and 16 f32, and
//! wider integers f64, if that is exact. NaN and infinities in arrays are read like other values:
//! whoever computes with samples has to look for them. In text, infinities are errors, and so are
//! missing values, unless [`ReadOptions::missing`] says what becomes of them.
//!
//! Sparse matrices are made dense, unless [`ReadOptions::sparse`] keeps them as [`SparseRows`].
//!
//! Tables of Parquet and Arrow are read as if they were text: the same options choose the same columns,
//! with the same samples. A number is as it is, in f64 if that is exact; lists of one length are a column
//! for each place, `name[0]`, `name[1]`, …; dictionaries, and what is stored as text, are text. They need
//! the feature `parquet`, which is on by default.
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

mod apply_recipe;
mod columns;
mod error;
mod format;
mod formats;
mod input;
mod labels;
mod matrix;
mod options;
mod read;
mod recognise;
mod source;
mod svmlight_line;
mod write;

pub use self::columns::prepare::Preparation;
pub use self::columns::profile::{ColumnProfile, Numbers};
pub use self::columns::survey::{ColumnSurvey, Role, Survey};
pub use self::error::advice::{Advice, OddColumn};
pub use self::error::column::{ColumnFault, Mismatch};
pub use self::error::column_at::ColumnAt;
pub use self::error::hints::hints;
pub use self::error::note::Note;
pub use self::error::settled::{Place, SettledFault};
pub use self::error::sparse::SparseFault;
pub use self::error::table::TableFault;
pub use self::error::text::Escaped;
pub use self::error::{Fault, ReadError, WriteError};
pub use self::format::Format;
pub use self::formats::columnar::{ColumnValues, write_columns};
pub use self::formats::csv::cells::Cells;
pub use self::formats::csv::field::date;
pub use self::input::{Dropped, Input};
pub use self::labels::{LabelOptions, Labelling, Labels, read_labels};
pub use self::matrix::Matrix;
pub use self::matrix::sparse_rows::SparseRows;
pub use self::options::ReadOptions;
pub use self::options::choices::{
    Categorical, Column, Delimiter, Missing, NameColumn, Standardize,
};
pub use self::options::feature::{Feature, FeatureKind};
pub use self::options::label_column::LabelColumn;
pub use self::options::recipe::Recipe;
pub use self::options::writing::Writing;
pub use self::read::read;
pub use self::source::pipe::{Content, STANDARD_INPUT, start_of};
pub use self::write::{
    UNFINISHED, missing_folders, write_atomically, write_embedding, write_json, write_labelling,
    write_labels, write_npy,
};
