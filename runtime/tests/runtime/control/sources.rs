use codegen_runtime::controller::{
    Action, BuildError, Change, Controller, Predicate, Reconciler, Request, predicates,
    reconcile_fn, run_workers,
};
use codegen_runtime::informer::{Deleted, handler};
use codegen_runtime::store::ObjectKey;
use codegen_runtime::workqueue::WorkQueue;
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use kube::core::{Expression, Selector};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::control::rig::Rig;
use crate::control::secs;

fn done(rig: &Rig) -> impl Reconciler + use<> {
    let log = rig.log();
    reconcile_fn(move |request: Request| {
        log(request.key.as_str());
        std::future::ready(Ok::<_, String>(Action::done()))
    })
}

fn owned_by(kind: &str, name: &str, controller: bool) -> Value {
    let reference = json!({"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": "u", "controller": controller});
    json!({"metadata": {"ownerReferences": [reference]}, "spec": {"selector": {}}})
}

#[tokio::test(start_paused = true)]
async fn owned_objects_reconcile_the_owner_that_controls_them() {
    let rig = Rig::new();
    let builder = rig.builder().for_::<Deployment>().owns::<ReplicaSet>();
    let _task = rig.run(builder.build(done(&rig)).unwrap());
    sleep(secs(1)).await;
    rig.server
        .put("replicasets/default/a", owned_by("Deployment", "web", true));
    sleep(secs(1)).await;
    rig.server.put(
        "replicasets/default/b",
        owned_by("Deployment", "not-controlling", false),
    );
    rig.server.put(
        "replicasets/default/c",
        owned_by("StatefulSet", "other-kind", true),
    );
    sleep(secs(1)).await;
    // Both the previous owner and the new one.
    rig.server.put(
        "replicasets/default/a",
        owned_by("Deployment", "next", true),
    );
    sleep(secs(1)).await;
    rig.server.remove("replicasets/default/a");
    sleep(secs(1)).await;
    assert_eq!(
        rig.names(),
        ["default/web", "default/web", "default/next", "default/next"]
    );
}

#[tokio::test(start_paused = true)]
async fn every_owner_is_reconciled_on_request() {
    let rig = Rig::new();
    let builder = rig.builder().for_::<Deployment>();
    let builder = builder.owns::<Secret>().match_every_owner();
    let _task = rig.run(builder.owns::<ReplicaSet>().build(done(&rig)).unwrap());
    sleep(secs(1)).await;
    let reference = |kind, name, controller| {
        owned_by(kind, name, controller)["metadata"]["ownerReferences"][0].clone()
    };
    let references = json!([
        reference("Deployment", "controlling", true),
        reference("Deployment", "also", false),
        reference("StatefulSet", "other-kind", false),
    ]);
    let object = json!({"metadata": {"ownerReferences": references}, "spec": {"selector": {}}});
    rig.server.put("replicasets/default/a", object.clone());
    sleep(secs(1)).await;
    let mut names = rig.names();
    names.sort();
    assert_eq!(names, ["default/also", "default/controlling"]);
    rig.server.put("secrets/default/a", object);
    sleep(secs(1)).await;
    assert_eq!(
        rig.names(),
        ["default/controlling"],
        "owned before the call"
    );
}

