//! The format of a table that is written: the end of a file's name says.

use std::path::Path;

use finch_deep::data::{ColumnFault, Format};

/// The format of a table that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableFormat {
    Csv,
    Tsv,
    Json,
    JsonLines,
    /// Parquet or Arrow.
    Columns(Format),
}

impl TableFormat {
    /// None where the name is that of a directory.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let format = match extension.as_str() {
            "csv" => TableFormat::Csv,
            "tsv" => TableFormat::Tsv,
            "json" => TableFormat::Json,
            "jsonl" => TableFormat::JsonLines,
            "parquet" | "pq" => TableFormat::Columns(Format::Parquet),
            "arrow" | "feather" | "ipc" => TableFormat::Columns(Format::Arrow),
            _ => return None,
        };
        (!path.is_dir()).then_some(format)
    }

    /// Checks that this build writes the format, before a long run.
    pub(crate) fn expect_built(self) -> Result<(), ColumnFault> {
        match self {
            TableFormat::Columns(_) if !cfg!(feature = "parquet") => Err(ColumnFault::NotBuilt),
            _ => Ok(()),
        }
    }
}
