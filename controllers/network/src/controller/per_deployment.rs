//! Manages a Network for each Deployment labelled `samplecrd.k8s.io/network=auto`: built-in and
//! custom objects from one factory.
//!
//! The Network has the Deployment's name and an owner reference, so it is garbage-collected with
//! the Deployment; without the label it is deleted. Its range is the annotation
//! `samplecrd.k8s.io/cidr`, or else a free one of the pool.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::controller::{
    BuildError, Controller, Fence, Predicate, ShardGate, run_workers,
};
use codegen_runtime::error::{chain, message};
use codegen_runtime::event::EventRecorder;
use codegen_runtime::informer::{HandlerFuncs, SharedInformer, handler};
use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
use codegen_runtime::kube::api::{DeleteParams, PostParams, Preconditions};
use codegen_runtime::kube::core::Selector;
use codegen_runtime::kube::{self, ResourceExt};
use codegen_runtime::manager::{RunContext, Runnable};
use codegen_runtime::metrics::Metrics;
use codegen_runtime::owner;
use codegen_runtime::retry;
use codegen_runtime::shard::Sharding;
use codegen_runtime::store::ObjectKey;
use codegen_runtime::workqueue::WorkQueue;
use ipnet::IpNet;
use tokio::sync::Mutex;

use super::{addresses, overlap, parse_range};
use crate::apis::samplecrd::v1::{Network, NetworkSpec};
use crate::generated::clientset::Clientset;
use crate::generated::informers::SharedInformerFactory;
use crate::generated::informers::samplecrd::v1::NetworkInformer;

/// The name of this controller in a manager, and of its queue in metrics.
pub const NAME: &str = "network-per-deployment";

/// The label that requests a network with the value `auto`.
pub const LABEL: &str = "samplecrd.k8s.io/network";

/// The annotation with the range.
pub const CIDR: &str = "samplecrd.k8s.io/cidr";

/// How long to wait for the cache to show a created Network.
const CACHE_LAG: Duration = Duration::from_secs(5);

/// Creates a Network for each Deployment that requests one; a [`Runnable`] for a manager.
#[derive(Clone)]
pub struct NetworkPerDeployment {
    factory: SharedInformerFactory,
    deployments: SharedInformer<Deployment>,
    networks: NetworkInformer,
    clientset: Clientset,
    events: EventRecorder,
    queue: WorkQueue<ObjectKey>,
    pool: IpNet,
    prefix: u8,
    /// Held from the choice of a range until the cache shows the Network that has it.
    choosing: Arc<Mutex<()>>,
    gate: Option<ShardGate>,
}

impl NetworkPerDeployment {
    /// Creates a controller that allocates ranges with the prefix length `prefix` from `pool`.
    pub fn new(
        clientset: Clientset,
        factory: &SharedInformerFactory,
        events: EventRecorder,
        metrics: &Metrics,
        pool: IpNet,
        prefix: u8,
    ) -> Self {
        let networks = factory.samplecrd().v1().networks();
        // Registers the informer, so that the factory runs it even without the other controller.
        let _ = networks.informer();
        Self {
            factory: factory.clone(),
            deployments: factory.informer_for::<Deployment>(),
            networks,
            clientset,
            events,
            queue: WorkQueue::builder().name(NAME).metrics(metrics).build(),
            pool,
            prefix,
            choosing: Arc::default(),
            gate: None,
        }
    }

    /// Lets every process work, each on the Deployments of its namespaces. `None` has no effect.
    ///
    /// # Errors
    ///
    /// If another controller of the factory needs all networks or Deployments.
    pub fn sharded(mut self, sharding: Option<Sharding>) -> Result<Self, BuildError> {
        if sharding.is_some() {
            self.gate = Controller::builder(NAME, &self.factory)
                .for_informer(&self.deployments, Predicate::all())
                .owns_informer(&self.networks.informer(), Predicate::all())
                .sharded(sharding)
                .build_gate()?;
        }
        Ok(self)
    }

