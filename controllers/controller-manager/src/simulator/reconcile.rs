//! One reconciliation of a simulated pod: schedules it, advances its status, or terminates it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use codegen_runtime::client::TypedClient;
use codegen_runtime::controller::{Action, Reconciler, Request};
use codegen_runtime::informer::{SharedInformer, SharedInformerFactory};
use codegen_runtime::k8s_openapi::api::core::v1::{Node, Pod};
use codegen_runtime::kube::api::{DeleteParams, PartialObjectMeta, PostParams, Preconditions};
use codegen_runtime::kube::{Client, Error};
use codegen_runtime::lister::Lister;
use codegen_runtime::store::ObjectKey;
use jiff::Timestamp;
use parking_lot::Mutex;
use serde_json::json;
use tokio::time::Instant;

use super::order::{Delay, Orders};
use super::status::{Life, status};
use super::{NODE_PREFIX, Options};
use crate::own_writes::OwnWrites;
use crate::pods::{is_finished, is_ready, node};
use crate::replicaset::reconcile::is_terminating_namespace;

/// Acts as kubelet and scheduler.
pub(super) struct PodSimulator {
    client: Client,
    pods: Lister<Pod>,
    nodes: SharedInformer<PartialObjectMeta<Node>>,
    options: Options,
    own_writes: OwnWrites,
    /// When each running pod was first seen on its node, with its uid: the API server's timestamps
    /// only have whole seconds.
    started: Mutex<HashMap<ObjectKey, (String, Instant)>>,
}

impl PodSimulator {
    pub(super) fn new(factory: &SharedInformerFactory, options: Options) -> Self {
        Self {
            client: factory.client().clone(),
            pods: factory.informer_for().lister(),
            nodes: factory.metadata_informer(),
            options,
            own_writes: OwnWrites::default(),
            started: Mutex::default(),
        }
    }

    async fn look(&self, key: &ObjectKey, pod: &Pod) -> Result<Action, Error> {
        let orders = Orders::of(pod);
        let node = node(pod);
        if node.is_empty() {
            if pod.metadata.deletion_timestamp.is_none()
                && self.nodes.store().is_empty()
                && !is_finished(pod)
            {
                self.bind(pod, &orders).await?;
            }
            return Ok(Action::done());
        }
        if !node.starts_with(NODE_PREFIX) || self.nodes.store().get(node).is_some() {
            return Ok(Action::done());
        }
        if pod.metadata.deletion_timestamp.is_some() {
            return self.end(key, pod, &orders).await;
        }
        if orders.hold || is_finished(pod) {
            return Ok(Action::done());
        }
        self.run(key, pod, &orders).await
    }

