//! End-to-end tests: the whole program, on an embedded API server or on a cluster.

use std::future::Future;
use std::time::Duration;

use clap::Args;
use embedded_apiserver::ApiServer;
use kube::Client;
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, Patch, PatchParams};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::demo::namespaces_of;
use super::dev::{failed, has_condition, is_admission, name_of, resource_of, until};
use super::{App, AppError, BoxError, Flags, Process, Reach};
use crate::error::chain;
use crate::manager::ManagerBuilder;
use crate::metrics::Metrics;

/// Set to anything: tests run on the cluster of $KUBECONFIG.
const CLUSTER: &str = "E2E_CLUSTER";

/// The name of this machine, as the cluster reaches it.
const HOST: &str = "E2E_HOST";

/// How long a step may take, on a cluster that is busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// The cluster of an end-to-end test, with the samples of the program's `demo`.
pub struct Trial {
    client: Client,
    samples: Vec<Value>,
    crds: Vec<Value>,
}

impl App {
    /// Runs the program as `dev` does, with the samples of its `demo`, while a test takes its
    /// `steps`: on an embedded API server, or if the environment variable `E2E_CLUSTER` is set, on
    /// the cluster of the current kubeconfig, which reaches this machine as `E2E_HOST` (localhost
    /// unless set). Afterwards the samples are deleted.
    ///
    /// # Errors
    ///
    /// Those of the program and of the steps, and what the cluster refuses.
    pub async fn end_to_end<F, S, W, E>(
        self,
        setup: S,
        steps: impl AsyncFnOnce(&Trial) -> Result<(), BoxError>,
    ) -> Result<(), BoxError>
    where
        F: Args,
        S: FnOnce(Process, F) -> W,
        W: Future<Output = Result<ManagerBuilder, E>>,
        E: Into<BoxError>,
    {
        let own = self.demo.iter().flat_map(|demo| demo.line(self.name, &[]));
        let line = std::iter::once(self.name).chain(own.skip(1));
        let invocation = self.try_parse_from::<F>(line)?;
        let (_server, client) = self.cluster(&invocation.flags).await?;
        let mut samples = self.samples()?;
        samples.retain(|object| !is_admission(object));
        let trial = Trial {
            client: client.clone(),
            samples,
            crds: self.definitions()?,
        };
        let host = std::env::var(HOST).unwrap_or_else(|_| "localhost".to_owned());
        let reach = Reach::new(host, 0);
        let stop = CancellationToken::new();
        let (flags, own) = (invocation.flags, invocation.own);
        let program = self.develop(client, flags, own, &reach, setup, &stop);
        let play = async {
            reach.applied.cancelled().await;
            trial.create().await?;
            let taken = steps(&trial).await;
            trial.delete().await;
            taken
        };
        let mut program = std::pin::pin!(program);
        let played = tokio::select! {
            ended = &mut program => {
                ended?;
                return Err("the program ended before the test".into());
            }
            played = play => played,
        };
        stop.cancel();
        program.await?;
        played
    }

    /// The cluster to test on; an embedded API server ends with the first value.
    async fn cluster(&self, flags: &Flags) -> Result<(Option<ApiServer>, Client), AppError> {
        if std::env::var_os(CLUSTER).is_some() {
            return Ok((None, self.connect(flags, &Metrics::new()).await?));
        }
        let server = ApiServer::builder().build();
        let server = server.map_err(|error| failed("the API server".to_owned(), error))?;
        let client = server.client();
        Ok((Some(server), client))
    }
}

impl Trial {
    /// The client of the cluster.
    #[must_use]
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// Waits until all samples of the program's own kinds have the condition `Ready`.
    ///
    /// # Errors
    ///
    /// A sample is not ready in two minutes, or cannot be read.
    pub async fn samples_are_ready(&self) -> Result<(), BoxError> {
        for sample in self.samples.iter().filter(|it| self.crd_of(it).is_some()) {
            let what = || {
                format!(
                    "{} {} is not ready",
                    sample["kind"], sample["metadata"]["name"]
                )
            };
            let ready = async || {
                let found = self.api(sample).get(name_of(sample)).await?;
                let is_ready = has_condition(&found, "Ready");
                is_ready.then_some(()).ok_or_else(|| BoxError::from(what()))
            };
            until(PATIENCE, ready).await?;
        }
        Ok(())
    }

    /// Creates the samples, as soon as their kinds and webhooks are served, and before them the
    /// namespaces that they are in, which stay afterwards.
    async fn create(&self) -> Result<(), BoxError> {
        let namespaces = namespaces_of(&self.samples);
        for sample in namespaces.iter().chain(&self.samples) {
            let params = PatchParams::apply("end-to-end").force();
            let (api, patch) = (self.api(sample), Patch::Apply(sample));
            until(PATIENCE, async || {
                let applied = api.patch(name_of(sample), &params, &patch).await;
                applied.map(drop).map_err(BoxError::from)
            })
            .await?;
        }
        Ok(())
    }

    /// Deletes the samples, and waits until controllers have let go of them.
    async fn delete(&self) {
        for sample in self.samples.iter().rev() {
            let (api, name) = (self.api(sample), name_of(sample));
            let gone = until(PATIENCE, async || {
                let deleted = api.delete(name, &DeleteParams::default()).await;
                match deleted {
                    Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
                    Err(error) => Err(error.into()),
                    Ok(_) => Err(BoxError::from("it is being deleted")),
                }
            });
            if let Err(error) = gone.await {
                tracing::warn!(name, error = %chain(&*error), "cannot delete the sample");
            }
        }
    }

    fn crd_of(&self, object: &Value) -> Option<&Value> {
        let version = object["apiVersion"].as_str().unwrap_or_default();
        let group = version.split_once('/').map_or("", |(group, _)| group);
        let mut crds = self.crds.iter();
        crds.find(|crd| {
            let spec = &crd["spec"];
            spec["group"] == *group && spec["names"]["kind"] == object["kind"]
        })
    }

    fn api(&self, object: &Value) -> Api<DynamicObject> {
        let plural = self.crd_of(object);
        let plural = plural.and_then(|crd| crd["spec"]["names"]["plural"].as_str());
        let usual = resource_of(object);
        let resource = ApiResource {
            plural: plural.map_or_else(|| usual.plural.clone(), str::to_owned),
            ..usual
        };
        match object["metadata"]["namespace"].as_str() {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &resource),
            None => Api::all_with(self.client.clone(), &resource),
        }
    }
}

impl std::fmt::Debug for Trial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trial").finish_non_exhaustive()
    }
}
