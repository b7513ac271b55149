//! Enums that go out to C, and checks of integers that come in from C and may have any value.

use std::ffi::CStr;

use super::fault::Fault;

/// The value that an integer from C stands for, given a value for each name of the enum. For any
/// other integer the function around the macro returns a fault.
macro_rules! from_c {
    ($number:expr, $what:literal, $enum:ident { $($name:ident => $value:expr),+ $(,)? }) => {
        match $number {
            $(number if number == $enum::$name as i32 => $value,)+
            other => {
                let wanted = concat!("a ", stringify!($enum));
                return Err($crate::border::enums::invalid_value($what, other, wanted));
            }
        }
    };
}
pub(crate) use from_c;

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

pub(crate) fn invalid_value(what: &'static str, value: impl ToString, wanted: &str) -> Fault {
    Fault::Value { what, value: value.to_string(), advice: format!("give {wanted}") }
}
