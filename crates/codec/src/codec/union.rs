//! Unions: views of structs in which at most one field is set.

/// Declares the view of a union of fields: an enum of references to them, a method of the struct that returns the only field that
/// is set and, after `convertible`, `From` of the view.
///
/// ```ignore
/// codec::union! { convertible pub enum FilterUnion of Filter, as_union; Cors(FilterCors) = cors (kind = Kind::Cors),
///     Mirror(FilterMirror) = mirror (kind = Kind::Mirror) }
/// ```
///
/// The parentheses after a field contain its discriminator field and the discriminator's value.
#[doc(hidden)]
#[macro_export]
macro_rules! __codec_union {
    (convertible $vis:vis enum $view:ident of $object:ident, $method:ident;
        $($variant:ident($ty:ty) = $field:ident $(($tag:ident = $value:path))?),+) => {
        $crate::codec::union! { $vis enum $view of $object, $method; $($variant($ty) = $field),+ }

        impl ::core::convert::From<$view<'_>> for $object {
            fn from(view: $view<'_>) -> Self {
                match view {
                    $($view::$variant(value) => Self {
                        $field: $crate::codec::member(value),
                        $($tag: ::core::convert::From::from($value),)?
                        ..::core::default::Default::default()
                    },)+
                }
            }
        }
    };
    ($vis:vis enum $view:ident of $object:ident, $method:ident; $($variant:ident($ty:ty) = $field:ident),+) => {
        #[doc = ::core::concat!("The field of [`", ::core::stringify!($object), "`] that is set; at most one may be.")]
        #[derive(Clone, Copy, Debug, PartialEq)]
        $vis enum $view<'a> {
            $($variant(&'a $ty),)+
        }

        impl $object {
            /// Returns the only field of the union that is set; `None` if none or several are.
            #[must_use]
            $vis fn $method(&self) -> ::core::option::Option<$view<'_>> {
                let mut only = ::core::option::Option::None;
                $(if let ::core::option::Option::Some(value) = &self.$field {
                    if only.replace($view::$variant(value)).is_some() {
                        return ::core::option::Option::None;
                    }
                })+
                only
            }
        }
    };
}

pub use crate::__codec_union as union;

/// Converts a view's value to the struct's field, which may be boxed.
pub fn member<T: Clone, F: From<T>>(value: &T) -> Option<F> {
    Some(F::from(value.clone()))
}
