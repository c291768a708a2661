//! Several namespaces in one cache: a reflector each, one first list, one lister.

use codegen_runtime::controller::{
    Action, Change, Controller, Predicate, Request, predicates, reconcile_fn,
};
use codegen_runtime::informer::{SharedInformer, SharedInformerFactory};
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube::core::Selector;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::support::objects::cm;
use super::support::recorder::Recorder;
use super::support::stores;
use super::support::{Server, Watch, settle};

fn in_namespace(namespace: &str, name: &str, version: u64) -> Value {
    let mut object = cm(name, version);
    object["metadata"]["namespace"] = json!(namespace);
    object
}

/// A cache of the namespaces `a` and `b`, whose streamed lists have begun.
struct Case {
    server: Server,
    factory: SharedInformerFactory,
    informer: SharedInformer<ConfigMap>,
    recorder: Recorder,
    a: Watch,
    b: Watch,
}

impl Case {
    async fn begin() -> Self {
        let server = Server::new();
        let factory: SharedInformerFactory = stores::factory(server.client())
            .namespaces(["b", "a", "b"])
            .build();
        let (informer, recorder) = (factory.informer_for::<ConfigMap>(), Recorder::default());
        informer.add_event_handler(recorder.clone()).unwrap();
        factory.start(&CancellationToken::new());
        let mut calls = [server.watch_list().await, server.watch_list().await];
        calls.sort_by(|one, other| one.path.cmp(&other.path));
        let paths = calls.each_ref().map(|call| call.path.clone());
        assert_eq!(
            paths,
            [
                "/api/v1/namespaces/a/configmaps",
                "/api/v1/namespaces/b/configmaps"
            ]
        );
        let [a, b] = calls.map(|call| call.stream());
        settle().await;
        assert!(server.is_idle().await, "no third list");
        Self {
            server,
            factory,
            informer,
            recorder,
            a,
            b,
        }
    }

    /// Lists `one` and `two` in `a`, at version 5, and `three` in `b`, at version 4.
    async fn listed() -> Self {
        let case = Self::begin().await;
        case.a
            .added(&in_namespace("a", "one", 1))
            .added(&in_namespace("a", "two", 2))
            .initial_end("5");
        case.b
            .added(&in_namespace("b", "three", 3))
            .initial_end("4");
        case.factory.wait_for_cache_sync().await.unwrap();
        settle().await;
        case.recorder.take();
        case
    }

    fn version(&self) -> String {
        self.informer.last_sync_resource_version()
    }
}

#[tokio::test(start_paused = true)]
async fn the_lists_of_all_namespaces_are_one_first_list() {
    let case = Case::begin().await;
    case.a
        .added(&in_namespace("a", "one", 1))
        .added(&in_namespace("a", "two", 2))
        .initial_end("5");
    // Changes that come before the other namespace is listed.
    case.a
        .modified(&in_namespace("a", "one", 6))
        .deleted(&in_namespace("a", "two", 7));
    settle().await;
    assert!(!case.informer.has_synced());
    assert_eq!(case.recorder.take(), [""; 0]);

    case.b
        .added(&in_namespace("b", "three", 3))
        .initial_end("4");
    case.factory.wait_for_cache_sync().await.unwrap();
    settle().await;
    assert_eq!(case.recorder.take_sorted(), ["add! one@6", "add! three@3"]);
    let lister = case.informer.lister();
    assert_eq!(lister.list(&Selector::default()).len(), 2);
    assert!(lister.namespace("b").get("three").is_ok());
    assert!(lister.namespace("a").get("three").is_err());
}

#[tokio::test(start_paused = true)]
async fn changes_of_each_namespace_arrive_and_the_version_is_of_the_one_furthest_behind() {
    let case = Case::listed().await;
    assert_eq!(case.version(), "4");
    case.a.added(&in_namespace("a", "four", 8));
    settle().await;
    assert_eq!(case.version(), "4", "b may lack changes after 4");
    case.b.bookmark("9");
    settle().await;
    assert_eq!(case.version(), "8");
    case.b.deleted(&in_namespace("b", "three", 10));
    settle().await;
    assert_eq!(case.recorder.take(), ["add four@8", "delete three@10"]);
}

