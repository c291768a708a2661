//! Places in a schema, and their distance from the root as seen by rustc.

use crate::{model::names::schema::Path, record::Line};

/// The maximum number of steps from the root to a value. Deeper values are held as JSON, since
/// rustc's recursion limit is 128 steps, some of which are needed for the futures of clients.
pub(super) const MAX_STEPS: usize = 100;

/// The steps into a property: the struct, and an `Option`.
pub(super) const STEPS_OF_PROPERTY: usize = 2;

/// The steps through a list: `Vec`, `RawVec`, `PhantomData`.
pub(super) const STEPS_OF_LIST: usize = 3;

/// The steps through a map: `BTreeMap` and its internal types, as rustdoc follows them for
/// `RefUnwindSafe`.
pub(super) const STEPS_OF_MAP: usize = 10;

/// The location of a schema. List items and map values share the location of their property; the
/// path is built only for schemas that need a name.
#[derive(Clone, Copy)]
pub(super) struct At<'a, 'r> {
    pub(super) parent: &'a Path,
    pub(super) property: &'a str,
    /// The recorded line for a type at this location.
    pub(super) line: Option<&'r Line>,
    /// The number of steps from the root.
    pub(super) steps: usize,
}

/// The object that contains properties.
#[derive(Clone, Copy)]
pub(super) struct Within<'a> {
    pub(super) path: &'a Path,
    /// The number of steps from the root.
    pub(super) steps: usize,
    /// The recorded name of its type, or the kind.
    pub(super) name: Option<&'a str>,
}

impl<'r> At<'_, 'r> {
    pub(super) fn path(self) -> Path {
        self.parent.property(self.property)
    }

    /// Returns the object at this location.
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
