//! An object of any registered kind.

use std::any::Any;
use std::fmt;

use kube::core::{GroupVersionKind, ObjectMeta};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::json::to_value;
use crate::object::{Object, ResourceInfo};

/// A typed object whose type is erased; downcast it to use it.
pub struct AnyObject {
    gvk: GroupVersionKind,
    object: Box<dyn Erased>,
}

/// Operations on an object whose type is erased.
trait Erased: Any + Send + Sync {
    fn meta(&self) -> &ObjectMeta;
    fn to_json(&self) -> Result<Value, serde_json::Error>;
    fn clone_boxed(&self) -> Box<dyn Erased>;
    fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// Moves the object into `slot` if that is an `Option` of its type, otherwise returns it.
    fn move_into(self: Box<Self>, slot: &mut dyn Any) -> Option<Box<dyn Erased>>;
}

impl<K: Object> Erased for K {
    fn meta(&self) -> &ObjectMeta {
        kube::Resource::meta(self)
    }

    fn to_json(&self) -> Result<Value, serde_json::Error> {
        to_value(self)
    }

    fn clone_boxed(&self) -> Box<dyn Erased> {
        Box::new(self.clone())
    }

    fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn move_into(self: Box<Self>, slot: &mut dyn Any) -> Option<Box<dyn Erased>> {
        let Some(slot) = slot.downcast_mut::<Option<K>>() else {
            return Some(self);
        };
        *slot = Some(*self);
        None
    }
}

impl AnyObject {
    /// Wraps a typed object.
    pub fn new<K: Object>(object: K) -> Self {
        Self {
            gvk: ResourceInfo::of::<K>(&()).group_version_kind(),
            object: Box::new(object),
        }
    }

    /// Returns the group, version and kind.
    pub fn group_version_kind(&self) -> &GroupVersionKind {
        &self.gvk
    }

    /// Returns the metadata.
    pub fn metadata(&self) -> &ObjectMeta {
        self.object.meta()
    }

    /// Whether the object is a `K`.
    pub fn is<K: Object>(&self) -> bool {
        self.downcast_ref::<K>().is_some()
    }

    /// Returns the object as a `K`, if it is one.
    pub fn downcast_ref<K: Object>(&self) -> Option<&K> {
        self.object.as_any().downcast_ref()
    }

    /// Returns the object as a mutable `K`, if it is one.
    pub fn downcast_mut<K: Object>(&mut self) -> Option<&mut K> {
        self.object.as_any_mut().downcast_mut()
    }

    /// Returns the object as a `K`.
    ///
    /// # Errors
    ///
    /// The object, if it is not a `K`.
    pub fn downcast<K: Object>(self) -> Result<K, Self> {
        let Self { gvk, object } = self;
        let mut slot: Option<K> = None;
        match (object.move_into(&mut slot), slot) {
            (None, Some(typed)) => Ok(typed),
            (Some(object), _) => Err(Self { gvk, object }),
            (None, None) => unreachable!("an object is moved or given back"),
        }
    }

    /// Returns the object as JSON, with apiVersion and kind if its type writes them.
    ///
    /// # Errors
    ///
    /// Those of its `Serialize`.
    pub fn to_json(&self) -> Result<Value, serde_json::Error> {
        self.object.to_json()
    }
}

impl Clone for AnyObject {
    fn clone(&self) -> Self {
        Self {
            gvk: self.gvk.clone(),
            object: self.object.clone_boxed(),
        }
    }
}

impl fmt::Debug for AnyObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.debug(f)
    }
}

impl Serialize for AnyObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json()
            .map_err(serde::ser::Error::custom)?
            .serialize(serializer)
    }
}
