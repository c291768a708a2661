//! Building a server, its clients, and direct access to its objects for tests.

use std::net::Ipv4Addr;
use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use http::{Request, Response};
use http_body_util::Full;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::Serialize;
use serde_json::{Value, json};

use crate::BoxError;
use crate::bootstrap;
use crate::controllers::controllers;
use crate::core::{AuthorizationMode, Controllers, Core, FeatureGate, Options};
use crate::kinds;
use crate::metadata::object;
use crate::registry::{Registry, ResourceDescription, Served, ServiceRange};
use crate::rest::Requester;
use crate::rest::create::create_object;
use crate::rest::options::{FieldValidation, WriteOptions};
use crate::rest::write;
use crate::seed;
use crate::service::ApiService;
use crate::status::ApiError;
use crate::store::{Key, Store, Stored};
use crate::testing::faults::Faults;
use crate::testing::interception::Interceptor;
use crate::testing::reactor::Reaction;
use crate::testing::recorder::{Action, Recorder};
use crate::webhooks::reach::Backends;

/// Why a server cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A CRD or object cannot be serialised.
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
        /// The cause.
        source: ApiError,
    },
}

/// An in-process Kubernetes API server. Clones share one state.
#[derive(Clone, Debug)]
pub struct ApiServer {
    core: Arc<Core>,
}

impl ApiServer {
    /// Returns a builder with the defaults.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Returns a client that needs no socket; its default namespace is `default`.
    ///
    /// # Panics
    /// Panics outside of a Tokio runtime, which `kube::Client` requires.
    pub fn client(&self) -> kube::Client {
        kube::Client::new(self.service(), "default")
    }

    /// Returns a client like [`client`](Self::client) whose requests are recorded under `user`, so
    /// that a test can tell a controller's requests from its own. See
    /// [`assert_rbac`](crate::assert_rbac).
    ///
    /// # Panics
    /// Panics outside of a Tokio runtime, which `kube::Client` requires.
    pub fn client_as(&self, user: &str) -> kube::Client {
        kube::Client::new(self.service().of_user(user), "default")
    }

    /// Returns the server as a tower service.
    pub fn service(&self) -> ApiService {
        ApiService::new(self.core.clone())
    }

    /// Returns the record of all requests.
    pub fn recorder(&self) -> &Recorder {
        &self.core.interceptor.recorder
    }

    /// Returns the active faults.
    pub fn faults(&self) -> &Faults {
        &self.core.interceptor.faults
    }

    /// Registers a function that answers requests with this verb and resource, before earlier
    /// reactors and before the store. `*` matches any verb or resource; a subresource is written
    /// `pods/status`.
    pub fn prepend_reactor(
        &self,
        verb: &str,
        resource: &str,
        react: impl Fn(&Action) -> Reaction + Send + Sync + 'static,
    ) {
        self.core
            .interceptor
            .reactors
            .prepend(verb, resource, react);
    }

    /// Returns direct access to the stored objects; it is not recorded and not subject to faults.
    pub fn objects(&self) -> Objects<'_> {
        Objects { core: &self.core }
    }

    /// Routes the webhooks (admission and conversion) whose `clientConfig` names this service to a
    /// function in this process. Replaces an earlier backend of the service. Certificates are not
    /// checked.
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

    /// Redirects the webhook requests for a service to an address, as envtest does:
    /// `http://127.0.0.1:9443`, or `https://…`, whose certificate is verified against the
    /// `caBundle` (requires the feature `tls`).
    pub fn redirect_webhooks(&self, namespace: &str, service_name: &str, url: &str) {
        self.core.backends.redirect(namespace, service_name, url);
    }

    /// Returns the newest resourceVersion.
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
    /// Stores an object without validating its schema or metadata. The uid, timestamps and status
    /// are kept, and set if they are missing. An existing object of the same name is replaced; a
    /// missing namespace is created.
    ///
    /// # Errors
    /// 404 if the object's kind is not served, 400 if it has no name.
    pub fn put(&self, object: &impl Serialize) -> Result<Value, ApiError> {
        let value =
            serde_json::to_value(object).map_err(|e| ApiError::bad_request(e.to_string()))?;
        seed::put(self.core, value)
    }

    /// Returns an object by its resource and name; `namespace` is empty for cluster-scoped kinds.
    pub fn get(&self, group: &str, plural: &str, namespace: &str, name: &str) -> Option<Value> {
        let resource = self.core.registry.resource(group, plural)?;
        let served = self.core.registry.by_name(&resource)?;
        let stored = self.core.find(&served, &Key::new(namespace, name))?;
        Some(self.shown(&served, &stored))
    }

    /// Returns all objects of a resource in a namespace; an empty `namespace` means all namespaces.
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

    /// Decodes a stored object. An object that a webhook would have to convert stays in the version
    /// in which it is stored.
    fn shown(&self, served: &Served, stored: &Stored) -> Value {
        let version = match served.resource.webhook {
            Some(_) => self.core.registry.version_of(stored.schema),
            None => None,
        };
        let own = version.and_then(|version| served.in_version(&version));
        own.as_ref().unwrap_or(served).decode(stored)
    }

    /// Removes an object immediately, ignoring finalizers; returns whether it existed.
    pub fn remove(&self, group: &str, plural: &str, namespace: &str, name: &str) -> bool {
        self.core
            .registry
            .resource(group, plural)
            .and_then(|r| self.core.registry.by_name(&r))
            .is_some_and(|served| write::remove(self.core, &served, &Key::new(namespace, name)))
    }
}

