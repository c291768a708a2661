//! A handler that rebuilds the cache from its calls, and records calls that cannot follow from
//! earlier ones.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;

use crate::informer::handler::{Deleted, EventHandler};

/// The handler's state. Clones share it.
#[derive(Clone, Default)]
pub struct Witness(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    objects: BTreeMap<String, String>,
    complaints: Vec<String>,
    calls: usize,
}

impl Witness {
    /// Returns `name@version` of the objects that exist according to the handler, sorted.
    pub fn names(&self) -> Vec<String> {
        let state = self.0.lock().unwrap();
        let objects = state.objects.iter();
        objects
            .map(|(name, version)| format!("{name}@{version}"))
            .collect()
    }

    /// Returns the calls that could not follow from earlier ones.
    pub fn complaints(&self) -> Vec<String> {
        self.0.lock().unwrap().complaints.clone()
    }

    /// Returns the number of calls so far.
    pub fn calls(&self) -> usize {
        self.0.lock().unwrap().calls
    }

    /// Records the change of an object from the version `before` to the version `after`.
    fn change(&self, object: &ConfigMap, before: Option<String>, after: Option<String>) {
        let mut state = self.0.lock().unwrap();
        let name = object.name_any();
        state.calls += 1;
        let held = match after {
            Some(after) => state.objects.insert(name.clone(), after),
            None => state.objects.remove(&name),
        };
        if held != before {
            state
                .complaints
                .push(format!("{name} was {held:?}, not {before:?}"));
        }
    }
}

impl EventHandler<ConfigMap> for Witness {
    fn on_add(&self, object: &Arc<ConfigMap>, _: bool) {
        self.change(object, None, object.resource_version());
    }

    fn on_update(&self, old: &Arc<ConfigMap>, new: &Arc<ConfigMap>) {
        self.change(new, old.resource_version(), new.resource_version());
    }

    fn on_delete(&self, deleted: &Deleted<ConfigMap>) {
        let object = deleted.object();
        self.change(object, object.resource_version(), None);
    }
}
