//! Finalizers, deletionTimestamp and the delete options that the server itself handles.

use crate::harness::cases;
use crate::support::collection::unique;
use crate::support::watching::Watch;
use crate::support::*;

cases![
    an_option_of_another_type_is_refused,
    finalizer_keeps_the_object,
    delete_with_a_finalizer_returns_the_object,
    removing_the_last_finalizer_removes_the_object,
    added_finalizers_without_a_domain_are_warned_of,
    removing_one_of_two_finalizers_keeps_the_object,
    finalizers_cannot_be_added_while_deleting,
    second_delete_changes_nothing,
    deletion_counts_a_generation,
    deletion_counts_a_generation_of_priority_classes,
    deletion_timestamp_cannot_be_taken_back,
    update_with_a_deletion_timestamp_is_refused,
    update_while_deleting_is_allowed,
    foreground_deletion_adds_its_finalizer,
    orphan_deletion_adds_its_finalizer,
    unknown_propagation_policy_is_refused,
    orphan_dependents_and_policy_together_are_refused,
    a_deletion_that_waits_is_accepted_with_the_old_option,
    pod_grace_period_is_kept,
    pod_with_no_grace_is_gone_at_once,
    pod_is_marked_before_it_is_removed,
    terminating_pod_is_marked_before_it_is_removed,
    pod_with_less_grace_than_none_gets_a_second,
    pod_grace_period_may_be_the_longest_number,
    invalid_finalizer_is_refused: create_invalid_with(
        CONFIG_MAPS, json!({"metadata": {"finalizers": ["not valid"]}}),
        "metadata.finalizers: Invalid value: \"not valid\": name part must consist of alphanumeric characters"),
    create_of_a_terminating_name_is_refused,
    event_objects_have_no_grace,
];

async fn held(client: &Client, finalizers: Value) -> Collection {
    let maps = configmaps(client).await;
    maps.given("a", json!({"metadata": {"finalizers": finalizers}}))
        .await;
    maps
}

async fn deletion_counts_a_generation_of_priority_classes(client: Client) {
    const CLASSES: Resource<'_> = Resource(
        "/apis/scheduling.k8s.io/v1",
        "priorityclasses",
        "PriorityClass",
    );
    let classes = CLASSES.everywhere(&client);
    let name = format!("a{}", unique());
    let fields = json!({"value": 1, "metadata": {"finalizers": ["example.com/a"]}});
    check!(classes.given(&name, fields).await, "/metadata/generation": 1);
    check!(classes.delete(&name).await.is(200), "/metadata/generation": 2);
    classes.release(&name).await;
}

async fn finalizer_keeps_the_object(client: Client) {
    let maps = held(&client, json!(["example.com/a"])).await;
    maps.delete("a").await.is(200);
    let found = maps.get("a").await.is(200);
    assert!(at(&found, "/metadata/deletionTimestamp").is_string());
    check!(found, "/metadata/deletionGracePeriodSeconds": 0);
    maps.release("a").await;
}

async fn delete_with_a_finalizer_returns_the_object(client: Client) {
    let maps = held(&client, json!(["example.com/a"])).await;
    let answer = maps.delete("a").await.is(200);
    check!(answer, "/kind": "ConfigMap");
    assert!(at(&answer, "/metadata/deletionTimestamp").is_string());
    maps.release("a").await;
}

async fn removing_the_last_finalizer_removes_the_object(client: Client) {
    let maps = held(&client, json!(["example.com/a"])).await;
    maps.delete("a").await.is(200);
    let last = maps
        .merged("a", json!({"metadata": {"finalizers": []}}))
        .await;
    check!(last, "/metadata/name": "a");
    maps.get("a").await.refused(404, "NotFound");
}

async fn removing_one_of_two_finalizers_keeps_the_object(client: Client) {
    let maps = held(&client, json!(["example.com/a", "example.com/b"])).await;
    maps.delete("a").await.is(200);
    maps.merged("a", json!({"metadata": {"finalizers": ["example.com/b"]}}))
        .await;
    check!(maps.get("a").await.is(200), "/metadata/finalizers": ["example.com/b"]);
    maps.merged("a", json!({"metadata": {"finalizers": []}}))
        .await;
    maps.get("a").await.refused(404, "NotFound");
}

async fn finalizers_cannot_be_added_while_deleting(client: Client) {
    let maps = held(&client, json!(["example.com/a"])).await;
    maps.delete("a").await.is(200);
    let reply = maps
        .merge(
            "a",
            json!({"metadata": {"finalizers": ["example.com/a", "example.com/b"]}}),
        )
        .await;
    reply.invalid_with("metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{\"example.com/b\"}");
    maps.release("a").await;
}

async fn second_delete_changes_nothing(client: Client) {
    let maps = held(&client, json!(["example.com/a"])).await;
    let first = maps.delete("a").await.is(200);
    let second = maps.delete("a").await.is(200);
    assert_eq!(first, second);
    maps.release("a").await;
}

