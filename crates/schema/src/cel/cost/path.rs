//! Tracks which values of the schema expressions read.

use crate::cel::{
    decl::{Decl, Kind},
    types::Scalar,
};

/// The key of a map, whose length the API server does not count.
static KEY: Decl = Decl {
    kind: Kind::Scalar(Scalar::String),
    max_elements: 0,
    min_bytes: 2,
    unbounded: None,
};

/// The value of the schema that an expression reads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path<'d> {
    /// None: the value was computed.
    Nowhere,
    /// The value of this declaration; `None` if the schema has no such value.
    At(Option<&'d Decl>),
}

/// A step from a value to a nested one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'s> {
    Field(&'s str),
    /// An item of a list or a value of a map.
    Element,
    /// A key of a map or an index of a list.
    Key,
}

impl<'d> Path<'d> {
    /// Returns the path one step further. The first step from a computed value leads to the value
    /// that the rule is about, since the API server treats the step as the name of a variable.
    pub(crate) fn below(self, root: &'d Decl, step: Step<'_>) -> Self {
        let decl = match self {
            Self::Nowhere => return Self::At(Some(root)),
            Self::At(decl) => decl,
        };
        Self::At(decl.and_then(|decl| match (&decl.kind, step) {
            (Kind::List(within) | Kind::Map(within), Step::Element) => Some(&**within),
            (Kind::Map(_), Step::Key) => Some(&KEY),
            (Kind::Object(fields), Step::Field(name)) => fields.seen.get(name),
            _ => None,
        }))
    }
}
