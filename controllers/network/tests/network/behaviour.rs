//! Effects of a network's spec on its status and the backend.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use codegen_runtime::fake::{ApiError, Reaction};
use codegen_runtime::kube::ResourceExt;
use network_controller::apis::samplecrd::v1::{Network, NetworkPhase as Phase};
use network_controller::backend::simulated::{Call, Fault, Reach};
use network_controller::backend::{Addresses, Backend, BackendError, Owner};
use network_controller::controller::FINALIZER;
use serde_json::json;

use crate::support::{Before, Rig, eventually, message, network};

#[tokio::test]
async fn a_network_is_made_changed_and_deleted() {
    let rig = Rig::new();
    let running = rig.start();
    for (name, cidr, gateway) in [
        ("four", "192.168.0.0/16", "192.168.0.1"),
        ("six", "fd00::/64", "fd00::1"),
    ] {
        rig.create(&network(name, cidr, gateway)).await;
        let made = rig.until(name, Phase::Active, "Available").await;
        let status = made.status.clone().unwrap();
        assert_eq!((status.cidr.as_str(), status.id.is_empty()), (cidr, false));
        assert_eq!(made.finalizers(), [FINALIZER]);
        rig.until_event(name, "Created").await;
    }
    rig.patch("four", json!({ "gateway": "192.168.255.254" }))
        .await;
    let gateway = || {
        let state = rig.backend.state();
        let four = state.networks.values().find(|it| it.owner.name == "four");
        four.and_then(|it| it.addresses)
            .map(|(_, gateway)| gateway.to_string())
    };
    assert!(eventually(|| gateway().as_deref() == Some("192.168.255.254")).await);
    rig.until("four", Phase::Active, "Available").await;
    for name in ["four", "six"] {
        rig.delete(name).await;
        rig.until_gone(name).await;
    }
    let state = rig.backend.state();
    assert_eq!((state.networks.len(), state.created), (0, 2));
    running.stop().await;
}

#[tokio::test]
async fn a_changed_cidr_is_refused_and_can_be_taken_back() {
    let rig = Rig::new();
    let running = rig.start();
    rig.create(&network("blue", "10.0.0.0/16", "10.0.0.1"))
        .await;
    rig.until("blue", Phase::Active, "Available").await;
    rig.patch("blue", json!({ "cidr": "10.0.0.0/8" })).await;
    let refused = rig.until("blue", Phase::Failed, "CIDRImmutable").await;
    assert!(
        message(&refused).contains("from 10.0.0.0/16 to 10.0.0.0/8"),
        "{}",
        message(&refused)
    );
    assert_eq!(refused.status.clone().unwrap().cidr, "10.0.0.0/16");
    rig.until_event("blue", "CIDRImmutable").await;
    rig.patch("blue", json!({ "cidr": "10.0.0.0/16" })).await;
    rig.until("blue", Phase::Active, "Available").await;
    running.stop().await;
}

/// Creates a network `first` that becomes active, and `second` with an overlapping range.
async fn create_overlapping(rig: &Rig) {
    rig.create(&network("first", "10.0.0.0/8", "10.0.0.1"))
        .await;
    rig.until("first", Phase::Active, "Available").await;
    rig.create(&network("second", "10.1.0.0/16", "10.1.0.1"))
        .await;
}

#[tokio::test]
async fn of_overlapping_networks_one_is_made_and_the_other_waits_for_its_end() {
    let rig = Rig::new();
    let running = rig.start();
    create_overlapping(&rig).await;
    rig.create(&network("apart", "11.0.0.0/8", "11.0.0.1"))
        .await;
    let refused = rig.until("second", Phase::Failed, "CIDROverlap").await;
    let expected = "spec.cidr: 10.1.0.0/16 overlaps 10.0.0.0/8 of the network first";
    assert_eq!(message(&refused), expected);
    assert!(refused.finalizers().is_empty(), "nothing was created");
    rig.until("apart", Phase::Active, "Available").await;
    rig.until_event("second", "CIDROverlap").await;
    rig.delete("first").await;
    rig.until("second", Phase::Active, "Available").await;
    running.stop().await;
}

#[tokio::test]
async fn of_networks_that_overlap_and_come_at_once_exactly_one_is_made() {
    for _ in 0..5 {
        let rig = Rig::new();
        let running = rig.start();
        for n in 0..8 {
            rig.create(&network(&format!("n{n}"), "10.0.0.0/8", "10.0.0.1"))
                .await;
        }
        let phases = || (0..8).filter_map(|n| Some(rig.get(&format!("n{n}"))?.status?.phase));
        assert!(eventually(|| phases().filter(|it| *it != Phase::None).count() == 8).await);
        assert_eq!(phases().filter(|it| *it == Phase::Active).count(), 1);
        assert_eq!(rig.backend.state().networks.len(), 1);
        running.stop().await;
    }
}

