//! Kinds of a controller that are known at run time only, or by their metadata.

use std::sync::Arc;

use kube::api::{ApiResource, DynamicObject, PartialObjectMeta};
use kube::discovery::Scope;

use super::{Builder, Predicate};
use crate::object::Object;
use crate::store::ObjectKey;

/// Each takes its informer of the factory. For predicates and other informers there are
/// [`for_informer`](Builder::for_informer), [`owns_informer`](Builder::owns_informer) and
/// [`watches_informer`](Builder::watches_informer).
impl Builder {
    /// As [`for_`](Self::for_), for a resource known at run time only.
    pub fn for_dynamic(self, resource: &ApiResource, scope: Scope) -> Self {
        let informer = self.factory().dynamic_informer(resource, scope.clone());
        self.reconciles(&informer, Predicate::all(), scope)
    }

    /// As [`owns`](Self::owns), for a resource known at run time only.
    pub fn owns_dynamic(self, resource: &ApiResource, scope: Scope) -> Self {
        let informer = self.factory().dynamic_informer(resource, scope);
        self.owns_informer(&informer, Predicate::all())
    }

    /// As [`watches`](Self::watches), for a resource known at run time only.
    pub fn watches_dynamic(
        self,
        resource: &ApiResource,
        scope: Scope,
        mapping: impl Fn(&Arc<DynamicObject>) -> Vec<ObjectKey> + Send + Sync + 'static,
    ) -> Self {
        let informer = self.factory().dynamic_informer(resource, scope);
        self.watches_informer(&informer, Predicate::all(), mapping)
    }

    /// As [`for_`](Self::for_), over the metadata of `K` alone: the cache holds, and the server sends, nothing else.
    pub fn for_metadata<K: Object>(self) -> Self {
        let informer = self.factory().metadata_informer::<K>();
        self.for_informer(&informer, Predicate::all())
    }

    /// As [`owns`](Self::owns), over the metadata of `K` alone, which is all that finding owners takes.
    pub fn owns_metadata<K: Object>(self) -> Self {
        let informer = self.factory().metadata_informer::<K>();
        self.owns_informer(&informer, Predicate::all())
    }

    /// As [`watches`](Self::watches), over the metadata of `K` alone.
    pub fn watches_metadata<K: Object>(
        self,
        mapping: impl Fn(&Arc<PartialObjectMeta<K>>) -> Vec<ObjectKey> + Send + Sync + 'static,
    ) -> Self {
        let informer = self.factory().metadata_informer::<K>();
        self.watches_informer(&informer, Predicate::all(), mapping)
    }
}
