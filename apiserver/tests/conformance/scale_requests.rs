//! Bodies of writes to the scale subresource: types, unknown fields, names and uids.

use crate::harness::cases;
use crate::support::wire::{Reply, patch_type};
use crate::support::*;

cases![
    unknown_field_of_a_scale_is_a_warning_by_default,
    unknown_field_of_a_scale_is_refused_when_strict,
    unknown_field_in_an_apply_to_a_scale_is_refused,
    scale_of_another_type_is_refused,
    scale_is_decoded_before_its_version_is_compared,
    scale_of_a_custom_resource_is_decoded_with_other_errors,
    patched_scale_must_decode,
    patched_scale_without_a_type_has_no_fields,
    scale_needs_the_name_and_namespace_of_its_object,
    scale_of_another_uid_conflicts,
    strategic_patch_of_a_custom_scale_is_unsupported,
    custom_resource_without_replicas_cannot_be_patched_to_none,
    replicas_that_are_scaled_to_none_have_no_owner,
    version_of_a_scale_is_a_number,
];

async fn deployment(client: &Client) -> Collection {
    let deployments = DEPLOYMENTS.fresh(client).await;
    let fields = json!({"spec": {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "a"}},
        "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
    }});
    deployments.given("a", fields).await;
    deployments
}

async fn thing(client: &Client, spec: Value) -> Collection {
    let scale =
        json!({"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"});
    let properties = json!({"replicas": {"type": "integer"}});
    let things = things_with(client, properties, json!({"scale": scale})).await;
    things.given("a", json!({"spec": spec})).await;
    things
}

/// Returns a scale of two replicas, with these fields.
fn scale(fields: &Value) -> Value {
    let mut scale = json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "a"}, "spec": {"replicas": 2}});
    for (key, value) in fields.as_object().into_iter().flatten() {
        scale[key] = value.clone();
    }
    scale
}

async fn put_scale(objects: &Collection, query: &str, fields: &Value) -> Reply {
    put(
        &objects.client,
        &objects.at(&format!("a/scale?{query}")),
        &scale(fields),
    )
    .await
}

async fn merge_scale(objects: &Collection, patch: Value) -> Reply {
    objects.merge("a/scale", patch).await
}

async fn apply_scale(objects: &Collection, fields: &Value) -> Reply {
    let path = objects.at("a/scale?fieldManager=m&force=true");
    patch(&objects.client, &path, patch_type::APPLY, &scale(fields)).await
}

async fn unknown_field_of_a_scale_is_a_warning_by_default(client: Client) {
    let warning = ["unknown field \"unknown\""];
    for objects in [
        deployment(&client).await,
        thing(&client, json!({"replicas": 1})).await,
    ] {
        let reply = put_scale(&objects, "", &json!({"unknown": 1})).await;
        check!(reply.is(200), "/spec/replicas": 2);
        assert_eq!(reply.warnings(), warning);
        let reply = merge_scale(&objects, json!({"unknown": 1})).await;
        reply.is(200);
        assert_eq!(reply.warnings(), warning);
    }
}

async fn unknown_field_of_a_scale_is_refused_when_strict(client: Client) {
    let deployments = deployment(&client).await;
    let reply = put_scale(
        &deployments,
        "fieldValidation=Strict",
        &json!({"unknown": 1}),
    )
    .await;
    reply.bad_request("Scale in version \"v1\" cannot be handled as a Scale: strict decoding error: unknown field \"unknown\"");
}

async fn unknown_field_in_an_apply_to_a_scale_is_refused(client: Client) {
    let deployments = deployment(&client).await;
    let reply = apply_scale(&deployments, &json!({"unknown": 1})).await;
    reply.fails_with(500, "", ".unknown: field not declared in schema");
}

async fn scale_of_another_type_is_refused(client: Client) {
    let deployments = deployment(&client).await;
    let kind = json!({"kind": "Other"});
    let unknown = "no kind \"Other\" is registered for version \"autoscaling/v1\" in scheme";
    let reply = put_scale(&deployments, "", &kind).await;
    reply.bad_request_with(&format!(
        "Other in version \"v1\" cannot be handled as a Scale: {unknown}"
    ));
    merge_scale(&deployments, kind.clone())
        .await
        .invalid_with(unknown);
    let reply = apply_scale(&deployments, &kind).await;
    reply.bad_request("invalid object type: autoscaling/v1, Kind=Other");
    // Without a type, it is that of the endpoint.
    for field in ["kind", "apiVersion"] {
        let reply = put_scale(&deployments, "", &json!({field: ""})).await;
        check!(reply.is(200), "/kind": "Scale");
    }
}

async fn scale_is_decoded_before_its_version_is_compared(client: Client) {
    let deployments = deployment(&client).await;
    let fields =
        json!({"metadata": {"name": "a", "resourceVersion": "1"}, "spec": {"replicas": "1"}});
    let reply = put_scale(&deployments, "", &fields).await;
    reply.bad_request(
        "Scale in version \"v1\" cannot be handled as a Scale: json: cannot unmarshal string into Go struct field \
ScaleSpec.spec.replicas of type int32",
    );
}

