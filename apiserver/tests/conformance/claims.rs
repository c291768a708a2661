//! Persistent volume claims: what they require, and what an update can change.

use crate::harness::cases;
use crate::support::*;

cases![
    claim_needs_modes_and_a_size: create_invalid_with(
        CLAIMS, json!({"spec": {}}),
        "[spec.accessModes: Required value: at least 1 access mode is required, spec.resources[storage]: Required value]"),
    access_modes_are_known: create_invalid_with(
        CLAIMS, claim(json!({"accessModes": ["Any"]})),
        "spec.accessModes: Unsupported value: \"Any\": supported values: \"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\", \
\"ReadWriteOncePod\""),
    volume_of_one_pod_has_no_other_mode: create_invalid_with(
        CLAIMS, claim(json!({"accessModes": ["ReadWriteOncePod", "ReadOnlyMany"]})),
        "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"),
    size_is_positive: create_invalid_with(
        CLAIMS, claim(json!({"resources": {"requests": {"storage": "0"}}})),
        "spec.resources[storage]: Invalid value: \"0\": must be greater than zero"),
    volume_mode_is_known: create_invalid_with(
        CLAIMS, claim(json!({"volumeMode": "Tape"})),
        "spec.volumeMode: Unsupported value: \"Tape\": supported values: \"Block\", \"Filesystem\""),
    storage_class_has_a_name: create_invalid_with(
        CLAIMS, claim(json!({"storageClassName": "No"})), "spec.storageClassName: Invalid value: \"No\": a lowercase RFC 1123 subdomain"),
    source_without_a_group_is_a_claim: create_invalid_with(
        CLAIMS, claim(json!({"dataSourceRef": {"kind": "VolumeSnapshot", "name": "s"}})),
        "spec.dataSourceRef: Invalid value: \"VolumeSnapshot\": must be 'PersistentVolumeClaim' when referencing the default apiGroup"),
    forms_of_the_source_match: create_invalid_with(
        CLAIMS,
        claim(json!({"dataSource": {"kind": "PersistentVolumeClaim", "name": "s"},
            "dataSourceRef": {"kind": "PersistentVolumeClaim", "name": "t"}})),
        "spec: Invalid value: {}: must match dataSourceRef"),
    source_of_an_unknown_kind_is_dropped,
    source_has_two_forms,
    spec_is_immutable: update_invalid_with(
        json!({"accessModes": ["ReadOnlyMany"]}), "spec: Forbidden: spec is immutable after creation except resources.requests"),
    volume_mode_is_immutable: update_invalid_with(
        json!({"volumeMode": "Block"}), "volumeMode: Invalid value: \"Block\": field is immutable"),
    unbound_claim_cannot_grow: update_invalid_with(
        json!({"resources": {"requests": {"storage": "2Gi"}}}), "spec: Forbidden: spec is immutable after creation"),
    claim_cannot_shrink: update_invalid_with(
        json!({"resources": {"requests": {"storage": "0.5Gi"}}}), "spec: Forbidden: spec is immutable after creation"),
    volume_is_set_once,
    storage_class_is_set_once,
    same_size_may_be_written_differently,
];

/// A claim with these fields in its spec.
fn claim(change: Value) -> Value {
    let mut spec =
        json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    for (field, value) in change.as_object().into_iter().flatten() {
        spec[field] = value.clone();
    }
    json!({"spec": spec})
}

/// Expects a merge into the spec of a claim to fail as invalid, with this part of the message.
async fn update_invalid_with(client: Client, change: Value, part: &str) {
    let claims = CLAIMS.fresh(&client).await;
    claims.given("a", claim(json!({}))).await;
    let reply = claims.merge("a", json!({"spec": change})).await;
    claims.release("a").await;
    reply.invalid_with(part);
}

async fn source_of_an_unknown_kind_is_dropped(client: Client) {
    let claims = CLAIMS.fresh(&client).await;
    let source = json!({"apiGroup": "example.test", "kind": "Image", "name": "s"});
    let created = claims
        .given("a", claim(json!({"dataSource": source})))
        .await;
    claims.release("a").await;
    check_absent(&created, "/spec/dataSource");
    let created = claims
        .given("b", claim(json!({"dataSourceRef": source})))
        .await;
    claims.release("b").await;
    check(&created, "/spec/dataSource", source);
}

async fn source_has_two_forms(client: Client) {
    let claims = CLAIMS.fresh(&client).await;
    let source =
        json!({"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "s"});
    for (name, given, other) in [
        ("a", "dataSource", "/spec/dataSourceRef"),
        ("b", "dataSourceRef", "/spec/dataSource"),
    ] {
        let created = claims.given(name, claim(json!({given: source}))).await;
        claims.release(name).await;
        check(&created, other, source.clone());
    }
}

async fn volume_is_set_once(client: Client) {
    let claims = CLAIMS.fresh(&client).await;
    claims.given("a", claim(json!({}))).await;
    claims.release("a").await;
    claims
        .merged("a", json!({"spec": {"volumeName": "v"}}))
        .await;
    let reply = claims
        .merge("a", json!({"spec": {"volumeName": "w"}}))
        .await;
    reply.invalid_with("spec: Forbidden: spec is immutable after creation");
}

async fn storage_class_is_set_once(client: Client) {
    let claims = CLAIMS.fresh(&client).await;
    claims.given("a", claim(json!({}))).await;
    claims.release("a").await;
    let class = |name: &str| json!({"spec": {"storageClassName": name}});
    claims.merged("a", class("none")).await;
    let reply = claims.merge("a", class("other")).await;
    reply.invalid_with("spec: Forbidden: spec is immutable after creation");
}

async fn same_size_may_be_written_differently(client: Client) {
    let claims = CLAIMS.fresh(&client).await;
    claims.given("a", claim(json!({}))).await;
    claims.release("a").await;
    let size = json!({"requests": {"storage": "1024Mi"}});
    claims
        .merged("a", json!({"spec": {"resources": size}}))
        .await;
}
