//! The faults of a file, with the data to say where.

pub(crate) mod advice;
pub(crate) mod column;
pub(crate) mod column_at;
pub(crate) mod hints;
pub(crate) mod note;
pub(crate) mod settled;
pub(crate) mod sparse;
pub(crate) mod table;
pub(crate) mod text;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use finch_core::Number;

use advice::Advice;
use column::{ColumnFault, Mismatch};
use column_at::ColumnAt;
use settled::SettledFault;
use sparse::SparseFault;
use table::TableFault;
use text::{Escaped, Listed, Resemblance, Shape, Size, Start, Taker, Wanted};

use super::format::Format;

/// A file that could not be read: which one, and what is wrong with it.
#[derive(Debug, thiserror::Error)]
#[error("{}: {}", Escaped(path.display()), Escaped(fault))]
#[non_exhaustive]
pub struct ReadError {
    /// The file, as it was named.
    pub path: PathBuf,
    /// The fault of the file.
    pub fault: Fault,
    /// All columns at fault, and the options that read the table, where
    /// [`ReadOptions::advise`](crate::data::ReadOptions::advise) asks for them.
    pub advice: Option<Box<Advice>>,
}

impl ReadError {
    pub(super) fn new(path: &Path, fault: Fault) -> Self {
        let path = path.to_path_buf();
        Self { path, fault, advice: None }
    }
}

/// A file that could not be written. The file that was there before is still there.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot write: {source}", Escaped(path.display()))]
#[non_exhaustive]
pub struct WriteError {
    /// The file, as it was named.
    pub path: PathBuf,
    /// The message of the system.
    pub source: io::Error,
}

