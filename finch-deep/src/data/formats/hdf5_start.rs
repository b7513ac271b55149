//! The first bytes of a `.mat` file of version 7.3, by which it is told from others.

pub(super) const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";
/// MATLAB's own header, before the HDF5 file.
pub(super) const USER_BLOCK: usize = 512;
/// Bytes by which such a file is recognised.
pub(in crate::data) const START: usize = USER_BLOCK + SIGNATURE.len();

/// True if the file is HDF5, or says so in MATLAB's header even if what follows is damaged.
pub(in crate::data) fn recognise(bytes: &[u8]) -> bool {
    bytes.starts_with(b"MATLAB 7.3")
        || bytes.starts_with(SIGNATURE)
        || bytes.get(USER_BLOCK..).is_some_and(|rest| rest.starts_with(SIGNATURE))
}
