//! An object as a store holds it: whole, or packed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use kube::Resource;

use super::packed::Packed;

/// An object in a store, or on its way there: whole, or as the compressed bytes of a packed store.
/// Cheap to clone.
pub struct Held<K>(Body<K>);

enum Body<K> {
    Whole(Arc<K>),
    Packed(Arc<Packed<K>>),
}

impl<K> Clone for Held<K> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            Body::Whole(object) => Body::Whole(object.clone()),
            Body::Packed(packed) => Body::Packed(packed.clone()),
        })
    }
}

impl<K> From<Arc<K>> for Held<K> {
    fn from(object: Arc<K>) -> Self {
        Self(Body::Whole(object))
    }
}

impl<K> fmt::Debug for Held<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Body::Whole(_) => "Held::Whole",
            Body::Packed(_) => "Held::Packed",
        })
    }
}

impl<K> Held<K> {
    pub(super) fn packed(packed: Arc<Packed<K>>) -> Self {
        Self(Body::Packed(packed))
    }

    /// Returns the object, decoded if it is packed and nobody uses it. `None`, after a log line, if
    /// the bytes cannot be decoded: the type serialises this object as something that it does not
    /// read.
    pub fn object(&self) -> Option<Arc<K>> {
        match &self.0 {
            Body::Whole(object) => Some(object.clone()),
            Body::Packed(packed) => packed.object(),
        }
    }

    #[cfg(all(test, feature = "packed"))]
    pub(super) fn packed_len(&self) -> Option<usize> {
        match &self.0 {
            Body::Whole(_) => None,
            Body::Packed(packed) => Some(packed.len()),
        }
    }

    /// Returns the object if it is not packed.
    pub fn whole(&self) -> Option<&Arc<K>> {
        match &self.0 {
            Body::Whole(object) => Some(object),
            Body::Packed(_) => None,
        }
    }
}

impl<K: Resource> Held<K> {
    /// Returns the object's uid.
    pub fn uid(&self) -> Option<&str> {
        match &self.0 {
            Body::Whole(object) => object.meta().uid.as_deref(),
            Body::Packed(packed) => packed.uid(),
        }
    }

    /// Returns the object's resourceVersion.
    pub fn resource_version(&self) -> Option<&str> {
        match &self.0 {
            Body::Whole(object) => object.meta().resource_version.as_deref(),
            Body::Packed(packed) => packed.resource_version(),
        }
    }

    /// Returns the object's labels.
    pub(super) fn labels(&self) -> Option<Cow<'_, BTreeMap<String, String>>> {
        match &self.0 {
            Body::Whole(object) => object.meta().labels.as_ref().map(Cow::Borrowed),
            Body::Packed(packed) => Some(Cow::Owned(packed.labels())),
        }
    }

    /// Whether both are the same version to the API server: equal uid and resourceVersion, both
    /// known.
    pub(crate) fn is_unchanged(&self, new: &Self) -> bool {
        self.is_version(new.uid(), new.resource_version())
    }

    pub(crate) fn is_version(&self, uid: Option<&str>, resource_version: Option<&str>) -> bool {
        resource_version.is_some()
            && self.resource_version() == resource_version
            && self.uid() == uid
    }
}
