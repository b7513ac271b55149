//! Readers that panic, and must not.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::data::error::{Fault, ReadError};

/// Runs a reader. A panic in it, which no file should be able to cause, is an error of the file.
pub(in crate::data) fn guarded<T>(
    path: &Path,
    read: impl FnOnce(&Path) -> Result<T, Fault>,
) -> Result<T, ReadError> {
    let message = |panic: Box<dyn Any + Send>| match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => panic.downcast_ref::<&str>().unwrap_or(&"no message").to_string(),
    };
    catch_unwind(AssertUnwindSafe(|| read(path)))
        .unwrap_or_else(|panic| Err(Fault::Parser(message(panic))))
        .map_err(|fault| ReadError::new(path, fault))
}