#[tokio::test]
async fn a_backend_that_fails_is_tried_again_and_told_of() {
    let rig = Rig::new();
    let unavailable = BackendError::Unavailable("no route".to_owned());
    for reach in [Reach::Nothing, Reach::Half, Reach::Everything] {
        rig.backend.fault(Fault {
            call: Some(Call::Create),
            times: Some(1),
            reach,
            error: unavailable.clone(),
        });
    }
    let running = rig.start();
    rig.create(&network("blue", "10.0.0.0/8", "10.0.0.1")).await;
    rig.until_event("blue", "BackendUnavailable").await;
    rig.until("blue", Phase::Active, "Available").await;
    assert_eq!(
        rig.backend.state().created,
        1,
        "found again, not created twice"
    );

    rig.backend.fault(Fault {
        call: Some(Call::Delete),
        times: Some(2),
        reach: Reach::Nothing,
        error: BackendError::InUse("a port".to_owned()),
    });
    rig.delete("blue").await;
    rig.until_event("blue", "NetworkInUse").await;
    rig.until_gone("blue").await;
    assert!(rig.backend.state().networks.is_empty());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_network_that_the_backend_lost_is_made_again_at_a_resync() {
    let rig = Rig::new();
    let running = rig.start();
    rig.create(&network("blue", "10.0.0.0/8", "10.0.0.1")).await;
    rig.until("blue", Phase::Active, "Available").await;
    rig.backend.lose("blue");
    // The clock is paused and advances while all tasks are idle: a resync happens every 30 s.
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert_eq!(rig.backend.state().created, 2);
    let calls = |call| rig.backend.state().calls.get(&call).copied();
    let creates = calls(Call::Create);
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert_eq!(calls(Call::Create), creates, "it exists");
    rig.until("blue", Phase::Active, "Available").await;
    running.stop().await;
}

/// A network whose range was changed, which is refused, takes no range that another network has
/// once the backend has lost it.
#[tokio::test]
async fn a_refused_change_of_a_range_never_takes_the_range_of_another() {
    let rig = Rig::new();
    let running = rig.start();
    rig.create(&network("a", "10.1.0.0/16", "10.1.0.1")).await;
    rig.until("a", Phase::Active, "Available").await;
    rig.create(&network("b", "10.21.0.0/16", "10.21.0.1")).await;
    rig.until("b", Phase::Active, "Available").await;
    rig.patch(
        "a",
        json!({ "cidr": "10.21.0.0/16", "gateway": "10.21.0.1" }),
    )
    .await;
    rig.until("a", Phase::Failed, "CIDRImmutable").await;
    running.stop().await;

    rig.backend.lose("a");
    let running = rig.start();
    let refused = rig.until("a", Phase::Failed, "CIDROverlap").await;
    assert_eq!(
        message(&refused),
        "spec.cidr: 10.21.0.0/16 overlaps 10.21.0.0/16 of the network b"
    );
    let status = refused.status.clone().unwrap();
    assert_eq!((status.id.as_str(), status.cidr.as_str()), ("", ""));
    let names = || {
        let state = rig.backend.state();
        let names = state.networks.into_values().map(|it| it.owner.name);
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(), ["b"]);
    // Its old range is free, and its new one once the other is gone.
    rig.create(&network("c", "10.1.0.0/16", "10.1.0.1")).await;
    rig.until("c", Phase::Active, "Available").await;
    rig.delete("b").await;
    let made = rig.until("a", Phase::Active, "Available").await;
    assert_eq!(made.status.unwrap().cidr, "10.21.0.0/16");
    running.stop().await;
}

/// The spec changes after the network was created, before its status was written.
#[tokio::test]
async fn a_range_at_the_backend_stays_taken_when_the_spec_changes_meanwhile() {
    let rig = Rig::new();
    rig.backend.fault(Fault {
        call: Some(Call::Create),
        times: Some(1),
        reach: Reach::Everything,
        error: BackendError::Unavailable("the answer is lost".to_owned()),
    });
    let running = rig.start();
    rig.create(&network("a", "10.1.0.0/16", "10.1.0.1")).await;
    rig.until_event("a", "BackendUnavailable").await;
    rig.patch("a", json!({ "cidr": "10.2.0.0/16", "gateway": "10.2.0.1" }))
        .await;
    let immutable = rig.until("a", Phase::Failed, "CIDRImmutable").await;
    assert_eq!(immutable.status.unwrap().cidr, "10.1.0.0/16");
    rig.create(&network("b", "10.1.0.0/16", "10.1.0.1")).await;
    rig.until("b", Phase::Failed, "CIDROverlap").await;
    running.stop().await;
}

/// A process ended after it created a network and before it wrote the status; then the spec
/// changed, and another network asks first.
#[tokio::test]
async fn a_range_that_only_the_backend_knows_stays_taken() {
    let rig = Rig::new();
    let mut old = network("z-old", "10.2.0.0/16", "10.2.0.1");
    old.metadata.finalizers = Some(vec![FINALIZER.to_owned()]);
    let old = rig.create(&old).await;
    let made = Addresses {
        cidr: "10.1.0.0/16".parse().unwrap(),
        gateway: "10.1.0.1".parse().unwrap(),
    };
    rig.backend.create(&Owner::of(&old), made).await.unwrap();
    rig.create(&network("a-new", "10.1.0.0/16", "10.1.0.1"))
        .await;
    let running = rig.start();
    rig.until("a-new", Phase::Failed, "CIDROverlap").await;
    rig.until("z-old", Phase::Failed, "CIDRImmutable").await;
    assert_eq!(rig.backend.state().created, 1);
    running.stop().await;
}

#[tokio::test]
async fn a_network_that_failed_blocks_no_newer_one() {
    let rig = Rig::new();
    let running = rig.start();
    rig.create(&network("narrow", "10.0.0.0/16", "10.0.0.1"))
        .await;
    rig.until("narrow", Phase::Active, "Available").await;
    rig.create(&network("wide", "10.0.0.0/8", "10.0.0.1")).await;
    rig.until("wide", Phase::Failed, "CIDROverlap").await;
    rig.create(&network("beside", "10.1.0.0/16", "10.1.0.1"))
        .await;
    rig.until("beside", Phase::Active, "Available").await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_network_that_the_backend_rejects_blocks_no_newer_one() {
    let rig = Rig::new();
    rig.backend.fault(Fault {
        call: Some(Call::Create),
        times: None,
        reach: Reach::Half,
        error: BackendError::Refused("quota exceeded".to_owned()),
    });
    let running = rig.start();
    rig.create(&network("old", "10.0.0.0/8", "10.0.0.1")).await;
    rig.until("old", Phase::Failed, "BackendRefused").await;
    rig.create(&network("new", "10.1.0.0/16", "10.1.0.1")).await;
    rig.until("new", Phase::Failed, "BackendRefused").await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn as_many_networks_are_worked_on_at_a_time_as_there_are_threads() {
    for (args, threads) in [(&[] as &[&str], 2), (&["--threads=5"], 5)] {
        let rig = Rig::new();
        let names: Vec<String> = (0..12).map(|n| format!("n{n}")).collect();
        for (n, name) in names.iter().enumerate() {
            let (cidr, gateway) = (format!("10.{n}.0.0/16"), format!("10.{n}.0.1"));
            rig.create(&network(name, &cidr, &gateway)).await;
        }
        let (calls, most) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let seen = Arc::clone(&most);
        let wait = move || {
            let (calls, most) = (Arc::clone(&calls), Arc::clone(&most));
            async move {
                let at_a_time = calls.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(at_a_time, Ordering::SeqCst);
                // The clock is paused: other networks are reconciled in the meantime.
                tokio::time::sleep(Duration::from_secs(1)).await;
                calls.fetch_sub(1, Ordering::SeqCst);
            }
        };
        let backend = rig.backend.clone();
        let running = rig.start_with(Arc::new(Before { backend, wait }), args);
        for name in &names {
            rig.until(name, Phase::Active, "Available").await;
        }
        assert_eq!(seen.load(Ordering::SeqCst), threads);
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_network_that_goes_while_nobody_watches_frees_its_range() {
    let rig = Rig::new();
    let running = rig.start();
    create_overlapping(&rig).await;
    rig.until("second", Phase::Failed, "CIDROverlap").await;
    // It is deleted between two watches, and the second watch is told to relist: the deletion is
    // seen as a tombstone.
    let (tracker, lists) = (rig.tracker.clone(), Arc::<AtomicUsize>::default());
    let expired = Arc::clone(&lists);
    rig.tracker.prepend_reactor("watch", "networks", move |_| {
        if !tracker.remove::<Network>("default", "first") {
            return Reaction::Pass;
        }
        expired.fetch_add(1, Ordering::SeqCst);
        Reaction::Fail(ApiError::new(410, "Expired", "too old"))
    });
    // The clock is paused. Every watch ends within ten minutes.
    tokio::time::sleep(Duration::from_secs(900)).await;
    assert_eq!(lists.load(Ordering::SeqCst), 1);
    rig.until("second", Phase::Active, "Available").await;
    running.stop().await;
}