async fn scale_of_a_custom_resource_is_decoded_with_other_errors(client: Client) {
    let things = thing(&client, json!({"replicas": 1})).await;
    for fields in [json!({"spec": 1}), json!({"kind": "Other"})] {
        let reply = put_scale(&things, "", &fields).await;
        reply.bad_request_with("no kind is registered for the type v1.Scale in scheme");
    }
}

async fn patched_scale_must_decode(client: Client) {
    for objects in [
        deployment(&client).await,
        thing(&client, json!({"replicas": 1})).await,
    ] {
        let operations = json!([{"op": "replace", "path": "/metadata/name", "value": 1}]);
        let reply = objects.json_patch("a/scale", operations).await;
        reply.invalid_with(
            "cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string",
        );
        let reply = merge_scale(&objects, json!({"spec": 1})).await;
        reply.invalid_with("cannot unmarshal number into Go struct field Scale.spec of type");
    }
}

async fn patched_scale_without_a_type_has_no_fields(client: Client) {
    let deployments = deployment(&client).await;
    let reply = merge_scale(&deployments, json!({"apiVersion": ""})).await;
    reply.bad_request(
        "the name of the object (a based on URL) was undeterminable: name must be provided",
    );
    assert_eq!(reply.warnings().len(), 3, "{:?}", reply.warnings());
}

async fn scale_needs_the_name_and_namespace_of_its_object(client: Client) {
    let name = json!({"metadata": {"name": "other"}});
    let wrong = "the name of the object (other) does not match the name on the URL (a)";
    let namespace = json!({"metadata": {"name": "a", "namespace": "other"}});
    let elsewhere =
        "the namespace of the provided object does not match the namespace sent on the request";
    for objects in [
        deployment(&client).await,
        thing(&client, json!({"replicas": 1})).await,
    ] {
        for (fields, message) in [(&name, wrong), (&namespace, elsewhere)] {
            put_scale(&objects, "", fields).await.bad_request(message);
            merge_scale(&objects, fields.clone())
                .await
                .bad_request(message);
        }
    }
    let deployments = deployment(&client).await;
    apply_scale(&deployments, &name).await.bad_request(wrong);
    apply_scale(&deployments, &namespace)
        .await
        .bad_request(elsewhere);
}

async fn scale_of_another_uid_conflicts(client: Client) {
    let fields = json!({"metadata": {"name": "a", "uid": "x"}});
    let deployments = deployment(&client).await;
    let things = thing(&client, json!({"replicas": 1})).await;
    for objects in [&deployments, &things] {
        let reply = put_scale(objects, "", &fields).await;
        reply.fails_with(
            409,
            "Conflict",
            "Precondition failed: UID in precondition: x, UID in object meta: ",
        );
    }
    let conflict = "Operation cannot be fulfilled on deployments/scale.apps \"a\": Precondition failed: UID in precondition: x";
    let reply = merge_scale(&deployments, fields.clone()).await;
    reply.fails_with(409, "Conflict", conflict);
    let reply = apply_scale(&deployments, &fields).await;
    reply.fails_with(409, "Conflict", conflict);
    // A patch of a custom resource's scale does not compare them.
    merge_scale(&things, fields).await.is(200);
}

async fn strategic_patch_of_a_custom_scale_is_unsupported(client: Client) {
    let media_type = "application/strategic-merge-patch+json";
    let body = json!({"spec": {"replicas": 2}});
    let things = thing(&client, json!({"replicas": 1})).await;
    let reply = patch(&client, &things.at("a/scale"), media_type, &body).await;
    reply.refused(415, "UnsupportedMediaType");
    let deployments = deployment(&client).await;
    let reply = patch(&client, &deployments.at("a/scale"), media_type, &body).await;
    check!(reply.is(200), "/spec/replicas": 2);
}

async fn custom_resource_without_replicas_cannot_be_patched_to_none(client: Client) {
    let things = thing(&client, json!({})).await;
    let message = "the spec replicas field \".spec.replicas\" cannot be empty";
    merge_scale(&things, json!({"spec": {}}))
        .await
        .bad_request(message);
    let reply = put_scale(&things, "", &json!({"spec": {"replicas": 0}})).await;
    check!(reply.is(200), "/spec": {});
}

async fn replicas_that_are_scaled_to_none_have_no_owner(client: Client) {
    for objects in [
        deployment(&client).await,
        thing(&client, json!({"replicas": 1})).await,
    ] {
        merge_scale(&objects, json!({"spec": {"replicas": 0}}))
            .await
            .is(200);
        let object = objects.get("a").await.is(200);
        check!(object, "/spec/replicas": 0);
        let owned = at(&object, "/metadata/managedFields").to_string();
        assert!(!owned.contains("f:replicas"), "{owned}");
    }
}

async fn version_of_a_scale_is_a_number(client: Client) {
    let patch = json!({"metadata": {"resourceVersion": "x"}, "spec": {"replicas": 0}});
    for objects in [deployment(&client).await, thing(&client, json!({})).await] {
        let status = merge_scale(&objects, patch.clone()).await.is(500);
        check!(status, "/message": "strconv.ParseUint: parsing \"x\": invalid syntax");
    }
}
