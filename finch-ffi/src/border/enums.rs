//! The names of the values of enums that go out to C.

use std::ffi::CStr;

/// All values of an enum that goes out to C, rising, and their names as C has them.
macro_rules! named {
    ($enum:ident { $($name:ident),+ $(,)? }) => {
        impl $enum {
            const ALL: &[Self] = &[$(Self::$name),+];

            fn name(self) -> &'static ::std::ffi::CStr {
                match self {
                    $(Self::$name => const {
                        $crate::border::enums::name(concat!(stringify!($name), "\0"))
                    },)+
                }
            }

            /// The name of a number: a string that is always valid, "unknown" where no value has it.
            fn name_of(number: i32) -> *const ::std::ffi::c_char {
                let known = Self::ALL.iter().find(|known| **known as i32 == number);
                known.map_or(c"unknown", |known| known.name()).as_ptr()
            }
        }
    };
}
pub(crate) use named;

/// The string of a text that ends with its only zero.
pub(crate) const fn name(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("one zero, at the end"),
    }
}
