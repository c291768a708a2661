//! Looks up objects by their controller, or those without one.

use std::sync::Arc;

use codegen_runtime::informer::{SharedInformer, SharedInformerFactory};
use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use codegen_runtime::kube::core::{ParseExpressionError, Selector, SelectorExt};
use codegen_runtime::lister::Lister;
use codegen_runtime::object::Object;
use codegen_runtime::owner::controller_of;
use codegen_runtime::store::{IndexFn, ObjectKey};

/// The index of objects by the uid of their controller; objects without one are listed under
/// [`orphans`] of their namespace.
const BY_CONTROLLER: &str = "controller-uid";

/// Returns a lister of `K` that can look up objects by their controller. May be called repeatedly,
/// before or after `factory` starts.
pub fn by_controller<K: Object>(factory: &SharedInformerFactory) -> Lister<K> {
    let informer: SharedInformer<K> = factory.informer_for();
    let index: IndexFn<K> = Arc::new(|object: &K| {
        let meta = object.meta();
        vec![match controller_of(object) {
            Some(controller) => controller.uid.clone(),
            None => orphans(meta.namespace.as_deref().unwrap_or_default()),
        }]
    });
    // Another loop of the same factory may have added it.
    let _ = informer.add_indexers([(BY_CONTROLLER.to_owned(), index)]);
    informer.lister()
}

/// Returns the objects that the owner with `uid` controls, and those of its namespace that have no
/// controller.
pub fn owned_and_orphaned<K: Object>(
    lister: &Lister<K>,
    uid: &str,
    namespace: &str,
) -> Vec<Arc<K>> {
    let mut found = owned(lister, uid);
    found.extend(
        lister
            .by_index(BY_CONTROLLER, &orphans(namespace))
            .unwrap_or_default(),
    );
    found
}

/// Returns the objects that the owner with `uid` controls.
pub fn owned<K: Object>(lister: &Lister<K>, uid: &str) -> Vec<Arc<K>> {
    lister.by_index(BY_CONTROLLER, uid).unwrap_or_default()
}

/// The index value of objects without a controller. A uid never contains a slash.
fn orphans(namespace: &str) -> String {
    format!("{namespace}/")
}

/// Parses the selector of a workload.
///
/// # Errors
///
/// If an operator is unknown or lacks its values. The API server does not store such a selector.
pub fn selector(of: &LabelSelector) -> Result<Selector, ParseExpressionError> {
    of.clone().try_into()
}

/// Returns the objects of `owners` whose selector matches `object`, so that they may adopt it: none
/// if it has a controller, no labels, or is being deleted.
pub fn adopters<O: Object, K: Object>(
    owners: &Lister<O>,
    object: &K,
    selector_of: impl Fn(&O) -> Option<Selector>,
) -> Vec<ObjectKey> {
    let meta = object.meta();
    let labels = meta.labels.as_ref().filter(|labels| !labels.is_empty());
    let is_free = controller_of(object).is_none() && meta.deletion_timestamp.is_none();
    let Some(labels) = labels.filter(|_| is_free) else {
        return Vec::new();
    };
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    let owners = owners.namespace(namespace).list(&Default::default());
    let matches =
        |owner: &&Arc<O>| selector_of(owner).is_some_and(|selector| selector.matches(labels));
    let matching = owners.iter().filter(matches);
    matching.map(|owner| ObjectKey::of(&**owner)).collect()
}
