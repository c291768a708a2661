//! The server's state, shared by all requests.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use crate::backoff::Backoff;
use crate::metadata::object;
use crate::registry::{Cluster, Registry, Served, ServiceRange};
use crate::store::stored::Labels;
use crate::store::{Key, Store, Stored};
use crate::testing::interception::Interceptor;
use crate::types::scalars::rfc3339;
use crate::webhooks::reach::Backends;

/// Who may do what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuthorizationMode {
    /// Everyone may do everything.
    #[default]
    AlwaysAllow,
    /// What the stored roles and their bindings allow; the administrator may do everything.
    Rbac,
}

/// How far the server does the work of kube-controller-manager, for all of its controllers or one
/// of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controllers {
    /// As on a cluster: the controllers act.
    Full,
    /// As with envtest, an API server without controllers: objects get the finalizers that
    /// controllers would remove, and keep them.
    Envtest,
    /// As if there were no such controllers: no finalizers, and no rules that depend on them.
    Off,
}

impl From<bool> for Controllers {
    /// [`Full`](Self::Full) or [`Off`](Self::Off).
    fn from(on: bool) -> Self {
        if on { Self::Full } else { Self::Off }
    }
}

impl std::str::FromStr for Controllers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "full" => Ok(Self::Full),
            "envtest" => Ok(Self::Envtest),
            "off" => Ok(Self::Off),
            other => Err(format!(
                "unknown mode \"{other}\": expected full, envtest or off"
            )),
        }
    }
}

/// A feature of kube-apiserver that its flag `--feature-gates` turns on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FeatureGate {
    /// `shardSelector` of lists and watches selects objects by a hash of their metadata (KEP-5866).
    /// Off by default, as in Kubernetes 1.36: the parameter is ignored.
    ShardedListAndWatch,
}

impl FeatureGate {
    /// All feature gates.
    pub const ALL: [Self; 1] = [Self::ShardedListAndWatch];

    /// Returns the name in the flag.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ShardedListAndWatch => "ShardedListAndWatch",
        }
    }

    /// Parses an item of the flag: `Name=true` or `Name=false`.
    ///
    /// # Errors
    /// What is expected instead.
    pub fn parse_setting(text: &str) -> Result<(Self, bool), String> {
        let setting = text.split_once('=').and_then(|(name, on)| {
            let gate = Self::ALL.into_iter().find(|gate| gate.name() == name)?;
            Some((gate, on.parse().ok()?))
        });
        setting.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("unknown feature gate \"{text}\": expected NAME=true or NAME=false, with a name of {names}")
        })
    }
}

/// Which built-in controllers run, and what is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) garbage_collector: Controllers,
    pub(crate) namespace_lifecycle: Controllers,
    pub(crate) namespace_objects: bool,
    pub(crate) authorization: AuthorizationMode,
    /// The admission plugin `OwnerReferencesPermissionEnforcement`.
    pub(crate) owner_permissions: bool,
    /// Whether the objects exist that kube-apiserver creates.
    pub(crate) bootstrap: bool,
    /// The feature gate `ShardedListAndWatch`.
    pub(crate) sharded_lists: bool,
}

/// A committed write.
pub(crate) enum Change<'a> {
    /// An object was created (`old` is `None`), changed, or marked for deletion.
    Written {
        old: Option<&'a Value>,
        new: &'a Value,
    },
    /// A test stored an object directly; no controller reacts with changes to other objects.
    Stored(&'a Value),
    /// An object was removed; holds its last state.
    Removed(&'a Stored),
}

/// Observes writes, to do the work of the cluster's controllers.
pub(crate) trait Observer: Send + Sync {
    /// Called after each write, before its request is answered.
    fn observe(&self, core: &Arc<Core>, served: &Served, change: &Change<'_>);
}

/// The state behind the HTTP surface.
pub(crate) struct Core {
    pub(crate) store: Store,
    pub(crate) registry: Registry,
    pub(crate) interceptor: Interceptor,
    pub(crate) backends: Backends,
    pub(crate) backoff: Backoff,
    pub(crate) options: Options,
    /// The issuer of the tokens of service accounts.
    pub(crate) issuer: Arc<str>,
    pub(crate) service_range: ServiceRange,
    pub(crate) observers: Vec<Box<dyn Observer>>,
}

impl Core {
    /// Returns the current time, for timestamps in objects.
    #[allow(clippy::unused_self, reason = "the clock belongs to the server")]
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    /// Returns the current time in RFC 3339, the form in which objects hold it.
    pub(crate) fn timestamp(&self) -> String {
        rfc3339(self.now())
    }

    /// Returns the stored object with this key.
    pub(crate) fn find(&self, served: &Served, key: &Key) -> Option<Arc<Stored>> {
        self.store.get(served.resource.id, key)
    }

    /// Returns a built-in resource in its only version.
    pub(crate) fn builtin(&self, group: &str, plural: &str) -> Option<Served> {
        let resource = self.registry.resource(group, plural)?;
        let version = resource.versions.first()?.name.clone();
        self.registry.lookup(group, &version, plural)
    }

    /// Returns the objects of a built-in resource in a namespace; an empty `namespace` means all.
    pub(crate) fn all_of(&self, group: &str, plural: &str, namespace: &str) -> Vec<Value> {
        let Some(served) = self.builtin(group, plural) else {
            return Vec::new();
        };
        let snapshot = self.store.snapshot(served.resource.id, namespace);
        snapshot.objects.iter().map(|s| s.decode()).collect()
    }

    /// Whether an object of a cluster-scoped built-in kind is being deleted; `None` when it does
    /// not exist.
    pub(crate) fn is_ending(&self, group: &str, plural: &str, name: &str) -> Option<bool> {
        let stored = self.find(&self.builtin(group, plural)?, &Key::new("", name))?;
        Some(object::is_deleting(&stored.decode()))
    }

    /// Returns the labels of a namespace, or `None` if it does not exist.
    pub(crate) fn labels_of_namespace(&self, name: &str) -> Option<Labels> {
        let stored = self.find(&self.builtin("", "namespaces")?, &Key::new("", name))?;
        Some(stored.labels.clone())
    }

    /// Returns the external host of the service that a `clientConfig` names, if the service is of
    /// type `ExternalName`.
    pub(crate) fn external_host(&self, client: &Value) -> Option<String> {
        let service = client.get("service")?;
        let key = |field| object::text(service, &[field]);
        let key = Key::new(key("namespace"), key("name"));
        let service = self.find(&self.builtin("", "services")?, &key)?.decode();
        let host = object::text(&service, &["spec", "externalName"]);
        let is_external = object::text(&service, &["spec", "type"]) == "ExternalName";
        is_external.then(|| host.to_owned())
    }

    /// Notifies every observer of a write.
    pub(crate) fn notify(self: &Arc<Self>, served: &Served, change: &Change<'_>) {
        for observer in &self.observers {
            observer.observe(self, served, change);
        }
    }
}

impl Cluster for Core {
    fn now(&self) -> Timestamp {
        Core::now(self)
    }

    fn stored(&self, group: &str, plural: &str) -> Vec<Value> {
        self.all_of(group, plural, "")
    }

    fn issuer(&self) -> &str {
        &self.issuer
    }

    fn service_range(&self) -> ServiceRange {
        self.service_range
    }
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
