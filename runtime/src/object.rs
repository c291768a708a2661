//! The bounds of types that have a client, a cache and an entry in a
//! [`Scheme`](crate::scheme::Scheme).
//!
//! [`Object`] is for kinds known at compile time: the generated ones and every kind of
//! `k8s_openapi`. [`Cacheable`] is the wider bound of store, lister and informer, which also
//! support `DynamicObject` and `PartialObjectMeta`, whose group, version and resource are known
//! only at run time; [`ResourceInfo`] contains those.
//!
//! ```
//! # use codegen_runtime::{k8s_openapi::api::apps::v1::Deployment, object::ResourceInfo};
//! let deployments = ResourceInfo::of::<Deployment>(&());
//! assert_eq!((deployments.api_version().as_str(), deployments.plural.as_str()), ("apps/v1", "deployments"));
//! ```

use std::any::TypeId;
use std::fmt::{self, Debug};

use kube::Resource;
use kube::core::{ClusterResourceScope, GroupVersionKind, NamespaceResourceScope};
use kube::discovery::Scope;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A Kubernetes object whose kind is known at compile time.
///
/// Implemented for every type that meets the bounds: generated root types,
/// `#[derive(CustomResource)]` types and the built-in kinds of `k8s_openapi`.
pub trait Object:
    Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

impl<K> Object for K where
    K: Resource<DynamicType = ()>
        + Clone
        + Debug
        + Serialize
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

/// An object that an informer can hold: typed, dynamic or metadata only.
pub trait Cacheable: Resource + Clone + Debug + DeserializeOwned + Send + Sync + 'static {}

impl<K> Cacheable for K where K: Resource + Clone + Debug + DeserializeOwned + Send + Sync + 'static {}

/// Whether `K` is known to be namespaced.
pub(crate) fn is_namespaced<K: Resource>() -> bool
where
    K::Scope: 'static,
{
    TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>()
}

/// Returns the scope of `K`; a type whose scope is known only at run time counts as namespaced.
pub(crate) fn scope_of<K: Resource>() -> Scope
where
    K::Scope: 'static,
{
    if TypeId::of::<K::Scope>() == TypeId::of::<ClusterResourceScope>() {
        Scope::Cluster
    } else {
        Scope::Namespaced
    }
}

/// The group, version, kind and resource names of a type, whether they are known at compile time or
/// at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceInfo {
    /// The API group, empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The plural resource name, as in the URL.
    pub plural: String,
    /// Whether requests ask for `PartialObjectMetadata` instead of the whole object.
    pub metadata_only: bool,
}

impl ResourceInfo {
    /// Reads the names of `K`. `dynamic` is `()` for types known at compile time.
    pub fn of<K: Resource>(dynamic: &K::DynamicType) -> Self {
        Self {
            group: K::group(dynamic).into_owned(),
            version: K::version(dynamic).into_owned(),
            kind: K::kind(dynamic).into_owned(),
            plural: K::plural(dynamic).into_owned(),
            metadata_only: K::metadata_api(),
        }
    }

    /// Returns `group/version`, or only the version for the core group.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// Returns the group, version and kind.
    pub fn group_version_kind(&self) -> GroupVersionKind {
        GroupVersionKind::gvk(&self.group, &self.version, &self.kind)
    }

    /// Returns the group and resource, as used in error messages.
    pub fn group_resource(&self) -> GroupResource {
        GroupResource {
            group: self.group.clone(),
            resource: self.plural.clone(),
        }
    }
}

/// A resource of a group, displayed as `virtualmachines.cloudnative.czs`, or as `pods` in the core
/// group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupResource {
    /// The API group, empty for the core group.
    pub group: String,
    /// The plural resource name.
    pub resource: String,
}

impl GroupResource {
    /// Creates a resource of a group.
    pub fn new(group: impl Into<String>, resource: impl Into<String>) -> Self {
        Self {
            group: group.into(),
            resource: resource.into(),
        }
    }
}

impl fmt::Display for GroupResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.resource)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        Ok(())
    }
}
