//! What follows from a change: the work that Kubernetes leaves to controllers, done before the request is answered.
//!
//! The garbage collector, the end of namespaces and the serving of custom resources run here, so that a client sees their
//! outcome as soon as its own request returns.

use std::sync::Arc;

use serde_json::Value;

use crate::core::Core;
use crate::gc;
use crate::object;
use crate::registry::Served;
use crate::rest::{crds, namespaces};
use crate::store::Stored;

/// After an object was created (`old` is `None`) or changed.
pub(crate) fn after_write(core: &Arc<Core>, served: &Served, old: Option<&Value>, new: &Value) {
    if crds::is_crds(served) {
        crds::serve(core, new);
    }
    gc::after_write(core, served, old, new);
    if object::is_deleting(new) {
        after_mark(core, served, new);
    }
}

/// After an object was marked for deletion but lives on.
pub(crate) fn after_mark(core: &Arc<Core>, served: &Served, object: &Value) {
    gc::after_mark(core, served, object);
    if namespaces::is_namespaces(served) {
        namespaces::finish(core, object::name(object));
    }
    if crds::is_crds(served) {
        crds::finish(core, object::name(object));
    }
}

/// After an object is gone.
pub(crate) fn after_removal(core: &Arc<Core>, served: &Served, last: &Stored) {
    gc::after_removal(core, last);
    if served.resource.namespaced {
        namespaces::finish(core, &last.key.namespace);
    }
    crds::finish_instances(core, served);
    if crds::is_crds(served) {
        crds::withdraw(core, &last.decode());
    }
}
