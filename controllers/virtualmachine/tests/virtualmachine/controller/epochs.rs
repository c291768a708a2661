//! A driver that knows newer epochs than the Lease does.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::k8s_openapi::api::events::v1::Event;
use embedded_apiserver::ApiServer;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use virtualmachine_controller::app;
use virtualmachine_controller::cli::Flags;
use virtualmachine_controller::driver::simulated::{Latency, Simulated};
use virtualmachine_controller::driver::{Driver, ServerRef, Term};
use virtualmachine_controller::generated::clientset::Clientset;

use codegen_runtime::kube::api::{Patch, PatchParams};

use crate::controller::support::{eventually, sample};

struct Site {
    server: ApiServer,
    driver: Simulated,
    stop: CancellationToken,
}

impl Site {
    fn new() -> Self {
        let crd: Value = serde_saphyr::from_str(include_str!("../../../deploy/crd.yaml")).unwrap();
        Self {
            server: ApiServer::builder().crd_values([crd]).build().unwrap(),
            driver: Simulated::new(Latency::NONE),
            stop: CancellationToken::new(),
        }
    }

    /// Simulates a call by a leader of `epoch` that the Lease does not record.
    async fn called(&self, epoch: u64) {
        let holder = "another".to_owned();
        let server = ServerRef {
            namespace: "default".to_owned(),
            name: "another".to_owned(),
            uid: "another".to_owned(),
        };
        let term = Term {
            holder,
            shard: None,
            epoch,
        };
        self.driver.delete(&term, &server).await.unwrap();
    }

    fn start(&self, args: &[&str]) -> JoinHandle<()> {
        let args = [&["virtualmachine-controller"], args].concat();
        let mut invocation = app::app().try_parse_from::<Flags>(args).unwrap();
        invocation.flags.election.lease_lock_namespace = "default".to_owned();
        invocation.flags.election.retry_period = Duration::from_millis(200);
        let (client, driver) = (self.server.client(), Arc::new(self.driver.clone()));
        let stop = self.stop.clone();
        tokio::spawn(async move {
            app::run_with(client, driver, invocation, &stop)
                .await
                .unwrap();
        })
    }

    async fn until_active(&self, cpu: u32) {
        let stored = || {
            self.server
                .objects()
                .get("cloudnative.czs", "virtualmachines", "default", "test-vm")
        };
        let is_active = || {
            stored().is_some_and(|it| {
                it["status"]["phase"] == "Active"
                    && it["status"]["observedGeneration"] == it["metadata"]["generation"]
                    && self
                        .driver
                        .cloud()
                        .unwrap()
                        .servers
                        .values()
                        .all(|it| it.cpus == cpu)
            })
        };
        assert!(eventually(is_active).await, "{:#?}", stored());
    }

    fn lease_epoch(&self) -> Value {
        let lease = self.server.objects().get(
            "coordination.k8s.io",
            "leases",
            "default",
            "virtualmachine-controller",
        );
        lease.unwrap()["metadata"]["annotations"]["kube-codegen/leader-epoch"].clone()
    }
}

async fn create(site: &Site) {
    let machines = Clientset::new(site.server.client());
    let machines = machines
        .cloudnative_v1alpha1()
        .virtual_machines("default")
        .defaults();
    machines.create(&sample()).await.unwrap();
}

#[tokio::test]
async fn a_leader_under_a_new_lease_takes_an_epoch_that_the_driver_admits() {
    let site = Site::new();
    site.called(7).await;
    let running = site.start(&[]);
    create(&site).await;
    site.until_active(2).await;
    assert_eq!(site.lease_epoch(), "8");
    let journal = site.driver.journal().unwrap();
    assert!(journal.iter().all(|touch| !touch.refused), "{journal:#?}");
    site.stop.cancel();
    running.await.unwrap();
}

#[tokio::test]
async fn a_leader_that_is_refused_says_so_and_recovers() {
    let site = Site::new();
    let running = site.start(&[]);
    create(&site).await;
    site.until_active(2).await;
    site.called(70).await;
    let machines = Clientset::new(site.server.client());
    let machines = machines
        .cloudnative_v1alpha1()
        .virtual_machines("default")
        .defaults();
    let patch = Patch::Merge(json!({ "spec": { "resource": { "cpu": 4 } } }));
    let params = PatchParams::default();
    machines.patch("test-vm", &params, &patch).await.unwrap();
    site.until_active(4).await;
    assert_eq!(site.lease_epoch(), "71");
    let is_told = || {
        let events = site
            .server
            .objects()
            .list("events.k8s.io", "events", "default");
        let events = events.into_iter().map(serde_json::from_value::<Event>);
        events.into_iter().any(|event| {
            let event = event.unwrap();
            let note = event.note.unwrap_or_default();
            event.reason.as_deref() == Some("StaleEpoch")
                && note
                    .ends_with("the driver rejects epoch 1: the newest is 70; taking a higher one")
        })
    };
    assert!(eventually(is_told).await);
    site.stop.cancel();
    running.await.unwrap();
}

#[tokio::test]
async fn a_controller_without_election_goes_on_under_the_newest_epoch() {
    let site = Site::new();
    site.called(7).await;
    let running = site.start(&["--leader-elect=false"]);
    create(&site).await;
    site.until_active(2).await;
    site.stop.cancel();
    running.await.unwrap();
}