    fn handler(&self) -> HandlerFuncs<Deployment> {
        let (added, updated) = (self.queue.clone(), self.queue.clone());
        handler::funcs()
            .on_add(move |deployment: &Arc<Deployment>, _| {
                if is_labelled(deployment) {
                    added.add(ObjectKey::of(&**deployment));
                }
            })
            .on_update(move |old, new| {
                if is_labelled(old) || is_labelled(new) {
                    updated.add(ObjectKey::of(&**new));
                }
            })
    }

    /// Enqueues the Deployment of each Network that exists at the start, since the label may have
    /// been removed before. Also enqueues Deployments that may get a Network after another one is
    /// deleted, which frees its name and range, or requests a different range.
    fn network_handler(&self) -> HandlerFuncs<Network> {
        let queue = self.queue.clone();
        let (changed, gone) = (self.clone(), self.clone());
        handler::funcs()
            .on_add(move |network: &Arc<Network>, _| {
                let owner = owner::controller_of(&**network);
                if owner.is_some_and(|owner| owner.kind == "Deployment") {
                    queue.add(ObjectKey::of(&**network));
                }
            })
            .on_update(move |old, new| {
                if !ranges(old).eq(ranges(new)) {
                    changed.add_beside(new);
                }
            })
            .on_delete(move |network| gone.add_beside(network.object()))
    }

    /// Enqueues the labelled Deployments in the namespace of `network`, which released a range.
    fn add_beside(&self, network: &Network) {
        let namespace = network.namespace().unwrap_or_default();
        let beside = self.deployments.lister().namespace(&namespace);
        for deployment in beside.list(&Selector::default()) {
            if is_labelled(&deployment) {
                self.queue.add(ObjectKey::of(&*deployment));
            }
        }
    }

    /// Creates or deletes the Network of one Deployment.
    async fn sync(&self, key: &ObjectKey) -> Result<(), kube::Error> {
        let Some(deployment) = self.deployments.lister().get(key).ok() else {
            return Ok(()); // its Network is garbage-collected
        };
        if deployment.metadata.deletion_timestamp.is_some() {
            return Ok(());
        }
        let namespace = deployment.namespace().unwrap_or_default();
        let networks = self.clientset.samplecrd_v1().networks(&namespace);
        let lister = self.networks.informer().lister().namespace(&namespace);
        let current = lister.get(key.name()).ok();
        match (current, is_labelled(&deployment)) {
            (Some(network), false) if owner::is_controlled_by(&*network, &*deployment) => {
                let preconditions = Preconditions {
                    uid: network.uid(),
                    ..Preconditions::default()
                };
                let options = DeleteParams::default().preconditions(preconditions);
                match networks.delete(key.name(), &options).await {
                    Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
                    result => result.map(drop),
                }
            }
            (Some(network), true) if !owner::is_controlled_by(&*network, &*deployment) => {
                let whose = match owner::controller_of(&*network) {
                    Some(other) => {
                        format!("belongs to {}", owner::name_beside(other, &*deployment))
                    }
                    None => "does not belong to this Deployment".to_owned(),
                };
                let note = format!("network {} exists and {whose}", key.name());
                self.events
                    .warning(&*deployment, "NetworkExists", "Create", note);
                Ok(())
            }
            (Some(network), true) => {
                self.check_annotation(&deployment, &network);
                Ok(())
            }
            (None, true) => self.create(&deployment).await,
            _ => Ok(()),
        }
    }

    /// Reports an annotation that requests another range than the Network has: a range cannot
    /// change.
    fn check_annotation(&self, deployment: &Deployment, network: &Network) {
        let Some(cidr) = deployment.annotations().get(CIDR) else {
            return;
        };
        let has = &network.spec.cidr;
        let (reason, note) = match with_first_gateway(cidr) {
            Ok(spec) if spec.cidr == *has => return,
            Ok(_) => (
                "CIDRImmutable",
                format!(
                    "annotation {CIDR}: the network {} keeps {has}: write {has}, or delete the network to get {cidr}",
                    network.name_any()
                ),
            ),
            Err(error) => ("InvalidCIDR", format!("annotation {CIDR}: {error}")),
        };
        self.events.warning(deployment, reason, "Update", note);
    }

