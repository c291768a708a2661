//! The server as a value: building it, its clients, and direct access for tests.

use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use http::{Request, Response};
use http_body_util::Full;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::Serialize;
use serde_json::{Value, json};

use crate::BoxError;

use crate::controllers::controllers;
use crate::core::{Core, Options};
use crate::kinds;
use crate::metadata::object;
use crate::registry::{Registry, ResourceDescription, Served};
use crate::rest::Requester;
use crate::rest::create::create_object;
use crate::rest::options::{FieldValidation, WriteOptions};
use crate::rest::write;
use crate::seed;
use crate::service::ApiService;
use crate::status::ApiError;
use crate::store::{Key, Store, Stored};
use crate::testing::faults::Faults;
use crate::testing::reactor::{Reaction, Reactors};
use crate::testing::recorder::{Action, Recorder};
use crate::webhooks::reach::Backends;

/// Why a server cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A CRD or object does not serialise.
    #[error("cannot encode an object: {0}")]
    Encode(#[from] serde_json::Error),
    /// A CRD is invalid.
    #[error("invalid CustomResourceDefinition: {0}")]
    Crd(#[source] ApiError),
    /// An object cannot be stored.
    #[error("cannot store {what}: {source}")]
    Object {
        /// The object's kind and name.
        what: String,
        /// Why.
        source: ApiError,
    },
}

/// An in-process Kubernetes API server. Clones share one state.
#[derive(Clone, Debug)]
pub struct ApiServer {
    core: Arc<Core>,
}

impl ApiServer {
    /// Starts to describe a server.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A client without a socket, whose default namespace is `default`.
    ///
    /// # Panics
    /// Outside of a Tokio runtime, where a `kube::Client` cannot be made.
    pub fn client(&self) -> kube::Client {
        kube::Client::new(self.service(), "default")
    }

    /// A client like [`client`](Self::client), whose requests are a user's in the record: that of a controller, beside the
    /// test's own. See [`assert_rbac`](crate::assert_rbac).
    ///
    /// # Panics
    /// Outside of a Tokio runtime, where a `kube::Client` cannot be made.
    pub fn client_as(&self, user: &str) -> kube::Client {
        kube::Client::new(self.service().of_user(user), "default")
    }

    /// The server as a tower service.
    pub fn service(&self) -> ApiService {
        ApiService::new(self.core.clone())
    }

    /// The record of all requests.
    pub fn recorder(&self) -> &Recorder {
        &self.core.recorder
    }

    /// The faults in force.
    pub fn faults(&self) -> &Faults {
        &self.core.faults
    }

    /// Lets a function answer requests of a verb for a resource (`*` stands for any, a subresource is written
    /// `pods/status`) before all reactors so far, and before the store.
    pub fn prepend_reactor(
        &self,
        verb: &str,
        resource: &str,
        react: impl Fn(&Action) -> Reaction + Send + Sync + 'static,
    ) {
        self.core.reactors.prepend(verb, resource, react);
    }

    /// Direct access to the stored objects: not recorded, not struck by faults.
    pub fn objects(&self) -> Objects<'_> {
        Objects { core: &self.core }
    }

    /// Lets a function of this process answer the webhooks (of admission and of conversion) whose `clientConfig` names a
    /// service, in place of what did so far. Certificates are not looked at.
    pub fn serve_webhooks<S, B>(&self, namespace: &str, service_name: &str, service: S)
    where
        S: tower::Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send,
        B: http_body::Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        self.core.backends.serve(namespace, service_name, service);
    }

    /// Sends requests to the webhooks of a service to an address instead, as envtest does: `http://127.0.0.1:9443`, or
    /// `https://…`, whose certificate is checked against the `caBundle` (with the feature `tls`).
    pub fn redirect_webhooks(&self, namespace: &str, service_name: &str, url: &str) {
        self.core.backends.redirect(namespace, service_name, url);
    }

    /// The newest resourceVersion.
    pub fn resource_version(&self) -> u64 {
        self.core.store.revision()
    }
}

/// Direct access to the stored objects of an [`ApiServer`].
#[derive(Clone, Copy, Debug)]
pub struct Objects<'a> {
    core: &'a Arc<Core>,
}

