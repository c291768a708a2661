//! Server-side apply that skips requests that would change nothing.

use std::fmt;
use std::fmt::Debug;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use kube::{Api, Resource};
use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Applier, ApplyError, Part, Written, prepare, send};
use crate::lru::Lru;

/// The number of objects to remember.
const CAPACITY: usize = 16_384;

/// An [`Applier`] that remembers what it applied and sends a request only if something differs.
/// Clones share the memory.
///
/// No request is sent if the same fields were applied before and the object still has the `uid` and
/// `resourceVersion` of the server's answer: no one has written since, so that nothing needs to be
/// reverted. The object may come from a cache; a stale one leads to an extra request, never to a
/// missing one. The server itself treats an apply without changes as no write; this saves the
/// request.
///
/// ```no_run
/// # use codegen_runtime::apply::{Applier, RememberingApplier};
/// # use codegen_runtime::{k8s_openapi::api::core::v1::ConfigMap, kube::{Api, Client}, lister::Lister};
/// # async fn example(client: Client, lister: Lister<ConfigMap>) -> Result<(), codegen_runtime::apply::ApplyError> {
/// let applier = RememberingApplier::new(Applier::new("settings-controller").force());
/// let maps = Api::<ConfigMap>::namespaced(client, "default");
/// let wanted = serde_json::json!({ "metadata": { "name": "settings" }, "data": { "level": "debug" } });
/// // In each reconciliation:
/// let cached = lister.get("default/settings").ok();
/// applier.apply(&maps, cached.as_deref(), &wanted).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RememberingApplier {
    applier: Applier,
    hasher: RandomState,
    memory: Arc<Mutex<Lru<String, Remembered>>>,
}

/// The outcome of the last apply of an object.
struct Remembered {
    fields: u64,
    uid: Option<String>,
    resource_version: Option<String>,
}

impl RememberingApplier {
    /// Wraps `applier`. Remembers the 16,384 objects applied most recently.
    pub fn new(applier: Applier) -> Self {
        Self {
            applier,
            hasher: RandomState::new(),
            memory: Arc::new(Mutex::new(Lru::new(CAPACITY))),
        }
    }

    /// Applies `object` as [`Applier::apply`] does, unless `current`, the object from a cache, is
    /// the result of the last apply of the same fields. Returns the object and whether it was
    /// created, updated or left alone.
    ///
    /// The server tells whether the object was created. Whether an existing one changed is known
    /// from `current`, or else from the last apply; without either it counts as updated.
    ///
    /// # Errors
    ///
    /// See [`Applier::apply`].
    pub async fn apply<K>(
        &self,
        api: &Api<K>,
        current: Option<&K>,
        object: &impl Serialize,
    ) -> Result<(K, Written), ApplyError>
    where
        K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug,
    {
        let (name, body) = prepare::<K>(object, Part::Object)?;
        let path = format!("{}/{name}", api.resource_url());
        let fields = self.hasher.hash_one(body.to_string());
        if let Some(current) = current
            && self.is_applied(&path, fields, current)
        {
            return Ok((current.clone(), Written::Unchanged));
        }
        let (applied, created) = send(api, &name, &self.applier.params(), body).await?;
        let version = |object: &K| object.meta().resource_version.clone();
        let remembered = Remembered {
            fields,
            uid: applied.meta().uid.clone(),
            resource_version: version(&applied),
        };
        let mut memory = self.memory();
        let last = memory.remove(&path);
        let before = current
            .map(version)
            .or_else(|| last.map(|last| last.resource_version))
            .flatten();
        let written = match before {
            _ if created => Written::Created,
            Some(_) if before == remembered.resource_version => Written::Unchanged,
            _ => Written::Updated,
        };
        memory.get_or_insert_with(&path, || remembered);
        Ok((applied, written))
    }

    fn is_applied<K: Resource>(&self, path: &str, fields: u64, current: &K) -> bool {
        let (mut memory, meta) = (self.memory(), current.meta());
        let known = memory.peek_mut(&path.to_owned());
        known.is_some_and(|known| {
            known.fields == fields
                && known.resource_version.is_some()
                && known.resource_version == meta.resource_version
                && known.uid == meta.uid
        })
    }

    fn memory(&self) -> MutexGuard<'_, Lru<String, Remembered>> {
        self.memory.lock()
    }
}

impl fmt::Debug for RememberingApplier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RememberingApplier")
            .field("applier", &self.applier)
            .finish_non_exhaustive()
    }
}
