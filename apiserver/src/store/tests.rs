use serde_json::{Value, json};

use super::*;

const PODS: ResourceId = ResourceId(1);
const NODES: ResourceId = ResourceId(2);

fn store(history: usize) -> Store {
    let store = Store::new(history, usize::MAX);
    store.open(PODS);
    store.open(NODES);
    store
}

fn object(name: &str, value: u64) -> Value {
    json!({"metadata": {"name": name, "namespace": "ns"}, "value": value})
}

fn put(store: &Store, resource: ResourceId, name: &str, value: u64) -> u64 {
    let key = Key::new("ns", name);
    let expect = store
        .get(resource, &key)
        .map_or(Expect::Absent, |o| Expect::Revision(o.revision));
    store
        .commit(resource, &key, expect, |revision| {
            Some(Stored::encode(&object(name, value), revision, 0))
        })
        .unwrap()
        .revision
}

fn delete(store: &Store, resource: ResourceId, name: &str) {
    let key = Key::new("ns", name);
    let revision = store.get(resource, &key).unwrap().revision;
    store
        .commit(resource, &key, Expect::Revision(revision), |_| None)
        .unwrap();
}

fn names(snapshot: &Snapshot) -> Vec<(String, Value)> {
    snapshot
        .objects
        .iter()
        .map(|o| (o.key.name.to_string(), o.decode()["value"].clone()))
        .collect()
}

#[test]
fn revisions_rise_by_one_with_every_change_of_any_resource() {
    let store = store(10);
    assert_eq!(put(&store, PODS, "a", 1), START + 1);
    assert_eq!(put(&store, NODES, "n", 1), START + 2);
    assert_eq!(put(&store, PODS, "a", 2), START + 3);
    delete(&store, PODS, "a");
    assert_eq!(store.revision(), START + 4);
}

#[test]
fn a_commit_against_another_revision_is_refused() {
    let store = store(10);
    put(&store, PODS, "a", 1);
    let key = Key::new("ns", "a");
    let result = store.commit(PODS, &key, Expect::Revision(1), |_| None);
    assert_eq!(result.unwrap_err(), CommitError::Changed);
    let result = store.commit(PODS, &key, Expect::Absent, |_| None);
    assert_eq!(result.unwrap_err(), CommitError::Exists);
    assert_eq!(store.revision(), START + 1);
}

#[test]
fn the_past_is_listed_by_undoing_the_log() {
    let store = store(10);
    put(&store, PODS, "a", 1);
    let then = put(&store, PODS, "b", 1);
    put(&store, PODS, "a", 2);
    put(&store, PODS, "c", 1);
    delete(&store, PODS, "b");
    let past = store.snapshot_at(PODS, "", then).unwrap();
    assert_eq!(
        names(&past),
        [("a".to_owned(), json!(1)), ("b".to_owned(), json!(1))]
    );
    assert_eq!(
        names(&store.snapshot(PODS, "ns")),
        [("a".to_owned(), json!(2)), ("c".to_owned(), json!(1))]
    );
    assert_eq!(
        store.snapshot_at(PODS, "", 9999).unwrap_err(),
        RevisionError::Future(START + 5)
    );
}

#[test]
fn events_leave_the_history_only_for_the_resource_that_lost_them() {
    let store = store(3);
    let first = put(&store, NODES, "n", 1);
    for value in 0..4 {
        put(&store, PODS, "a", value);
    }
    assert!(matches!(store.events_after(PODS, first), Batch::Lost));
    assert!(
        matches!(store.events_after(NODES, first), Batch::Events(events, at) if events.is_empty() && at == START + 5)
    );
    assert!(matches!(store.events_after(NODES, first - 1), Batch::Lost));
    assert_eq!(
        store.snapshot_at(PODS, "", first).unwrap_err(),
        RevisionError::Compacted(START + 2)
    );
}

#[test]
fn the_history_is_bounded_by_bytes_too() {
    let store = Store::new(1000, 200);
    store.open(PODS);
    for value in 0..10 {
        put(&store, PODS, "a", value);
    }
    assert!(matches!(store.events_after(PODS, START + 1), Batch::Lost));
    assert!(store.snapshot(PODS, "").objects.len() == 1);
}

#[test]
fn owners_know_their_dependents() {
    let store = store(10);
    let key = Key::new("ns", "child");
    let child = json!({"metadata": {"name": "child", "namespace": "ns",
        "ownerReferences": [{"uid": "u1", "name": "p", "kind": "P", "apiVersion": "v1"}]}});
    store
        .commit(PODS, &key, Expect::Absent, |r| {
            Some(Stored::encode(&child, r, 0))
        })
        .unwrap();
    assert_eq!(store.dependents("u1"), [(PODS, key)]);
    delete(&store, PODS, "child");
    assert!(store.dependents("u1").is_empty());
}