/// Configures an [`ApiServer`].
#[derive(Debug)]
pub struct Builder {
    crds: Vec<Value>,
    resources: Vec<ResourceDescription>,
    objects: Vec<Value>,
    encode_error: Option<serde_json::Error>,
    options: Options,
    history: usize,
    backends: Backends,
    issuer: Arc<str>,
    service_range: ServiceRange,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            crds: Vec::new(),
            resources: Vec::new(),
            objects: Vec::new(),
            encode_error: None,
            options: Options {
                garbage_collector: Controllers::Full,
                namespace_lifecycle: Controllers::Full,
                namespace_objects: false,
                authorization: AuthorizationMode::default(),
                owner_permissions: false,
                bootstrap: false,
                sharded_lists: false,
            },
            history: 10_000,
            backends: Backends::default(),
            issuer: Arc::from(kinds::tokens::ISSUER),
            service_range: ServiceRange::default(),
        }
    }
}

/// The maximum size of the log: the total bytes of the encoded objects in its events.
const HISTORY_BYTES: usize = 48 * 1024 * 1024;

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

    /// Serves the custom resources that these CRDs define, with their schemas.
    #[must_use]
    pub fn crds(mut self, crds: impl IntoIterator<Item = CustomResourceDefinition>) -> Self {
        let values = self.encode(crds);
        self.crds.extend(values);
        self
    }

    /// Serves the custom resources that these CRDs, as JSON values, define.
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

    /// Stores objects when the server is built, as [`Objects::put`] does.
    #[must_use]
    pub fn objects<T: Serialize>(mut self, objects: impl IntoIterator<Item = T>) -> Self {
        let values = self.encode(objects);
        self.objects.extend(values);
        self
    }

    /// Sets how far the server does the work of kube-controller-manager: garbage collection, the
    /// deletion of namespaces, and the objects of every namespace, and aggregated roles. The
    /// methods below set single controllers.
    #[must_use]
    pub fn controllers(mut self, mode: Controllers) -> Self {
        self.options = Options {
            garbage_collector: mode,
            namespace_lifecycle: mode,
            namespace_objects: mode == Controllers::Full,
            bootstrap: mode != Controllers::Off,
            ..self.options
        };
        self
    }

    /// Whether the objects exist that kube-apiserver creates: default roles, priority classes, API
    /// services. Off by default; [`controllers`](Self::controllers) turns it on, except for
    /// [`Controllers::Off`].
    #[must_use]
    pub fn bootstrap_objects(mut self, on: bool) -> Self {
        self.options.bootstrap = on;
        self
    }

    /// Whether the garbage collector deletes dependents with their owners (by default), or
    /// deletions in the foreground and those that orphan dependents only set its finalizers
    /// ([`Controllers::Envtest`]), or not even that.
    #[must_use]
    pub fn garbage_collector(mut self, mode: impl Into<Controllers>) -> Self {
        self.options.garbage_collector = mode.into();
        self
    }

    /// Whether namespaced objects require an existing namespace and are deleted with it (by
    /// default), or a deleted namespace remains with its content ([`Controllers::Envtest`]), or
    /// namespaces are objects without a meaning.
    #[must_use]
    pub fn namespace_lifecycle(mut self, mode: impl Into<Controllers>) -> Self {
        self.options.namespace_lifecycle = mode.into();
        self
    }

    /// Whether every namespace gets the service account `default` and the config map
    /// `kube-root-ca.crt`, as on a cluster that runs kube-controller-manager. Off by default; the
    /// command turns it on.
    #[must_use]
    pub fn namespace_objects(mut self, on: bool) -> Self {
        self.options.namespace_objects = on;
        self
    }

    /// Sets who may do what; [`AuthorizationMode::AlwaysAllow`] by default. Users come from
    /// [`ApiServer::client_as`], `Impersonate-User` (with `Impersonate-Group`) and the tokens of
    /// service accounts; everyone else is the administrator.
    #[must_use]
    pub fn authorization(mut self, mode: AuthorizationMode) -> Self {
        self.options.authorization = mode;
        self
    }

    /// Whether whoever changes the owners of an object must be allowed to delete it, and whoever
    /// sets `blockOwnerDeletion`, to update the finalizers of the owner: the admission plugin
    /// `OwnerReferencesPermissionEnforcement`, which is on in OpenShift. Off by default; without
    /// [`authorization`](Self::authorization) it only refuses owners of unknown kinds.
    #[must_use]
    pub fn owner_references_permission_enforcement(mut self, on: bool) -> Self {
        self.options.owner_permissions = on;
        self
    }

    /// Turns a feature of kube-apiserver on or off; each documents its default.
    #[must_use]
    pub fn feature_gate(mut self, gate: FeatureGate, on: bool) -> Self {
        match gate {
            FeatureGate::ShardedListAndWatch => self.options.sharded_lists = on,
        }
        self
    }

    /// Sets the issuer of the tokens of service accounts, which is also their default audience.
    #[must_use]
    pub fn service_account_issuer(mut self, issuer: &str) -> Self {
        self.issuer = Arc::from(issuer);
        self
    }

    /// Sets the range of the addresses of services: those that share their first `bits` bits (1 to
    /// 30) with an address. 10.0.0.0/16 by default. The service `kubernetes` has the first one.
    #[must_use]
    pub fn service_range(mut self, address: Ipv4Addr, bits: u32) -> Self {
        self.service_range = ServiceRange::new(address, bits);
        self
    }

    /// Sets the number of events that the history keeps (10,000 by default). Watches and lists that
    /// start earlier get 410.
    #[must_use]
    pub fn history(mut self, events: usize) -> Self {
        self.history = events;
        self
    }

    /// Routes the webhooks of a service to a function in this process, so that tests need neither a
    /// socket nor a certificate. See [`ApiServer::serve_webhooks`].
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

    /// Builds the server.
    ///
    /// # Errors
    /// If a CRD is invalid or an object cannot be stored.
    pub fn build(self) -> Result<ApiServer, BuildError> {
        if let Some(error) = self.encode_error {
            return Err(BuildError::Encode(error));
        }
        let core = Arc::new(Core {
            store: Store::new(self.history, HISTORY_BYTES),
            registry: Registry::default(),
            interceptor: Interceptor::default(),
            backends: self.backends,
            backoff: Default::default(),
            options: self.options,
            issuer: self.issuer,
            service_range: self.service_range,
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
        seed::put(&core, kinds::kubernetes_service(self.service_range))
            .map_err(|source| object_error("service", "kubernetes", source))?;
        if self.options.bootstrap || self.options.authorization == AuthorizationMode::Rbac {
            for object in bootstrap::objects(&core) {
                let name = object::name(&object).to_owned();
                seed::put(&core, object)
                    .map_err(|source| object_error("bootstrap object", &name, source))?;
            }
        }
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

/// Creates a CRD through the regular create path, so that it is validated and served.
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
    // No webhooks are registered yet, so the future completes without waiting.
    let created = create_object(core, &served, crd, &options, &by).now_or_never();
    created.unwrap_or_else(|| Err(ApiError::internal("unexpected webhook call")))?;
    Ok(())
}
