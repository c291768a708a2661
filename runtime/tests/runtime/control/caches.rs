//! The caches of a manager's controllers.

use codegen_runtime::controller::{Action, Controller, ControllerError, Request, reconcile_fn};
use codegen_runtime::controller::{Predicate, Reconciler};
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::manager::{Manager, ManagerError};
use codegen_runtime::store::ObjectKey;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::control::rig::Rig;
use crate::control::secs;
use crate::control::server::{FaultKind, refusal};

fn done(rig: &Rig) -> impl Reconciler + use<> {
    let log = rig.log();
    reconcile_fn(move |request: Request| {
        log(request.key.name());
        std::future::ready(Ok::<_, String>(Action::done()))
    })
}

fn source(error: &ManagerError) -> Option<&ControllerError> {
    match error {
        ManagerError::Runnable { source, .. } => source.downcast_ref(),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn a_cache_that_does_not_fill_in_time_ends_the_manager() {
    let rig = Rig::new();
    // Listing ConfigMaps is forbidden, Secrets are returned.
    rig.server
        .on_call(|call| (call.resource == "configmaps").then_some(refusal(403, "Forbidden")));
    let patient = Controller::builder("patient", &rig.factory)
        .for_::<Secret>()
        .cache_sync_timeout(secs(1))
        .build(done(&rig))
        .unwrap();
    let starved = Controller::builder("starved", &rig.factory)
        .for_::<ConfigMap>()
        .cache_sync_timeout(secs(20))
        .build(done(&rig))
        .unwrap();
    let manager = Manager::builder(&rig.factory)
        .controller(patient)
        .controller(starved)
        .build()
        .unwrap();
    let start = Instant::now();
    let error = manager.run(&CancellationToken::new()).await.unwrap_err();
    assert_eq!(start.elapsed(), secs(20), "each its own time, and no more");
    assert_eq!(
        source(&error),
        Some(&ControllerError::CacheSync {
            controller: "starved".to_owned(),
            resource: "configmaps".to_owned()
        }),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn controllers_that_are_not_selected_need_no_caches() {
    let rig = Rig::new();
    rig.put("a");
    rig.server
        .on_call(|call| (call.resource == "secrets").then_some(FaultKind::Hang));
    let other = SharedInformerFactory::builder(rig.server.client()).build();
    let off = Controller::builder("off", &other)
        .for_::<Secret>()
        .cache_sync_timeout(secs(1))
        .build(done(&rig))
        .unwrap();
    let on = Controller::builder("on", &rig.factory)
        .for_::<ConfigMap>()
        .build(done(&rig))
        .unwrap();
    let manager = Manager::builder(&rig.factory)
        .controller(off)
        .controller(on)
        .select("*,-off".parse().unwrap())
        .build()
        .unwrap();
    let stop = CancellationToken::new();
    let token = stop.clone();
    let task = tokio::spawn(async move { manager.run(&token).await });
    sleep(secs(5)).await;
    stop.cancel();
    task.await.unwrap().unwrap();
    assert_eq!(rig.names(), ["a"]);
    assert!(!other.informer_for::<Secret>().is_started());
}

#[tokio::test(start_paused = true)]
async fn informers_of_another_factory_run_with_the_manager() {
    let rig = Rig::new();
    rig.put("a");
    rig.server.put("secrets/default/s", serde_json::json!({}));
    let other = SharedInformerFactory::builder(rig.server.client()).build();
    let secrets = other.informer_for::<Secret>();
    let mapping = |secret: &std::sync::Arc<Secret>| {
        vec![ObjectKey::new(
            Some("default"),
            &format!("of-{}", secret.name_any()),
        )]
    };
    let mixed = Controller::builder("mixed", &rig.factory)
        .for_::<ConfigMap>()
        .watches_informer(&secrets, Predicate::all(), mapping)
        .build(done(&rig))
        .unwrap();
    let foreign = Controller::builder("foreign", &other)
        .for_::<ConfigMap>()
        .build(done(&rig))
        .unwrap();
    let manager = Manager::builder(&rig.factory)
        .controller(mixed)
        .controller(foreign)
        .build()
        .unwrap();
    let stop = CancellationToken::new();
    let token = stop.clone();
    let task = tokio::spawn(async move { manager.run(&token).await });
    sleep(secs(5)).await;
    let mut names = rig.names();
    names.sort();
    assert_eq!(names, ["a", "a", "of-s"]);
    // Starting the other factory as well has no effect.
    other.start(&CancellationToken::new());
    rig.server.put("secrets/default/t", serde_json::json!({}));
    sleep(secs(1)).await;
    assert_eq!(rig.names(), ["of-t"]);
    stop.cancel();
    task.await.unwrap().unwrap();
    assert!(secrets.is_stopped(), "stopped with the manager that ran it");
}

#[tokio::test(start_paused = true)]
async fn informers_that_somebody_runs_are_left_to_them() {
    let rig = Rig::new();
    let other = SharedInformerFactory::builder(rig.server.client()).build();
    let secrets = other.informer_for::<Secret>();
    let theirs = CancellationToken::new();
    other.start(&theirs);
    let controller = Controller::builder("reads", &rig.factory)
        .watches_informer(&secrets, Predicate::all(), |_| Vec::new())
        .build(done(&rig))
        .unwrap();
    let manager = Manager::builder(&rig.factory)
        .controller(controller)
        .build()
        .unwrap();
    let stop = CancellationToken::new();
    let token = stop.clone();
    let task = tokio::spawn(async move { manager.run(&token).await });
    sleep(secs(5)).await;
    stop.cancel();
    task.await.unwrap().unwrap();
    assert!(!secrets.is_stopped());
    theirs.cancel();
    sleep(secs(1)).await;
    assert!(secrets.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn without_a_manager_an_informer_that_nobody_started_is_named() {
    let rig = Rig::new();
    let other = SharedInformerFactory::builder(rig.server.client()).build();
    let secrets = other.informer_for::<Secret>();
    let builder = rig.builder().for_::<ConfigMap>();
    let controller = builder
        .watches_informer(&secrets, Predicate::all(), |_| Vec::new())
        .build(done(&rig))
        .unwrap();
    let error = rig.run(controller).await.unwrap().unwrap_err();
    let expected = "controller \"test\": the informer of secrets was never started";
    assert_eq!(error.to_string(), expected);
}
