//! The factory: one informer per type, options, start, sync and shutdown.

use std::time::Duration;

use codegen_runtime::informer::{
    CacheSyncError, InformerError, SharedInformerFactory, TypedInformer,
};
use codegen_runtime::object::ResourceInfo;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, Secret};
use kube::api::ApiResource;
use kube::core::GroupVersionKind;
use kube::discovery::Scope;
use tokio_util::sync::CancellationToken;

use super::support::objects::cm;
use super::support::recorder::Recorder;
use super::support::stores;
use super::support::{Server, settle};

fn factory(server: &Server) -> SharedInformerFactory {
    stores::factory(server.client()).build()
}

#[tokio::test(start_paused = true)]
async fn there_is_one_informer_a_type() {
    let server = Server::new();
    let factory = factory(&server);
    let (one, same) = (
        factory.informer_for::<ConfigMap>(),
        factory.informer_for::<ConfigMap>(),
    );
    one.store()
        .insert(super::support::objects::typed(&cm("a", 1)));
    assert_eq!(same.store().len(), 1);
    assert_eq!(factory.informer_for::<Pod>().store().len(), 0);
    assert_eq!(
        factory.metadata_informer::<ConfigMap>().store().len(),
        0,
        "metadata is another type"
    );
    let widgets = |plural| {
        ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("x.io", "v1", "Widget"), plural)
    };
    factory.dynamic_informer(&widgets("widgets"), Scope::Namespaced);
    factory.dynamic_informer(&widgets("gadgets"), Scope::Namespaced);
    factory.dynamic_informer(&widgets("widgets"), Scope::Namespaced);
    assert_eq!(factory.stats().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn start_is_idempotent_and_starts_only_new_informers() {
    let server = Server::new();
    let factory = factory(&server);
    let stop = CancellationToken::new();
    factory.informer_for::<ConfigMap>();
    factory.start(&stop);
    assert_eq!(server.next().await.path, "/api/v1/configmaps");
    factory.start(&stop);
    settle().await;
    assert!(server.is_idle().await);
    factory.informer_for::<Deployment>();
    factory.start(&stop);
    assert_eq!(server.next().await.path, "/apis/apps/v1/deployments");
    settle().await;
    assert!(server.is_idle().await);
}

#[tokio::test(start_paused = true)]
async fn wait_for_cache_sync_covers_the_started_and_says_which_type_did_not_sync() {
    let server = Server::new();
    let factory = factory(&server);
    let stop = CancellationToken::new();
    factory.informer_for::<ConfigMap>();
    factory.informer_for::<Deployment>();
    factory.start(&stop);
    factory.informer_for::<Pod>();
    for _ in 0..2 {
        let call = server.watch_list().await;
        if call.path.ends_with("configmaps") {
            let watch = call.stream();
            watch.initial_end("1");
            tokio::spawn(async move { watch.hung_up().await });
        } else {
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_secs(60)).await;
                drop(call);
            });
        }
    }
    settle().await;
    let waiting = tokio::spawn({
        let factory = factory.clone();
        async move { factory.wait_for_cache_sync().await }
    });
    settle().await;
    assert!(!waiting.is_finished());
    stop.cancel();
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!(error, CacheSyncError(vec!["deployments.apps".into()]));
    assert!(error.to_string().contains("deployments.apps"));
}

