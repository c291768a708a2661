use std::sync::Arc;

use codegen_runtime::controller::{Action, Reconciler, Request, reconcile_fn};
use codegen_runtime::informer::handler;
use codegen_runtime::leader::{LeaderElectionConfig, LeaderElector, Stopped};
use codegen_runtime::manager::{Manager, ManagerError};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::control::rig::Rig;
use crate::control::server::refusal;
use crate::control::{ms, secs};

/// Returns a reconciler that logs each key.
fn done(rig: &Rig) -> impl Reconciler + use<> {
    let log = rig.log();
    reconcile_fn(move |request: Request| {
        log(request.key.as_str());
        std::future::ready(Ok::<_, String>(Action::done()))
    })
}

#[tokio::test(start_paused = true)]
async fn stopping_hands_out_nothing_more_and_finishes_what_is_under_way() {
    let rig = Rig::new();
    (0..5).for_each(|n| rig.put(&format!("{n}")));
    let log = rig.log();
    let reconciler = reconcile_fn(move |request: Request| {
        let log = log.clone();
        async move {
            sleep(secs(10)).await;
            log(request.key.name());
            Ok::<_, String>(Action::done())
        }
    });
    let task = rig.run(
        rig.builder()
            .for_::<ConfigMap>()
            .workers(2)
            .build(reconciler)
            .unwrap(),
    );
    sleep(secs(3)).await;
    rig.stop.cancel();
    assert_eq!(task.await.unwrap(), Ok(()));
    assert_eq!(rig.take(), [(10, "0".to_owned()), (10, "1".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn lost_leadership_drops_what_is_under_way() {
    let rig = Rig::new();
    rig.put("a");
    let log = rig.log();
    let reconciler = reconcile_fn(move |request: Request| {
        log(&format!(
            "epoch {}",
            request
                .leadership
                .as_ref()
                .map_or(u64::MAX, |term| term.epoch())
        ));
        let log = log.clone();
        async move {
            sleep(secs(60)).await;
            log("never");
            Ok::<_, String>(Action::done())
        }
    });
    let controller = rig.builder().for_::<ConfigMap>().build(reconciler).unwrap();
    rig.factory.start(&CancellationToken::new());
    let elector = LeaderElector::new(
        rig.server.client_of("me"),
        LeaderElectionConfig::new("default", "lock", "me"),
    )
    .unwrap();
    let stop = rig.stop.clone();
    let run = tokio::spawn(async move {
        let work = |term: codegen_runtime::leader::Leadership| async move {
            controller.run(&term.token().clone(), Some(&term)).await
        };
        elector.run(&stop, work).await
    });
    sleep(secs(3)).await;
    rig.server.cut_off("me");
    assert!(matches!(run.await.unwrap(), Stopped::Lost(_)));
    sleep(secs(100)).await;
    assert_eq!(rig.names(), ["epoch 1"]);
}

#[tokio::test(start_paused = true)]
async fn a_cache_that_does_not_fill_in_time_is_an_error() {
    let rig = Rig::new();
    rig.server
        .on_call(|call| (call.user == "informers").then_some(refusal(403, "Forbidden")));
    let builder = rig
        .builder()
        .for_::<ConfigMap>()
        .cache_sync_timeout(secs(30));
    let start = Instant::now();
    let error = rig
        .run(builder.build(done(&rig)).unwrap())
        .await
        .unwrap()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "controller \"test\": the cache of configmaps did not sync"
    );
    assert_eq!(start.elapsed().as_secs(), 30);
}

#[tokio::test(start_paused = true)]
async fn a_controller_may_run_again() {
    let rig = Rig::new();
    rig.put("a");
    let controller = rig.builder().for_::<ConfigMap>().build(done(&rig)).unwrap();
    rig.factory.start(&CancellationToken::new());
    for _ in 0..2 {
        let stop = CancellationToken::new();
        let end = async {
            sleep(secs(1)).await;
            stop.cancel();
        };
        assert_eq!(tokio::join!(controller.run(&stop, None), end).0, Ok(()));
        assert_eq!(rig.names(), ["default/a"]);
        // Changes between two runs belong to neither.
        rig.put("a");
        sleep(secs(1)).await;
    }
}

/// An event handler that blocks its thread can be neither awaited nor dropped.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_that_blocks_its_thread_does_not_keep_the_manager_from_ending() {
    let rig = Rig::new();
    rig.put("a");
    let (entered, mut blocked) = tokio::sync::mpsc::unbounded_channel();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = std::sync::Mutex::new(released);
    let handler = handler::funcs().on_add(move |_: &Arc<ConfigMap>, _| {
        entered.send(()).unwrap();
        let _ = released.lock().unwrap().recv();
    });
    let informer = rig.factory.informer_for::<ConfigMap>();
    informer.add_event_handler(handler).unwrap();
    let manager = Manager::builder(&rig.factory)
        .graceful_timeout(ms(10))
        .build()
        .unwrap();
    let stop = rig.stop.clone();
    let run = tokio::spawn(async move { manager.run(&stop).await });
    blocked.recv().await.unwrap();
    rig.stop.cancel();
    let ended = run.await.unwrap();
    assert!(
        matches!(ended, Err(ManagerError::GracefulTimeout)),
        "{ended:?}"
    );
    release.send(()).unwrap();
}
