//! The embedded API server behind short paths: `plural/namespace/name`.

use std::sync::Mutex;

use embedded_apiserver::{ApiError, ApiServer, Reaction};
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

/// An embedded server without controllers of its own. Clones are handles on one server.
#[derive(Clone)]
pub struct Server {
    api: ApiServer,
}

/// Group, plural, namespace and name of a path.
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

/// A refusal with this code and reason.
pub fn refusal(code: u16, reason: &'static str) -> FaultKind {
    FaultKind::Status(ApiError::new(code, reason, format!("scripted: {reason}")))
}

/// The value of a parameter in the query of a request.
pub fn query(action: &Action, parameter: &str) -> Option<String> {
    form_urlencoded::parse(action.query.as_bytes())
        .find(|(name, _)| name == parameter)
        .map(|(_, value)| value.into_owned())
}

impl Server {
    pub fn new() -> Self {
        let builder = ApiServer::builder()
            .garbage_collector(false)
            .namespace_lifecycle(false);
        Self {
            api: builder.build().unwrap(),
        }
    }

    /// A client that [`cut_off`](Self::cut_off) and faults know by `name`.
    pub fn client_of(&self, name: &str) -> kube::Client {
        self.api.client_as(name)
    }

    pub fn client(&self) -> kube::Client {
        self.client_of("test")
    }

    /// Lets no request of the client `name` through any more, and no event of its watches.
    pub fn cut_off(&self, name: &str) {
        self.api.faults().cut_off(name);
    }

    /// Lets the requests of all clients through again.
    pub fn reconnect(&self) {
        self.api.faults().reconnect();
    }

    /// Lets `hook` see every request, and choose a fault for it.
    pub fn on_call(&self, hook: impl FnMut(&Action) -> Option<FaultKind> + Send + 'static) {
        let hook = Mutex::new(hook);
        self.api.prepend_reactor("*", "*", move |action| {
            let mut hook = hook.lock().unwrap();
            hook(action).map_or(Reaction::Pass, Reaction::Fault)
        });
    }

    /// The requests so far except watches, as `client verb plural/name`. Forgets them.
    pub fn take_log(&self) -> Vec<String> {
        let actions = self.api.recorder().actions();
        self.api.recorder().clear();
        let lines = actions.iter().filter(|it| it.verb != "watch").map(line);
        lines.collect()
    }

    /// The object at `path`, such as `leases/default/lock`.
    pub fn get(&self, path: &str) -> Option<Value> {
        let (group, plural, namespace, name) = parts(path);
        self.api.objects().get(group, plural, namespace, name)
    }

    /// All objects of `plural`, in all namespaces.
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

    /// Deletes the object at `path`, finalizers or not.
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
