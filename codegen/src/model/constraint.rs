//! How the constraints of a schema are merged, compared and printed, each by its type, and the
//! macro that declares them.

use serde::Serialize;
use serde_json::Value;

/// Receives keywords with their values.
pub(crate) type Put<'p> = dyn FnMut(&'static str, Value) + 'p;

/// A constraint, or its absence.
pub(crate) trait Constraint: Clone + Default + PartialEq + Serialize {
    /// Whether the schema does not have it.
    fn is_absent(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it is as if the schema did not have it.
    fn is_default(&self) -> bool {
        self.is_absent()
    }

    /// Adds the constraint of the type to that of a field.
    fn fill(&mut self, below: &Self) {
        if self.is_absent() {
            self.clone_from(below);
        }
    }

    /// Whether it is the same constraint.
    fn agrees(&self, other: &Self) -> bool {
        self == other
    }

    /// Prints it as a keyword of a schema.
    fn put(&self, keyword: &'static str, put: &mut Put<'_>) {
        if let Some(value) = serde_json::to_value(self)
            .ok()
            .filter(|_| !self.is_absent())
        {
            put(keyword, value);
        }
    }
}

/// Implements the trait for types that need nothing special.
macro_rules! simple {
    ($($type:ty),+ $(,)?) => {$( impl Constraint for $type {} )+};
}
pub(super) use simple;

/// Declares the struct of constraints: field, type, keyword, and whether a type of Kubernetes must
/// have the same to stand for a schema.
macro_rules! constraints {
    ($(#[$meta:meta])+ pub struct $name:ident {$(
        $(#[$attribute:meta])* $field:ident: $type:ty = $keyword:literal $(, $compared:ident)?;
    )+}) => {
        $(#[$meta])+
        pub struct $name {$(
            $(#[$attribute])*
            #[serde(skip_serializing_if = "Constraint::is_absent")]
            pub $field: $type,
        )+}

        impl $name {
            /// Adds the constraints of a type to those of a field, which take precedence.
            pub(crate) fn fill(&mut self, below: &Self) {
                $( Constraint::fill(&mut self.$field, &below.$field); )+
            }

            /// Prints the constraints as keywords, without those of elements.
            pub(crate) fn put(&self, put: &mut $crate::model::constraint::Put<'_>) {
                $( if !$keyword.is_empty() {
                    Constraint::put(&self.$field, $keyword, put);
                } )+
            }

            /// Returns the keyword of the first constraint that none of the others has.
            pub(crate) fn beyond(&self, known: &[&Self]) -> Option<&'static str> {
                $($(
                    let $compared = |one: &&Self| Constraint::agrees(&one.$field, &self.$field);
                    if !Constraint::is_default(&self.$field) && !known.iter().any($compared) {
                        return Some($keyword);
                    }
                )?)+
                None
            }
        }
    };
}
pub(super) use constraints;
