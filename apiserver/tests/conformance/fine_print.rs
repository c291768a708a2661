//! Details found by random requests: nulls, versions, scales, warnings and definitions.

use crate::harness::cases;
use crate::support::crd::{CRDS, spec_schema};
use crate::support::wire::patch_type;
use crate::support::*;

cases![
    applied_null_of_a_typed_field_is_refused,
    dry_run_create_may_have_a_resource_version,
    scale_of_a_custom_resource_without_replicas_is_an_error,
    scale_without_replicas_can_be_set,
    only_the_stored_version_has_defaults,
    validation_comes_before_existence,
    refusals_carry_warnings,
    warnings_of_deprecated_versions_name_a_better_one,
    endpoints_are_deprecated,
    validation_comes_before_the_version_of_a_new_object,
    spec_of_a_new_object_has_no_owner_of_its_own,
    what_the_server_fills_in_has_no_owner,
    requests_default_to_limits,
    selectable_fields_must_resolve,
    selectable_fields_are_scalars,
    selectable_fields_of_all_versions_need_one_schema,
    column_formats_are_checked,
    deprecation_warnings_are_not_empty,
    webhook_conversion_needs_a_client,
    tables_and_partial_objects_have_a_beta,
    what_decoding_fills_in_has_an_owner,
    limit_ranges_fill_in_what_follows,
    empty_lists_that_are_always_there_are_null,
];

async fn applied_null_of_a_typed_field_is_refused(client: Client) {
    let properties = json!({
        "list": {"type": "array", "items": {"type": "string"}},
        "text": {"type": "string"},
        "free": {"type": "string", "nullable": true},
    });
    let things = things(&client, properties).await;
    for (field, kind) in [("list", "array"), ("text", "string")] {
        let reply = things
            .apply("a", "m", json!({"spec": {field: Value::Null}}))
            .await;
        reply.invalid_with(&format!(
            "spec.{field} in body must be of type {kind}: \"null\""
        ));
    }
    things
        .given_by("a", "m", json!({"spec": {"free": Value::Null}}))
        .await;
    // A posted null counts as absent.
    things
        .given("b", json!({"spec": {"text": Value::Null}}))
        .await;
}

async fn dry_run_create_may_have_a_resource_version(client: Client) {
    let maps = configmaps(&client).await;
    let mut object = maps.object("a", json!({}));
    object["metadata"]["resourceVersion"] = json!("5");
    let answer = maps.created_with("dryRun=All", &object).await;
    check!(answer, "/metadata/resourceVersion": "5");
    maps.create(&object).await.fails(
        500,
        "",
        "resourceVersion should not be set on objects to be created",
    );
}

async fn tables_and_partial_objects_have_a_beta(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    let beta = "meta.k8s.io/v1beta1";
    let form = |kind: &str| format!("application/json;as={kind};v=v1beta1;g=meta.k8s.io");
    let table = get_accepting(&client, &maps.path, &form("Table"))
        .await
        .is(200);
    check!(table, "/kind": "Table", "/apiVersion": beta);
    let rows = at(&table, "/rows").as_array().cloned().unwrap_or_default();
    assert!(
        rows.iter().all(|row| row["object"]["apiVersion"] == beta),
        "{table:#}"
    );
    let accept = form("PartialObjectMetadataList");
    let list = get_accepting(&client, &maps.path, &accept).await.is(200);
    check!(list, "/apiVersion": beta, "/items/0/apiVersion": beta);
    let accept = form("PartialObjectMetadata");
    let one = get_accepting(&client, &maps.at("a"), &accept).await.is(200);
    check!(one, "/apiVersion": beta);
}