    async fn bind(&self, pod: &Pod, orders: &Orders) -> Result<(), Error> {
        let name = pod.metadata.name.as_deref().unwrap_or_default();
        let node = orders.node.clone().unwrap_or_else(|| {
            let mut hasher = DefaultHasher::new();
            pod.metadata.uid.hash(&mut hasher);
            (hasher.finish() % u64::from(self.options.nodes.max(1))).to_string()
        });
        let binding = json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
            "target": {"apiVersion": "v1", "kind": "Node", "name": format!("{NODE_PREFIX}{node}")}});
        let _: serde_json::Value = self
            .client_for(pod)
            .create_subresource(name, "binding", &binding, &PostParams::default())
            .await?;
        Ok(())
    }

    /// Advances the status of a pod that should run.
    async fn run(&self, key: &ObjectKey, pod: &Pod, orders: &Orders) -> Result<Action, Error> {
        let (life, again) = self.life(key, pod, orders);
        let new = status(pod, &life, orders.restarts, Timestamp::now());
        if pod.status.as_ref() != Some(&new) {
            let mut changed = pod.clone();
            changed.status = Some(new);
            let written = self
                .client_for(pod)
                .update_status(&changed, &PostParams::default())
                .await?;
            self.own_writes.record(key, &written);
        }
        Ok(again.map_or(Action::done(), Action::requeue_after))
    }

    /// Returns the pod's current state, and when it may change by itself.
    fn life(&self, key: &ObjectKey, pod: &Pod, orders: &Orders) -> (Life, Option<Duration>) {
        if let Some(phase) = &orders.exit {
            return (Life::Ended(phase.clone()), None);
        }
        if orders.not_ready {
            return (Life::Running { ready: false }, None);
        }
        let after = match orders
            .ready_after
            .unwrap_or(Delay::After(self.options.ready_after))
        {
            Delay::After(after) => after,
            Delay::Never => return (Life::Running { ready: false }, None),
        };
        // After a restart of this process it is unknown how long a pod has run; one that was ready
        // stays ready.
        let left = if is_ready(pod) {
            Duration::ZERO
        } else {
            after.saturating_sub(self.age(key, pod))
        };
        (
            Life::Running {
                ready: left.is_zero(),
            },
            Some(left).filter(|left| !left.is_zero()),
        )
    }

    fn age(&self, key: &ObjectKey, pod: &Pod) -> Duration {
        let uid = pod.metadata.uid.clone().unwrap_or_default();
        let mut started = self.started.lock();
        let (known, since) = started
            .entry(key.clone())
            .or_insert_with(|| (uid.clone(), Instant::now()));
        if *known != uid {
            (*known, *since) = (uid, Instant::now());
        }
        since.elapsed()
    }

    /// Removes a pod that is being deleted, once it has stopped or its grace period is over.
    async fn end(&self, key: &ObjectKey, pod: &Pod, orders: &Orders) -> Result<Action, Error> {
        let meta = &pod.metadata;
        let over = meta
            .deletion_timestamp
            .as_ref()
            .map_or(Timestamp::UNIX_EPOCH, |time| time.0);
        let grace = Duration::from_secs(
            u64::try_from(meta.deletion_grace_period_seconds.unwrap_or(0)).unwrap_or(0),
        );
        let until_over =
            Duration::try_from(over.duration_since(Timestamp::now())).unwrap_or_default();
        let left = match orders.stop_after {
            None => Duration::ZERO,
            Some(Delay::Never) => until_over,
            // The deletion timestamp is the end of the grace period.
            Some(Delay::After(stop)) => (until_over + stop).saturating_sub(grace).min(until_over),
        };
        if !left.is_zero() {
            return Ok(Action::requeue_after(left));
        }
        let mut params = DeleteParams::default().grace_period(0);
        params.preconditions = Some(Preconditions {
            uid: meta.uid.clone(),
            resource_version: None,
        });
        drop(self.client_for(pod).delete(key.name(), &params).await?);
        Ok(Action::done())
    }

    fn client_for(&self, pod: &Pod) -> TypedClient<Pod> {
        let namespace = pod.metadata.namespace.as_deref().unwrap_or_default();
        TypedClient::namespaced(self.client.clone(), namespace)
    }
}

impl Reconciler for PodSimulator {
    type Error = Error;

    async fn reconcile(&self, request: Request) -> Result<Action, Error> {
        let key = &request.key;
        // Before the first list of nodes, every pod would look as if it had no real node.
        if !self.nodes.wait_for_sync().await {
            return Ok(Action::done());
        }
        if let Some(later) = self.own_writes.pending(key, self.pods.store()) {
            return Ok(later);
        }
        let Ok(pod) = self.pods.get(key) else {
            self.started.lock().remove(key);
            return Ok(Action::done());
        };
        match self.look(key, &pod).await {
            // Another client changed or removed it; the cache will show it.
            Err(Error::Api(answer)) if answer.is_conflict() => Ok(Action::requeue()),
            Err(Error::Api(answer)) if answer.is_not_found() => Ok(Action::done()),
            // A pod without a node is deleted with its namespace.
            Err(error) if is_terminating_namespace(&error) => Ok(Action::done()),
            result => result,
        }
    }
}
