//! Namespaces: one that is deleted takes its content with it.

use std::sync::Arc;

use super::delete_content;
use super::single_flight::SingleFlight;
use crate::core::{Change, Core, Observer};
use crate::metadata::object::{self, child, fields};
use crate::registry::Served;
use crate::rest::options::DeleteOptions;
use crate::rest::write::edit;
use crate::store::Key;

/// The namespace controller (`k8s.io/kubernetes/pkg/controller/namespace`).
#[derive(Debug, Default)]
pub(super) struct Namespaces {
    /// The namespaces that are being emptied.
    ending: SingleFlight,
}

impl Observer for Namespaces {
    fn observe(&self, core: &Arc<Core>, served: &Served, change: &Change<'_>) {
        match change {
            Change::Written { new, .. }
                if served.is("", "namespaces") && object::is_deleting(new) =>
            {
                self.finish(core, object::name(new));
            }
            // A namespace may have waited for its content.
            Change::Removed(last) if served.resource.namespaced => {
                self.finish(core, &last.key.namespace);
            }
            _ => {}
        }
    }
}

impl Namespaces {
    /// Deletes what lies in a namespace under deletion, and then the namespace, once it is empty.
    fn finish(&self, core: &Arc<Core>, name: &str) {
        if core.is_ending("", "namespaces", name) == Some(true) {
            self.ending.run(name, || empty(core, name));
        }
    }
}

fn empty(core: &Arc<Core>, name: &str) {
    let Some(namespaces) = core.builtin("", "namespaces") else {
        return;
    };
    let mut left = 0;
    for resource in core.registry.all().iter().filter(|r| r.namespaced) {
        let Some(content) = core.registry.by_id(resource.id) else {
            continue;
        };
        for stored in core.store.snapshot(resource.id, name).objects {
            let options = DeleteOptions {
                grace_period: Some(0),
                ..DeleteOptions::default()
            };
            // A failure leaves the object, which the count below sees.
            delete_content(core, &content, &stored, options, "namespace-controller");
        }
        left += core.store.count(resource.id, name);
    }
    if left == 0 {
        edit(core, &namespaces, &Key::new("", name), &|namespace| {
            child(fields(namespace), "spec").remove("finalizers");
        });
    }
}
