//! One manager, a changing set of clusters.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use codegen_runtime::controller::{Action, Controller, reconcile_fn};
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::manager::Manager;
use codegen_runtime::manager::clusters::{
    Access, Cluster, ClusterMap, ClusterSource, Clusters, KubeconfigSecrets,
};
use codegen_runtime::metrics::Metrics;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::control::rig::Rig;
use crate::control::server::Server;
use crate::control::{ms, secs};

/// Runs a manager of clusters whose controllers log each key as `cluster/name`.
struct Fixture {
    rig: Rig,
    set: watch::Sender<ClusterMap>,
    builds: Arc<AtomicUsize>,
    ready: Box<dyn Fn() -> String>,
}

fn fixture() -> Fixture {
    let rig = Rig::new();
    let (set, clusters) = watch::channel(ClusterMap::new());
    let (log, builds) = (rig.log(), Arc::new(AtomicUsize::new(0)));
    let counted = builds.clone();
    let clusters = Clusters::new("clusters", clusters, move |cluster: &Cluster| {
        counted.fetch_add(1, Ordering::SeqCst);
        assert_ne!(cluster.name(), "panics");
        if cluster.name() == "fails" {
            return Err("no such kind".into());
        }
        let (log, name) = (log.clone(), cluster.name().to_owned());
        let reconciler = reconcile_fn(move |request: codegen_runtime::controller::Request| {
            log(&format!("{name}/{}", request.key.name()));
            std::future::ready(Ok::<_, String>(Action::done()))
        });
        let controller = Controller::builder("maps", cluster.factory())
            .for_::<ConfigMap>()
            .build(reconciler)?;
        Ok(vec![controller])
    });
    let manager = Manager::builder(&rig.factory)
        .metrics(&rig.metrics)
        .clusters(clusters)
        .build()
        .unwrap();
    let endpoints = manager.endpoints().clone();
    let stop = rig.stop.clone();
    tokio::spawn(async move { manager.run(&stop).await.unwrap() });
    let ready = Box::new(move || {
        let request = http::Request::get("/readyz/clusters?verbose")
            .body(())
            .unwrap();
        format!("{:?}", endpoints.respond(&request).into_body())
    });
    Fixture {
        rig,
        set,
        builds,
        ready,
    }
}

impl Fixture {
    fn engage(&self, clusters: &[(&str, &Access)]) {
        let each = clusters.iter();
        let each = each.map(|(name, access)| ((*name).to_owned(), (*access).clone()));
        self.set.send_replace(each.collect());
    }
}

/// A cluster with a map called `name`.
fn cluster(name: &str) -> (Server, Access) {
    let server = Server::new();
    server.put(&format!("configmaps/default/{name}"), json!({}));
    let access = Access::client(server.client_of(name));
    (server, access)
}

#[tokio::test(start_paused = true)]
async fn each_cluster_has_controllers_until_it_is_gone_or_reached_otherwise() {
    let it = fixture();
    let ((west, to_west), (_east, to_east), (_moved, to_moved)) =
        (cluster("a"), cluster("b"), cluster("c"));
    it.engage(&[("west", &to_west), ("east", &to_east)]);
    sleep(secs(5)).await;
    let mut names = it.rig.names();
    names.sort();
    assert_eq!(names, ["east/b", "west/a"]);
    let series = "controller_runtime_reconcile_total{controller=\"west/maps\",result=\"success\"}";
    assert_eq!(it.rig.metric(series), 1.0);

    it.engage(&[("west", &to_west), ("east", &to_moved)]);
    sleep(secs(5)).await;
    assert_eq!(it.rig.names(), ["east/c"]);

    it.engage(&[("east", &to_moved)]);
    sleep(secs(5)).await;
    west.put("configmaps/default/late", json!({}));
    sleep(secs(5)).await;
    assert!(it.rig.names().is_empty());
    assert_eq!(it.builds.load(Ordering::SeqCst), 3);
    it.rig.stop.cancel();
}

#[tokio::test(start_paused = true)]
async fn a_cluster_that_fails_harms_no_other_and_is_tried_again() {
    let it = fixture();
    let ((west, to_west), (_other, other)) = (cluster("a"), cluster("b"));
    let nonsense = Access::kubeconfig("clusters: [");
    it.engage(&[
        ("fails", &other),
        ("panics", &other),
        ("unreadable", &nonsense),
        ("west", &to_west),
    ]);
    sleep(secs(30)).await;
    assert_eq!(it.rig.names(), ["west/a"]);
    let ready = (it.ready)();
    for said in [
        "fails: cannot run the controllers of a cluster",
        "no such kind",
        "panics:",
        "unreadable:",
    ] {
        assert!(ready.contains(said), "{said} in {ready}");
    }
    assert!(!ready.contains("west:"), "{ready}");
    let failing = "background_task_failing{task=\"cluster\",name=\"fails\"}";
    assert_eq!(it.rig.metric(failing), 1.0);
    assert!(it.builds.load(Ordering::SeqCst) > 5);

    it.engage(&[("west", &to_west)]);
    sleep(secs(1)).await;
    assert!((it.ready)().contains("clusters ok"), "{}", (it.ready)());
    west.cut_off("a");
    sleep(secs(200)).await;
    assert!((it.ready)().contains("west: "), "{}", (it.ready)());
    it.rig.stop.cancel();
}

