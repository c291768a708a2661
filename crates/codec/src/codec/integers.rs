//! Enums over integers.

/// Implements `From` both ways between an enum and the integers of its variants; any other integer is held in the
/// variant named first.
///
/// ```ignore
/// codec::integers! { IpVersion, Unrecognized, V4 = 4, V6 = 6 }
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __codec_integers {
    ($name:ident, $open:ident $(, $variant:ident = $value:literal)* $(,)?) => {
        impl ::core::convert::From<i64> for $name {
            #[inline]
            fn from(value: i64) -> Self {
                match value {
                    $($value => Self::$variant,)*
                    other => Self::$open(other),
                }
            }
        }

        impl ::core::convert::From<$name> for i64 {
            #[inline]
            fn from(value: $name) -> Self {
                match value {
                    $($name::$variant => $value,)*
                    $name::$open(other) => other,
                }
            }
        }
    };
}

pub use crate::__codec_integers as integers;
