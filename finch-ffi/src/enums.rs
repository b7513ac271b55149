//! Enums go out to C as such; what comes in is an integer, which may be any.

use crate::status::Fault;

/// What an integer from C stands for, given the values of its enum; any other integer returns a
/// fault from the function around it.
macro_rules! from_c {
    ($number:expr, $what:literal, $enum:ident { $($name:ident => $value:expr),+ $(,)? }) => {
        match $number {
            $(number if number == $enum::$name as i32 => $value,)+
            other => {
                let wanted = concat!("a ", stringify!($enum));
                return Err($crate::enums::invalid_value($what, other, wanted));
            }
        }
    };
}
pub(crate) use from_c;

pub(crate) fn invalid_value(what: &'static str, value: impl ToString, wanted: &str) -> Fault {
    Fault::Value { what, value: value.to_string(), advice: format!("give {wanted}") }
}
