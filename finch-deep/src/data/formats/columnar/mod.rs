//! Tables of columns, Parquet and Arrow IPC: read as if they were tables of text, and written.

#[cfg(feature = "parquet")]
mod batches;
#[cfg(feature = "parquet")]
mod column;
#[cfg(feature = "parquet")]
mod ipc;
#[cfg(feature = "parquet")]
mod layout;
#[cfg(feature = "parquet")]
mod read;
mod typed;
#[cfg(not(feature = "parquet"))]
mod unbuilt;
mod values;
#[cfg(feature = "parquet")]
mod write;

#[cfg(feature = "parquet")]
pub(in crate::data) use self::read::{labels, read};
#[cfg(not(feature = "parquet"))]
pub use self::unbuilt::write_columns;
#[cfg(not(feature = "parquet"))]
pub(in crate::data) use self::unbuilt::{labels, read};
pub use self::values::ColumnValues;
#[cfg(feature = "parquet")]
pub use self::write::write_columns;