impl Objects<'_> {
    /// Stores an object as it is given: uid, times and status are kept, and set where they are missing; neither schema nor
    /// metadata are checked. An object of the same name is replaced. Namespaces that are missing are created.
    ///
    /// # Errors
    /// 404 when the object's kind is not served, 400 when it has no name.
    pub fn put(&self, object: &impl Serialize) -> Result<Value, ApiError> {
        let value =
            serde_json::to_value(object).map_err(|e| ApiError::bad_request(e.to_string()))?;
        seed::put(self.core, value)
    }

    /// An object by its resource; `namespace` is empty for cluster-scoped kinds.
    pub fn get(&self, group: &str, plural: &str, namespace: &str, name: &str) -> Option<Value> {
        let resource = self.core.registry.resource(group, plural)?;
        let served = self.core.registry.by_name(&resource)?;
        let stored = self.core.find(&served, &Key::new(namespace, name))?;
        Some(self.shown(&served, &stored))
    }

    /// All objects of a resource in a namespace (in all, where it is empty).
    pub fn list(&self, group: &str, plural: &str, namespace: &str) -> Vec<Value> {
        let Some(served) = self
            .core
            .registry
            .resource(group, plural)
            .and_then(|r| self.core.registry.by_name(&r))
        else {
            return Vec::new();
        };
        let snapshot = self.core.store.snapshot(served.resource.id, namespace);
        let objects = snapshot.objects.iter();
        objects.map(|it| self.shown(&served, it)).collect()
    }

    /// A stored object; where a webhook would have to convert it, in the version in which it is stored.
    fn shown(&self, served: &Served, stored: &Stored) -> Value {
        let version = match served.resource.webhook {
            Some(_) => self.core.registry.version_of(stored.schema),
            None => None,
        };
        let own = version.and_then(|version| served.in_version(&version));
        own.as_ref().unwrap_or(served).decode(stored)
    }

    /// Removes an object at once, regardless of finalizers; returns whether it existed.
    pub fn remove(&self, group: &str, plural: &str, namespace: &str, name: &str) -> bool {
        self.core
            .registry
            .resource(group, plural)
            .and_then(|r| self.core.registry.by_name(&r))
            .is_some_and(|served| write::remove(self.core, &served, &Key::new(namespace, name)))
    }
}

/// Describes an [`ApiServer`].
#[derive(Debug)]
pub struct Builder {
    crds: Vec<Value>,
    resources: Vec<ResourceDescription>,
    objects: Vec<Value>,
    encode_error: Option<serde_json::Error>,
    options: Options,
    history: usize,
    backends: Backends,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            crds: Vec::new(),
            resources: Vec::new(),
            objects: Vec::new(),
            encode_error: None,
            options: Options {
                garbage_collector: true,
                namespace_lifecycle: true,
                namespace_objects: false,
            },
            history: 10_000,
            backends: Backends::default(),
        }
    }
}

/// The limit of the log in bytes of encoded objects, over all events.
const HISTORY_BYTES: usize = 256 * 1024 * 1024;

impl Builder {
    fn encode<T: Serialize>(&mut self, items: impl IntoIterator<Item = T>) -> Vec<Value> {
        let mut values = Vec::new();
        for item in items {
            match serde_json::to_value(item) {
                Ok(value) => values.push(value),
                Err(error) => self.encode_error = Some(error),
            }
        }
        values
    }

    /// Serves custom resources, with their schemas.
    #[must_use]
    pub fn crds(mut self, crds: impl IntoIterator<Item = CustomResourceDefinition>) -> Self {
        let values = self.encode(crds);
        self.crds.extend(values);
        self
    }

    /// Serves custom resources from CRD objects that are decoded already.
    #[must_use]
    pub fn crd_values(mut self, crds: impl IntoIterator<Item = Value>) -> Self {
        self.crds.extend(crds);
        self
    }

    /// Serves resources without schemas.
    #[must_use]
    pub fn resources(mut self, resources: impl IntoIterator<Item = ResourceDescription>) -> Self {
        self.resources.extend(resources);
        self
    }

