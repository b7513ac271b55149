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

pub(crate) fn invalid_value(what: &'static str, value: impl ToString, wanted: &str) -> Fault {
    Fault::Value { what, value: value.to_string(), advice: format!("give {wanted}") }
}