#[tokio::test(start_paused = true)]
async fn a_relist_of_one_namespace_leaves_the_others() {
    let case = Case::listed().await;
    case.a.error(410, "Expired", "too old");
    let relist = case.server.watch_list().await;
    assert_eq!(relist.path, "/api/v1/namespaces/a/configmaps");
    let watch = relist.stream();
    watch
        .added(&in_namespace("a", "two", 11))
        .added(&in_namespace("a", "five", 12))
        .initial_end("12");
    settle().await;
    assert_eq!(
        case.recorder.take_sorted(),
        ["add five@12", "gone one@1", "update two@2->11"]
    );
    let lister = case.informer.lister();
    assert!(lister.namespace("b").get("three").is_ok());
    assert_eq!(lister.namespace("a").list(&Selector::default()).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_namespace_that_is_forbidden_keeps_the_cache_from_syncing() {
    let server = Server::new();
    let factory: SharedInformerFactory = stores::factory(server.client())
        .namespaces(["a", "b"])
        .build();
    let informer = factory.informer_for::<ConfigMap>();
    factory.start(&CancellationToken::new());
    let mut held = Vec::new();
    for _ in 0..2 {
        let call = server.watch_list().await;
        if call.path.contains("/b/") {
            call.fail(403, "Forbidden", "not in b");
        } else {
            let watch = call.stream();
            watch.initial_end("1");
            held.push(watch);
        }
    }
    settle().await;
    assert!(!informer.has_synced());
}

#[tokio::test(start_paused = true)]
async fn kinds_of_the_cluster_and_all_namespaces_are_listed_once() {
    let server = Server::new();
    let of = |namespaces: &[&str]| -> SharedInformerFactory {
        stores::factory(server.client())
            .namespaces(namespaces.iter().copied())
            .build()
    };
    let stop = CancellationToken::new();
    let factory = of(&["a", "b"]);
    factory.informer_for::<Node>();
    factory.start(&stop);
    assert_eq!(server.next().await.path, "/api/v1/nodes");
    for (namespaces, path) in [
        (&[][..], "/api/v1/configmaps"),
        (&["a", ""], "/api/v1/configmaps"),
        (&["a"], "/api/v1/namespaces/a/configmaps"),
    ] {
        let factory = of(namespaces);
        factory.informer_for::<ConfigMap>();
        factory.start(&stop);
        assert_eq!(server.next().await.path, path, "{namespaces:?}");
        settle().await;
        assert!(server.is_idle().await);
    }
}

#[tokio::test(start_paused = true)]
async fn a_predicate_sees_that_a_deletion_was_missed() {
    let server = Server::new();
    let factory: SharedInformerFactory = stores::factory(server.client()).build();
    let missed = Predicate::<ConfigMap>::new(|change| match change {
        Change::Deleted(deleted) => deleted.is_final_state_unknown(),
        _ => false,
    });
    let (sender, mut keys) = mpsc::unbounded_channel();
    let controller = Controller::builder("missed", &factory)
        .for_when::<ConfigMap>(missed.and(predicates::resource_version_changed()))
        .build(reconcile_fn(move |request: Request| {
            sender.send(request.key.name().to_owned()).unwrap();
            std::future::ready(Ok::<_, String>(Action::done()))
        }))
        .unwrap();
    let stop = CancellationToken::new();
    factory.start(&stop);
    tokio::spawn(async move { controller.run(&stop, None).await });
    let watch = server.watch_list().await.stream();
    watch.added(&cm("seen", 1)).added(&cm("unseen", 2));
    watch.initial_end("2").deleted(&cm("seen", 3));
    watch.error(410, "Expired", "too old");
    let watch = server.watch_list().await.stream();
    watch.initial_end("5");
    assert_eq!(keys.recv().await.as_deref(), Some("unseen"));
    settle().await;
    assert!(keys.is_empty());
}
