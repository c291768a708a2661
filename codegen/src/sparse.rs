//! Values that are absent most of the time, and occupy one machine word while they are.

use std::{
    fmt,
    ops::{Deref, DerefMut},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A type whose default value means "absent".
pub trait Absent: Default + 'static {
    /// A shared default value, which absent values are read as.
    fn absent() -> &'static Self;
}

/// A value that is allocated when one of its parts is first set. Until then it reads as the
/// default.
#[derive(Clone)]
pub struct Sparse<T>(Option<Box<T>>);

impl<T> Sparse<T> {
    /// The value, if present.
    pub fn present(&self) -> Option<&T> {
        self.0.as_deref()
    }

    /// The value for changing in place, if present.
    pub fn present_mut(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }

    /// Takes the value out, if present.
    pub fn into_present(self) -> Option<T> {
        self.0.map(|value| *value)
    }
}

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Absent> Deref for Sparse<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or_else(|| T::absent())
    }
}

impl<T: Absent> DerefMut for Sparse<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}

impl<T> From<T> for Sparse<T> {
    fn from(value: T) -> Self {
        Self(Some(Box::new(value)))
    }
}

impl<T: Absent + PartialEq> PartialEq for Sparse<T> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            _ => **self == **other,
        }
    }
}

impl<T: Absent + fmt::Debug> fmt::Debug for Sparse<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::fmt(self, f)
    }
}

impl<T: Absent + Serialize> Serialize for Sparse<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        T::serialize(self, serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Sparse<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::from)
    }
}