    /// Stores objects from the start, as [`Objects::put`] does.
    #[must_use]
    pub fn objects<T: Serialize>(mut self, objects: impl IntoIterator<Item = T>) -> Self {
        let values = self.encode(objects);
        self.objects.extend(values);
        self
    }

    /// Whether dependents follow their owners. On by default.
    #[must_use]
    pub fn garbage_collector(mut self, on: bool) -> Self {
        self.options.garbage_collector = on;
        self
    }

    /// Whether objects need their namespace, and go with it. On by default.
    #[must_use]
    pub fn namespace_lifecycle(mut self, on: bool) -> Self {
        self.options.namespace_lifecycle = on;
        self
    }

    /// Whether every namespace gets the service account `default` and the config map `kube-root-ca.crt`, as on a cluster
    /// with controllers. Off by default; the command has it on.
    #[must_use]
    pub fn namespace_objects(mut self, on: bool) -> Self {
        self.options.namespace_objects = on;
        self
    }

    /// How many events the history keeps (10,000 by default); watches and lists that go back further get 410.
    #[must_use]
    pub fn history(mut self, events: usize) -> Self {
        self.history = events;
        self
    }

    /// Lets a function of this process answer the webhooks of a service, so that tests need neither a socket nor a
    /// certificate. See [`ApiServer::serve_webhooks`].
    #[must_use]
    pub fn webhooks<S, B>(self, namespace: &str, service_name: &str, service: S) -> Self
    where
        S: tower::Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send,
        B: http_body::Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        self.backends.serve(namespace, service_name, service);
        self
    }

    /// Makes the server.
    ///
    /// # Errors
    /// When a CRD is invalid or an object cannot be stored.
    pub fn build(self) -> Result<ApiServer, BuildError> {
        if let Some(error) = self.encode_error {
            return Err(BuildError::Encode(error));
        }
        let core = Arc::new(Core {
            store: Store::new(self.history, HISTORY_BYTES),
            registry: Registry::default(),
            recorder: Recorder::default(),
            reactors: Reactors::default(),
            faults: Faults::default(),
            backends: self.backends,
            backoff: Default::default(),
            options: self.options,
            observers: controllers(self.options),
        });
        kinds::install(&core.registry);
        for resource in self.resources {
            core.registry.describe(resource);
        }
        for resource in core.registry.all() {
            core.store.open(resource.id);
        }
        for name in kinds::namespaces::SYSTEM {
            let namespace =
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
            seed::put(&core, namespace)
                .map_err(|source| object_error("namespace", name, source))?;
        }
        seed::put(&core, kinds::kubernetes_service())
            .map_err(|source| object_error("service", "kubernetes", source))?;
        for crd in self.crds {
            create_crd(&core, crd).map_err(BuildError::Crd)?;
        }
        for object in self.objects {
            let (kind, name) = (
                object::text(&object, &["kind"]).to_owned(),
                object::name(&object).to_owned(),
            );
            seed::put(&core, object).map_err(|source| object_error(&kind, &name, source))?;
        }
        Ok(ApiServer { core })
    }
}

fn object_error(kind: &str, name: &str, source: ApiError) -> BuildError {
    BuildError::Object {
        what: format!("{kind} \"{name}\""),
        source,
    }
}

/// Creates a CRD through the front door, so that it is validated and served.
fn create_crd(core: &Arc<Core>, mut crd: Value) -> Result<(), ApiError> {
    let served = core
        .builtin("apiextensions.k8s.io", "customresourcedefinitions")
        .ok_or_else(ApiError::no_such_resource)?;
    object::set_meta(&mut crd, "resourceVersion", None);
    let options = WriteOptions {
        manager: "embedded-apiserver".to_owned(),
        validation: FieldValidation::Ignore,
        ..WriteOptions::default()
    };
    let by = Requester::default();
    // Nothing is waited for where there are no webhooks yet.
    let created = create_object(core, &served, crd, &options, &by).now_or_never();
    created.unwrap_or_else(|| Err(ApiError::internal("a webhook is called")))?;
    Ok(())
}
