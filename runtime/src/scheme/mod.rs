//! The registry of kinds: the type for each apiVersion and kind, with its defaulting and conversion
//! functions.
//!
//! Generated code calls [`Scheme::register`] for each root type of a version (`add_to_scheme`);
//! built-in kinds are registered in the same way. [`Scheme::decode`] then decodes JSON or YAML of
//! any registered kind into an [`AnyObject`], to downcast. A scheme is a plain value; there is no
//! global state.
//!
//! ```
//! # use codegen_runtime::{k8s_openapi::api::core::v1::ConfigMap, scheme::{Scheme, SchemeError}};
//! let mut scheme = Scheme::new();
//! scheme.register::<ConfigMap>()?;
//! let object = scheme.decode("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}")?;
//! let map = object.downcast_ref::<ConfigMap>().expect("it is one");
//! assert_eq!(map.metadata.name.as_deref(), Some("settings"));
//! # Ok::<_, SchemeError>(())
//! ```

mod any;
mod convert;
mod crd;
mod decode;
mod error;
#[cfg(test)]
mod tests;

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::Arc;

use kube::core::GroupVersionKind;
use serde_json::Value;

pub use crate::object::GroupResource;
use crate::object::{Object, ResourceInfo};

pub use any::AnyObject;
use convert::Conversions;
pub use crd::read_crd;
pub use error::SchemeError;

type DecodeFn = fn(&[u8]) -> Result<AnyObject, serde_json::Error>;
type DefaultFn = dyn Fn(&mut AnyObject) + Send + Sync;

/// A registered kind.
#[derive(Clone)]
struct Registration {
    type_id: TypeId,
    type_name: &'static str,
    info: ResourceInfo,
    /// The only decoder: a second one, from values, would compile every kind's serde again.
    decode: DecodeFn,
    defaults: Vec<Arc<DefaultFn>>,
}

impl Registration {
    /// Decodes a value by way of its JSON. An error has no line and column, which would refer to
    /// that JSON.
    fn decode_value(&self, value: &Value) -> Result<AnyObject, serde_json::Error> {
        let text = serde_json::to_vec(value)?;
        (self.decode)(&text).map_err(|error| {
            let place = format!(" at line {} column {}", error.line(), error.column());
            let message = error.to_string();
            serde::de::Error::custom(message.strip_suffix(&place).unwrap_or(&message))
        })
    }
}

/// The key of a kind, ordered so that listings are stable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct KindKey {
    group: String,
    version: String,
    kind: String,
}

impl From<&GroupVersionKind> for KindKey {
    fn from(gvk: &GroupVersionKind) -> Self {
        Self {
            group: gvk.group.clone(),
            version: gvk.version.clone(),
            kind: gvk.kind.clone(),
        }
    }
}

/// A registry of types by kind, with defaulting and conversion functions. Cheap to clone once
/// built.
#[derive(Clone, Default)]
pub struct Scheme {
    kinds: BTreeMap<KindKey, Registration>,
    conversions: Conversions,
}

impl std::fmt::Debug for Scheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set()
            .entries(self.kinds().iter().map(display_gvk))
            .finish()
    }
}

impl Scheme {
    /// Creates an empty scheme.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers `K` under its own group, version and kind.
    ///
    /// Registering the same type again has no effect. A second type for one kind is
    /// [`SchemeError::Conflict`].
    pub fn register<K: Object>(&mut self) -> Result<&mut Self, SchemeError> {
        let info = ResourceInfo::of::<K>(&());
        let gvk = info.group_version_kind();
        let key = KindKey::from(&gvk);
        if let Some(held) = self.kinds.get(&key) {
            if held.type_id == TypeId::of::<K>() {
                return Ok(self);
            }
            return Err(SchemeError::Conflict {
                kind: display_gvk(&gvk),
                registered: held.type_name,
                rejected: std::any::type_name::<K>(),
            });
        }
        let registration = Registration {
            type_id: TypeId::of::<K>(),
            type_name: std::any::type_name::<K>(),
            info,
            decode: |bytes| serde_json::from_slice::<K>(bytes).map(AnyObject::new),
            defaults: Vec::new(),
        };
        self.kinds.insert(key, registration);
        Ok(self)
    }

    /// Adds a function that fills the unset fields of every decoded `K`. Functions run in the order
    /// they were added.
    ///
    /// `K` must be registered.
    pub fn add_defaulting<K: Object>(
        &mut self,
        default: impl Fn(&mut K) + Send + Sync + 'static,
    ) -> Result<&mut Self, SchemeError> {
        let gvk = ResourceInfo::of::<K>(&()).group_version_kind();
        let registration = self.registration_mut(&gvk)?;
        registration.defaults.push(Arc::new(move |object| {
            if let Some(object) = object.downcast_mut::<K>() {
                default(object);
            }
        }));
        Ok(self)
    }

    /// Runs the defaulting functions of the object's kind, as decoding does.
    pub fn apply_defaults(&self, object: &mut AnyObject) -> Result<(), SchemeError> {
        for default in &self.registration(object.group_version_kind())?.defaults {
            default(object);
        }
        Ok(())
    }

    /// Whether the kind is registered.
    pub fn recognizes(&self, gvk: &GroupVersionKind) -> bool {
        self.kinds.contains_key(&KindKey::from(gvk))
    }

    /// Returns all registered kinds, sorted by group, version and kind.
    pub fn kinds(&self) -> Vec<GroupVersionKind> {
        self.kinds
            .values()
            .map(|registration| registration.info.group_version_kind())
            .collect()
    }

    /// Returns the resource names of a registered kind.
    pub fn resource(&self, gvk: &GroupVersionKind) -> Result<&ResourceInfo, SchemeError> {
        self.registration(gvk)
            .map(|registration| &registration.info)
    }

    fn registration(&self, gvk: &GroupVersionKind) -> Result<&Registration, SchemeError> {
        self.kinds
            .get(&KindKey::from(gvk))
            .ok_or_else(|| self.not_registered(gvk))
    }

    fn registration_mut(
        &mut self,
        gvk: &GroupVersionKind,
    ) -> Result<&mut Registration, SchemeError> {
        let error = self.not_registered(gvk);
        self.kinds.get_mut(&KindKey::from(gvk)).ok_or(error)
    }

    fn not_registered(&self, gvk: &GroupVersionKind) -> SchemeError {
        let same_kind = self
            .kinds
            .keys()
            .filter(|key| key.group == gvk.group && key.kind == gvk.kind);
        SchemeError::NotRegistered {
            kind: gvk.kind.clone(),
            api_version: gvk.api_version(),
            other_versions: same_kind.map(|key| key.version.clone()).collect(),
        }
    }
}

/// Formats `group/version, Kind=kind`, as apimachinery does.
fn display_gvk(gvk: &GroupVersionKind) -> String {
    format!("{}, Kind={}", gvk.api_version(), gvk.kind)
}
