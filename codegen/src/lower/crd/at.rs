//! Places in a schema, and how far from the root they are for rustc.

use crate::{model::names::schema::Path, record::Line};

/// How many steps it may take to follow the types from the root to a value. What is further is held as JSON, since rustc
/// goes 128 steps, some of which it needs for the futures of clients.
pub(super) const MAX_STEPS: usize = 100;

/// The steps into a property: the struct and an `Option`.
pub(super) const STEPS_OF_PROPERTY: usize = 2;

/// The steps through a list: `Vec`, `RawVec`, `PhantomData`.
pub(super) const STEPS_OF_LIST: usize = 3;

/// The steps through a map: `BTreeMap` and what it consists of.
pub(super) const STEPS_OF_MAP: usize = 5;

/// Where a schema stands. Items of lists and values of maps stand where the property does; its path is built only for what
/// needs a name.
#[derive(Clone, Copy)]
pub(super) struct At<'a, 'r> {
    pub(super) parent: &'a Path,
    pub(super) property: &'a str,
    /// The line with the name that a type there had before.
    pub(super) line: Option<&'r Line>,
    /// How many steps it takes to follow the types to it.
    pub(super) steps: usize,
}

/// The object that properties stand in.
#[derive(Clone, Copy)]
pub(super) struct Within<'a> {
    pub(super) path: &'a Path,
    /// How many steps it takes to follow the types to it.
    pub(super) steps: usize,
    /// The name of its type before, or the kind.
    pub(super) name: Option<&'a str>,
}

impl<'r> At<'_, 'r> {
    pub(super) fn path(self) -> Path {
        self.parent.property(self.property)
    }

    /// The object of this path that stands there.
    pub(super) fn within<'p>(self, path: &'p Path) -> Within<'p>
    where
        'r: 'p,
    {
        Within {
            path,
            steps: self.steps,
            name: self.line.map(|line| line.name.as_str()),
        }
    }

    pub(super) fn further(self, steps: usize) -> Self {
        Self {
            steps: self.steps + steps,
            ..self
        }
    }
}
