//! Replicas that all work, each on its part of the machines.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::client::{Defaults, TypedClient, verbs::WithStatus};
use codegen_runtime::k8s_openapi::api::core::v1::Namespace;
use codegen_runtime::kube::api::{Patch, PatchParams};
use embedded_apiserver::ApiServer;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use virtualmachine_controller::apis::cloudnative::v1alpha1::VirtualMachine;
use virtualmachine_controller::app;
use virtualmachine_controller::cli::Flags;
use virtualmachine_controller::driver::simulated::{Latency, Simulated, Touch};
use virtualmachine_controller::generated::clientset::Clientset;

use crate::controller::support::{eventually, sample};

/// The number of machines, each in a namespace of its own.
const MACHINES: usize = 24;

struct Site {
    server: ApiServer,
    driver: Simulated,
    by: &'static str,
}

struct Replica {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Site {
    async fn new(by: &'static str) -> Self {
        let crd: Value = serde_saphyr::from_str(include_str!("../../../deploy/crd.yaml")).unwrap();
        let server = ApiServer::builder().crd_values([crd]).build().unwrap();
        let namespaces = TypedClient::<Namespace>::cluster(server.client()).defaults();
        for n in 0..MACHINES {
            let mut created = Namespace::default();
            created.metadata.name = Some(namespace(n));
            namespaces.create(&created).await.unwrap();
        }
        let driver = Simulated::new(Latency::NONE);
        Self { server, driver, by }
    }

    fn start(&self, name: &str) -> Replica {
        let args = [
            "virtualmachine-controller",
            &format!("--shard-by={}", self.by),
            &format!("--holder-identity={name}"),
        ];
        let mut invocation = app::app().try_parse_from::<Flags>(args).unwrap();
        let election = &mut invocation.flags.election;
        election.lease_lock_namespace = "default".to_owned();
        election.lease_duration = Duration::from_secs(3);
        election.renew_deadline = Duration::from_secs(2);
        election.retry_period = Duration::from_millis(200);
        let (client, driver) = (self.server.client(), Arc::new(self.driver.clone()));
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            app::run_with(client, driver, invocation, &stopped)
                .await
                .unwrap();
        });
        Replica { stop, task }
    }

    fn machines(&self, n: usize) -> Defaults<VirtualMachine, WithStatus> {
        Clientset::new(self.server.client())
            .cloudnative_v1alpha1()
            .virtual_machines(&namespace(n))
            .defaults()
    }

    /// Requests `cpu` processors for every machine, and waits until all have them.
    async fn resize(&self, cpu: u32) {
        let patch = Patch::Merge(json!({"spec": {"resource": {"cpu": cpu}}}));
        for n in 0..MACHINES {
            let params = PatchParams::default();
            self.machines(n)
                .patch("test-vm", &params, &patch)
                .await
                .unwrap();
        }
        self.until_all_have(cpu).await;
    }

    async fn until_all_have(&self, cpu: u32) {
        let is_done = || {
            let objects = self.server.objects();
            let settled = (0..MACHINES).filter(|n| {
                let (group, plural) = ("cloudnative.czs", "virtualmachines");
                let machine = objects.get(group, plural, &namespace(*n), "test-vm");
                machine.is_some_and(|it| {
                    it["status"]["phase"] == "Active"
                        && it["status"]["observedGeneration"] == it["metadata"]["generation"]
                })
            });
            let cloud = self.driver.cloud().unwrap();
            settled.count() == MACHINES
                && cloud.servers.len() == MACHINES
                && cloud.servers.values().all(|it| it.cpus == cpu)
        };
        assert!(eventually(is_done).await, "{:#?}", self.journal());
    }

    fn journal(&self) -> Vec<Touch> {
        self.driver.journal().unwrap()
    }

    /// Resizes until exactly these replicas take part, from `cpu` on; returns the next size.
    async fn until_work_is_shared_by(&self, replicas: &[&str], mut cpu: u32) -> u32 {
        let expected: BTreeSet<String> = replicas.iter().map(|it| (*it).to_owned()).collect();
        for _ in 0..100 {
            let before = self.journal().len();
            self.resize(cpu).await;
            cpu = if cpu == 8 { 1 } else { cpu + 1 };
            let seen: BTreeSet<String> = self
                .journal()
                .split_off(before)
                .into_iter()
                .map(|touch| touch.holder)
                .collect();
            if seen == expected {
                return cpu;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("{replicas:?} do not share the work: {:#?}", self.journal());
    }

    /// Checks that each part had one owner an epoch, that epochs of a server only grow, and that
    /// none was refused.
    fn assert_one_owner_at_a_time(&self) {
        let mut owners = BTreeMap::new();
        let mut newest: BTreeMap<String, (usize, u64)> = BTreeMap::new();
        for touch in self.journal() {
            assert!(!touch.refused, "{touch:?}");
            let shard = touch.shard.unwrap();
            let owner = owners
                .entry((shard, touch.epoch))
                .or_insert_with(|| touch.holder.clone());
            assert_eq!(*owner, touch.holder, "{touch:?}");
            let last = newest
                .entry(touch.server.clone())
                .or_insert((shard, touch.epoch));
            assert!(
                last.0 == shard && last.1 <= touch.epoch,
                "{touch:?}, after {last:?}"
            );
            last.1 = touch.epoch;
        }
    }
}

/// Names that differ at the start, so that their hashes do.
fn namespace(n: usize) -> String {
    format!("{n}-team")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_share_the_machines_and_none_has_two_owners() {
    for by in ["namespace", "uid"] {
        let site = Site::new(by).await;
        let one = site.start("one");
        for n in 0..MACHINES {
            let mut machine = sample();
            machine.metadata.namespace = Some(namespace(n));
            site.machines(n).create(&machine).await.unwrap();
        }
        site.until_all_have(2).await;
        let two = site.start("two");
        let next = site.until_work_is_shared_by(&["one", "two"], 3).await;
        // One leaves, and hands over.
        one.stop.cancel();
        one.task.await.unwrap();
        let next = site.until_work_is_shared_by(&["two"], next).await;
        let three = site.start("three");
        let next = site.until_work_is_shared_by(&["three", "two"], next).await;
        // One dies; its machines wait for its Lease.
        two.task.abort();
        site.resize(next).await;
        for n in 0..MACHINES {
            site.machines(n).delete("test-vm").await.unwrap();
        }
        let is_empty = || site.driver.cloud().unwrap().servers.is_empty();
        assert!(eventually(is_empty).await);
        let created = site.driver.cloud().unwrap().created;
        assert_eq!(created, u64::try_from(MACHINES).unwrap());
        site.assert_one_owner_at_a_time();
        three.stop.cancel();
        three.task.await.unwrap();
    }
}
