//! The format of a file, by its name.

use std::path::Path;

/// The format of a file, which its name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A NumPy array.
    Npy,
    /// A NumPy archive.
    Npz,
    /// A text table, whatever separates its fields.
    Text,
    /// Parquet.
    Parquet,
    /// Arrow IPC, a file (also called Feather) or a stream.
    Arrow,
    /// A MATLAB file.
    Mat,
    /// IDX, as MNIST is.
    Idx,
    /// Matrix Market.
    Mtx,
    /// The text of SVMlight and LIBSVM.
    Svmlight,
    /// A sheet of Excel (`.xlsx`) or of OpenDocument (`.ods`).
    Spreadsheet,
    /// JSON: an object on each line, an array of objects or arrays, and what pandas writes.
    Json,
    /// ARFF, of Weka and OpenML.
    Arff,
}

impl Format {
    pub(super) const KNOWN: &'static str = ".npy, .npz, .csv, .tsv, .txt, .xlsx, .ods, .json, .jsonl, .arff, .parquet, .arrow, .feather, .mat, \
         .mtx, .svmlight, .idx and names like train-images-idx3-ubyte";

    /// The words for the formats on the command line.
    pub const WORDS: &'static [(&'static str, Self)] = &[
        ("csv", Format::Text),
        ("tsv", Format::Text),
        ("txt", Format::Text),
        ("xlsx", Format::Spreadsheet),
        ("ods", Format::Spreadsheet),
        ("json", Format::Json),
        ("jsonl", Format::Json),
        ("arff", Format::Arff),
        ("parquet", Format::Parquet),
        ("arrow", Format::Arrow),
        ("feather", Format::Arrow),
        ("npy", Format::Npy),
        ("npz", Format::Npz),
        ("mat", Format::Mat),
        ("idx", Format::Idx),
        ("mtx", Format::Mtx),
        ("svmlight", Format::Svmlight),
    ];

    /// True if files of the format are tables, whose columns options choose among.
    pub(super) fn is_table(self) -> bool {
        self.is_text() || matches!(self, Format::Parquet | Format::Arrow)
    }

    /// True if the format is read as text, or made text first.
    pub(super) fn is_text(self) -> bool {
        self == Format::Text || self.is_made_text()
    }

    /// True if files of the format are made text, and then read as text.
    pub(super) fn is_made_text(self) -> bool {
        matches!(self, Format::Spreadsheet | Format::Json | Format::Arff)
    }

    /// True if the name ends in `.txt`, which text of any kind does.
    pub(super) fn is_txt(path: &Path) -> bool {
        name_of(path).ends_with(".txt")
    }

    /// None where the name tells nothing.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let name = &name_of(path);
        match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
            "npy" => Some(Format::Npy),
            "npz" => Some(Format::Npz),
            "csv" | "tsv" | "txt" => Some(Format::Text),
            "parquet" | "pq" => Some(Format::Parquet),
            "arrow" | "feather" | "ipc" => Some(Format::Arrow),
            "mat" => Some(Format::Mat),
            "idx" => Some(Format::Idx),
            "mtx" => Some(Format::Mtx),
            "svm" | "svmlight" | "libsvm" => Some(Format::Svmlight),
            "xlsx" | "xlsm" | "xltx" | "xls" | "xlsb" | "ods" => Some(Format::Spreadsheet),
            "json" | "jsonl" | "ndjson" => Some(Format::Json),
            "arff" => Some(Format::Arff),
            _ if is_idx(name) => Some(Format::Idx),
            _ => None,
        }
    }
}

/// The name of a file in small letters, without the ending of a compression.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let compressed = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end));
    compressed.map(str::to_string).unwrap_or(name)
}

/// True if the name ends like `-idx3-ubyte` or `.idx3-ubyte`.
fn is_idx(name: &str) -> bool {
    let suffix = name.rfind("idx").map(|start| (&name[..start], &name[start + 3..]));
    suffix.is_some_and(|(before, after)| {
        let types = ["-ubyte", "-byte", "-short", "-int", "-float", "-double"];
        before.ends_with(['-', '.'])
            && after.starts_with(|first: char| first.is_ascii_digit())
            && types.contains(&after[1..].as_ref())
    })
}
