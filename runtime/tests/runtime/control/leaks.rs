//! What registers with something that lives longer is gone with its owner.

use std::sync::Arc;

use codegen_runtime::connect::ClientOptions;
use codegen_runtime::controller::{Action, Trigger, reconcile_fn};
use codegen_runtime::informer::{SharedInformerFactory, handler};
use codegen_runtime::leader::LeaderElector;
use codegen_runtime::metrics::Metrics;
use codegen_runtime::workqueue::WorkQueue;
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::control::leader::config;
use crate::control::ms;
use crate::control::rig::Rig;

/// Returns the number of series, apart from those of the process.
fn series(metrics: &Metrics) -> usize {
    let text = metrics.encode().unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter(|line| !line.starts_with("process_")).count()
}

#[test]
fn the_series_of_a_queue_are_gone_with_its_last_handle() {
    let metrics = Metrics::new();
    let before = series(&metrics);
    for round in 0..100 {
        let name = format!("queue-{round}");
        let queue = WorkQueue::<u32>::builder()
            .name(name)
            .metrics(&metrics)
            .build();
        queue.add(1);
        assert!(series(&metrics) >= before + 32);
    }
    assert_eq!(series(&metrics), before);
}

#[tokio::test(start_paused = true)]
async fn a_factory_and_its_objects_are_gone_though_it_was_registered_with_metrics() {
    let (rig, metrics) = (Rig::new(), Metrics::new());
    rig.put("a");
    let before = series(&metrics);
    let factory = SharedInformerFactory::builder(rig.server.client_of("another")).build();
    factory.register_metrics(&metrics);
    let informer = factory.informer_for::<ConfigMap>();
    // Owned by the handler, and so by the informer.
    let alive = Arc::new(());
    let held = alive.clone();
    let handler = handler::funcs().on_delete(move |_| drop(held.clone()));
    informer.add_event_handler(handler).unwrap();
    factory.start(&CancellationToken::new());
    factory.wait_for_cache_sync().await.unwrap();
    let object = Arc::downgrade(&informer.lister().get("default/a").unwrap());
    assert!(series(&metrics) > before);
    drop((informer, factory));
    sleep(ms(10)).await;
    assert_eq!((object.strong_count(), Arc::strong_count(&alive)), (0, 1));
    assert_eq!(series(&metrics), before);
}

#[tokio::test(start_paused = true)]
async fn controllers_and_electors_leave_neither_series_nor_slots_of_triggers() {
    let (rig, trigger) = (Rig::new(), Trigger::new());
    let before = series(&rig.metrics);
    for _ in 0..10 {
        let builder = rig.builder().for_::<ConfigMap>().triggered_by(&trigger);
        let reconcile = reconcile_fn(|_| std::future::ready(Ok::<_, String>(Action::done())));
        let controller = builder.build(reconcile).unwrap();
        assert_eq!(format!("{trigger:?}"), "Trigger { controllers: 1 }");
        let stop = CancellationToken::new();
        rig.factory.start(&CancellationToken::new());
        let run = controller.run(&stop, None);
        tokio::select! {
            ended = run => panic!("{ended:?}"),
            () = sleep(ms(100)) => {}
        }
        let client = rig.server.client_of("me");
        let elector = LeaderElector::new(client, config("me").metrics(&rig.metrics)).unwrap();
        assert!(series(&rig.metrics) > before + 80);
        drop((controller, elector));
        // The tasks of workers and handlers end a moment later.
        sleep(ms(10)).await;
        assert_eq!(format!("{trigger:?}"), "Trigger { controllers: 0 }");
        assert_eq!(series(&rig.metrics), before);
    }
}

#[tokio::test]
async fn the_series_of_a_client_are_gone_with_it() {
    let metrics = Metrics::new();
    let before = series(&metrics);
    for port in 1..4 {
        let url = format!("http://127.0.0.1:{port}").parse().unwrap();
        let options = ClientOptions::new().metrics(&metrics);
        let client = options.connect(kube::Config::new(url)).unwrap();
        client.apiserver_version().await.unwrap_err();
        assert!(series(&metrics) > before);
        drop(client);
        // The client's own task ends a moment later.
        while series(&metrics) > before {
            sleep(ms(1)).await;
        }
    }
}
