//! Places in a schema, and how far from the root they are for rustc.

use crate::model::names::schema::Path;

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
pub(super) struct At<'a> {
    pub(super) parent: &'a Path,
    pub(super) property: &'a str,
    /// How many steps it takes to follow the types to it.
    pub(super) steps: usize,
}

impl At<'_> {
    pub(super) fn path(self) -> Path {
        self.parent.property(self.property)
    }

    pub(super) fn further(self, steps: usize) -> Self {
        Self {
            steps: self.steps + steps,
            ..self
        }
    }
}
