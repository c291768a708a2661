//! The event queue between reflector and store.

use std::sync::Arc;

use codegen_runtime::informer::queue::{Batch, EventQueue, MAX_BATCH};
use codegen_runtime::reflector::{Change, Replace, Sink};
use codegen_runtime::store::ObjectKey;
use k8s_openapi::api::core::v1::ConfigMap;

use super::support::objects::{cm, typed};
use super::support::stores;

fn queue() -> EventQueue<ConfigMap> {
    EventQueue::new(stores::new())
}

fn keyed(name: &str, version: u64) -> (ObjectKey, Arc<ConfigMap>) {
    let object = Arc::new(typed(&cm(name, version)));
    (ObjectKey::of(&*object), object)
}

fn upsert(name: &str, version: u64) -> Change<ConfigMap> {
    let (key, object) = keyed(name, version);
    Change::Upsert { key, object }
}

fn delete(name: &str, version: u64) -> Change<ConfigMap> {
    let (key, object) = keyed(name, version);
    Change::Delete {
        key,
        object: Some(object),
    }
}

fn replace(names: &[&str]) -> Replace<ConfigMap> {
    let objects = names.iter().map(|name| {
        let (key, object) = keyed(name, 1);
        (key, object.into())
    });
    let objects = objects.collect();
    Replace {
        objects,
        keep: Vec::new(),
        resource_version: "9".into(),
        versions_went_back: false,
    }
}

fn describe(batch: Batch<ConfigMap>) -> String {
    match batch {
        Batch::Resync => "resync".into(),
        Batch::Leave(keys) => format!("leave {}", keys.len()),
        Batch::Mark(_) => "mark".into(),
        Batch::Replace(replace) => {
            let names: Vec<_> = replace.objects.iter().map(|(key, _)| key.name()).collect();
            format!(
                "replace {} at {}",
                names.join(","),
                replace.resource_version
            )
        }
        Batch::Changes {
            changes,
            resource_version,
        } => {
            let changes: Vec<_> = changes.iter().map(describe_change).collect();
            format!("{} at {resource_version}", changes.join(","))
        }
    }
}

fn describe_change(change: &Change<ConfigMap>) -> String {
    match change {
        Change::Upsert { key, object } => {
            format!(
                "+{}@{}",
                key.name(),
                object.metadata.resource_version.as_deref().unwrap_or("?")
            )
        }
        Change::Delete { key, .. } => format!("-{}", key.name()),
    }
}

/// Pops until the queue is empty.
async fn drain(queue: &EventQueue<ConfigMap>) -> Vec<String> {
    let mut batches = Vec::new();
    while !queue.is_empty() {
        assert!(queue.pop(|batch| batches.push(describe(batch))).await);
    }
    batches
}

#[tokio::test]
async fn every_event_is_delivered_in_order_and_none_is_coalesced() {
    let queue = queue();
    queue.apply(
        vec![
            upsert("a", 1),
            upsert("b", 2),
            upsert("a", 3),
            delete("a", 4),
            upsert("a", 5),
        ],
        "5",
    );
    assert_eq!(
        drain(&queue).await,
        ["+a@1,+b@2 at ", "+a@3 at ", "-a at ", "+a@5 at 5"]
    );
}

#[tokio::test]
async fn a_line_jumper_is_impossible_an_event_of_a_queued_key_goes_to_the_tail() {
    let queue = queue();
    for (name, version) in [
        ("foo", 10),
        ("bar", 1),
        ("foo", 11),
        ("foo", 13),
        ("zab", 30),
    ] {
        queue.apply(vec![upsert(name, version)], "");
    }
    let order = drain(&queue).await.concat();
    assert_eq!(order, "+foo@10,+bar@1 at +foo@11 at +foo@13,+zab@30 at ");
}

#[tokio::test]
async fn a_batch_has_at_most_1000_changes_with_unique_keys() {
    let queue = queue();
    queue.apply(
        (0..2500).map(|n| upsert(&format!("k{n}"), n)).collect(),
        "2500",
    );
    let mut sizes = Vec::new();
    while !queue.is_empty() {
        queue
            .pop(|batch| {
                let Batch::Changes { changes, .. } = batch else {
                    panic!("changes expected")
                };
                sizes.push(changes.len());
            })
            .await;
    }
    assert_eq!(sizes.iter().sum::<usize>(), 2500);
    assert!(sizes.iter().all(|size| *size <= MAX_BATCH), "{sizes:?}");
    assert_eq!(sizes[0], MAX_BATCH);
}

#[tokio::test]
async fn a_replace_is_one_entry_and_keeps_its_place() {
    let queue = queue();
    queue.apply(vec![upsert("a", 1)], "1");
    queue.replace(replace(&["b", "c"]));
    queue.apply(vec![upsert("d", 10)], "10");
    assert_eq!(
        drain(&queue).await,
        ["+a@1 at 1", "replace b,c at 9", "+d@10 at 10"]
    );
}

#[tokio::test]
async fn a_resync_never_overtakes_a_queued_update() {
    let queue = queue();
    queue.replace(replace(&["a"]));
    queue.apply(vec![upsert("a", 2)], "2");
    queue.resync();
    queue.apply(vec![upsert("a", 3)], "3");
    assert_eq!(
        drain(&queue).await,
        ["replace a at 9", "+a@2 at 2", "resync", "+a@3 at 3"]
    );
}

#[tokio::test]
async fn has_synced_turns_true_only_after_the_last_initial_item_is_processed() {
    let queue = queue();
    assert!(!queue.has_synced());
    queue.replace(replace(&["a", "b"]));
    assert!(!queue.has_synced(), "queued is not processed");
    queue
        .pop(|_| assert!(!queue.has_synced(), "nor is being processed"))
        .await;
    assert!(queue.has_synced());
    queue.replace(replace(&["a"]));
    assert!(queue.has_synced(), "and it stays");
}

#[tokio::test]
async fn an_empty_first_list_syncs_too() {
    let queue = queue();
    queue.replace(replace(&[]));
    queue.pop(|_| {}).await;
    assert!(queue.has_synced());
}

#[tokio::test]
async fn a_resync_before_the_first_list_does_not_sync() {
    let queue = queue();
    queue.resync();
    queue.pop(|_| {}).await;
    assert!(!queue.has_synced());
}

#[tokio::test(start_paused = true)]
async fn close_unblocks_a_waiting_pop() {
    let queue = Arc::new(queue());
    let waiting = tokio::spawn({
        let queue = queue.clone();
        async move { queue.pop(|_| {}).await }
    });
    super::support::settle().await;
    queue.close();
    assert!(!waiting.await.unwrap());
    queue.apply(vec![upsert("a", 1)], "1");
    assert!(queue.is_empty(), "a closed queue takes nothing in");
}

#[tokio::test]
async fn an_unchanged_object_is_known_as_the_arc_that_was_processed() {
    let store = stores::new();
    let queue = EventQueue::new(store.clone());
    store.insert(typed(&cm("a", 1)));
    assert!(Arc::ptr_eq(
        &queue.known("default/a").unwrap(),
        &store.get("default/a").unwrap()
    ));
}