#[tokio::test(start_paused = true)]
async fn a_cluster_that_does_not_answer_is_left_at_once() {
    let it = fixture();
    let ((silent, to_silent), (_west, to_west)) = (cluster("a"), cluster("b"));
    silent.cut_off("a");
    it.engage(&[("silent", &to_silent), ("west", &to_west)]);
    sleep(secs(5)).await;
    assert_eq!(it.rig.names(), ["west/b"]);
    it.engage(&[("west", &to_west)]);
    sleep(secs(5)).await;
    assert!((it.ready)().contains("clusters ok"), "{}", (it.ready)());
    it.rig.stop.cancel();
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_engagements_leave_nothing() {
    let it = fixture();
    let (_server, access) = cluster("a");
    let series = || it.rig.metrics.encode().unwrap().lines().count();
    it.engage(&[]);
    sleep(secs(1)).await;
    let (before, tasks) = (series(), alive_tasks());
    for round in 0..10_000 {
        it.engage(&[(&format!("c{}", round % 7), &access)]);
        sleep(ms(1)).await;
    }
    it.engage(&[]);
    sleep(secs(40)).await;
    assert!(it.builds.load(Ordering::SeqCst) > 5_000);
    assert_eq!((series(), alive_tasks()), (before, tasks));
    it.rig.stop.cancel();
}

fn alive_tasks() -> usize {
    tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks()
}

#[tokio::test(start_paused = true)]
async fn secrets_of_cluster_api_are_clusters() {
    let rig = Rig::new();
    let secret = |cluster: &str, kind: &str, key: &str| {
        let data = BTreeMap::from([(key.to_owned(), ByteString(b"a: b".to_vec()))]);
        json!({
            "type": kind, "data": data,
            "metadata": {"labels": {"cluster.x-k8s.io/cluster-name": cluster}},
        })
    };
    let kind = "cluster.x-k8s.io/secret";
    rig.server.put(
        "secrets/default/west-kubeconfig",
        secret("west", kind, "value"),
    );
    rig.server
        .put("secrets/default/west-ca", secret("west", kind, "tls.crt"));
    rig.server.put(
        "secrets/default/odd-kubeconfig",
        secret("odd", "Opaque", "value"),
    );
    rig.server.put(
        "secrets/default/empty-kubeconfig",
        secret("empty", kind, "other"),
    );
    let source = KubeconfigSecrets::cluster_api(rig.server.client_of("source"));
    let (sender, found) = watch::channel(ClusterMap::new());
    let stop = rig.stop.clone();
    let source = tokio::spawn(async move { source.run(sender, stop).await.unwrap() });
    sleep(secs(1)).await;
    assert_eq!(found.borrow().keys().collect::<Vec<_>>(), ["default/west"]);
    rig.server.put(
        "secrets/default/east-kubeconfig",
        secret("east", kind, "value"),
    );
    rig.server.remove("secrets/default/west-kubeconfig");
    sleep(secs(1)).await;
    assert_eq!(found.borrow().keys().collect::<Vec<_>>(), ["default/east"]);
    rig.stop.cancel();
    source.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_clusters_of_a_leader_stop_with_its_term() {
    let (rig, metrics) = (Rig::new(), Metrics::new());
    let (_server, access) = cluster("a");
    let (_set, clusters) = watch::channel(ClusterMap::from([("west".to_owned(), access)]));
    let log = rig.log();
    let clusters = Clusters::new("clusters", clusters, move |cluster: &Cluster| {
        let log = log.clone();
        let reconciler = reconcile_fn(move |_| {
            let log = log.clone();
            async move {
                log("begins");
                sleep(secs(3600)).await;
                log("ends");
                Ok::<_, String>(Action::done())
            }
        });
        let controller = Controller::builder("maps", cluster.factory())
            .for_::<ConfigMap>()
            .build(reconciler)?;
        Ok(vec![controller])
    });
    let config = codegen_runtime::leader::LeaderElectionConfig::new("default", "lock", "me");
    let factory = SharedInformerFactory::builder(rig.server.client_of("informers")).build();
    let manager = Manager::builder(&factory)
        .metrics(&metrics)
        .clusters(clusters)
        .leader_election(rig.server.client_of("me"), config)
        .build()
        .unwrap();
    let running = tokio::spawn(async move { manager.run(&CancellationToken::new()).await });
    sleep(secs(5)).await;
    assert_eq!(rig.names(), ["begins"]);
    rig.server.cut_off("me");
    sleep(secs(60)).await;
    let error = running.await.unwrap().unwrap_err();
    assert!(error.to_string().starts_with("leadership lost"), "{error}");
    assert!(rig.names().is_empty());
}
