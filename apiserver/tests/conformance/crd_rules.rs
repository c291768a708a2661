//! Invalid CRDs, and the deletion of CRDs.

use crate::harness::cases;
use crate::support::expect::eventually;
use crate::support::*;

cases![
    generated_name_is_that_of_the_plural: refuses(
        "/metadata/generateName", json!("gen-"),
        "metadata.generateName: Invalid value: \"gen-\": must be spec.names.plural+\".\"+spec.group"),
    versions_are_unique: refused(
        simple().and_version("v1", json!({"type": "object"})), "spec.versions: Invalid value: "),
    version_names_are_dns_labels: refused(
        simple().with("name", json!("V_1")),
        "spec.versions[0].name: Invalid value: \"V_1\": a DNS-1035 label must consist of"),
    plural_is_a_dns_label: refuses(
        "/spec/names/plural", json!("two words"),
        "spec.names.plural: Invalid value: \"two words\": a DNS-1035 label must consist of"),
    plural_is_lower_case: refuses(
        "/spec/names/plural", json!("Things"), "spec.names.plural: Invalid value: \"Things\""),
    unknown_fields_are_preserved_by_schemas_alone: refuses(
        "/spec/preserveUnknownFields", json!(true),
        "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"),
    kind_must_be_given,
    kind_is_a_label_in_any_case: refuses(
        "/spec/names/kind", json!("Two Words"),
        "spec.names.kind: Invalid value: \"Two Words\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of"),
    kind_of_the_list_is_another: refuses(
        "/spec/names/listKind", json!("Thing"),
        "spec.names.listKind: Invalid value: \"Thing\": kind and listKind may not be the same"),
    status_limits_the_root_of_the_schema: refused(
        Crd::new(json!({"type": "object", "oneOf": [{"required": ["spec"]}],
            "properties": {"spec": {"type": "object"}}})).with("subresources", json!({"status": {}})),
        "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled"),
    scope_must_be_known: refuses(
        "/spec/scope", json!("Galaxy"),
        "spec.scope: Unsupported value: \"Galaxy\": supported values: \"Cluster\", \"Namespaced\""),
    default_in_an_embedded_forbidden_place_is_refused: refused(
        Crd::new(json!({"type": "object", "properties": {"metadata": {"type": "object",
            "properties": {"name": {"type": "string", "default": "x"}}}}})),
        "properties[metadata]"),
    map_keys_must_be_properties: refused(
        Crd::new(crd::spec_schema(json!({"l": {"type": "array", "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"], "items": {"type": "object",
            "properties": {"other": {"type": "string"}}}}}))),
        "x-kubernetes-list-map-keys"),
    scale_paths_must_be_json_paths: refused(
        simple().with("subresources", json!({"status": {}, "scale": {"specReplicasPath": "spec.replicas",
            "statusReplicasPath": ".status.replicas"}})),
        "specReplicasPath: Invalid value: \"spec.replicas\": must be a simple json path starting with ."),
    printer_column_types_must_be_known: refused(
        simple().with("additionalPrinterColumns", json!([{"name": "X", "type": "colour", "jsonPath": ".spec.x"}])),
        "additionalPrinterColumns[0].type: Invalid value: \"colour\": must be one of boolean,date,integer,number,string"),
    pattern_must_compile: refused(
        Crd::new(crd::spec_schema(json!({"s": {"type": "string", "pattern": "("}}))),
        "pattern: Invalid value: \"(\": must be a valid regular expression"),
    protected_groups_need_an_approval,
    terminating_crd_takes_no_objects,
    scope_cannot_change,
    crd_status_is_apart,
    status_subresource_can_come_later,
    crd_schema_is_pruned_of_nothing_it_needs,
    crd_patch_adds_a_column,
    unknown_formats_are_warned_of,
    embedded_metadata_is_decoded_before_it_is_validated,
];

fn simple() -> Crd {
    Crd::new(json!({"type": "object"}))
}

async fn refused(client: Client, crd: Crd, part: &str) {
    post(&client, crd::CRDS, &crd.body).await.invalid_with(part);
}

/// Expects a CRD with this value at a JSON pointer to be rejected.
async fn refuses(client: Client, pointer: &str, value: Value, part: &str) {
    let mut crd = simple();
    let (parent, field) = pointer.rsplit_once('/').expect("a pointer");
    crd.body.pointer_mut(parent).expect("an object")[field] = value;
    refused(client, crd, part).await;
}

async fn kind_must_be_given(client: Client) {
    let mut crd = simple();
    crd.body["spec"]["names"]["kind"] = json!("");
    crd.body["spec"]["names"]["listKind"] = json!("");
    refused(client, crd, "spec.names.kind: Required value").await;
}

async fn protected_groups_need_an_approval(client: Client) {
    let mut crd = simple();
    let group = format!("{}.k8s.io", crd.group);
    crd.body["metadata"]["name"] = json!(format!("things.{group}"));
    crd.body["spec"]["group"] = json!(group);
    refused(client, crd, "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation").await;
}

