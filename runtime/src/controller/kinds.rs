//! Watches of dynamic resources and of metadata.

use std::sync::Arc;

use kube::api::{ApiResource, DynamicObject, PartialObjectMeta};
use kube::discovery::Scope;

use super::{Builder, Predicate};
use crate::object::Object;
use crate::store::ObjectKey;

/// Each method uses the factory's informer. For predicates and other informers use
/// [`for_informer`](Builder::for_informer), [`owns_informer`](Builder::owns_informer) and
/// [`watches_informer`](Builder::watches_informer).
impl Builder {
    /// Like [`for_`](Self::for_), for a resource known only at run time.
    pub fn for_dynamic(self, resource: &ApiResource, scope: Scope) -> Self {
        let informer = self.factory().dynamic_informer(resource, scope.clone());
        self.reconciles(&informer, Predicate::all(), scope)
    }

    /// Like [`owns`](Self::owns), for a resource known only at run time.
    pub fn owns_dynamic(self, resource: &ApiResource, scope: Scope) -> Self {
        let informer = self.factory().dynamic_informer(resource, scope);
        self.owns_informer(&informer, Predicate::all())
    }

    /// Like [`watches`](Self::watches), for a resource known only at run time.
    pub fn watches_dynamic(
        self,
        resource: &ApiResource,
        scope: Scope,
        mapping: impl Fn(&Arc<DynamicObject>) -> Vec<ObjectKey> + Send + Sync + 'static,
    ) -> Self {
        let informer = self.factory().dynamic_informer(resource, scope);
        self.watches_informer(&informer, Predicate::all(), mapping)
    }

    /// Like [`for_`](Self::for_), over the metadata of `K` only: the server sends, and the cache
    /// holds, no other fields.
    pub fn for_metadata<K: Object>(self) -> Self {
        let informer = self.factory().metadata_informer::<K>();
        self.for_informer(&informer, Predicate::all())
    }

    /// Like [`owns`](Self::owns), over the metadata of `K` only, which is sufficient to find
    /// owners.
    pub fn owns_metadata<K: Object>(self) -> Self {
        let informer = self.factory().metadata_informer::<K>();
        self.owns_informer(&informer, Predicate::all())
    }

    /// Like [`watches`](Self::watches), over the metadata of `K` only.
    pub fn watches_metadata<K: Object>(
        self,
        mapping: impl Fn(&Arc<PartialObjectMeta<K>>) -> Vec<ObjectKey> + Send + Sync + 'static,
    ) -> Self {
        let informer = self.factory().metadata_informer::<K>();
        self.watches_informer(&informer, Predicate::all(), mapping)
    }
}