    async fn create(&self, deployment: &Deployment) -> Result<(), kube::Error> {
        let warn = |reason, note: String| {
            self.events.warning(deployment, reason, "Create", note);
            Ok(())
        };
        let namespace = deployment.namespace().unwrap_or_default();
        let _choosing = self.choosing.lock().await;
        let spec = match deployment.annotations().get(CIDR) {
            Some(cidr) => with_first_gateway(cidr),
            None => match self.free_range(&namespace) {
                Some(range) => Ok(spec_of(range)),
                None => {
                    let note = format!("no free /{} range in {}", self.prefix, self.pool);
                    return warn("NoFreeCIDR", note);
                }
            },
        };
        let spec = match spec {
            Ok(spec) => spec,
            Err(error) => return warn("InvalidCIDR", format!("annotation {CIDR}: {error}")),
        };
        let mut network = Network {
            spec,
            ..Network::default()
        };
        network.metadata.name = deployment.metadata.name.clone();
        network.metadata.namespace = Some(namespace.clone());
        if let Err(error) = owner::set_controller_reference(deployment, &mut network) {
            return warn("NetworkNotOwned", message(&error));
        }
        let networks = self.clientset.samplecrd_v1().networks(&namespace);
        let made = match networks.create(&network, &PostParams::default()).await {
            Err(kube::Error::Api(status)) if status.is_already_exists() => return Ok(()),
            result => result?,
        };
        let version = made.resource_version().unwrap_or_default();
        let lister = self.networks.informer().lister();
        // Otherwise a range might be chosen twice; the status of the second network would then
        // report the overlap.
        let _ = lister.wait_for_resource_version(&version, CACHE_LAG).await;
        let note = format!("created network {} ({})", made.name_any(), made.spec.cidr);
        self.events
            .normal(deployment, "NetworkCreated", "Create", note);
        Ok(())
    }

    /// Returns the first range of the pool that no network of the namespace has or requests.
    fn free_range(&self, namespace: &str) -> Option<IpNet> {
        let networks = self.networks.informer().lister().namespace(namespace);
        let taken: Vec<IpNet> = networks
            .list(&Selector::default())
            .iter()
            .flat_map(|network| ranges(network))
            .collect();
        first_free(self.pool, self.prefix, &taken)
    }

    async fn process(&self, key: &ObjectKey) {
        match self.sync(key).await {
            Ok(()) => self.queue.forget(key),
            Err(error) => {
                let least = retry::retry_after(&error).unwrap_or_default();
                let error = chain(&error);
                tracing::warn!(deployment = %key, %error, "trying again");
                self.queue.add_rate_limited_after(key.clone(), least);
            }
        }
    }
}

/// Returns the ranges that a network has at its backend, and requests.
fn ranges(network: &Network) -> impl Iterator<Item = IpNet> + use<> {
    let status = network.status.as_ref();
    let has = status.and_then(|status| status.cidr.parse().ok());
    has.into_iter().chain(network.spec.cidr.parse().ok())
}

/// Returns the first range of `pool` with the prefix length `prefix` that overlaps no range in
/// `taken`.
fn first_free(pool: IpNet, prefix: u8, taken: &[IpNet]) -> Option<IpNet> {
    let mut range = pool.subnets(prefix).ok()?.next()?;
    // At most two iterations per taken range: each one continues after it, however many candidates
    // it covers.
    while let Some(taken) = taken.iter().find(|it| overlap(it, &range)) {
        let next = after(taken.broadcast().max(range.broadcast()))?;
        range = IpNet::new(next, prefix).ok()?;
        if !pool.contains(&range) {
            return None;
        }
    }
    Some(range)
}

/// Returns the next address; `None` after the last.
fn after(address: IpAddr) -> Option<IpAddr> {
    Some(match address {
        IpAddr::V4(it) => IpAddr::from(u32::from(it).checked_add(1)?.to_be_bytes()),
        IpAddr::V6(it) => IpAddr::from(u128::from(it).checked_add(1)?.to_be_bytes()),
    })
}

fn is_labelled(deployment: &Deployment) -> bool {
    deployment
        .labels()
        .get(LABEL)
        .is_some_and(|value| value == "auto")
}

