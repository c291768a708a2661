//! Store, indexes, selectors and listers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::lister::Lister;
use codegen_runtime::store::{IndexFn, IndexerError, Store, UnknownIndex, WaitError};
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube::ResourceExt;
use kube::core::{Expression, Selector};

use super::support::objects::{cm_with, typed};
use super::support::stores;

fn object(name: &str, labels: &[(&str, &str)]) -> ConfigMap {
    typed(&cm_with(name, 1, name, labels))
}

fn in_namespace(namespace: &str, name: &str) -> ConfigMap {
    let mut object = object(name, &[]);
    object.metadata.namespace = Some(namespace.into());
    object
}

/// Indexes by the comma-separated values of the label `users`.
fn by_user(object: &ConfigMap) -> Vec<String> {
    let users = object
        .labels()
        .get("users")
        .map(String::as_str)
        .unwrap_or_default();
    users
        .split(',')
        .filter(|user| !user.is_empty())
        .map(str::to_owned)
        .collect()
}

fn names(objects: &[Arc<ConfigMap>]) -> BTreeSet<String> {
    objects.iter().map(|object| object.name_any()).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn check_users(store: &Store<ConfigMap>, user: &str, expected: &[&str]) {
    assert_eq!(
        names(&store.by_index("users", user).unwrap()),
        set(expected),
        "{user}"
    );
}

#[test]
fn an_index_finds_objects_by_each_of_their_values_and_follows_updates_and_deletes() {
    let store = stores::new();
    store.add_indexer("users", by_user).unwrap();
    store.insert(object("one", &[("users", "ernie,bert")]));
    store.insert(object("two", &[("users", "bert,oscar")]));
    store.insert(object("three", &[("users", "ernie,elmo")]));
    check_users(&store, "ernie", &["one", "three"]);
    check_users(&store, "bert", &["one", "two"]);
    store.insert(object("two", &[("users", "cookie,ernie")]));
    check_users(&store, "ernie", &["one", "two", "three"]);
    check_users(&store, "bert", &["one"]);
    store.remove("default/three");
    check_users(&store, "elmo", &[]);
}

#[test]
fn a_value_without_objects_is_removed_from_its_index() {
    let store = stores::new();
    store.add_indexer("users", by_user).unwrap();
    store.insert(object("one", &[("users", "a")]));
    store.insert(object("one", &[("users", "b")]));
    let values = store.snapshot().index_values("users").unwrap();
    assert_eq!(
        values.iter().map(|value| &**value).collect::<Vec<_>>(),
        ["b"]
    );
    store.remove("default/one");
    assert!(store.snapshot().index_values("users").unwrap().is_empty());
    assert!(
        store
            .snapshot()
            .index_values("namespace")
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_duplicate_indexer_name_is_an_error_and_adds_none() {
    let store = stores::new::<ConfigMap>();
    let function: IndexFn<ConfigMap> = Arc::new(by_user);
    store
        .add_indexers([("users".to_owned(), function.clone())])
        .unwrap();
    let both = [
        ("fresh".to_owned(), function.clone()),
        ("users".to_owned(), function.clone()),
    ];
    assert_eq!(
        store.add_indexers(both),
        Err(IndexerError::Duplicate("users".into()))
    );
    assert_eq!(
        store.by_index("fresh", "x"),
        Err(UnknownIndex("fresh".into()))
    );
    assert_eq!(
        store.add_indexers([("namespace".to_owned(), function)]),
        Err(IndexerError::Duplicate("namespace".into()))
    );
}

#[test]
fn indexers_may_be_added_to_a_populated_store() {
    let store = stores::new();
    store.insert(object("one", &[("users", "a,a,b")]));
    store.add_indexer("users", by_user).unwrap();
    check_users(&store, "a", &["one"]);
    check_users(&store, "b", &["one"]);
}

#[test]
fn an_index_function_that_panics_leaves_the_store_whole() {
    let store = stores::new();
    store
        .add_indexer("users", |object: &ConfigMap| {
            assert!(object.name_any() != "bad");
            by_user(object)
        })
        .unwrap();
    store.insert(object("one", &[("users", "a")]));
    let poisoned = store.clone();
    let insert =
        std::panic::AssertUnwindSafe(move || poisoned.insert(object("bad", &[("users", "a")])));
    assert!(std::panic::catch_unwind(insert).is_err());
    assert_eq!((store.len(), store.get("default/bad")), (1, None));
    check_users(&store, "a", &["one"]);
}

#[test]
fn a_replace_makes_the_given_objects_the_whole_contents_and_rebuilds_indexes() {
    let store = stores::new();
    store.add_indexer("users", by_user).unwrap();
    store.insert(object("old", &[("users", "a")]));
    store.replace([Arc::new(object("new", &[("users", "a")]))], "77");
    check_users(&store, "a", &["new"]);
    assert_eq!(store.resource_version(), "77");
    assert_eq!(
        store
            .list_keys()
            .iter()
            .map(|key| key.as_str())
            .collect::<Vec<_>>(),
        ["default/new"]
    );
}

#[test]
fn a_snapshot_is_not_changed_by_later_writes() {
    let store = stores::new();
    store.insert(object("one", &[]));
    let snapshot = store.snapshot();
    store.remove("default/one");
    store.insert(object("two", &[]));
    assert_eq!(snapshot.len(), 1);
    assert!(snapshot.get("default/one").is_some());
    assert_eq!(
        snapshot.index_keys("namespace", "default").unwrap()[0].name(),
        "one"
    );
}

fn check_selector(expression: Option<Expression>, expected: &[&str]) {
    let lister = Lister::new(stores::new());
    for (name, labels) in [
        ("plain", vec![]),
        ("web", vec![("app", "web"), ("tier", "front")]),
        ("db", vec![("app", "db")]),
    ] {
        lister.store().insert(object(name, &labels));
    }
    let selector: Selector = expression.into_iter().collect();
    assert_eq!(names(&lister.list(&selector)), set(expected), "{selector}");
    assert_eq!(
        names(&lister.namespace("default").list(&selector)),
        set(expected),
        "{selector}"
    );
}

#[test]
fn a_selector_finds_by_labels_what_kubernetes_would() {
    check_selector(None, &["plain", "web", "db"]);
    check_selector(
        Some(Expression::Equal("app".into(), "web".into())),
        &["web"],
    );
    check_selector(
        Some(Expression::NotEqual("app".into(), "web".into())),
        &["plain", "db"],
    );
    check_selector(Some(Expression::Exists("tier".into())), &["web"]);
    check_selector(
        Some(Expression::DoesNotExist("tier".into())),
        &["plain", "db"],
    );
    check_selector(
        Some(Expression::In(
            "app".into(),
            ["db".into(), "x".into()].into(),
        )),
        &["db"],
    );
    check_selector(
        Some(Expression::NotIn("app".into(), ["db".into()].into())),
        &["plain", "web"],
    );
}

#[test]
fn a_selector_that_matches_nothing_short_circuits() {
    check_selector(Some(Expression::In("app".into(), BTreeSet::new())), &[]);
}

#[test]
fn a_miss_names_the_group_resource_and_the_name() {
    let configmaps = Lister::<ConfigMap>::new(stores::new());
    let miss = configmaps.namespace("default").get("x").unwrap_err();
    assert_eq!(miss.to_string(), "configmaps \"x\" not found");
    let deployments = Lister::<k8s_openapi::api::apps::v1::Deployment>::new(stores::new());
    let miss = deployments.namespace("default").get("web").unwrap_err();
    assert_eq!(miss.to_string(), "deployments.apps \"web\" not found");
    let nodes = Lister::<Node>::new(stores::new());
    assert_eq!(
        nodes.get("node-1").unwrap_err().to_string(),
        "nodes \"node-1\" not found"
    );
}

#[test]
fn the_namespace_lister_reads_one_namespace_through_the_namespace_index() {
    let lister = Lister::new(stores::new());
    for (namespace, name) in [("a", "x"), ("a", "y"), ("b", "x")] {
        lister.store().insert(in_namespace(namespace, name));
    }
    let all = Selector::default();
    assert_eq!(names(&lister.namespace("a").list(&all)), set(&["x", "y"]));
    assert_eq!(lister.namespace("b").list(&all).len(), 1);
    assert!(lister.namespace("c").list(&all).is_empty());
    assert_eq!(
        lister.namespace("").list(&all).len(),
        3,
        "no namespace means all"
    );
    assert_eq!(lister.by_index("namespace", "a").unwrap().len(), 2);
    assert_eq!(
        lister
            .namespace("b")
            .get("x")
            .unwrap()
            .namespace()
            .as_deref(),
        Some("b")
    );
    assert!(lister.namespace("b").get("y").is_err());
    assert_eq!(lister.get("a/y").unwrap().name_any(), "y");
}

#[tokio::test(start_paused = true)]
async fn a_read_after_a_write_waits_for_at_least_that_version() {
    let lister = Lister::new(stores::new());
    let store = lister.store().clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        store.replace([Arc::new(object("one", &[]))], "1000");
    });
    let waited = tokio::time::Instant::now();
    lister
        .wait_for_resource_version("999", Duration::from_secs(5))
        .await
        .unwrap();
    assert_eq!(waited.elapsed(), Duration::from_secs(1));
    assert!(lister.get("default/one").is_ok());
    lister
        .wait_for_resource_version("1000", Duration::ZERO)
        .await
        .unwrap();
    let late = lister
        .wait_for_resource_version("1001", Duration::from_secs(5))
        .await;
    assert_eq!(
        late,
        Err(WaitError::Elapsed {
            wanted: "1001".into(),
            reached: "1000".into()
        })
    );
    let bad = lister
        .wait_for_resource_version("abc", Duration::from_secs(5))
        .await;
    assert_eq!(bad, Err(WaitError::Incomparable("abc".into())));
}