async fn deletion_counts_a_generation(client: Client) {
    let things = things(&client, json!({})).await;
    things
        .given("a", json!({"metadata": {"finalizers": ["example.com/a"]}}))
        .await;
    let deleting = things.delete("a").await.is(200);
    check!(deleting, "/metadata/generation": 2);
    things.release("a").await;
}

async fn deletion_timestamp_cannot_be_taken_back(client: Client) {
    let maps = held(&client, json!(["example.com/a"])).await;
    let deleting = maps.delete("a").await.is(200);
    let updated = maps
        .replaced(
            "a",
            &maps.object("a", json!({"metadata": {"finalizers": ["example.com/a"]}})),
        )
        .await;
    assert_eq!(
        at(&updated, "/metadata/deletionTimestamp"),
        at(&deleting, "/metadata/deletionTimestamp")
    );
    maps.release("a").await;
}

async fn update_with_a_deletion_timestamp_is_refused(client: Client) {
    let maps = held(&client, json!(["example.com/a"])).await;
    let body = json!({"metadata": {"deletionTimestamp": "2030-01-01T00:00:00Z"}});
    maps.merge("a", body).await.invalid("ConfigMap \"a\" is invalid: metadata.deletionTimestamp: Invalid value: \"2030-01-01T00:00:00Z\": field is immutable");
    maps.release("a").await;
}

async fn update_while_deleting_is_allowed(client: Client) {
    let maps = held(&client, json!(["example.com/a"])).await;
    maps.delete("a").await.is(200);
    check!(maps.merged("a", json!({"data": {"k": "v"}})).await, "/data/k": "v");
    maps.release("a").await;
}

async fn foreground_deletion_adds_its_finalizer(client: Client) {
    // A finalizer keeps a garbage collector from finishing before the case has looked.
    let maps = held(&client, json!(["example.com/a"])).await;
    let deleting = maps
        .deleted_with("a", &json!({"propagationPolicy": "Foreground"}))
        .await;
    check!(deleting, "/metadata/finalizers": ["example.com/a", "foregroundDeletion"]);
    assert!(at(&deleting, "/metadata/deletionTimestamp").is_string());
    maps.release("a").await;
}

async fn orphan_deletion_adds_its_finalizer(client: Client) {
    let maps = held(&client, json!(["example.com/a"])).await;
    let deleting = maps
        .deleted_with("a", &json!({"propagationPolicy": "Orphan"}))
        .await;
    check!(deleting, "/metadata/finalizers": ["example.com/a", "orphan"]);
    maps.release("a").await;
}

async fn unknown_propagation_policy_is_refused(client: Client) {
    let maps = held(&client, json!([])).await;
    maps.delete_with("a", &json!({"propagationPolicy": "Sideways"}))
        .await
        .invalid_with("propagationPolicy: Unsupported value: \"Sideways\"");
}

async fn orphan_dependents_and_policy_together_are_refused(client: Client) {
    let maps = held(&client, json!([])).await;
    maps.delete_with(
        "a",
        &json!({"propagationPolicy": "Orphan", "orphanDependents": true}),
    )
    .await
    .invalid_with("orphanDependents and deletionPropagation cannot be both set");
}

async fn pods(client: &Client) -> Collection {
    let pods = PODS.fresh(client).await;
    pods.given(
        "a",
        json!({"spec": {"nodeName": "nowhere", "containers": [{"name": "c", "image": "i"}]}}),
    )
    .await;
    pods
}

async fn pod_grace_period_is_kept(client: Client) {
    let pods = pods(&client).await;
    let deleting = pods
        .deleted_with("a", &json!({"gracePeriodSeconds": 7}))
        .await;
    check!(deleting, "/metadata/deletionGracePeriodSeconds": 7);
    assert!(at(&deleting, "/metadata/deletionTimestamp").is_string());
    pods.get("a").await.is(200);
    pods.deleted_with("a", &json!({"gracePeriodSeconds": 0}))
        .await;
}

async fn pod_with_no_grace_is_gone_at_once(client: Client) {
    let pods = pods(&client).await;
    check!(pods.deleted_with("a", &json!({"gracePeriodSeconds": 0})).await, "/kind": "Pod");
    pods.get("a").await.refused(404, "NotFound");
}

/// Deletes a pod without grace; a watch sees two events, both with the time of deletion.
async fn removed_at_once(pods: &Collection) {
    let version = pods.version().await;
    let path = format!("{}?watch=true&resourceVersion={version}", pods.path);
    let mut watch = Watch::start(&pods.client, &path).await;
    let removed = pods
        .deleted_with("a", &json!({"gracePeriodSeconds": 0}))
        .await;
    let marked = watch.expect("MODIFIED", "a").await;
    let last = watch.expect("DELETED", "a").await;
    for seen in [&removed, &marked, &last] {
        check!(seen, "/metadata/deletionGracePeriodSeconds": 0);
        assert!(at(seen, "/metadata/deletionTimestamp").is_string());
    }
}

