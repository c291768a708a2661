//! The stores that this copy of the suite runs on: ordinary or packed ones.

use std::fmt::Debug;

use codegen_runtime::informer::{FactoryBuilder, SharedInformer, SharedInformerFactory};
use codegen_runtime::object::Cacheable;
use codegen_runtime::store::Store;
#[cfg(feature = "packed")]
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Client, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Whether this copy is that of packed stores.
#[cfg(feature = "packed")]
pub fn are_packed() -> bool {
    module_path!().contains("::packed_cache::")
}

pub fn new<K: Resource + Clone + Debug + Serialize + DeserializeOwned>() -> Store<K> {
    #[cfg(feature = "packed")]
    if are_packed() {
        return Store::packed();
    }
    Store::new()
}

/// Packs an informer that has not started.
pub fn informer<K: Cacheable + Serialize>(informer: SharedInformer<K>) -> SharedInformer<K> {
    #[cfg(feature = "packed")]
    if are_packed() {
        informer.set_packed().unwrap();
    }
    informer
}

pub fn factory(client: Client) -> FactoryBuilder<SharedInformerFactory> {
    let builder = SharedInformerFactory::builder(client);
    #[cfg(feature = "packed")]
    if are_packed() {
        return builder.packed();
    }
    builder
}

/// A factory that packs one kind, as docs/caches.md shows it.
#[cfg(feature = "packed")]
pub fn factory_of_packed_maps(client: Client) -> SharedInformerFactory {
    let factory: SharedInformerFactory = SharedInformerFactory::builder(client)
        .packed_for::<ConfigMap>()
        .build();
    factory
}
