//! Names of options, the same in every language and on the command line.

/// Gives an enum its values, and each a name to print and to parse.
macro_rules! named {
    ($type:ident, $what:literal, $($variant:ident = $name:literal),+ $(,)?) => {
        impl $type {
            /// Every value, the default first.
            pub const ALL: &'static [Self] = &[$($type::$variant),+];

            /// The name as options spell it.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name),+ }
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::std::str::FromStr for $type {
            type Err = $crate::error::Error;

            fn from_str(name: &str) -> $crate::error::Result<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name).ok_or_else(|| {
                    let known = Self::ALL.iter().map(|value| value.name()).collect();
                    $crate::error::Error::UnknownName { what: $what, name: name.into(), known }
                })
            }
        }
    };
}
pub(crate) use named;
