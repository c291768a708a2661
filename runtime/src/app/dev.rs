//! `dev`: runs the program's controllers on this machine against a cluster, whose API server calls
//! the webhooks of this process.
//!
//! The CRDs and the webhook configurations of the demo are applied with this machine's address in
//! place of the service, and with a certificate that the process makes for it, and its policies as
//! they are. Afterwards configurations and policies are removed, and CRDs convert through their
//! service again.

use std::collections::BTreeSet;
use std::future::Future;
#[cfg(feature = "webhooks")]
use std::net::Ipv6Addr;
use std::time::Duration;

use clap::Args;
use k8s_openapi::ByteString;
use kube::Client;
use kube::api::{
    Api, ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams,
};
use serde_json::{Value, json};
#[cfg(feature = "webhooks")]
use tokio::net::TcpListener;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{App, AppError, BoxError, Demo, DevFlags, Flags, Process, Reach};
use crate::error::chain;
use crate::manager::ManagerBuilder;
use crate::metrics::Metrics;
#[cfg(feature = "webhooks")]
use crate::webhook::{Certificates, WebhookServer};

/// How long a new CRD may take until the API server serves its kind.
const PATIENCE: Duration = Duration::from_secs(10);

/// The time between two tries of a step.
const EVERY: Duration = Duration::from_millis(100);

/// What cert-manager puts its own CA into.
const INJECTED: &str = "cert-manager.io/inject-ca-from";

pub(super) fn failed(what: String, source: impl Into<BoxError>) -> AppError {
    let source = source.into();
    AppError::Dev { what, source }
}

/// What an API server needs to call webhooks: the start of their URLs, and the CA in PEM.
#[cfg_attr(not(feature = "webhooks"), allow(dead_code))]
struct Endpoint {
    base: String,
    bundle: String,
}

/// What is applied to a cluster while a program runs next to it.
struct Installation {
    client: Client,
    manager: String,
    crds: Vec<Value>,
    /// Webhook configurations and policies.
    admission: Vec<Value>,
}

impl App {
    /// Runs `dev`.
    pub(super) async fn develop_here<F, S, W, E>(
        &self,
        dev: &DevFlags,
        setup: S,
        shutdown: &CancellationToken,
    ) -> Result<(), AppError>
    where
        F: Args,
        S: FnOnce(Process, F) -> W,
        W: Future<Output = Result<ManagerBuilder, E>>,
        E: Into<BoxError>,
    {
        let line = self
            .demo
            .iter()
            .flat_map(|demo| demo.line(self.name, &dev.args));
        let invocation = self.try_parse_from::<F>(line);
        let invocation =
            invocation.map_err(|error| failed("the controller's flags".to_owned(), error))?;
        let (flags, own) = (invocation.flags, invocation.own);
        let client = self.connect(&flags, &Metrics::new()).await?;
        self.develop(client, flags, own, &dev.reach, setup, shutdown)
            .await
    }

    /// Runs the program as its subcommand `dev` does: on this machine, against a cluster whose API
    /// server calls the webhooks of this process. Until `shutdown` is cancelled; then it removes
    /// what only this process serves. The flags of webhooks have no effect.
    ///
    /// # Errors
    ///
    /// See [`run`](Self::run), and the cluster refuses a CRD, a webhook configuration or a policy
    /// of the demo.
    pub async fn develop<F, S, W, E>(
        &self,
        client: Client,
        #[cfg_attr(not(feature = "webhooks"), allow(unused_mut))] mut flags: Flags,
        own: F,
        reach: &Reach,
        setup: S,
        shutdown: &CancellationToken,
    ) -> Result<(), AppError>
    where
        S: FnOnce(Process, F) -> W,
        W: Future<Output = Result<ManagerBuilder, E>>,
        E: Into<BoxError>,
    {
        let mut installation = Installation {
            client: client.clone(),
            manager: format!("{}-dev", self.name),
            crds: self.definitions()?,
            admission: self.samples()?.into_iter().filter(is_admission).collect(),
        };
        #[cfg(feature = "webhooks")]
        {
            flags.webhooks = None;
        }
        #[cfg(not(feature = "webhooks"))]
        let endpoint: Option<Endpoint> = None;
        #[cfg(feature = "webhooks")]
        let (server, endpoint) = self.webhooks_at(reach).await?.unzip();
        let start = async {
            installation.apply(endpoint.as_ref()).await?;
            reach.applied.cancel();
            #[cfg_attr(not(feature = "webhooks"), allow(unused_mut))]
            let mut process = self.process(client, flags, Metrics::new()).await?;
            #[cfg(feature = "webhooks")]
            if let Some(server) = server {
                process.serve_with(server);
            }
            super::builder::build(setup(process, own)).await
        };
        let ended = self.manage(start, shutdown).await;
        installation.remove(endpoint.is_some()).await;
        ended
    }

