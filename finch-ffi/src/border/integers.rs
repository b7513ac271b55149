//! Integers that come in from C for values of enums, and may be any.

use super::fault::Fault;

/// The value that an integer from C stands for, given a value for each name of the enum. For any
/// other integer the function around the macro returns a fault.
macro_rules! from_c {
    ($number:expr, $what:literal, $enum:ident { $($name:ident => $value:expr),+ $(,)? }) => {
        match $number {
            $(number if number == $enum::$name as i32 => $value,)+
            other => {
                let wanted = concat!("a ", stringify!($enum));
                return Err($crate::border::integers::invalid_value($what, other, wanted));
            }
        }
    };
}
pub(crate) use from_c;

/// Two functions between an enum of C and one of Rust: the value that an integer from C stands for, and back.
macro_rules! between {
    ($from_c:ident, $to_c:ident: $what:literal, $enum:ident, $type:ident { $($name:ident => $variant:ident),+ $(,)? }) => {
        pub(crate) fn $from_c(number: i32) -> Result<$type, $crate::border::fault::Fault> {
            Ok($crate::border::integers::from_c!(number, $what, $enum { $($name => $type::$variant),+ }))
        }

        pub(crate) fn $to_c(value: $type) -> i32 {
            match value {
                $($type::$variant => $enum::$name as i32,)+
                _ => -1,
            }
        }
    };
}
pub(crate) use between;

pub(crate) fn invalid_value(what: &'static str, value: impl ToString, wanted: &str) -> Fault {
    Fault::Value { what, value: value.to_string(), advice: format!("give {wanted}") }
}