#[tokio::test(start_paused = true)]
async fn watched_objects_reconcile_what_the_mapping_gives() {
    let rig = Rig::new();
    let mapping = |secret: &Arc<Secret>| {
        let users = secret
            .annotations()
            .get("users")
            .map(String::as_str)
            .unwrap_or_default()
            .to_owned();
        users
            .split(',')
            .filter(|user| !user.is_empty())
            .map(|user| ObjectKey::new(Some("default"), user))
            .collect()
    };
    let builder = rig.builder().for_::<ConfigMap>().watches::<Secret>(mapping);
    let _task = rig.run(builder.build(done(&rig)).unwrap());
    sleep(secs(1)).await;
    rig.server.put(
        "secrets/default/s",
        json!({"metadata": {"annotations": {"users": "a,b"}}}),
    );
    sleep(secs(1)).await;
    rig.server.put(
        "secrets/default/s",
        json!({"metadata": {"annotations": {"users": "c"}}}),
    );
    sleep(secs(1)).await;
    assert_eq!(
        rig.names(),
        [
            "default/a",
            "default/b",
            "default/a",
            "default/b",
            "default/c"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn predicates_hold_changes_back() {
    let rig = Rig::new();
    let put = |generation: u32, replicas: u32| {
        let meta = json!({"generation": generation, "uid": "u"});
        let object =
            json!({"metadata": meta, "spec": {"selector": {}}, "status": {"replicas": replicas}});
        rig.server.put("deployments/default/web", object);
    };
    let builder = rig
        .builder()
        .for_when::<Deployment>(predicates::generation_changed());
    let _task = rig.run(builder.build(done(&rig)).unwrap());
    sleep(secs(1)).await;
    for (generation, replicas) in [(1, 0), (1, 1), (1, 2), (2, 2), (2, 3)] {
        put(generation, replicas);
        sleep(secs(1)).await;
    }
    assert_eq!(
        rig.names(),
        ["default/web", "default/web"],
        "the addition and the change of the spec"
    );
}

#[test]
fn predicates_combine() {
    let map = |label: &str| {
        let mut map = ConfigMap::default();
        map.labels_mut().insert("app".to_owned(), label.to_owned());
        Arc::new(map)
    };
    let (web, db) = (map("web"), map("db"));
    let is = |value: &str| {
        predicates::labels_match::<ConfigMap>(
            Expression::Equal("app".to_owned(), value.to_owned()).into(),
        )
    };
    let check = |predicate: Predicate<ConfigMap>, change: Change<'_, ConfigMap>, expected: bool| {
        assert_eq!(predicate.passes(&change), expected, "{change:?}");
    };
    check(is("web"), Change::Added(&web), true);
    check(is("web"), Change::Added(&db), false);
    check(
        is("web"),
        Change::Updated {
            old: &web,
            new: &db,
        },
        true,
    );
    check(
        is("web").and(is("db")),
        Change::Updated {
            old: &web,
            new: &db,
        },
        true,
    );
    check(
        is("web").or(is("db")),
        Change::Deleted(&Deleted::Known(db.clone())),
        true,
    );
    check(
        is("web").negate(),
        Change::Deleted(&Deleted::Known(web.clone())),
        false,
    );
    check(
        predicates::labels_changed(),
        Change::Updated {
            old: &web,
            new: &db,
        },
        true,
    );
    check(
        predicates::labels_changed(),
        Change::Updated {
            old: &web,
            new: &web,
        },
        false,
    );
    check(
        predicates::annotations_changed(),
        Change::Updated {
            old: &web,
            new: &db,
        },
        false,
    );
    let recreated = map("web");
    let mut old = (*recreated).clone();
    old.metadata.uid = Some("before".to_owned());
    for predicate in [
        predicates::labels_changed(),
        predicates::annotations_changed(),
        predicates::generation_changed(),
        predicates::resource_version_changed(),
    ] {
        let change = Change::Updated {
            old: &Arc::new(old.clone()),
            new: &recreated,
        };
        check(predicate, change, true);
    }
    check(
        predicates::resource_version_changed(),
        Change::Updated {
            old: &web,
            new: &web,
        },
        false,
    );
    check(
        predicates::labels_match(Selector::default()),
        Change::Added(&web),
        true,
    );
    check(Predicate::all(), Change::Added(&web), true);
}

#[tokio::test]
async fn a_controller_that_cannot_work_is_not_built() {
    let rig = Rig::new();
    let check = |builder: codegen_runtime::controller::Builder, expected: BuildError| {
        assert_eq!(builder.build(done(&rig)).unwrap_err(), expected);
    };
    let builder = || Controller::builder("test", &rig.factory);
    check(builder(), BuildError::NothingToWatch("test".to_owned()));
    check(
        builder().owns::<Secret>(),
        BuildError::NoOwner("test".to_owned()),
    );
    check(
        builder().for_::<Secret>().for_::<ConfigMap>(),
        BuildError::TwoKinds("test".to_owned()),
    );
}

#[tokio::test(start_paused = true)]
async fn the_classic_way_is_an_informer_a_queue_and_workers() {
    let rig = Rig::new();
    rig.put("a");
    let queue = WorkQueue::<ObjectKey>::new();
    let informer = rig.factory.informer_for::<ConfigMap>();
    let adds = queue.clone();
    informer
        .add_event_handler(handler::funcs().on_add(move |map, _| adds.add(ObjectKey::of(&**map))))
        .unwrap();
    rig.factory.start(&CancellationToken::new());
    let log = rig.log();
    let (workers, stop) = (queue.clone(), rig.stop.clone());
    let task = tokio::spawn(async move {
        run_workers(&workers, 2, &stop, move |key: ObjectKey| {
            log(key.name());
            let fail = key.name() == "panics";
            async move { assert!(!fail, "on purpose") }
        })
        .await;
    });
    sleep(secs(1)).await;
    rig.put("b");
    sleep(secs(1)).await;
    assert_eq!(rig.names(), ["a", "b"]);
    rig.put("panics");
    sleep(secs(1)).await;
    let tries = rig.names().len();
    assert!(tries > 3, "a panic is retried, rate-limited: {tries}");
    rig.stop.cancel();
    task.await.unwrap();
    assert!(queue.is_shutting_down());
}