    /// The CRDs of its demo.
    pub(super) fn definitions(&self) -> Result<Vec<Value>, AppError> {
        self.demo.as_ref().map_or(Ok(Vec::new()), Demo::definitions)
    }

    /// The sample objects of its demo.
    pub(super) fn samples(&self) -> Result<Vec<Value>, AppError> {
        self.demo.as_ref().map_or(Ok(Vec::new()), Demo::samples)
    }

    /// The server of the webhooks, and where it is reached; `None` if the program has none.
    #[cfg(feature = "webhooks")]
    async fn webhooks_at(
        &self,
        reach: &Reach,
    ) -> Result<Option<(WebhookServer, Endpoint)>, AppError> {
        let Some(webhooks) = self.own_webhooks() else {
            return Ok(None);
        };
        let is_here = reach.host == "localhost" || reach.host.starts_with("127.");
        let address = if is_here { "127.0.0.1" } else { "::" };
        let what = || {
            format!(
                "cannot serve webhooks on port {}: choose another with --port",
                reach.port
            )
        };
        let failed = |error: std::io::Error| failed(what(), error);
        let listener = TcpListener::bind((address, reach.port))
            .await
            .map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let (certificates, bundle) = Certificates::of_host(&reach.host)?;
        let host = match reach.host.parse::<Ipv6Addr>() {
            Ok(address) => format!("[{address}]"),
            Err(_) => reach.host.clone(),
        };
        let server = WebhookServer::new(listener, certificates, webhooks.clone());
        let endpoint = Endpoint {
            base: format!("https://{host}:{port}"),
            bundle,
        };
        Ok(Some((server.shutdown_delay(Duration::ZERO), endpoint)))
    }
}

impl Installation {
    /// Applies CRDs, webhook configurations and policies. The latter have names of their own: those
    /// of a deployed program stay.
    async fn apply(&mut self, endpoint: Option<&Endpoint>) -> Result<(), AppError> {
        for crd in &self.crds {
            let mut crd = crd.clone();
            if let Some(endpoint) = endpoint {
                endpoint.point(&mut crd);
            }
            self.put(&crd).await?;
            self.until_served(&crd).await?;
        }
        self.admission
            .retain(|object| endpoint.is_some() || object.get("webhooks").is_none());
        let own = self.admission.iter().map(|it| name_of(it).to_owned());
        let own: BTreeSet<String> = own.collect();
        for object in &mut self.admission {
            for path in ["/metadata/name", "/spec/policyName"] {
                if let Some(Value::String(name)) = object.pointer_mut(path)
                    && own.contains(name)
                {
                    name.push_str("-dev");
                }
            }
            if let Some(endpoint) = endpoint {
                endpoint.point(object);
            }
        }
        for object in &self.admission {
            self.put(object).await?;
        }
        Ok(())
    }

    /// Removes what decides about objects, and applies CRDs as they are. What fails is logged.
    async fn remove(&self, restores: bool) {
        for object in &self.admission {
            let name = name_of(object);
            let api = self.api(object);
            match api.delete(name, &DeleteParams::default()).await {
                Err(kube::Error::Api(status)) if status.code == 404 => {}
                Err(error) => tracing::warn!(name, error = %chain(&error), "cannot remove it"),
                Ok(_) => tracing::info!(name, "removed"),
            }
        }
        let converts = |crd: &&Value| crd.pointer("/spec/conversion/webhook").is_some();
        for crd in self.crds.iter().filter(converts).filter(|_| restores) {
            if let Err(error) = self.put(crd).await {
                let name = name_of(crd);
                tracing::warn!(name, "cannot restore the conversion: {}", chain(&error));
            }
        }
    }

