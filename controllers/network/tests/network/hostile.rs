//! Invalid specs and failing backends: a condition, an event, and few calls.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::fake::{Action, ApiError, Reaction};
use network_controller::apis::samplecrd::v1::NetworkPhase as Phase;
use network_controller::backend::BackendError;
use network_controller::backend::simulated::{Call, Fault, Reach};
use serde_json::json;

use crate::support::{Rig, deployment, network, start};

/// Resyncs retry as well: without them, only the back-off does.
const NO_RESYNC: &[&str] = &["--resync-period=24h"];

#[tokio::test]
async fn hostile_specs_get_a_reason_and_an_event() {
    let rig = Rig::new();
    let running = rig.start();
    let long = "1".repeat(100_000);
    let cases = [
        ("", "10.0.0.1", "InvalidCIDR"),
        ("10.0.0.0", "10.0.0.1", "InvalidCIDR"),
        ("10.0.0.0/33", "10.0.0.1", "InvalidCIDR"),
        ("10.0.0.1/8", "10.0.0.1", "InvalidCIDR"),
        ("fd00::1/64", "fd00::1", "InvalidCIDR"),
        ("10.0.0.0/32", "10.0.0.0", "InvalidCIDR"),
        ("::/129", "::1", "InvalidCIDR"),
        ("\u{0}\u{1}", "10.0.0.1", "InvalidCIDR"),
        ("../../etc", "10.0.0.1", "InvalidCIDR"),
        ("010.6.0.0/16", "10.6.0.1", "InvalidCIDR"),
        ("0.0.0.0/0", "10.0.0.1", "InvalidCIDR"),
        ("::/0", "fd00::1", "InvalidCIDR"),
        ("127.0.0.0/8", "127.0.0.1", "InvalidCIDR"),
        ("224.0.0.0/8", "224.0.0.1", "InvalidCIDR"),
        ("ff02::/16", "ff02::1", "InvalidCIDR"),
        (long.as_str(), "10.0.0.1", "InvalidCIDR"),
        ("10.0.0.0/8", "", "InvalidGateway"),
        ("10.0.0.0/8", "10.0.0.0", "InvalidGateway"),
        ("10.0.0.0/8", "10.255.255.255", "InvalidGateway"),
        ("10.0.0.0/8", long.as_str(), "InvalidGateway"),
        ("10.0.0.0/8", "11.0.0.1", "GatewayOutsideCIDR"),
        ("10.0.0.0/8", "fd00::1", "GatewayOutsideCIDR"),
    ];
    for (n, (cidr, gateway, reason)) in cases.iter().enumerate() {
        let name = format!("hostile-{n}");
        rig.create(&network(&name, cidr, gateway)).await;
        rig.until(&name, Phase::Failed, reason).await;
        rig.until_event(&name, reason).await;
    }
    assert!(
        rig.backend.state().calls.is_empty(),
        "the backend is not asked"
    );
    rig.patch("hostile-0", json!({ "cidr": "10.0.0.0/8" }))
        .await;
    rig.until("hostile-0", Phase::Active, "Available").await;
    rig.delete("hostile-1").await;
    rig.until_gone("hostile-1").await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_always_fails_is_asked_a_few_times_a_minute() {
    let rig = Rig::new();
    rig.backend.fault(Fault {
        call: None,
        times: None,
        reach: Reach::Nothing,
        error: BackendError::Refused("quota exceeded".to_owned()),
    });
    rig.create(&network("blue", "10.0.0.0/8", "10.0.0.1")).await;
    let client = rig.clientset.client().clone();
    let running = start(client, Arc::new(rig.backend.clone()), NO_RESYNC);
    // The clock is paused here and in the following tests.
    tokio::time::sleep(Duration::from_secs(60)).await;
    let asked = |rig: &Rig| {
        rig.backend
            .state()
            .calls
            .get(&Call::Get)
            .copied()
            .unwrap_or(0)
    };
    let first = asked(&rig);
    assert!((2..=16).contains(&first), "{first} in the first minute");
    tokio::time::sleep(Duration::from_secs(600)).await;
    let after = asked(&rig) - first;
    assert!((2..=10).contains(&after), "{after} in the next ten minutes");
    rig.until("blue", Phase::Failed, "BackendRefused").await;
    let writes = rig.tracker.actions();
    let writes = writes
        .iter()
        .filter(|it| it.resource == "networks" && it.verb == "update");
    // The cache may not show the finalizer yet when the first status is written, which then hits a
    // conflict.
    let writes = writes.count();
    assert!(
        (1..=2).contains(&writes),
        "{writes}: a status that did not change is not written"
    );
    running.kill().await;
}

#[tokio::test(start_paused = true)]
async fn networks_of_deployments_that_are_refused_are_tried_a_few_times_a_minute() {
    let rig = Rig::new();
    rig.tracker.prepend_reactor("create", "networks", |_| {
        Reaction::Fail(ApiError::internal("no"))
    });
    let auto = json!({ "namespace": "default", "labels": { "samplecrd.k8s.io/network": "auto" } });
    rig.tracker.add(deployment("web", auto)).unwrap();
    let backend = Arc::new(rig.backend.clone());
    let args = [&["--network-per-deployment"], NO_RESYNC].concat();
    let running = rig.start_with(backend, &args);
    let mut tries = Vec::new();
    for seconds in [60, 600] {
        rig.tracker.clear_actions();
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        let actions = rig.tracker.actions();
        let is_try = |it: &&Action| (it.verb, it.resource.as_str()) == ("create", "networks");
        tries.push(actions.iter().filter(is_try).count());
    }
    assert!((2..=16).contains(&tries[0]), "{tries:?}");
    assert!((1..=10).contains(&tries[1]), "{tries:?}");
    running.kill().await;
}

#[tokio::test(start_paused = true)]
async fn a_busy_server_is_asked_as_often_as_it_says() {
    let rig = Rig::new();
    rig.tracker.prepend_reactor("patch", "networks", |_| {
        Reaction::Fail(ApiError::too_many_requests("busy", 20))
    });
    rig.create(&network("blue", "10.0.0.0/8", "10.0.0.1")).await;
    let client = rig.clientset.client().clone();
    let running = start(client, Arc::new(rig.backend.clone()), NO_RESYNC);
    tokio::time::sleep(Duration::from_secs(110)).await;
    let actions = rig.tracker.actions();
    let tries = actions.iter().filter(|it| it.verb == "patch").count();
    assert!((2..=6).contains(&tries), "{tries} tries in 110 s");
    running.stop().await;
}
