//! Servers whose object is gone.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::fake::Running;
use codegen_runtime::k8s_openapi::api::events::v1::Event;
use codegen_runtime::metrics::Metrics;
use serde_json::{Value, json};
use virtualmachine_controller::apis::cloudnative::v1alpha1::VirtualMachinePhase as Phase;
use virtualmachine_controller::controller::Options;
use virtualmachine_controller::driver::{Driver, Power, Resources, ServerRef, ServerSpec, Term};

use crate::controller::support::{Rig, eventually, fast, run_with, sample};

const GAUGE: &str = "virtualmachine_driver_orphaned_servers{driver=\"simulated\"}";

fn stray(namespace: &str) -> ServerRef {
    ServerRef {
        namespace: namespace.to_owned(),
        name: "stray".to_owned(),
        uid: format!("of-{namespace}"),
    }
}

async fn make(rig: &Rig, server: &ServerRef) {
    let resources = Resources {
        cpus: 1,
        memory: 1 << 30,
        disk: 1 << 30,
    };
    let power = Power::On;
    let (term, spec) = (Term::default(), ServerSpec { resources, power });
    rig.driver.create(&term, server, &spec).await.unwrap();
}

fn start(rig: &Rig, options: Options, metrics: &Metrics) -> Running {
    let driver = Arc::new(rig.driver.clone());
    run_with(rig.clientset.client().clone(), driver, options, metrics)
}

fn gauge(metrics: &Metrics) -> Option<String> {
    let text = metrics.encode().unwrap();
    let mut lines = text.lines();
    lines.find_map(|line| line.strip_prefix(GAUGE).map(|it| it.trim().to_owned()))
}

#[tokio::test]
async fn a_server_whose_finalizer_was_removed_by_force_is_reported_and_left() {
    let (rig, running) = Rig::active().await;
    running.stop().await;
    let id = rig.status("test-vm").server.unwrap().id;
    rig.patch(
        "test-vm",
        json!({ "metadata": { "finalizers": Value::Null } }),
    )
    .await;
    rig.delete("test-vm").await;
    rig.until_gone("test-vm").await;

    // The next process finds it at its start.
    let metrics = Metrics::new();
    let running = start(&rig, fast(), &metrics);
    assert!(eventually(|| gauge(&metrics).as_deref() == Some("1")).await);
    let note = format!("server {id} still exists without its object");
    let is_told = || {
        let events: Vec<Event> = rig.tracker.list("default");
        events.iter().any(|event| {
            event.reason.as_deref() == Some("OrphanedServer") && event.note.as_ref() == Some(&note)
        })
    };
    assert!(eventually(is_told).await);
    assert_eq!(rig.servers(), 1, "only reported");
    running.stop().await;
}

#[tokio::test]
async fn servers_without_an_object_are_removed_if_that_is_asked_for() {
    let (rig, metrics) = (Rig::new(), Metrics::new());
    let options = Options {
        orphan_period: Duration::from_millis(20),
        remove_orphans_after: Some(Duration::from_millis(100)),
        namespaces: vec!["default".to_owned()],
        ..fast()
    };
    let running = start(&rig, options, &metrics);
    rig.create(&sample()).await;
    rig.until_phase("test-vm", Phase::Active).await;
    make(&rig, &stray("default")).await;
    make(&rig, &stray("elsewhere")).await;
    let is_gone = |server: &ServerRef| {
        let cloud = rig.driver.cloud().unwrap();
        !cloud.servers.contains_key(&server.id())
    };
    assert!(eventually(|| is_gone(&stray("default"))).await);
    assert!(eventually(|| gauge(&metrics).as_deref() == Some("0")).await);
    assert!(
        !is_gone(&stray("elsewhere")),
        "that is another controller's"
    );
    assert!(!is_gone(&rig.server_ref("test-vm")));
    assert_eq!(rig.status("test-vm").phase, Phase::Active);
    running.stop().await;
}