async fn terminating_crd_takes_no_objects(client: Client) {
    let crd = simple();
    let things = crd.install(&client).await;
    things
        .given("a", json!({"metadata": {"finalizers": ["example.com/a"]}}))
        .await;
    delete(&client, &crd.path()).await.is(200);
    let reply = eventually("creation is refused", || async {
        let reply = things.creation_with("dryRun=All", "b", json!({})).await;
        (reply.code != 201).then_some(reply)
    })
    .await;
    reply.fails_with(
        403,
        "Forbidden",
        "\"b\" is forbidden: create not allowed while custom resource definition is terminating",
    );
    things.release("a").await;
    eventually("the CRD is gone", || async {
        (get(&client, &crd.path()).await.code == 404).then_some(())
    })
    .await;
}

async fn scope_cannot_change(client: Client) {
    let crd = simple();
    crd.install(&client).await;
    let reply = patch(
        &client,
        &crd.path(),
        wire::patch_type::MERGE,
        &json!({"spec": {"scope": "Cluster"}}),
    )
    .await;
    reply.invalid_with("spec.scope: Invalid value: \"Cluster\": field is immutable");
}

async fn crd_status_is_apart(client: Client) {
    let crd = simple();
    crd.install(&client).await;
    let patched = patch(
        &client,
        &crd.path(),
        wire::patch_type::MERGE,
        &json!({"status": {"storedVersions": ["v0"]}}),
    )
    .await;
    check!(patched.is(200), "/status/storedVersions": ["v1"]);
}

async fn status_subresource_can_come_later(client: Client) {
    let crd = Crd::new(crd::spec_schema(json!({})));
    let things = crd.install(&client).await;
    things.given("a", json!({"status": {"ready": false}})).await;
    let body =
        json!([{"op": "add", "path": "/spec/versions/0/subresources", "value": {"status": {}}}]);
    patch(&client, &crd.path(), wire::patch_type::JSON, &body)
        .await
        .is(200);
    let patched = eventually("the status is a subresource", || async {
        let reply = things
            .merge("a/status", json!({"status": {"ready": true}}))
            .await;
        (reply.code == 200).then(|| reply.json())
    })
    .await;
    check!(patched, "/status/ready": true);
    let unchanged = things
        .merged("a", json!({"status": {"ready": false}}))
        .await;
    check!(unchanged, "/status/ready": true);
}

async fn crd_schema_is_pruned_of_nothing_it_needs(client: Client) {
    let schema = json!({
        "type": "object",
        "description": "a thing",
        "properties": {"spec": {
            "type": "object",
            "x-kubernetes-validations": [{"rule": "true", "message": "never"}],
            "properties": {"e": {"type": "string", "enum": ["a", "b"], "default": "a", "example": "b"}},
        }},
    });
    let crd = Crd::new(schema.clone());
    crd.install(&client).await;
    check!(get(&client, &crd.path()).await.is(200),
        "/spec/versions/0/schema/openAPIV3Schema": schema);
}

async fn crd_patch_adds_a_column(client: Client) {
    let crd = Crd::new(crd::spec_schema(json!({"size": {"type": "integer"}})));
    let things = crd.install(&client).await;
    things.given("a", json!({"spec": {"size": 3}})).await;
    let column = json!([{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}]);
    let body = json!([{"op": "add", "path": "/spec/versions/0/additionalPrinterColumns", "value": column}]);
    patch(&client, &crd.path(), wire::patch_type::JSON, &body)
        .await
        .is(200);
    eventually("the table has the column", || async {
        let table = get_accepting(
            &client,
            &things.path,
            "application/json;as=Table;v=v1;g=meta.k8s.io",
        )
        .await
        .json();
        (table["rows"][0]["cells"][1] == json!(3)).then_some(())
    })
    .await;
}

async fn unknown_formats_are_warned_of(client: Client) {
    let schema =
        |format: &str| crd::spec_schema(json!({"s": {"type": "string", "format": format}}));
    let crd = Crd::new(schema("odd"));
    let created = post(&client, crd::CRDS, &crd.body).await;
    created.is(201);
    let warning = "unrecognized format \"odd\"";
    assert_eq!(created.warnings(), [warning]);
    let change = |format: &str| json!([{"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema", "value": schema(format)}]);
    for (format, warnings) in [("odd", 0), ("odder", 1), ("date-time", 0)] {
        let reply = patch(
            &client,
            &crd.path(),
            wire::patch_type::JSON,
            &change(format),
        )
        .await;
        reply.is(200);
        assert_eq!(reply.warnings().len(), warnings, "{format}");
    }
    delete(&client, &crd.path()).await.is(200);
}

async fn embedded_metadata_is_decoded_before_it_is_validated(client: Client) {
    let embedded = json!({"type": "object", "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true});
    let crd = Crd::new(crd::spec_schema(json!({"embedded": embedded})));
    let things = crd.install(&client).await;
    let fields = json!({"spec": {"embedded": {"metadata": {"name": true}}}});
    let reply = things.creation("a", fields).await;
    reply.bad_request_with(
        "spec.embedded.metadata: Invalid value: {\"name\":true}: json: cannot unmarshal bool into Go struct field ObjectMeta.name of type string",
    );
}
