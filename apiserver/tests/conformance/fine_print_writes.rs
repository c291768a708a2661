//! Details of writes, found by random requests: new objects, finalizers, warnings and ownership.

use crate::harness::cases;
use crate::support::crd::{CRDS, spec_schema};
use crate::support::wire::{delete_with, patch_type};
use crate::support::*;

cases![
    new_object_of_an_apply_keeps_its_deletion,
    generation_is_kept_where_none_is_counted,
    finalizers_that_are_no_names_are_reported_twice,
    finalizers_need_no_domain_in_some_groups,
    unknown_fields_are_warned_of_before_the_name_is_compared,
    applied_null_beside_live_items_is_ignored,
    applied_creation_time_of_a_custom_resource_is_ignored,
    empty_status_has_no_owner_before_the_first_apply,
    integers_beyond_63_bits_are_floats,
    patched_custom_resource_needs_an_api_version,
    changed_selector_of_a_stateful_set_is_forbidden_once,
    selectable_fields_that_differ_need_schemas_that_differ,
    deleted_definition_has_no_finalizer_for_its_propagation,
];

async fn new_object_of_an_apply_keeps_its_deletion(client: Client) {
    let maps = configmaps(&client).await;
    let fields = json!({"metadata": {"deletionGracePeriodSeconds": 5}});
    let created = maps.given_by("a", "m", fields.clone()).await;
    check!(created, "/metadata/deletionGracePeriodSeconds": 5);
    let created = maps.given("b", fields).await;
    check_absent(&created, "/metadata/deletionGracePeriodSeconds");
}

async fn generation_is_kept_where_none_is_counted(client: Client) {
    let fields = json!({"metadata": {"generation": 7}});
    let maps = configmaps(&client).await;
    check!(maps.given("a", fields.clone()).await, "/metadata/generation": 7);
    check!(maps.given_by("b", "m", fields.clone()).await, "/metadata/generation": 7);
    let things = things(&client, json!({})).await;
    check!(things.given("a", fields).await, "/metadata/generation": 1);
}

async fn finalizers_that_are_no_names_are_reported_twice(client: Client) {
    let maps = configmaps(&client).await;
    let reply = maps
        .creation("a", json!({"metadata": {"finalizers": ["a b"]}}))
        .await;
    let status = reply.invalid_with(
        "metadata.finalizers[0]: Invalid value: \"a b\": name is neither a standard finalizer name nor is it fully qualified",
    );
    check!(status, "/details/causes/0/field": "metadata.finalizers", "/details/causes/1/field": "metadata.finalizers[0]");
}

async fn finalizers_need_no_domain_in_some_groups(client: Client) {
    const BUDGETS: Resource<'_> = Resource(
        "/apis/policy/v1",
        "poddisruptionbudgets",
        "PodDisruptionBudget",
    );
    let fields = json!({"metadata": {"finalizers": ["x"]}});
    for resource in [LEASES, BUDGETS] {
        let objects = resource.fresh(&client).await;
        check!(objects.given("a", fields.clone()).await, "/metadata/finalizers": ["x"]);
        objects.release("a").await;
    }
    create_invalid_with(
        client,
        ROLES,
        fields,
        "metadata.finalizers[0]: Invalid value: \"x\"",
    )
    .await;
}

async fn unknown_fields_are_warned_of_before_the_name_is_compared(client: Client) {
    let things = things(&client, json!({"n": {"type": "integer"}})).await;
    let created = things.given("a", json!({"spec": {"n": 1}})).await;
    let operations = json!([
        {"op": "add", "path": "/spec/-", "value": 1},
        {"op": "add", "path": "/metadata/name", "value": "b"},
    ]);
    let mut other = created;
    other["spec"]["-"] = json!(1);
    other["metadata"]["name"] = json!("b");
    for reply in [
        things.json_patch("a", operations).await,
        things.put("a", &other).await,
    ] {
        reply.bad_request("the name of the object (b) does not match the name on the URL (a)");
        assert_eq!(reply.warnings(), ["unknown field \"spec.-\""]);
    }
}

