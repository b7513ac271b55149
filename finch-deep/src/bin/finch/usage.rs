//! Wrong usage that only a command itself can tell.

/// Arguments of a command that do not go together.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Usage {
    /// The name of the command.
    pub(crate) command: &'static str,
    pub(crate) message: &'static str,
}
