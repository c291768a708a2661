//! Read access to a cache, modelled on client-go's listers.
//!
//! Generated listers are aliases of [`Lister`] and [`NamespaceLister`] for their kinds. Reads never
//! wait for writes or for the network, and return what the informer has received so far.
//!
//! ```
//! # use codegen_runtime::{k8s_openapi::api::core::v1::ConfigMap, kube::core::Selector, lister::Lister, store::Store};
//! let store = Store::new();
//! let mut map = ConfigMap::default();
//! map.metadata.name = Some("settings".to_owned());
//! map.metadata.namespace = Some("default".to_owned());
//! store.insert(map);
//!
//! let lister = Lister::new(store);
//! assert!(lister.get("default/settings").is_ok());
//! let error = lister.namespace("default").get("other").unwrap_err();
//! assert_eq!(error.to_string(), "configmaps \"other\" not found");
//! assert_eq!(lister.list(&Selector::default()).len(), 1);
//! ```

use std::sync::Arc;
use std::time::Duration;

use kube::core::Selector;

use crate::object::{Cacheable, GroupResource, ResourceInfo};
use crate::store::{ObjectKey, Snapshot, Store, UnknownIndex, WaitError};

/// The object is not in the cache.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{resource} {name:?} not found")]
pub struct NotFound {
    /// The resource.
    pub resource: GroupResource,
    /// The name.
    pub name: String,
}

/// Reads all objects of a cache.
pub struct Lister<K> {
    store: Store<K>,
    resource: Arc<GroupResource>,
}

impl<K> Clone for Lister<K> {
    fn clone(&self) -> Self {
        Self {
            store: self.store.clone(),
            resource: self.resource.clone(),
        }
    }
}

impl<K> std::fmt::Debug for Lister<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lister")
            .field("resource", &self.resource)
            .field("store", &self.store)
            .finish()
    }
}

impl<K: Cacheable> Lister<K> {
    /// Creates a lister over `store` for a kind known at compile time.
    pub fn new(store: Store<K>) -> Self
    where
        K::DynamicType: Default,
    {
        Self::for_resource(
            store,
            ResourceInfo::of::<K>(&K::DynamicType::default()).group_resource(),
        )
    }

    /// Creates a lister over `store` whose errors name `resource`.
    pub fn for_resource(store: Store<K>, resource: GroupResource) -> Self {
        Self {
            store,
            resource: Arc::new(resource),
        }
    }

    /// Returns the objects whose labels match `selector`, in no particular order.
    /// `Selector::default()` matches all.
    pub fn list(&self, selector: &Selector) -> Vec<Arc<K>> {
        self.store.snapshot().select(selector)
    }

    /// Returns the object of `key`: `namespace/name`, or the name at cluster scope.
    ///
    /// # Errors
    ///
    /// [`NotFound`] if the cache does not hold the object.
    pub fn get(&self, key: &str) -> Result<Arc<K>, NotFound> {
        self.store.get(key).ok_or_else(|| NotFound {
            resource: (*self.resource).clone(),
            name: key.to_owned(),
        })
    }

    /// Returns a lister of one namespace.
    pub fn namespace(&self, namespace: &str) -> NamespaceLister<K> {
        NamespaceLister {
            lister: self.clone(),
            namespace: namespace.to_owned(),
        }
    }

    /// Returns the objects that have `value` in the index `name`.
    ///
    /// # Errors
    ///
    /// [`UnknownIndex`] if there is no such index.
    pub fn by_index(&self, name: &str, value: &str) -> Result<Vec<Arc<K>>, UnknownIndex> {
        self.store.by_index(name, value)
    }

    /// Returns the current state of the cache, for several reads that must be consistent.
    pub fn snapshot(&self) -> Snapshot<K> {
        self.store.snapshot()
    }

    /// Returns the underlying store.
    pub fn store(&self) -> &Store<K> {
        &self.store
    }

    /// Waits until reads reflect at least `resource_version`; see
    /// [`Store::wait_for_resource_version`].
    ///
    /// # Errors
    ///
    /// [`WaitError`].
    pub async fn wait_for_resource_version(
        &self,
        resource_version: &str,
        timeout: Duration,
    ) -> Result<(), WaitError> {
        self.store
            .wait_for_resource_version(resource_version, timeout)
            .await
    }
}

/// Reads the objects of one namespace of a cache.
pub struct NamespaceLister<K> {
    lister: Lister<K>,
    namespace: String,
}

impl<K> Clone for NamespaceLister<K> {
    fn clone(&self) -> Self {
        Self {
            lister: self.lister.clone(),
            namespace: self.namespace.clone(),
        }
    }
}

impl<K> std::fmt::Debug for NamespaceLister<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NamespaceLister")
            .field("lister", &self.lister)
            .field("namespace", &self.namespace)
            .finish()
    }
}

impl<K: Cacheable> NamespaceLister<K> {
    /// Returns the object with that name in this namespace.
    ///
    /// # Errors
    ///
    /// [`NotFound`] if the cache does not hold the object.
    pub fn get(&self, name: &str) -> Result<Arc<K>, NotFound> {
        let key = ObjectKey::new(Some(&self.namespace), name);
        let found = self.lister.store.get(&key);
        found.ok_or_else(|| NotFound {
            resource: (*self.lister.resource).clone(),
            name: name.to_owned(),
        })
    }

    /// Returns the objects of this namespace that match `selector`, using the namespace index. The
    /// empty namespace means all namespaces.
    pub fn list(&self, selector: &Selector) -> Vec<Arc<K>> {
        self.lister
            .store
            .snapshot()
            .select_in(&self.namespace, selector)
    }
}
