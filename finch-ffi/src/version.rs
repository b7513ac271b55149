//! The version of the library.

use std::ffi::{CStr, c_char};

/// The major version of this header.
pub const FINCH_VERSION_MAJOR: u32 = 0;
/// The minor version.
pub const FINCH_VERSION_MINOR: u32 = 1;
/// The patch version.
pub const FINCH_VERSION_PATCH: u32 = 0;

/// The number of the binary interface, and of the shared library's name (`libfinch.so.1`).
pub const FINCH_ABI: u32 = 1;

const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => unreachable!(),
    };

/// The version of the library that runs, such as "0.1.0": a string that is always valid.
#[unsafe(no_mangle)]
pub extern "C" fn finch_version() -> *const c_char {
    VERSION.as_ptr()
}

/// `FINCH_ABI` of the library that runs.
#[unsafe(no_mangle)]
pub extern "C" fn finch_abi() -> u32 {
    FINCH_ABI
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_the_version_of_the_package() {
        let macros = format!("{FINCH_VERSION_MAJOR}.{FINCH_VERSION_MINOR}.{FINCH_VERSION_PATCH}");
        assert_eq!(macros, env!("CARGO_PKG_VERSION"));
        assert_eq!(VERSION.to_str(), Ok(macros.as_str()));
    }

    #[test]
    fn the_shared_library_is_named_by_the_abi() {
        let soname = format!("-soname,libfinch.so.{FINCH_ABI}\"");
        assert!(include_str!("../build.rs").contains(&soname), "build.rs lacks {soname}");
    }
}