/// The fault of a file, and where.
///
/// Lines and columns of text are counted from 1, as editors do; rows and columns of arrays from 0. Messages
/// count columns as the options do: from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// `.mat` of version 7.3 was left out when this program was built.
    #[error(
        "this finch was built without MATLAB's version 7.3: build it with the feature mat73, or save the \
         file as version 7 (save -v7)"
    )]
    WithoutMat73,
    /// No file was named at all.
    #[error("no input was named: give at least one file")]
    NoInput,
    /// The system would not let us read it: no such file, no permission, a failing disk.
    #[error("cannot read: {0}")]
    Unreadable(#[source] io::Error),
    /// A folder was named where a file is needed.
    #[error("this is a directory: name the files in it")]
    Directory,
    /// Neither the name nor the first bytes tell the format.
    #[error(
        "cannot tell the format by the name or the first bytes: known are {}, each also with .gz or .zst; or say --format",
        Format::KNOWN
    )]
    UnknownExtension,
    /// An option for a format that none of the files has.
    #[error("--{option} is for {of}, and would do nothing here: leave it out")]
    UselessOption {
        /// The option, as the command line has it.
        option: &'static str,
        /// The formats that it is for.
        of: &'static str,
    },
    /// The file is empty: it has no byte, or no row of values.
    #[error("the file is empty: there is no sample in it")]
    Empty,
    /// There is a header, but nothing below it.
    #[error("there is only a header and no sample")]
    OnlyHeader,
    /// A file that zstd compressed, in a build that does not decompress it.
    #[error(
        "zstd compressed the file, and this build does without zstd: decompress it by zstd -d, or build \
         finch-deep with the feature zstd"
    )]
    NoZstd,
    /// The file does not begin as files of its format do.
    #[error("not {format}: expected {expected} at the start and found {}", Start(found))]
    Magic {
        /// The format that the name promised.
        format: &'static str,
        /// The beginning of such files.
        expected: &'static str,
        /// The beginning of this file: up to 8 bytes.
        found: Vec<u8>,
    },
    /// The file ends before all that its header declares. Copy or download the file again.
    #[error("the file is cut short: {what} takes {expected} bytes and {found} are there")]
    Truncated {
        /// The part that is incomplete.
        what: &'static str,
        /// Bytes that the part should have.
        expected: u64,
        /// Bytes found.
        found: u64,
    },
    /// The compressed stream ends early. Copy or download the file again.
    #[error("the compressed data is cut short: copy or download the file again")]
    TruncatedCompression,
    /// The compressed stream is damaged.
    #[error("the compressed data is damaged ({}): copy or download the file again", Escaped(_0))]
    Compression(String),
    /// The file has more bytes than its header declares.
    #[error("there are bytes after the {expected} that the header declares: is it one array?")]
    Surplus {
        /// Bytes that the header declares.
        expected: u64,
    },
    /// A header contradicts itself or the format.
    #[error("{format} that is damaged: {}", Escaped(reason))]
    Malformed {
        /// The format.
        format: &'static str,
        /// The fault.
        reason: String,
    },
    /// A sound file, of a variant of its format that is not read.
    #[error("{format} {}, which finch does not read: {remedy}", Escaped(variant))]
    Variant {
        /// The format.
        format: &'static str,
        /// The variant, such as `of big-endian numbers`.
        variant: String,
        /// The way to get a file that is read.
        remedy: &'static str,
    },
    /// A parser gave up in a way that it should not have. Please report the file.
    #[error(
        "the parser failed on this file ({}): it is damaged, or there is a bug to report",
        Escaped(_0)
    )]
    Parser(String),
    /// A sparse matrix of SciPy, neither by row (CSR), by column (CSC) nor of coordinates (COO).
    #[error("a SciPy {} matrix: save it with .tocsr()", Escaped(found))]
    SparseFormat {
        /// SciPy's name of the format.
        found: String,
    },
    /// The file is not what it was when reading began, so a result computed from it belongs to no
    /// one state of the file.
    #[error(
        "the file changed while it was in use: run again when nothing writes to it, or on a copy"
    )]
    Changed,
    /// More elements or bytes than this machine can count.
    #[error("the declared shape {} is impossible", Shape(shape))]
    Overflow {
        /// The declared shape.
        shape: Vec<usize>,
    },
    /// The declared size is beyond what the file can hold, or beyond a limit.
    #[error("the declared shape {} takes {bytes} bytes, more than {reason}", Shape(shape))]
    TooLarge {
        /// The declared shape.
        shape: Vec<usize>,
        /// The bytes that it would take.
        bytes: u64,
        /// The limit that the bytes are beyond.
        reason: String,
    },
    /// Reading takes more memory than it may.
    #[error(
        "{} takes {} of memory or more, and {} may be taken{}: --memory-limit sets another limit",
        Taker(dense),
        Size(*wanted),
        Size(*limit),
        if *of_machine { ", nine tenths of what is available here" } else { "" }
    )]
    MemoryLimit {
        /// Bytes that reading took and wanted to take.
        wanted: u64,
        /// Bytes that reading may take.
        limit: u64,
        /// True if the limit is that of the machine, and not of an option.
        of_machine: bool,
        /// The shape of the sparse matrix that was to be made dense, if it was one.
        dense: Option<Vec<usize>>,
    },
    /// The system does not give the memory.
    #[error("the system has not the memory for {} more", Size(*bytes))]
    Memory {
        /// Bytes that were asked for.
        bytes: u64,
    },
    /// The elements are no real numbers, or none that this crate knows.
    #[error("the elements are {}: convert them to float32, float64 or uint8", Escaped(found))]
    Element {
        /// The type that the elements have.
        found: String,
    },
    /// A variable of MATLAB that is no array of numbers: what the file has of it are not its values.
    #[error("{}: {remedy}", Escaped(found))]
    Object {
        /// The kind of object, such as `a MATLAB table`.
        found: String,
        /// The way to get its numbers.
        remedy: &'static str,
    },
    /// Labels that are no numbers, in an array.
    #[error(
        "the labels are {}: save them as integers, or as a text file of one a line",
        Escaped(found)
    )]
    LabelElement {
        /// The type that the elements have.
        found: String,
    },
    /// An integer that f64 cannot hold, so that reading it would change it.
    #[error("{value} at row {row}, column {column} (from 0) has no exact float64: rescale it")]
    Inexact {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The integer.
        value: i128,
    },
    /// A label that f64 cannot hold, so that it might become equal to another.
    #[error(
        "label {value} at row {row}, column {column} (from 0) is too large: number the classes"
    )]
    InexactLabel {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The integer.
        value: i128,
    },
    /// Not a matrix of samples × features.
    #[error(
        "samples are a matrix of rows × features, and this has shape {}: {}",
        Shape(shape),
        if shape.len() < 2 {
            "reshape it, to (-1, 1) if each value is a sample"
        } else {
            "reshape it to (samples, -1)"
        }
    )]
    NotMatrix {
        /// The shape of the array.
        shape: Vec<usize>,
    },
    /// Not a list of labels, nor a matrix of samples × labellings.
    #[error(
        "labels are a list, or a matrix of samples × partitions: this has shape {}",
        Shape(shape)
    )]
    NotLabels {
        /// The shape of the array.
        shape: Vec<usize>,
    },
    /// The named variable is not in the file, or none was named and there is no obvious one.
    #[error("{}; the file holds {}", Wanted(wanted), Listed(found))]
    Variable {
        /// The variable that was asked for.
        wanted: Option<String>,
        /// The content of the file: name, type and shape of each.
        found: Vec<String>,
    },
    /// A quote that opens a field, which goes on to the end of the file.
    #[error(
        "line {line}: a quote opens a field, and no quote ends it: delete it, or write the field in quotes, \
         with its own quotes twice"
    )]
    OpenQuote {
        /// The line of the quote.
        line: u64,
    },
    /// Columns that are said to be at fixed positions, and are not.
    #[error("no columns are at fixed positions of the lines: say another --delimiter")]
    NotAligned,
    /// A line with more or fewer fields than the first.
    #[error(
        "line {line} has {found} fields and the first has {expected}: is the delimiter right? --delimiter names it, \
         and --skip leaves lines above a table out"
    )]
    Ragged {
        /// The line.
        line: u64,
        /// Fields of the first line.
        expected: usize,
        /// Fields of this line.
        found: usize,
    },
    /// The first row may be a header, or a sample that lacks a value.
    #[error(
        "line {line}, column {} (from 0): {text:?} is the name of a column or a missing value: say \
         whether the first line is a header: --header or --no-header",
        column.saturating_sub(1)
    )]
    Header {
        /// The line.
        line: u64,
        /// The column, from 1.
        column: usize,
        /// The field.
        text: String,
    },
    /// A line that is too long for a table. Without an end, it would fill the memory.
    #[error("line {line} is longer than {limit} bytes: is this a table of text?")]
    LongLine {
        /// The line, or the first of those that quotes join.
        line: u64,
        /// The bytes that a line may have.
        limit: usize,
    },
    /// A field that is not a number. Impute or remove it, or exclude its column.
    #[error(
        "line {line}, column {} (from 0): {text:?} is not a number{}; exclude the column or mend it",
        column.saturating_sub(1),
        Resemblance(text)
    )]
    NotANumber {
        /// The line.
        line: u64,
        /// The column, from 1.
        column: usize,
        /// The field.
        text: String,
    },
    /// A field of a numeric column that is no number in any way of writing.
    #[error(
        "line {line}, {column}: {text:?} is no number, date or time, and not all words of the column have \
         an order: --missing-word says which words stand for missing values"
    )]
    NotWritten {
        /// The line.
        line: u64,
        /// The column.
        column: ColumnAt,
        /// The field.
        text: String,
    },
    /// Two fields of a numeric column that no one way of writing reads.
    #[error(
        "line {line}, {column}: {text:?} has another unit than {:?} on line {}, or is written in \
         another way: make them alike, or leave the column out by --exclude {}",
        other.1,
        other.0,
        column.argument()
    )]
    Unlike {
        /// The line.
        line: u64,
        /// The column.
        column: ColumnAt,
        /// The field.
        text: String,
        /// The line and the text of the field that it is unlike.
        other: Box<(u64, String)>,
    },
    /// A table that has other lines above or below it than the first file, where these were recognised.
    #[error(
        "{above} lines above the table and {below} below it, and {} above and {} below it in {}: remove \
         these lines from the files, or read each file by itself",
        expected[0],
        expected[1],
        Escaped(other.display())
    )]
    Layout {
        /// The lines above the table.
        above: usize,
        /// The lines below the table.
        below: usize,
        /// These numbers of lines in the first file.
        expected: [usize; 2],
        /// The first file.
        other: PathBuf,
    },
    /// The column that an option names is not there.
    #[error("there is no column {column}: the table has {}", Escaped(columns))]
    NoSuchColumn {
        /// The column, as it was named.
        column: String,
        /// The columns that are there, by name or count.
        columns: String,
    },
    /// A label that is NaN, infinite or not whole.
    #[error(
        "{} at row {row}, column {column} (from 0) is no label: labels are whole numbers",
        Number(*value)
    )]
    NotALabel {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The value.
        value: f64,
    },
    /// A line without its label.
    #[error(
        "line {line}, column {} (from 0): {text:?} is no label; remove the sample or label it",
        column.saturating_sub(1)
    )]
    MissingLabel {
        /// The line.
        line: u64,
        /// The column, from 1.
        column: usize,
        /// The field: nothing, or some spelling of NaN.
        text: String,
    },
    /// A field of words in a column of features.
    #[error(
        "line {line}, {column}: {text:?} is not a number; leave the column out by --exclude {}, or \
         compare its words by --categorical {}",
        column.argument(),
        column.argument()
    )]
    Words {
        /// The line.
        line: u64,
        /// The column.
        column: ColumnAt,
        /// The field.
        text: String,
    },
    /// A missing value, where nothing was said about them.
    #[error(
        "line {line}, {column}: the value is missing ({text:?}); say --missing drop, mean or median, or \
         leave the column out by --exclude {}",
        column.argument()
    )]
    MissingValue {
        /// The line.
        line: u64,
        /// The column.
        column: ColumnAt,
        /// The field.
        text: String,
    },
    /// A number that is infinite, or beyond what f64 holds.
    #[error("line {line}, {column}: {text:?} is not finite; remove the sample or mend it")]
    Infinite {
        /// The line.
        line: u64,
        /// The column.
        column: ColumnAt,
        /// The field.
        text: String,
    },
    /// A category that was not asked for by name, of very many words.
    #[error(
        "{column} has {words} different words in {samples} samples, too many for --categorical auto: \
         leave it out by --exclude {}, or name it by --categorical {}",
        column.argument(),
        column.argument()
    )]
    ManyWords {
        /// The column.
        column: ColumnAt,
        /// The different words.
        words: usize,
        /// The samples.
        samples: usize,
    },
    /// Two columns have the name that an option refers to.
    #[error(
        "columns {first} and {second} (from 0) are both called {name:?}: give the number of one"
    )]
    AmbiguousColumn {
        /// The name.
        name: String,
        /// The first of them, from 0.
        first: usize,
        /// The second, from 0.
        second: usize,
    },
    /// Every column is left out, or is the one of names.
    #[error(
        "no column is left that is a feature: {}",
        match columns {
            1 => "the file has one, which is left out: is the delimiter right? --delimiter names it".into(),
            _ => format!("all {columns} of the file are left out"),
        }
    )]
    NoFeatures {
        /// The columns of the file.
        columns: usize,
    },
    /// A column of an array that is NaN throughout, so that it has no mean.
    #[error("column {column} (from 0) has no value at all: leave it out")]
    NoValues {
        /// The column.
        column: usize,
    },
    /// Every sample has a missing value.
    #[error("each of the {samples} samples lacks a value: --missing mean or median keeps them")]
    AllMissing {
        /// The samples.
        samples: usize,
    },
    /// Stacked files differ in their number of columns.
    #[error("{found} {what} here and {expected} in {}: only equal ones stack", Escaped(other.display()))]
    ColumnCount {
        /// The noun for the columns: features or labellings.
        what: &'static str,
        /// Columns of this file.
        found: usize,
        /// Columns of the files before.
        expected: usize,
        /// The first file.
        other: PathBuf,
    },
    /// The columns are not those that samples are to be made of as others were.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// A column of a table cannot be read, or is not as in other files.
    #[error(transparent)]
    Column(#[from] ColumnFault),
    /// A value that a recipe has no place for.
    #[error(transparent)]
    Settled(#[from] SettledFault),
    /// Sparse samples are not sound, or are asked for what takes dense ones.
    #[error(transparent)]
    Sparse(#[from] SparseFault),
    /// A spreadsheet, JSON or ARFF is no table, or not the one that is asked for.
    #[error(transparent)]
    Table(#[from] TableFault),
    /// The fault of a table whose rows were made columns.
    #[error("{0} (of the transposed table: its lines are the columns of the file)")]
    Transposed(Box<Fault>),
    /// The fault of a sheet that no option chose, of a workbook that has others.
    #[error("{fault} (in the sheet {read:?}; there is {other:?}, too: --sheet chooses one)")]
    Sheet {
        /// The sheet.
        read: String,
        /// Another one.
        other: String,
        /// Its fault.
        fault: Box<Fault>,
    },
}

impl From<io::Error> for Fault {
    /// Decompressors report the state of their stream as I/O errors; tell those from the disk's.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Fault::TruncatedCompression,
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                Fault::Compression(error.to_string())
            }
            _ => Fault::Unreadable(error),
        }
    }
}

impl Fault {
    pub(super) fn malformed(format: &'static str, reason: impl fmt::Display) -> Self {
        let reason = reason.to_string();
        Fault::Malformed { format, reason }
    }

    pub(super) fn variant(
        format: &'static str,
        variant: impl Into<String>,
        remedy: &'static str,
    ) -> Self {
        Fault::Variant { format, variant: variant.into(), remedy }
    }

    pub(super) fn magic(format: &'static str, expected: &'static str, start: &[u8]) -> Self {
        let found = start[..start.len().min(8)].to_vec();
        Fault::Magic { format, expected, found }
    }
}
