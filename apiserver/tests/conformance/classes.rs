//! Storage and priority classes: their values, and what an update can change.

use crate::harness::cases;
use crate::support::cleanup::delete_at_end;
use crate::support::collection::unique;
use crate::support::*;

cases![
    reclaim_policy_is_known: class_invalid_with(
        STORAGE, storage(json!({"reclaimPolicy": "Recycle"})),
        "reclaimPolicy: Unsupported value: \"Recycle\": supported values: \"Delete\", \"Retain\""),
    binding_mode_is_known: class_invalid_with(
        STORAGE, storage(json!({"volumeBindingMode": "Later"})),
        "volumeBindingMode: Unsupported value: \"Later\": supported values: \"Immediate\", \"WaitForFirstConsumer\""),
    provisioner_is_a_qualified_name: class_invalid_with(
        STORAGE, json!({"provisioner": "a b"}),
        "provisioner: Invalid value: \"a b\": name part must consist of alphanumeric characters"),
    provisioner_is_immutable: change_invalid_with(
        STORAGE, storage(json!({})), json!({"provisioner": "other.test/p"}),
        "provisioner: Invalid value: \"other.test/p\": field is immutable"),
    parameters_are_immutable: change_invalid_with(
        STORAGE, storage(json!({})), json!({"parameters": {"a": "b"}}), "parameters: Invalid value: {\"a\":\"b\"}: field is immutable"),
    reclaim_policy_is_immutable: change_invalid_with(
        STORAGE, storage(json!({})), json!({"reclaimPolicy": "Retain"}), "reclaimPolicy: Invalid value: \"Retain\": field is immutable"),
    binding_mode_is_immutable: change_invalid_with(
        STORAGE, storage(json!({})), json!({"volumeBindingMode": "WaitForFirstConsumer"}),
        "volumeBindingMode: Invalid value: \"WaitForFirstConsumer\": field is immutable"),
    expansion_can_change,
    priority_has_a_highest_value: class_invalid_with(
        PRIORITY, json!({"value": 1_000_000_001}), "value: Forbidden: maximum allowed value of a user defined priority is 1000000000"),
    preemption_policy_is_known: class_invalid_with(
        PRIORITY, json!({"value": 1, "preemptionPolicy": "Some"}),
        "preemptionPolicy: Unsupported value: \"Some\": supported values: \"PreemptLowerPriority\", \"Never\""),
    system_classes_are_kubernetes_own,
    priority_is_immutable: change_invalid_with(
        PRIORITY, json!({"value": 1}), json!({"value": 2}), "value: Forbidden: may not be changed in an update."),
    preemption_policy_is_immutable: change_invalid_with(
        PRIORITY, json!({"value": 1}), json!({"preemptionPolicy": "Never"}),
        "preemptionPolicy: Invalid value: \"Never\": field is immutable"),
    changed_preemption_policy_is_not_validated,
    generation_of_a_priority_class_is_fixed,
];

const STORAGE: Resource<'_> = Resource("/apis/storage.k8s.io/v1", "storageclasses", "StorageClass");
const PRIORITY: Resource<'_> = Resource(
    "/apis/scheduling.k8s.io/v1",
    "priorityclasses",
    "PriorityClass",
);

/// A storage class with these fields.
fn storage(mut fields: Value) -> Value {
    fields["provisioner"] = json!("example.test/p");
    fields
}

/// Expects the creation of a class to fail as invalid, with this part of the message.
async fn class_invalid_with(client: Client, resource: Resource<'_>, fields: Value, part: &str) {
    let classes = resource.everywhere(&client);
    let reply = classes.creation(&unique(), fields).await;
    reply.invalid_with(part);
}

/// Creates a class that is deleted at the end of the case; returns its name.
async fn given(classes: &Collection, fields: Value) -> String {
    let name = unique();
    delete_at_end(classes.at(&name));
    classes.given(&name, fields).await;
    name
}

/// Expects a merge into a class to fail as invalid, with this part of the message.
async fn change_invalid_with(
    client: Client,
    resource: Resource<'_>,
    fields: Value,
    change: Value,
    part: &str,
) {
    let classes = resource.everywhere(&client);
    let name = given(&classes, fields).await;
    classes.merge(&name, change).await.invalid_with(part);
}

async fn expansion_can_change(client: Client) {
    let classes = STORAGE.everywhere(&client);
    let name = given(&classes, storage(json!({}))).await;
    let changed = classes
        .merged(&name, json!({"allowVolumeExpansion": true}))
        .await;
    check!(changed, "/allowVolumeExpansion": true);
}

async fn system_classes_are_kubernetes_own(client: Client) {
    let name = format!("system-{}", unique());
    let reply = PRIORITY
        .everywhere(&client)
        .creation(&name, json!({"value": 1}))
        .await;
    reply.invalid_with(&format!(
        "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: \
{name} is not a known system priority class"
    ));
}

async fn generation_of_a_priority_class_is_fixed(client: Client) {
    let classes = PRIORITY.everywhere(&client);
    let name = given(&classes, json!({"value": 1})).await;
    let changed = classes.merged(&name, json!({"description": "d"})).await;
    check!(changed, "/metadata/generation": 1, "/description": "d");
}

async fn changed_preemption_policy_is_not_validated(client: Client) {
    let classes = PRIORITY.everywhere(&client);
    let name = given(&classes, json!({"value": 1})).await;
    let reply = classes.merge(&name, json!({"preemptionPolicy": "x"})).await;
    reply.invalid(&format!(
        "PriorityClass.scheduling.k8s.io \"{name}\" is invalid: preemptionPolicy: Invalid value: \"x\": field is immutable"
    ));
}
