//! A handler that rebuilds the cache from its calls, and records calls that cannot follow from
//! earlier ones.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use codegen_runtime::informer::{Deleted, EventHandler};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;

/// The handler's state. Clones share it.
#[derive(Clone, Default)]
pub struct Witness(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    objects: BTreeMap<String, u64>,
    complaints: Vec<String>,
}

fn version(object: &ConfigMap) -> u64 {
    object.resource_version().unwrap().parse().unwrap()
}

impl Witness {
    /// Returns `name@version` of the objects that exist according to the handler, sorted.
    pub fn names(&self) -> Vec<String> {
        let state = self.0.lock().unwrap();
        let objects = state.objects.iter();
        let mut names: Vec<_> = objects
            .map(|(name, version)| format!("{name}@{version}"))
            .collect();
        names.sort();
        names
    }

    /// Returns the calls that could not follow from earlier ones.
    pub fn complaints(&self) -> Vec<String> {
        self.0.lock().unwrap().complaints.clone()
    }
}

impl State {
    fn expect(&mut self, what: &str, name: &str, holds: bool) {
        if !holds {
            self.complaints
                .push(format!("{what} {name}: {:?} known", self.objects.get(name)));
        }
    }
}

impl EventHandler<ConfigMap> for Witness {
    fn on_add(&self, object: &Arc<ConfigMap>, _: bool) {
        let mut state = self.0.lock().unwrap();
        let name = object.name_any();
        let unknown = !state.objects.contains_key(&name);
        state.expect("add", &name, unknown);
        state.objects.insert(name, version(object));
    }

    fn on_update(&self, old: &Arc<ConfigMap>, new: &Arc<ConfigMap>) {
        let mut state = self.0.lock().unwrap();
        let name = new.name_any();
        let follows =
            state.objects.get(&name) == Some(&version(old)) && version(new) >= version(old);
        state.expect("update", &name, follows);
        state.objects.insert(name, version(new));
    }

    fn on_delete(&self, deleted: &Deleted<ConfigMap>) {
        let mut state = self.0.lock().unwrap();
        let name = deleted.key().name().to_owned();
        let held = state.objects.remove(&name);
        let last = version(deleted.object());
        let follows = held.is_some_and(|held| {
            if deleted.is_final_state_unknown() {
                held == last
            } else {
                held <= last
            }
        });
        state.expect("delete", &name, follows);
    }
}