#[tokio::test(start_paused = true)]
async fn wait_for_cache_sync_is_ok_once_all_started_are_synced() {
    let server = Server::new();
    let factory = factory(&server);
    let informer = factory.informer_for::<ConfigMap>();
    factory.wait_for_cache_sync().await.unwrap();
    factory.start(&CancellationToken::new());
    let watch = server.watch_list().await.stream();
    watch.added(&cm("a", 1)).initial_end("1");
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(informer.store().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn after_shutdown_start_does_nothing_and_shutdown_waits() {
    let server = Server::new();
    let factory = factory(&server);
    let informer = factory.informer_for::<ConfigMap>();
    factory.start(&CancellationToken::new());
    let watch = server.watch_list().await.stream();
    factory.shutdown().await;
    assert!(informer.is_stopped());
    watch.hung_up().await;
    factory.informer_for::<Pod>();
    factory.start(&CancellationToken::new());
    settle().await;
    assert!(server.is_idle().await);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn options_reach_the_requests_and_the_informers() {
    let server = Server::new();
    let factory: SharedInformerFactory = stores::factory(server.client())
        .namespace("prod")
        .name("mine")
        .resync(Duration::from_secs(30))
        .resync_for::<ConfigMap>(Duration::from_secs(5))
        .transform::<ConfigMap>(|object| object.data = None)
        .list_options(|params| {
            params.label_selector = Some("app=web".into());
            params.limit = Some(7);
        })
        .build();
    let informer = factory.informer_for::<ConfigMap>();
    let calls = Recorder::default();
    informer.add_event_handler(calls.clone()).unwrap();
    assert_eq!(informer.stats().name, "mine/configmaps");
    factory.start(&CancellationToken::new());
    let call = server.watch_list().await;
    assert_eq!(
        (call.path.as_str(), call.query("labelSelector")),
        ("/api/v1/namespaces/prod/configmaps", Some("app=web"))
    );
    call.fail(500, "InternalError", "down");
    let call = server.list().await;
    assert_eq!(call.query("limit"), Some("7"));
    call.json(&super::support::objects::list(1, &[cm("a", 1)]));
    let _watch = server.watch().await.stream();
    factory.wait_for_cache_sync().await.unwrap();
    assert!(informer.store().list()[0].data.is_none());
    tokio::time::sleep(Duration::from_millis(5_100)).await;
    assert_eq!(calls.take(), ["add! a@1", "update a@1->1"]);
}

#[tokio::test(start_paused = true)]
async fn list_options_are_set_for_all_kinds_for_one_and_for_one_resource() {
    let server = Server::new();
    let factory = stores::factory(server.client())
        .list_options(|params| params.label_selector = Some("app=web".into()))
        .list_options_for::<ConfigMap>(|params| {
            params.field_selector = Some("metadata.name=a".into())
        })
        .list_options_of("", "configmaps", |params| params.label_selector = None)
        .build();
    let _ = factory.informer_for::<ConfigMap>();
    factory.start(&CancellationToken::new());
    let call = server.watch_list().await;
    assert_eq!(call.query("labelSelector"), None);
    assert_eq!(call.query("fieldSelector"), Some("metadata.name=a"));
    let factory = stores::factory(server.client())
        .list_options_for::<Secret>(|params| params.field_selector = Some("type=a".into()))
        .list_options_of("apps", "configmaps", |params| {
            params.label_selector = Some("b".into())
        })
        .build();
    let _ = factory.informer_for::<ConfigMap>();
    factory.start(&CancellationToken::new());
    let call = server.watch_list().await;
    assert_eq!(call.query("labelSelector"), None);
    assert_eq!(call.query("fieldSelector"), None);
}

#[tokio::test(start_paused = true)]
async fn a_namespace_does_not_affect_cluster_scoped_kinds() {
    let server = Server::new();
    let factory: SharedInformerFactory = stores::factory(server.client()).namespace("prod").build();
    factory.informer_for::<Node>();
    factory.start(&CancellationToken::new());
    assert_eq!(server.next().await.path, "/api/v1/nodes");
}

#[tokio::test(start_paused = true)]
async fn managed_fields_are_dropped_unless_they_are_asked_for() {
    let mut object = cm("a", 1);
    object["metadata"]["managedFields"] = serde_json::json!([{"manager": "kubectl"}]);
    for keep in [false, true] {
        let server = Server::new();
        let builder = stores::factory(server.client());
        let factory = if keep {
            builder.keep_managed_fields().build()
        } else {
            builder.build()
        };
        let informer = factory.informer_for::<ConfigMap>();
        factory.start(&CancellationToken::new());
        let watch = server.watch_list().await.stream();
        watch.added(&object).initial_end("1");
        factory.wait_for_cache_sync().await.unwrap();
        assert_eq!(
            informer.store().list()[0].metadata.managed_fields.is_some(),
            keep
        );
    }
}

#[test]
fn resource_info_reads_the_names_of_a_type() {
    let info = ResourceInfo::of::<Deployment>(&());
    assert_eq!(
        (
            info.api_version().as_str(),
            info.group_resource().to_string().as_str()
        ),
        ("apps/v1", "deployments.apps")
    );
}

#[tokio::test(start_paused = true)]
async fn the_figures_of_every_informer_are_metrics() {
    let server = Server::new();
    let factory = factory(&server);
    let metrics = codegen_runtime::metrics::Metrics::new();
    factory.register_metrics(&metrics);
    let informer = factory.informer_for::<ConfigMap>();
    let handler = codegen_runtime::informer::handler::funcs();
    informer
        .add_event_handler(handler.on_add(|_, _| panic!("a bug")))
        .unwrap();
    factory.start(&CancellationToken::new());
    let watch = server.watch_list().await.stream();
    watch
        .added(&cm("a", 1))
        .added(&serde_json::json!({"kind": "Pod"}))
        .initial_end("1");
    factory.wait_for_cache_sync().await.unwrap();
    settle().await;
    let text = metrics.encode().unwrap();
    let labels = "{name=\"configmaps\",group=\"\",version=\"v1\",resource=\"configmaps\"}";
    for (series, value) in [
        ("reflector_lists_total", "1"),
        ("reflector_listed_objects_total", "1"),
        ("reflector_undecodable_objects_total", "1"),
        ("reflector_list_duration_seconds_count", "1"),
        ("reflector_items_per_list_sum", "1.0"),
        ("reflector_watch_duration_seconds_count", "0"),
        ("reflector_last_resource_version", "1.0"),
        ("informer_store_resource_version", "1.0"),
        ("informer_processing_latency_seconds_count", "1"),
        ("informer_handler_panics_total", "1"),
        ("informer_objects", "1.0"),
        ("informer_queued_items", "0.0"),
        ("informer_handler_pending_calls", "0.0"),
    ] {
        let line = format!("{series}{labels} {value}\n");
        assert!(text.contains(&line), "{line} in {text}");
    }
}

#[tokio::test]
async fn informers_of_several_factories_are_told_apart_in_one_set_of_metrics() {
    let server = Server::new();
    let metrics = codegen_runtime::metrics::Metrics::new();
    let factories = [factory(&server), factory(&server)];
    for factory in &factories {
        factory.informer_for::<ConfigMap>();
        factory.register_metrics(&metrics);
        factory.register_metrics(&metrics);
    }
    let text = metrics.encode().unwrap();
    let count = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(count("# TYPE informer_objects "), 1, "{text}");
    assert_eq!(count("informer_objects{name=\"configmaps\","), 1, "{text}");
    assert_eq!(count("informer_objects{name=\"configmaps#2\","), 1);
    assert_eq!(count("informer_objects{"), 2);
}

#[tokio::test(start_paused = true)]
async fn watches_that_end_are_measured_and_informers_of_one_resource_told_apart() {
    let server = Server::new();
    let factory = factory(&server);
    let metrics = codegen_runtime::metrics::Metrics::new();
    factory.register_metrics(&metrics);
    factory.informer_for::<ConfigMap>();
    factory.start(&CancellationToken::new());
    let watch = server.watch_list().await.stream();
    watch.added(&cm("a", 1)).initial_end("1");
    factory.wait_for_cache_sync().await.unwrap();
    tokio::time::advance(Duration::from_secs(20)).await;
    drop(watch);
    settle().await;
    factory.informer_for::<kube::core::PartialObjectMeta<ConfigMap>>();
    let text = metrics.encode().unwrap();
    let labels = |name: &str| {
        format!("{{name=\"{name}\",group=\"\",version=\"v1\",resource=\"configmaps\"}}")
    };
    let (one, two) = (labels("configmaps"), labels("configmaps#2"));
    let has = |line: String| assert!(text.contains(&line), "{line} in {text}");
    for name in ["configmaps", "configmaps#2"] {
        assert_eq!(
            text.matches(&format!("informer_objects{}", labels(name)))
                .count(),
            1
        );
    }
    let ended = |labels: &str| {
        text.contains(&format!(
            "reflector_watch_duration_seconds_count{labels} 1\n"
        )) && text.contains(&format!("reflector_watch_duration_seconds_sum{labels} 20"))
            && text.contains(&format!("reflector_items_per_watch_sum{labels} 2.0\n"))
    };
    assert!(ended(&one) || ended(&two), "{text}");
    has(format!("reflector_watches_total{one} "));
}

#[tokio::test(start_paused = true)]
async fn a_lister_requested_after_start_is_an_error_unless_its_informer_runs() {
    let server = Server::new();
    let factory = factory(&server);
    let stop = CancellationToken::new();
    assert!(factory.lister_for::<ConfigMap>().is_ok());
    factory.start(&stop);
    assert!(factory.lister_for::<ConfigMap>().is_ok());
    let error = factory.lister_for::<Deployment>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the informer of deployments.apps does not run: create it before its factory starts, or start the factory again \
         before reading from it"
    );
    let typed = TypedInformer::<Deployment>::new(factory.clone());
    assert_eq!(typed.lister().unwrap_err(), error);
    assert_eq!(factory.stats().len(), 1, "asking creates no informer");

    factory.informer_for::<Deployment>();
    assert!(typed.lister().is_err(), "it does not run yet");
    factory.start(&stop);
    assert!(typed.lister().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_removed_informer_stops_and_the_next_one_of_its_kind_is_new() {
    let server = Server::new();
    let factory = factory(&server);
    let stop = CancellationToken::new();
    let informer = factory.informer_for::<ConfigMap>();
    factory.informer_for::<Pod>();
    factory.start(&stop);
    let mut watches = Vec::new();
    for _ in 0..2 {
        let call = server.watch_list().await;
        let path = call.path.clone();
        watches.push((path, call.stream()));
    }
    let of = |resource: &str| {
        let mut all = watches.iter();
        let found = all.find(|(path, _)| path.ends_with(resource));
        &found.unwrap().1
    };
    of("configmaps").added(&cm("a", 1)).initial_end("1");
    of("pods").initial_end("1");
    factory.wait_for_cache_sync().await.unwrap();

    assert!(factory.remove(&informer));
    informer.stopped().await;
    of("configmaps").hung_up().await;
    assert!(informer.is_stopped());
    assert_eq!(informer.store().len(), 1, "its last state");
    assert!(!factory.remove(&informer), "it is gone");
    assert!(factory.lister_for::<ConfigMap>().is_err());
    assert_eq!(factory.stats().len(), 1);
    factory.start(&stop);
    settle().await;
    assert!(server.is_idle().await, "the others keep running");

    let again = factory.informer_for::<ConfigMap>();
    factory.start(&stop);
    let watch = server.watch_list().await.stream();
    watch.added(&cm("b", 7)).initial_end("7");
    factory.wait_for_cache_sync().await.unwrap();
    assert!(again.lister().get("default/b").is_ok());
    assert!(again.lister().get("default/a").is_err());
}

#[tokio::test(start_paused = true)]
async fn an_informer_removed_before_start_never_runs() {
    let server = Server::new();
    let factory = factory(&server);
    let informer = factory.informer_for::<ConfigMap>();
    assert!(factory.remove(&informer));
    factory.start(&CancellationToken::new());
    settle().await;
    assert!(server.is_idle().await);
    assert!(!informer.wait_for_sync().await);
    let late = informer.add_event_handler(Recorder::default());
    assert_eq!(late.unwrap_err(), InformerError::Stopped);
    informer.run(&CancellationToken::new()).await;
    assert!(server.is_idle().await);
}

#[tokio::test(start_paused = true)]
async fn a_removed_informer_is_not_awaited() {
    let server = Server::new();
    let factory = factory(&server);
    let informer = factory.informer_for::<ConfigMap>();
    factory.start(&CancellationToken::new());
    let _unanswered = server.watch_list().await;
    let waits = factory.wait_for_cache_sync();
    let (waited, ()) = tokio::join!(waits, async {
        settle().await;
        factory.remove(&informer);
    });
    assert_eq!(waited, Ok(()));
}

#[cfg(feature = "packed")]
#[tokio::test]
async fn a_factory_packs_the_kinds_that_it_is_told_to() {
    let server = Server::new();
    let factory = stores::factory_of_packed_maps(server.client());
    let maps = factory.informer_for::<ConfigMap>();
    let secrets = factory.informer_for::<Secret>();
    maps.store().insert(ConfigMap::default());
    secrets.store().insert(Secret::default());
    let (map, secret) = (
        maps.store().list().remove(0),
        secrets.store().list().remove(0),
    );
    // Besides this `Arc`, an ordinary store has its own.
    assert_eq!(std::sync::Arc::strong_count(&map), 1);
    assert_eq!(std::sync::Arc::strong_count(&secret), 2);
}
