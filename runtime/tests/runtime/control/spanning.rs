//! Controllers over several namespaces, on every replica, and of kinds that come and go.

use codegen_runtime::controller::{Action, Controller, Request, reconcile_fn};
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::leader::LeaderElectionConfig;
use codegen_runtime::manager::{AnyRunnable, Manager, RunContext, Runnable, runnable_fn};
use codegen_runtime::store::ObjectKey;
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use serde_json::json;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::control::rig::Rig;
use crate::control::secs;

/// Logs `label` and the key of each request.
fn logs(rig: &Rig, label: &'static str) -> impl codegen_runtime::controller::Reconciler + use<> {
    let log = rig.log();
    reconcile_fn(move |request: Request| {
        log(&format!("{label} {}", request.key));
        std::future::ready(Ok::<_, String>(Action::done()))
    })
}

/// Returns the entries of the log since the last call, sorted.
fn sorted(rig: &Rig) -> Vec<String> {
    let mut names = rig.names();
    names.sort();
    names
}

#[tokio::test(start_paused = true)]
async fn for_owns_and_watches_span_the_namespaces_of_the_factory() {
    let rig = Rig::new();
    let factory: SharedInformerFactory = SharedInformerFactory::builder(rig.server.client())
        .namespaces(["a", "b"])
        .build();
    for namespace in ["a", "b", "c"] {
        rig.server.put(
            &format!("deployments/{namespace}/web"),
            json!({"spec": {"selector": {}}}),
        );
    }
    let controller = Controller::builder("spanning", &factory)
        .for_::<Deployment>()
        .owns::<ReplicaSet>()
        .watches::<Secret>(|secret| {
            vec![ObjectKey::new(secret.namespace().as_deref(), "of-secret")]
        })
        .build(logs(&rig, "saw"))
        .unwrap();
    let manager = Manager::builder(&factory)
        .controller(controller)
        .build()
        .unwrap();
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let run = tokio::spawn(async move { manager.run(&stopped).await });
    sleep(secs(1)).await;
    assert_eq!(sorted(&rig), ["saw a/web", "saw b/web"]);

    let owner = json!([{"apiVersion": "apps/v1", "kind": "Deployment", "name": "owner", "uid": "u", "controller": true}]);
    for namespace in ["a", "b", "c"] {
        let owned = json!({"metadata": {"ownerReferences": owner}, "spec": {"selector": {}}});
        rig.server
            .put(&format!("replicasets/{namespace}/set"), owned);
        rig.server
            .put(&format!("secrets/{namespace}/secret"), json!({}));
    }
    sleep(secs(1)).await;
    let expected = [
        "saw a/of-secret",
        "saw a/owner",
        "saw b/of-secret",
        "saw b/owner",
    ];
    assert_eq!(sorted(&rig), expected);
    stop.cancel();
    run.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_controller_without_election_works_on_every_replica_beside_one_that_needs_it() {
    let rig = Rig::new();
    rig.put("map");
    let mut runs = Vec::new();
    for (identity, leads, each) in [
        ("first", "first leads", "first each"),
        ("second", "second leads", "second each"),
    ] {
        let factory = SharedInformerFactory::builder(rig.server.client()).build();
        let leading = Controller::builder("leading", &factory).for_::<ConfigMap>();
        let everywhere = Controller::builder("everywhere", &factory)
            .for_::<ConfigMap>()
            .needs_leader_election(false);
        let config = LeaderElectionConfig::new("default", "lock", identity);
        let manager = Manager::builder(&factory)
            .controller(leading.build(logs(&rig, leads)).unwrap())
            .controller(everywhere.build(logs(&rig, each)).unwrap())
            .leader_election(rig.server.client_of(identity), config)
            .build()
            .unwrap();
        let (stop, stopped) = (rig.stop.clone(), identity == "first");
        let own = if stopped { stop.child_token() } else { stop };
        let token = own.clone();
        runs.push((own, tokio::spawn(async move { manager.run(&token).await })));
        sleep(secs(1)).await;
    }
    let map = "default/map";
    let expected = ["first each", "first leads", "second each"].map(|it| format!("{it} {map}"));
    assert_eq!(sorted(&rig), expected);

    // The second one takes over what needs the Lease, and goes on with the rest.
    let (stop, run) = runs.remove(0);
    stop.cancel();
    run.await.unwrap().unwrap();
    sleep(secs(20)).await;
    assert_eq!(sorted(&rig), [format!("second leads {map}")]);
    rig.put("more");
    sleep(secs(1)).await;
    let expected = ["second each default/more", "second leads default/more"];
    assert_eq!(sorted(&rig), expected);
}

#[tokio::test(start_paused = true)]
async fn a_controller_of_a_kind_that_comes_and_goes_runs_within_a_running_manager() {
    let rig = Rig::new();
    rig.server.put("secrets/default/secret", json!({}));
    let (factory, log) = (rig.factory.clone(), rig.log());
    let logs = [logs(&rig, "once"), logs(&rig, "twice")].map(std::sync::Arc::new);
    let follower = runnable_fn("follower", true, move |context: RunContext| {
        let (factory, log, logs) = (factory.clone(), log.clone(), logs.clone());
        async move {
            for reconciler in logs {
                // The kind is there: its informer and its controller run until it goes.
                let informer = factory.informer_for::<Secret>();
                let secrets = Controller::builder("secrets", &factory).for_::<Secret>();
                let secrets = secrets.build(reconciler)?;
                let gone = context.stop.child_token();
                factory.start(&gone);
                let run = secrets.run(&gone, context.leadership.as_ref());
                let (ended, ()) = tokio::join!(run, async {
                    sleep(secs(10)).await;
                    gone.cancel();
                });
                ended?;
                factory.remove(&informer);
                informer.stopped().await;
                log("removed");
            }
            context.stop.cancelled().await;
            Ok(())
        }
    });
    let maps = Controller::builder("maps", &rig.factory).for_::<ConfigMap>();
    let manager = Manager::builder(&rig.factory)
        .controller(maps.build(self::logs(&rig, "map")).unwrap())
        .runnable(AnyRunnable::new(follower))
        .build()
        .unwrap();
    let stop = rig.stop.clone();
    let run = tokio::spawn(async move { manager.run(&stop).await });
    sleep(secs(30)).await;
    rig.put("map");
    rig.server.put("secrets/default/late", json!({}));
    sleep(secs(1)).await;
    let expected = [
        (0, "once default/secret"),
        (10, "removed"),
        (10, "twice default/secret"),
        (20, "removed"),
        (30, "map default/map"),
    ];
    assert_eq!(rig.take(), expected.map(|(at, what)| (at, what.to_owned())));
    rig.stop.cancel();
    run.await.unwrap().unwrap();
}

#[test]
fn an_erased_runnable_keeps_its_name_and_its_need_of_an_election() {
    for needs in [true, false] {
        let runnable = AnyRunnable::new(runnable_fn("reports", needs, async |_| Ok(())));
        assert_eq!(runnable.name(), "reports");
        assert_eq!(runnable.needs_leader_election(), needs);
        assert_eq!(format!("{runnable:?}"), "AnyRunnable(\"reports\")");
    }
}