async fn scaled(client: &Client) -> Collection {
    let subresources = json!({"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}});
    things_with(
        client,
        json!({"replicas": {"type": "integer"}}),
        subresources,
    )
    .await
}

async fn scale_of_a_custom_resource_without_replicas_is_an_error(client: Client) {
    let things = scaled(&client).await;
    things.given("a", json!({"spec": {}})).await;
    get(&client, &things.at("a/scale")).await.fails(
        500,
        "InternalError",
        "Internal error occurred: the spec replicas field \".spec.replicas\" does not exist",
    );
}

async fn scale_without_replicas_can_be_set(client: Client) {
    let things = scaled(&client).await;
    things.given("a", json!({"spec": {}})).await;
    let body = json!({"spec": {"replicas": 3}});
    let path = things.at("a/scale");
    let answer = patch(&client, &path, patch_type::MERGE, &body)
        .await
        .is(200);
    check!(answer, "/spec/replicas": 3);
    check!(things.get("a").await.is(200), "/spec/replicas": 3);
}

async fn only_the_stored_version_has_defaults(client: Client) {
    let defaulted = |value: &str| {
        spec_schema(json!({value: {"type": "string", "default": value}, "x": {"type": "string"}}))
    };
    let crd = Crd::new(defaulted("one")).and_version("v2", defaulted("two"));
    let first = crd.install(&client).await;
    let second = crd.things(
        &client,
        first.namespace.as_deref().unwrap_or_default(),
        "v2",
    );
    first.given("a", json!({"spec": {"x": "y"}})).await;
    let read = second.get("a").await.is(200);
    check!(read, "/spec": {"x": "y"});
    let created = second.given("b", json!({"spec": {"x": "y"}})).await;
    check!(created, "/spec": {"x": "y"});
    let read = first.get("b").await.is(200);
    check!(read, "/spec": {"x": "y", "one": "one"});
}

async fn validation_comes_before_existence(client: Client) {
    let services = SERVICES.fresh(&client).await;
    services
        .given("a", json!({"spec": {"ports": [{"port": 80}]}}))
        .await;
    let object = services.object("a", json!({"spec": {}}));
    services
        .create(&object)
        .await
        .invalid("Service \"a\" is invalid: spec.ports: Required value");
}

async fn refusals_carry_warnings(client: Client) {
    let maps = configmaps(&client).await;
    let object = maps.object("a", json!({"bogus": 1, "data": {"a b": "c"}}));
    let reply = maps.create(&object).await;
    reply.refused(422, "Invalid");
    assert_eq!(reply.warnings(), ["unknown field \"bogus\""]);
    let crd =
        Crd::new(spec_schema(json!({"n": {"type": "integer"}}))).with("deprecated", json!(true));
    let things = crd.install(&client).await;
    let reply = things.creation("a", json!({"spec": {"n": "x"}})).await;
    reply.refused(422, "Invalid");
    let expected = format!("{}/v1 Thing is deprecated", crd.group);
    assert_eq!(reply.warnings(), [expected]);
    let reply = things.get("a").await;
    reply.refused(404, "NotFound");
    assert_eq!(reply.warnings().len(), 1);
}

async fn warnings_of_deprecated_versions_name_a_better_one(client: Client) {
    let schema = spec_schema(json!({"n": {"type": "integer"}}));
    let mut crd = Crd::new(schema.clone()).and_version("v1beta1", schema);
    crd.body["spec"]["versions"][1]["deprecated"] = json!(true);
    crd.install(&client).await;
    let things = crd.things(&client, &namespace(&client).await, "v1beta1");
    let expected = format!(
        "{0}/v1beta1 Thing is deprecated; use {0}/v1 Thing",
        crd.group
    );
    let reply = things.creation("a", json!({})).await;
    assert_eq!(reply.warnings(), [expected.as_str()]);
    assert_eq!(things.get("a").await.warnings(), [expected.as_str()]);
    assert_eq!(things.delete("a").await.warnings(), [expected.as_str()]);
}

async fn endpoints_are_deprecated(client: Client) {
    let endpoints = Resource("/api/v1", "endpoints", "Endpoints")
        .fresh(&client)
        .await;
    let expected = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
    let reply = endpoints.creation("a", json!({})).await;
    assert_eq!(reply.warnings(), [expected]);
    assert_eq!(endpoints.get("a").await.warnings(), [expected]);
    assert_eq!(endpoints.delete("a").await.warnings(), [expected]);
}

async fn validation_comes_before_the_version_of_a_new_object(client: Client) {
    let maps = configmaps(&client).await;
    let zero = json!({"metadata": {"resourceVersion": "0"}});
    maps.creation("a", zero).await.is(201);
    let bad = json!({"metadata": {"resourceVersion": "7"}, "data": {"a b": "c"}});
    maps.creation("b", bad).await.refused(422, "Invalid");
}

fn owned(object: &Value) -> &Value {
    at(object, "/metadata/managedFields/0/fieldsV1")
}

async fn spec_of_a_new_object_has_no_owner_of_its_own(client: Client) {
    let deployments = DEPLOYMENTS.fresh(&client).await;
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let spec = json!({"selector": {"matchLabels": {"a": "b"}}, "template": template});
    let created = deployments.given("a", json!({"spec": spec})).await;
    let fields = owned(&created);
    check_absent(fields, "/f:spec/.");
    check_absent(fields, "/f:spec/f:strategy/.");
    check_absent(fields, "/f:spec/f:template/f:spec/f:containers/.");
    check!(fields, "/f:spec/f:replicas": {});
    check(
        fields,
        "/f:spec/f:template/f:spec/f:containers/k:{\"name\":\"c\"}/.",
        json!({}),
    );
}

async fn what_the_server_fills_in_has_no_owner(client: Client) {
    let pod = json!({"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]});
    let jobs = JOBS.fresh(&client).await;
    let created = jobs
        .given("a", json!({"spec": {"template": {"spec": pod}}}))
        .await;
    check_absent(owned(&created), "/f:metadata");
    check_absent(owned(&created), "/f:spec/f:selector");
    check_absent(owned(&created), "/f:spec/f:template/f:metadata");
    let services = SERVICES.fresh(&client).await;
    let created = services
        .given("a", json!({"spec": {"ports": [{"port": 80}]}}))
        .await;
    check_absent(owned(&created), "/f:spec/f:clusterIP");
    check_absent(owned(&created), "/f:spec/f:ipFamilies");
    let pods = PODS.fresh(&client).await;
    let created = pods
        .given(
            "a",
            json!({"spec": {"containers": [{"name": "c", "image": "i"}]}}),
        )
        .await;
    check_absent(owned(&created), "/f:spec/f:tolerations");
    check!(owned(&created), "/f:spec/f:enableServiceLinks": {});
}

async fn what_decoding_fills_in_has_an_owner(client: Client) {
    let pod = json!({"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]});
    let jobs = JOBS.fresh(&client).await;
    let created = jobs
        .given("a", json!({"spec": {"template": {"spec": pod}}}))
        .await;
    check!(owned(&created), "/f:spec/f:manualSelector": {}, "/f:spec/f:backoffLimit": {});
    let sets = DAEMON_SETS.fresh(&client).await;
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let spec = json!({"selector": {"matchLabels": {"a": "b"}}, "template": template});
    let created = sets.given("a", json!({"spec": spec})).await;
    let annotation = "/f:metadata/f:annotations/f:deprecated.daemonset.template.generation";
    check(owned(&created), annotation, json!({}));
    let annotation = "/metadata/annotations/deprecated.daemonset.template.generation";
    check(&created, annotation, "1");
}

async fn limit_ranges_fill_in_what_follows(client: Client) {
    let ranges = Resource("/api/v1", "limitranges", "LimitRange")
        .fresh(&client)
        .await;
    let limits = json!([{"type": "Container", "max": {"cpu": "2"}, "min": {"memory": "1Gi"}}]);
    let created = ranges.given("a", json!({"spec": {"limits": limits}})).await;
    check!(created, "/spec/limits/0/default": {"cpu": "2"});
    let requests = json!({"cpu": "2", "memory": "1Gi"});
    check!(created, "/spec/limits/0/defaultRequest": requests);
}

async fn empty_lists_that_are_always_there_are_null(client: Client) {
    let roles = ROLES.fresh(&client).await;
    let created = roles.given("a", json!({"rules": []})).await;
    check!(created, "/rules": Value::Null);
}

async fn requests_default_to_limits(client: Client) {
    let pods = PODS.fresh(&client).await;
    let container = json!({"name": "c", "image": "i", "resources": {"limits": {"cpu": "1"}}});
    let created = pods
        .given("a", json!({"spec": {"containers": [container]}}))
        .await;
    check!(created, "/spec/containers/0/resources/requests/cpu": "1");
}

async fn refused_crd(client: &Client, field: &str, value: Value, why: &str) {
    let properties =
        json!({"s": {"type": "string"}, "l": {"type": "array", "items": {"type": "string"}}});
    let crd = Crd::new(spec_schema(properties)).with(field, value);
    let message = format!(
        "CustomResourceDefinition.apiextensions.k8s.io \"{}\" is invalid: {why}",
        crd.name()
    );
    post(client, CRDS, &crd.body).await.invalid(&message);
}

async fn selectable_fields_must_resolve(client: Client) {
    for (path, why) in [
        (".spec.nope", "does not refer to a valid field"),
        (".spec.l[0]", "array notation is not allowed"),
        ("spec.s", "expected [ or . but got: spec"),
        (".metadata.name", "does not refer to a valid field"),
        (".", "unexpected end of JSON path"),
    ] {
        let fields = json!([{"jsonPath": path}]);
        let why = format!(
            "spec.selectableFields[0].jsonPath: Invalid value: \"{path}\": is an invalid path: {why}"
        );
        refused_crd(&client, "selectableFields", fields, &why).await;
    }
    let fields = json!([{"jsonPath": ".spec.s"}, {"jsonPath": ".spec.s"}]);
    let why = "spec.selectableFields[1].jsonPath: Duplicate value: \".spec.s\"";
    refused_crd(&client, "selectableFields", fields, why).await;
}

async fn selectable_fields_are_scalars(client: Client) {
    for path in [".spec.l", ".spec"] {
        let fields = json!([{"jsonPath": path}]);
        let why = format!(
            "spec.selectableFields[0].jsonPath: Invalid value: \"{path}\": must point to a field of type string, boolean or \
integer. Enum string fields and strings with formats are allowed."
        );
        refused_crd(&client, "selectableFields", fields, &why).await;
    }
}

async fn selectable_fields_of_all_versions_need_one_schema(client: Client) {
    let one = spec_schema(json!({"s": {"type": "string"}}));
    let other = spec_schema(json!({"s": {"type": "string"}, "t": {"type": "string"}}));
    let fields = json!([{"jsonPath": ".spec.s"}]);
    let shared = |schema: &Value, fields: &Value| {
        let mut crd = Crd::new(one.clone()).and_version("v2", schema.clone());
        for index in [0, 1] {
            crd.body["spec"]["versions"][index]["selectableFields"] = fields.clone();
        }
        crd
    };
    // The fields they name are not checked.
    for fields in [&fields, &json!([{"jsonPath": ".spec.nope"}])] {
        let crd = shared(&other, fields);
        let message = format!(
            "CustomResourceDefinition.apiextensions.k8s.io \"{}\" is invalid: spec.selectableFields: Invalid value: \"\": \
may only be set when validations.schema is included",
            crd.name()
        );
        let refused = post(&client, CRDS, &crd.body).await;
        refused.invalid(&message);
    }
    shared(&one, &fields).install(&client).await;
    let mut crd = shared(&other, &fields);
    crd.body["spec"]["versions"][1]["selectableFields"] =
        json!([{"jsonPath": ".spec.s"}, {"jsonPath": ".spec.t"}]);
    let things = crd.install(&client).await;
    // An update that makes them duplicates is rejected, too.
    let path = "/spec/versions/1/selectableFields/1";
    let operations = json!([{"op": "remove", "path": path}]);
    let patched = patch(&things.client, &crd.path(), patch_type::JSON, &operations).await;
    patched.invalid_with("may only be set when validations.schema is included");
}

async fn column_formats_are_checked(client: Client) {
    let path = "spec.additionalPrinterColumns[0]";
    let column = json!([{"name": "a", "type": "string", "jsonPath": ".spec.s", "format": "foo"}]);
    let why = format!(
        "{path}.format: Invalid value: \"foo\": must be one of byte,date,date-time,double,float,int32,int64,password"
    );
    refused_crd(&client, "additionalPrinterColumns", column, &why).await;
    let column = json!([{"name": "a", "type": "string", "jsonPath": "spec.s"}]);
    let why = format!(
        "{path}.JSONPath: Invalid value: \"spec.s\": must be a simple json path starting with ."
    );
    refused_crd(&client, "additionalPrinterColumns", column, &why).await;
}

async fn deprecation_warnings_are_not_empty(client: Client) {
    let path = "spec.versions[0].deprecationWarning";
    let why = format!("{path}: Invalid value: \"x\": can only be set for deprecated versions");
    refused_crd(&client, "deprecationWarning", json!("x"), &why).await;
    let mut crd = Crd::new(spec_schema(json!({}))).with("deprecated", json!(true));
    crd = crd.with("deprecationWarning", json!(""));
    post(&client, CRDS, &crd.body).await.invalid_with(&format!(
        "{path}: Invalid value: \"\": must not be an empty string"
    ));
}

async fn webhook_conversion_needs_a_client(client: Client) {
    for (conversion, why) in [
        (
            json!({"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"]}}),
            "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
        ),
        (
            json!({"strategy": "Webhook", "webhook": {"clientConfig": {}, "conversionReviewVersions": ["v1"]}}),
            "spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required",
        ),
        (
            json!({"strategy": "Foo"}),
            "spec.conversion.strategy: Unsupported value: \"Foo\": supported values: \"None\", \"Webhook\"",
        ),
    ] {
        let mut crd = Crd::new(spec_schema(json!({})));
        crd.body["spec"]["conversion"] = conversion;
        post(&client, CRDS, &crd.body).await.invalid_with(why);
    }
}
