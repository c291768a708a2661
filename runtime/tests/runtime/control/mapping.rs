//! Predicates and mappings that panic.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use codegen_runtime::controller::{Action, Predicate, Request, reconcile_fn};
use codegen_runtime::store::ObjectKey;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use serde_json::json;
use tokio::time::sleep;

use crate::control::rig::Rig;
use crate::control::secs;

const PANICS: &str = "controller_mapping_panics_total{controller=\"test\"}";

/// Starts a controller of the ConfigMaps named by the label `of` of Secrets; `before` runs in each
/// mapping.
fn start(rig: &Rig, before: impl Fn(&Secret) + Send + Sync + 'static) {
    let log = rig.log();
    let mapping = move |secret: &Arc<Secret>| {
        before(secret);
        let of = secret.labels().get("of");
        of.map(|name| ObjectKey::new(Some("default"), name))
            .into_iter()
            .collect()
    };
    let reconcile = reconcile_fn(move |request: Request| {
        log(request.key.name());
        std::future::ready(Ok::<_, String>(Action::done()))
    });
    let builder = rig.builder().watches::<Secret>(mapping);
    drop(rig.run(builder.build(reconcile).unwrap()));
}

fn put(rig: &Rig, name: &str, of: &str) {
    rig.server.put(
        &format!("secrets/default/{name}"),
        json!({"metadata": {"labels": {"of": of}}}),
    );
}

#[tokio::test(start_paused = true)]
async fn the_key_of_a_mapping_that_panicked_is_reconciled_once_it_returns() {
    let rig = Rig::new();
    let left = AtomicUsize::new(3);
    start(&rig, move |_| {
        let take = |left: usize| left.checked_sub(1);
        let taken = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take);
        assert!(taken.is_err(), "a mapping that needs what is not there yet");
    });
    sleep(secs(1)).await;
    put(&rig, "a", "web");
    sleep(secs(10)).await;
    // Tried at once, and 1 and 2 s later, without success.
    assert_eq!(rig.names(), ["web"]);
    assert_eq!(rig.metric(PANICS), 3.0);
    put(&rig, "b", "db");
    sleep(secs(1)).await;
    assert_eq!(rig.names(), ["db"]);
}

#[tokio::test(start_paused = true)]
async fn a_panic_for_the_old_state_does_not_hold_back_the_keys_of_the_new_one() {
    let rig = Rig::new();
    let broken = Arc::new(AtomicBool::new(false));
    let breaks = Arc::clone(&broken);
    start(&rig, move |secret| {
        let old = secret.labels().get("of").is_some_and(|of| of == "old");
        assert!(!(old && breaks.load(Ordering::SeqCst)));
    });
    sleep(secs(1)).await;
    put(&rig, "a", "old");
    sleep(secs(1)).await;
    assert_eq!(rig.names(), ["old"]);
    broken.store(true, Ordering::SeqCst);
    put(&rig, "a", "new");
    sleep(secs(1)).await;
    assert_eq!(rig.names(), ["new"]);
    broken.store(false, Ordering::SeqCst);
    sleep(secs(10)).await;
    assert_eq!(
        rig.names(),
        ["old"],
        "the one that lost it, once that can be told"
    );
}

#[tokio::test(start_paused = true)]
async fn an_object_that_always_panics_keeps_no_other_from_being_mapped() {
    let rig = Rig::new();
    start(&rig, |secret| assert_ne!(secret.name_any(), "bad"));
    sleep(secs(1)).await;
    put(&rig, "bad", "bad");
    for n in 0..3 {
        put(&rig, &format!("good-{n}"), &format!("good-{n}"));
        sleep(secs(100)).await;
    }
    assert_eq!(rig.names(), ["good-0", "good-1", "good-2"]);
    let panics = rig.metric(PANICS);
    assert!(
        (5.0..20.0).contains(&panics),
        "tried less and less often: {panics}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_change_whose_predicate_panics_is_reconciled() {
    let rig = Rig::new();
    let log = rig.log();
    let reconcile = reconcile_fn(move |request: Request| {
        log(request.key.name());
        std::future::ready(Ok::<_, String>(Action::done()))
    });
    let predicate = Predicate::<ConfigMap>::new(|_| panic!("a predicate that panics"));
    let builder = rig.builder().for_when(predicate);
    drop(rig.run(builder.build(reconcile).unwrap()));
    sleep(secs(1)).await;
    rig.put("a");
    sleep(secs(1)).await;
    rig.server.remove("configmaps/default/a");
    sleep(secs(1)).await;
    assert_eq!(rig.names(), ["a", "a"]);
    assert_eq!(rig.metric(PANICS), 2.0);
}