async fn applied_null_beside_live_items_is_ignored(client: Client) {
    let items = json!({"type": "array", "items": {"type": "string"}});
    let mut set = items.clone();
    set["x-kubernetes-list-type"] = json!("set");
    let things = things(&client, json!({"set": set, "whole": items})).await;
    let spec = json!({"spec": {"set": ["x"], "whole": ["x"]}});
    things.given("a", spec).await;
    let applied = things
        .forced("a", "m", json!({"spec": {"set": null}}))
        .await;
    check!(applied, "/spec/set": ["x"]);
    let reply = things
        .apply_forced("a", "m", json!({"spec": {"whole": null}}))
        .await;
    reply.invalid_with("spec.whole in body must be of type array: \"null\"");
    let reply = things.apply("b", "m", json!({"spec": {"set": null}})).await;
    reply.invalid_with("spec.set in body must be of type array: \"null\"");
}

async fn applied_creation_time_of_a_custom_resource_is_ignored(client: Client) {
    let things = things(&client, json!({"n": {"type": "integer"}})).await;
    let created = things.given("a", json!({"spec": {"n": 1}})).await;
    let fields = json!({"metadata": {"creationTimestamp": "yesterday"}, "spec": {"n": 2}});
    let applied = things.forced("a", "m", fields).await;
    check!(applied, "/spec/n": 2, "/metadata/creationTimestamp": at(&created, "/metadata/creationTimestamp"));
}

async fn empty_status_has_no_owner_before_the_first_apply(client: Client) {
    let services = SERVICES.fresh(&client).await;
    services
        .given("a", json!({"spec": {"ports": [{"port": 80}]}}))
        .await;
    services
        .merged("a", json!({"metadata": {"managedFields": []}}))
        .await;
    let fields = json!({"metadata": {"labels": {"l": "1"}}});
    let applied = services
        .apply_with("a/status", "fieldManager=m", fields)
        .await
        .is(200);
    let owned = at(&applied, "/metadata/managedFields").to_string();
    assert!(!owned.contains("f:status"), "{owned}");
}

async fn integers_beyond_63_bits_are_floats(client: Client) {
    let properties =
        json!({"free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let things = things(&client, properties).await;
    let spec = json!({"spec": {"free": {"n": 9_223_372_036_854_775_808_u64}}});
    let created = things.given("a", spec).await;
    check!(created, "/spec/free/n": 9_223_372_036_854_776_000_u64);
}

async fn patched_custom_resource_needs_an_api_version(client: Client) {
    let things = things(&client, json!({})).await;
    things.given("a", json!({})).await;
    let reply = things.merge("a", json!({"apiVersion": ""})).await;
    reply.fails(
        500,
        "InternalError",
        "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
    );
}

async fn changed_selector_of_a_stateful_set_is_forbidden_once(client: Client) {
    let sets = STATEFUL_SETS.fresh(&client).await;
    let fields = json!({"spec": {
        "selector": {"matchLabels": {"app": "a"}},
        "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
    }});
    sets.given("a", fields).await;
    let selector =
        json!({"matchLabels": null, "matchExpressions": [{"key": "app", "operator": "In"}]});
    let reply = sets
        .merge("a", json!({"spec": {"selector": selector}}))
        .await;
    let status = reply.invalid_with(
        "spec.selector: Invalid value: {\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"In\"}]}, spec: Forbidden: updates to statefulset spec",
    );
    assert_eq!(
        at(&status, "/details/causes").as_array().map(Vec::len),
        Some(3)
    );
}

async fn selectable_fields_that_differ_need_schemas_that_differ(client: Client) {
    let schema = spec_schema(json!({"s": {"type": "string"}}));
    let crd = Crd::new(schema.clone())
        .with("selectableFields", json!([{"jsonPath": ".spec.s"}]))
        .and_version("v2", schema);
    let refused = post(&client, CRDS, &crd.body).await;
    refused.invalid_with(
        "spec.versions[0].selectableFields: Invalid value: \"\": may only be set when `version.schema.openAPIV3Schema` is not included",
    );
}

async fn deleted_definition_has_no_finalizer_for_its_propagation(client: Client) {
    let crd = Crd::new(spec_schema(json!({})));
    let things = crd.install(&client).await;
    // It holds the definition, so that its deletion can be seen.
    things
        .given("a", json!({"metadata": {"finalizers": ["example.com/a"]}}))
        .await;
    let options =
        json!({"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Foreground"});
    let deleted = delete_with(&client, &crd.path(), &options).await.is(200);
    check!(deleted, "/metadata/finalizers": ["customresourcecleanup.apiextensions.k8s.io"]);
    let release = json!({"metadata": {"finalizers": null}});
    patch(&client, &things.at("a"), patch_type::MERGE, &release)
        .await
        .is(200);
}