    async fn put(&self, object: &Value) -> Result<(), AppError> {
        let params = PatchParams::apply(&self.manager).force();
        let name = name_of(object);
        let (api, patch) = (self.api(object), Patch::Apply(object));
        let applied = api.patch(name, &params, &patch).await;
        applied.map_err(|error| failed(format!("cannot apply {name}"), error))?;
        tracing::info!(name, "applied");
        Ok(())
    }

    /// Waits until the API server serves the kind of a CRD.
    async fn until_served(&self, crd: &Value) -> Result<(), AppError> {
        let name = name_of(crd);
        let api = self.api(crd);
        let established = until(PATIENCE, async || {
            let found = api.get(name).await?;
            let is_established = has_condition(&found, "Established");
            is_established
                .then_some(())
                .ok_or_else(|| BoxError::from("it is not established"))
        });
        established
            .await
            .map_err(|error| failed(format!("the API server does not serve {name}"), error))
    }

    fn api(&self, object: &Value) -> Api<DynamicObject> {
        api(&self.client, object)
    }
}

/// Whether an object decides about others: a webhook configuration or a policy.
pub(super) fn is_admission(object: &Value) -> bool {
    let version = object["apiVersion"].as_str().unwrap_or_default();
    version.starts_with("admissionregistration.k8s.io/")
}

/// The client for cluster-scoped objects of an object's kind.
fn api(client: &Client, object: &Value) -> Api<DynamicObject> {
    Api::all_with(client.clone(), &resource_of(object))
}

/// Repeats a step until it succeeds; the last error when `patience` has passed.
pub(super) async fn until(
    patience: Duration,
    step: impl AsyncFn() -> Result<(), BoxError>,
) -> Result<(), BoxError> {
    let end = Instant::now() + patience;
    loop {
        match step().await {
            Ok(()) => return Ok(()),
            Err(error) if Instant::now() > end => return Err(error),
            Err(_) => tokio::time::sleep(EVERY).await,
        }
    }
}

/// Whether a condition of an object's status is true.
pub(super) fn has_condition(object: &DynamicObject, name: &str) -> bool {
    let conditions = object.data["status"]["conditions"].as_array();
    let mut conditions = conditions.into_iter().flatten();
    conditions.any(|it| it["type"] == name && it["status"] == "True")
}

/// The resource of an object's kind, by the usual plural.
pub(super) fn resource_of(object: &Value) -> ApiResource {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let version = text(&object["apiVersion"]);
    let (group, version) = version.split_once('/').unwrap_or(("", &version));
    ApiResource::from_gvk(&GroupVersionKind::gvk(
        group,
        version,
        &text(&object["kind"]),
    ))
}

pub(super) fn name_of(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

impl Endpoint {
    /// Lets the clients of an object call this process in place of a service.
    fn point(&self, object: &mut Value) {
        if let Some(annotations) = object.pointer_mut("/metadata/annotations")
            && let Some(annotations) = annotations.as_object_mut()
        {
            annotations.remove(INJECTED);
        }
        let webhooks = object["webhooks"].as_array().map_or(0, Vec::len);
        let clients = (0..webhooks).map(|index| format!("/webhooks/{index}/clientConfig"));
        let conversion = "/spec/conversion/webhook/clientConfig".to_owned();
        for path in clients.chain([conversion]) {
            let Some(client) = object.pointer_mut(&path) else {
                continue;
            };
            let Some(service) = client.get("service") else {
                continue;
            };
            let path = service["path"].as_str().unwrap_or_default();
            let bundle = ByteString(self.bundle.clone().into_bytes());
            *client = json!({ "url": format!("{}{path}", self.base), "caBundle": bundle });
        }
    }
}
