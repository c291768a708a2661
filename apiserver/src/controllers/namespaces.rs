//! Namespaces: deletes the content of a namespace with it.

use std::sync::Arc;
use std::time::Duration;

use super::background::Retry;
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
    /// The namespaces whose content is being deleted.
    ending: Arc<SingleFlight>,
}

/// The maximum backoff of failed deletions.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

impl Observer for Namespaces {
    fn observe(&self, core: &Arc<Core>, served: &Served, change: &Change<'_>) {
        match change {
            Change::Written { new, .. }
                if served.is("", "namespaces") && object::is_deleting(new) =>
            {
                finish(core, &self.ending, object::name(new));
            }
            // A namespace under deletion may have waited for this object.
            Change::Removed(last) if served.resource.namespaced => {
                finish(core, &self.ending, &last.key.namespace);
            }
            _ => {}
        }
    }
}

/// Deletes the content of a namespace under deletion, and the namespace once it is empty.
fn finish(core: &Arc<Core>, ending: &Arc<SingleFlight>, name: &str) {
    if core.is_ending("", "namespaces", name) == Some(true) {
        ending.run(name, || empty(core, ending, name));
    }
}

fn empty(core: &Arc<Core>, ending: &Arc<SingleFlight>, name: &str) {
    let Some(namespaces) = core.builtin("", "namespaces") else {
        return;
    };
    let again = (ending.clone(), name.to_owned());
    let retry = Retry {
        task: (
            "namespace-controller",
            namespaces.resource.id,
            Key::new("", name),
        ),
        longest: LONGEST_WAIT,
        work: Arc::new(move |core| finish(core, &again.0, &again.1)),
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
            // On failure the object remains, and is counted below.
            delete_content(core, &content, &stored, options, &retry);
        }
        left += core.store.count(resource.id, name);
    }
    if left == 0 {
        core.backoff.forget(&retry.task);
        edit(core, &namespaces, &Key::new("", name), &|namespace| {
            child(fields(namespace), "spec").remove("finalizers");
        });
    }
}
