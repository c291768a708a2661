//! The embedded API server, addressed by short paths: `plural/namespace/name`.

use std::sync::Mutex;

use embedded_apiserver::{ApiError, ApiServer, FeatureGate, Reaction};
use serde_json::{Value, json};

pub use embedded_apiserver::{Action, FaultKind};

/// The kinds of these tests: plural, group, version, kind.
const KINDS: [(&str, &str, &str, &str); 6] = [
    ("configmaps", "", "v1", "ConfigMap"),
    ("deployments", "apps", "v1", "Deployment"),
    ("events", "events.k8s.io", "v1", "Event"),
    ("leases", "coordination.k8s.io", "v1", "Lease"),
    ("replicasets", "apps", "v1", "ReplicaSet"),
    ("secrets", "", "v1", "Secret"),
];

/// An embedded server without its own controllers. Clones are handles of the same server.
#[derive(Clone)]
pub struct Server {
    api: ApiServer,
}

/// Splits a path into group, plural, namespace and name.
fn parts(path: &str) -> (&'static str, &str, &str, &str) {
    let [plural, namespace, name] = path.split('/').collect::<Vec<_>>()[..] else {
        panic!("unexpected path {path}");
    };
    (kind(plural).1, plural, namespace, name)
}

fn kind(plural: &str) -> (&'static str, &'static str, &'static str, &'static str) {
    let mut kinds = KINDS.into_iter();
    kinds
        .find(|kind| kind.0 == plural)
        .expect("a kind of KINDS")
}

/// Returns a fault with this code and reason.
pub fn refusal(code: u16, reason: &'static str) -> FaultKind {
    FaultKind::Status(ApiError::new(code, reason, format!("scripted: {reason}")))
}

/// Returns the value of a parameter in the query of a request.
pub fn query(action: &Action, parameter: &str) -> Option<String> {
    form_urlencoded::parse(action.query.as_bytes())
        .find(|(name, _)| name == parameter)
        .map(|(_, value)| value.into_owned())
}

impl Server {
    pub fn new() -> Self {
        Self::with_shards(false)
    }

    /// Creates a server that knows shard selectors, or does not.
    pub fn with_shards(on: bool) -> Self {
        let builder = ApiServer::builder()
            .garbage_collector(false)
            .namespace_lifecycle(false)
            .feature_gate(FeatureGate::ShardedListAndWatch, on);
        Self {
            api: builder.build().unwrap(),
        }
    }

    /// Creates a client that [`cut_off`](Self::cut_off) and faults identify by `name`.
    pub fn client_of(&self, name: &str) -> kube::Client {
        self.api.client_as(name)
    }

    pub fn client(&self) -> kube::Client {
        self.client_of("test")
    }

    /// Blocks all further requests of the client `name`, and all events of its watches.
    pub fn cut_off(&self, name: &str) {
        self.api.faults().cut_off(name);
    }

    /// Unblocks the requests of all clients.
    pub fn reconnect(&self) {
        self.api.faults().reconnect();
    }

    /// Calls `hook` for every request, to choose a fault for it.
    pub fn on_call(&self, hook: impl FnMut(&Action) -> Option<FaultKind> + Send + 'static) {
        let hook = Mutex::new(hook);
        self.api.prepend_reactor("*", "*", move |action| {
            let mut hook = hook.lock().unwrap();
            hook(action).map_or(Reaction::Pass, Reaction::Fault)
        });
    }

    /// Returns and clears the requests so far, except watches, as `client verb plural/name`.
    pub fn take_log(&self) -> Vec<String> {
        let actions = self.api.recorder().actions();
        self.api.recorder().clear();
        let lines = actions.iter().filter(|it| it.verb != "watch").map(line);
        lines.collect()
    }

    /// Returns the object at `path`, such as `leases/default/lock`.
    pub fn get(&self, path: &str) -> Option<Value> {
        let (group, plural, namespace, name) = parts(path);
        self.api.objects().get(group, plural, namespace, name)
    }

    /// Returns all objects of `plural`, in all namespaces.
    pub fn list(&self, plural: &str) -> Vec<Value> {
        self.api.objects().list(kind(plural).1, plural, "")
    }

    /// Creates or replaces the object at `path`, as another client would.
    pub fn put(&self, path: &str, mut object: Value) {
        let (_, plural, namespace, name) = parts(path);
        let (_, group, version, kind) = kind(plural);
        let separator = if group.is_empty() { "" } else { "/" };
        object["apiVersion"] = json!(format!("{group}{separator}{version}"));
        object["kind"] = json!(kind);
        object["metadata"]["name"] = json!(name);
        object["metadata"]["namespace"] = json!(namespace);
        self.api.objects().put(&object).unwrap();
    }

    /// Deletes the object at `path`, regardless of finalizers.
    pub fn remove(&self, path: &str) {
        let (group, plural, namespace, name) = parts(path);
        self.api.objects().remove(group, plural, namespace, name);
    }
}

fn line(action: &Action) -> String {
    let name = match action.name.as_str() {
        "" => action.body["metadata"]["name"].as_str().unwrap_or_default(),
        name => name,
    };
    let mut line = format!("{} {} {}", action.user, action.verb, action.resource);
    for part in [name, &action.subresource] {
        if !part.is_empty() {
            line = format!("{line}/{part}");
        }
    }
    line
}