async fn pod_is_marked_before_it_is_removed(client: Client) {
    removed_at_once(&pods(&client).await).await;
}

async fn terminating_pod_is_marked_before_it_is_removed(client: Client) {
    let pods = pods(&client).await;
    pods.deleted_with("a", &json!({"gracePeriodSeconds": 7}))
        .await;
    removed_at_once(&pods).await;
}

async fn pod_with_less_grace_than_none_gets_a_second(client: Client) {
    let pods = pods(&client).await;
    let deleting = pods
        .deleted_with("a", &json!({"gracePeriodSeconds": -9}))
        .await;
    check!(deleting, "/metadata/deletionGracePeriodSeconds": 1);
    pods.deleted_with("a", &json!({"gracePeriodSeconds": 0}))
        .await;
}

async fn pod_grace_period_may_be_the_longest_number(client: Client) {
    let pods = pods(&client).await;
    let deleting = pods
        .deleted_with("a", &json!({"gracePeriodSeconds": i64::MAX}))
        .await;
    check!(deleting, "/metadata/deletionGracePeriodSeconds": i64::MAX);
    let sooner = pods
        .deleted_with("a", &json!({"gracePeriodSeconds": 7}))
        .await;
    check!(sooner, "/metadata/deletionGracePeriodSeconds": 7);
    pods.deleted_with("a", &json!({"gracePeriodSeconds": 0}))
        .await;
}

async fn create_of_a_terminating_name_is_refused(client: Client) {
    let maps = held(&client, json!(["example.com/a"])).await;
    maps.delete("a").await.is(200);
    let reply = maps.creation("a", json!({})).await;
    reply.fails(
        409,
        "AlreadyExists",
        "object is being deleted: configmaps \"a\" already exists",
    );
    maps.release("a").await;
}

async fn event_objects_have_no_grace(client: Client) {
    let things = things(&client, json!({})).await;
    things.given("a", json!({})).await;
    things
        .deleted_with("a", &json!({"gracePeriodSeconds": 30}))
        .await;
    things.get("a").await.refused(404, "NotFound");
}

/// A deletion whose precondition was ignored would be worse than none.
async fn an_option_of_another_type_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    for (options, message) in [
        (
            json!({"preconditions": {"uid": 5}}),
            "json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID",
        ),
        (
            json!({"preconditions": "x"}),
            "json: cannot unmarshal string into Go struct field DeleteOptions.preconditions of type v1.Preconditions",
        ),
        (
            json!({"gracePeriodSeconds": "5"}),
            "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
        ),
        (
            json!({"gracePeriodSeconds": 1.5}),
            "json: cannot unmarshal number 1.5 into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
        ),
        (
            json!({"propagationPolicy": 5}),
            "json: cannot unmarshal number into Go struct field DeleteOptions.propagationPolicy of type v1.DeletionPropagation",
        ),
        (
            json!({"dryRun": "All"}),
            "json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string",
        ),
        (
            json!({"dryRun": [5]}),
            "json: cannot unmarshal number into Go struct field DeleteOptions.dryRun of type string",
        ),
        (
            json!({"orphanDependents": "x"}),
            "json: cannot unmarshal string into Go struct field DeleteOptions.orphanDependents of type bool",
        ),
    ] {
        maps.delete_with("a", &options).await.bad_request(message);
    }
    let list = maps.delete_with("a", &json!([])).await;
    list.bad_request_with("json parse error: json: cannot unmarshal array into Go value");
    maps.get("a").await.is(200);
    let nulls = json!({"gracePeriodSeconds": null, "preconditions": null, "dryRun": null});
    maps.delete_with("a", &nulls).await.is(200);
}

async fn added_finalizers_without_a_domain_are_warned_of(client: Client) {
    let things = things(&client, json!({"n": {"type": "integer"}})).await;
    let warning = |name: &str| {
        format!(
            "metadata.finalizers: \"{name}\": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"
        )
    };
    let metadata = json!({"metadata": {"finalizers": ["b", "a"]}});
    let invalid = json!({"metadata": {"finalizers": ["b"]}, "spec": {"n": "x"}});
    assert!(things.creation("a", invalid).await.warnings().is_empty());
    let created = things.creation("a", metadata).await;
    assert_eq!(created.warnings(), [warning("a"), warning("b")]);
    let kept = things.merge("a", json!({"spec": {"n": 1}})).await;
    assert!(kept.warnings().is_empty(), "{:?}", kept.warnings());
    let added = json!({"metadata": {"finalizers": ["a", "b", "c"]}});
    assert_eq!(things.merge("a", added).await.warnings(), [warning("c")]);
    let none = json!({"metadata": {"finalizers": null}});
    things.merge("a", none).await.is(200);
}

async fn a_deletion_that_waits_is_accepted_with_the_old_option(client: Client) {
    let maps = held(&client, json!(["example.com/a"])).await;
    let options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "orphanDependents": false});
    maps.delete_with("a", &options).await.is(202);
    maps.given("b", json!({})).await;
    maps.delete_with("b", &options).await.is(200);
}