fn spec_of(range: IpNet) -> NetworkSpec {
    let first = after(range.network()).unwrap_or(range.network());
    NetworkSpec {
        cidr: range.to_string(),
        gateway: first.to_string(),
    }
}

/// Builds the spec for a range from an annotation: the first address is the gateway.
fn with_first_gateway(cidr: &str) -> Result<NetworkSpec, super::InvalidSpec> {
    let spec = match parse_range(cidr) {
        Some(range) => NetworkSpec {
            cidr: cidr.to_owned(),
            ..spec_of(range.trunc())
        },
        None => NetworkSpec {
            cidr: cidr.to_owned(),
            gateway: String::new(),
        },
    };
    addresses(&spec).map(|_| spec)
}

impl Runnable for NetworkPerDeployment {
    fn name(&self) -> &str {
        NAME
    }

    fn needs_leader_election(&self) -> bool {
        self.gate.is_none()
    }

    async fn run(&self, context: RunContext) -> Result<(), Box<dyn Error + Send + Sync>> {
        let networks = self.networks.informer();
        let of_networks = networks.add_event_handler(self.network_handler())?;
        let registration = self.deployments.add_event_handler(self.handler())?;
        let synced =
            async { networks.wait_for_sync().await && self.deployments.wait_for_sync().await };
        if context.stop.run_until_cancelled(synced).await == Some(true) {
            let fence = Fence::new(self.gate.clone(), context.leadership.clone());
            let (worker, taken) = (self.clone(), fence.clone());
            let work = move |key: ObjectKey| {
                let (worker, fence) = (worker.clone(), fence.clone());
                async move {
                    let turn = fence.enter(&key);
                    let done = match &turn {
                        Some(turn) => turn.run(worker.process(&key)).await,
                        None => None,
                    };
                    if done.is_none() {
                        worker.queue.forget(&key);
                    }
                }
            };
            tokio::select! {
                () = run_workers(&self.queue, 1, &context.stop, work) => {}
                () = taken.follow(|key| self.queue.add(key)) => {}
            }
        }
        networks.remove_event_handler(&of_networks);
        self.deployments.remove_event_handler(&registration);
        Ok(())
    }
}

impl fmt::Debug for NetworkPerDeployment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkPerDeployment")
            .field("pool", &self.pool)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_free_range_overlaps_nothing() {
        let range = |text: &str| text.parse::<IpNet>().expect("a range");
        let check = |pool: &str, prefix, taken: &[&str], expected: Option<&str>| {
            let taken: Vec<IpNet> = taken.iter().map(|it| range(it)).collect();
            let found = first_free(range(pool), prefix, &taken);
            assert_eq!(found, expected.map(range), "{pool} {taken:?}");
        };
        let four = "10.128.0.0/16";
        check(four, 24, &[], Some("10.128.0.0/24"));
        let two = ["10.128.1.128/25", "10.128.0.0/24"];
        check(four, 24, &two, Some("10.128.2.0/24"));
        let half = ["10.128.0.0/17", "fd00::/8"];
        check(four, 24, &half, Some("10.128.128.0/24"));
        check(four, 24, &["10.0.0.0/8"], None);
        check(four, 16, &["10.128.255.254/32"], None);
        check("255.0.0.0/8", 24, &["255.0.0.0/8"], None);
        // One wide network covers 2^119 ranges of this pool, and the next one 2^55 of the rest.
        let wide = ["fd00::/9", "fd80::/73"];
        check("fd00::/8", 128, &wide, Some("fd80::80:0:0:0/128"));
        check("fd00::/8", 64, &["fd00::/8"], None);
    }

    #[test]
    fn the_first_address_of_a_range_is_its_gateway() {
        let gateway = |cidr: &str| with_first_gateway(cidr).map(|spec| spec.gateway);
        assert_eq!(gateway("10.1.0.0/16"), Ok("10.1.0.1".to_owned()));
        assert_eq!(gateway("fd00::/64"), Ok("fd00::1".to_owned()));
        for cidr in ["", "x", "10.1.2.3/8", "255.255.255.255/32"] {
            assert!(gateway(cidr).is_err(), "{cidr}");
        }
    }
}
