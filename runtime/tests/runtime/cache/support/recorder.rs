//! A handler that records its calls, and a reflector under test.

use std::sync::{Arc, Mutex};

use codegen_runtime::informer::{Deleted, EventHandler};
use codegen_runtime::reflector::{ApiSource, ApiSourceOptions, Reflector, ReflectorOptions};
use codegen_runtime::store::Store;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use tokio_util::sync::CancellationToken;

use super::Server;

/// Records calls as strings: `add a@1`, `add! a@1` in the initial list, `update a@1->2`,
/// `delete a@2`, `gone a@2` for an unknown final state.
#[derive(Clone, Default)]
pub struct Recorder {
    calls: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    /// Returns the calls since the previous `take`.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    /// Like [`Self::take`], sorted: for calls whose order across objects is undefined.
    pub fn take_sorted(&self) -> Vec<String> {
        let mut calls = self.take();
        calls.sort();
        calls
    }

    pub fn len(&self) -> usize {
        self.calls.lock().unwrap().len()
    }

    fn push(&self, call: String) {
        self.calls.lock().unwrap().push(call);
    }
}

fn version(object: &ConfigMap) -> String {
    object.resource_version().unwrap_or_default()
}

impl EventHandler<ConfigMap> for Recorder {
    fn on_add(&self, object: &Arc<ConfigMap>, initial: bool) {
        let mark = if initial { "!" } else { "" };
        self.push(format!(
            "add{mark} {}@{}",
            object.name_any(),
            version(object)
        ));
    }

    fn on_update(&self, old: &Arc<ConfigMap>, new: &Arc<ConfigMap>) {
        self.push(format!(
            "update {}@{}->{}",
            new.name_any(),
            version(old),
            version(new)
        ));
    }

    fn on_delete(&self, deleted: &Deleted<ConfigMap>) {
        let word = if deleted.is_final_state_unknown() {
            "gone"
        } else {
            "delete"
        };
        self.push(format!(
            "{word} {}@{}",
            deleted.key().name(),
            version(deleted.object())
        ));
    }
}

/// A reflector of ConfigMaps into a store, running as a task until it is dropped.
pub struct Reflecting {
    pub store: Store<ConfigMap>,
    pub errors: Arc<Mutex<Vec<String>>>,
    stop: CancellationToken,
}

impl Reflecting {
    /// Starts with plain lists instead of streamed ones.
    pub fn start(server: &Server) -> Self {
        Self::start_with(server, |options| options.watch_list = false)
    }

    pub fn start_with(
        server: &Server,
        change: impl FnOnce(&mut ReflectorOptions<ConfigMap>),
    ) -> Self {
        let mut options = ReflectorOptions::default();
        let errors = Arc::new(Mutex::new(Vec::new()));
        let log = errors.clone();
        options.on_error = Arc::new(move |error| log.lock().unwrap().push(error.to_string()));
        change(&mut options);
        let source =
            ApiSource::<ConfigMap>::new(server.client(), &(), None, ApiSourceOptions::default());
        let store = super::stores::new();
        let mut reflector = Reflector::new(
            Arc::new(source),
            Arc::new(store.clone()),
            "configmaps",
            options,
        );
        let stop = CancellationToken::new();
        let token = stop.clone();
        tokio::spawn(async move { reflector.run(&token).await });
        Self {
            store,
            errors,
            stop,
        }
    }

    pub fn take_errors(&self) -> Vec<String> {
        std::mem::take(&mut self.errors.lock().unwrap())
    }

    /// Returns names and versions of the stored objects, sorted.
    pub fn names(&self) -> Vec<String> {
        names(&self.store)
    }
}

impl Drop for Reflecting {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Returns `name@version` of all objects, sorted.
pub fn names(store: &Store<ConfigMap>) -> Vec<String> {
    let mut names: Vec<String> = store
        .list()
        .iter()
        .map(|object| format!("{}@{}", object.name_any(), version(object)))
        .collect();
    names.sort();
    names
}
