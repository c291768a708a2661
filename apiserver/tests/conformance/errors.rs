//! Errors: a `Status` with the right code and reason, whatever was sent.

use http::Method;

use crate::harness::cases;
use crate::support::*;

cases![
    unknown_resource_is_not_found,
    unknown_path_is_not_found,
    method_that_a_resource_lacks_is_not_allowed,
    body_that_is_no_json_is_refused,
    body_that_is_no_object_is_refused,
    empty_body_is_refused,
    type_that_is_no_text_is_refused,
    body_that_is_no_utf8_is_refused,
    body_of_an_unknown_media_type_is_refused,
    body_without_a_kind_of_a_custom_resource_is_refused,
    body_over_the_limit_is_refused,
    body_nested_too_deeply_is_refused,
    wrong_type_in_a_built_in_kind_is_refused,
    answer_in_an_unknown_media_type_is_refused,
    yaml_body_is_understood,
    yaml_ends_with_its_first_document,
    status_has_metadata_and_content_type,
    invalid_status_lists_its_causes,
    missing_required_fields_of_a_built_in_kind: create_fails(
        PODS, json!({"spec": {"containers": []}}), 422, "Invalid",
        "Pod \"a\" is invalid: spec.containers: Required value"),
    query_of_a_wrong_type_is_refused,
    delete_options_of_a_wrong_kind_are_refused,
    unknown_subresource_is_not_found,
    path_with_an_encoded_slash_is_no_other_path,
    post_to_an_object_is_not_allowed,
    annotations_over_the_limit_are_refused: create_invalid_with(
        CONFIG_MAPS, json!({"metadata": {"annotations": {"k": "x".repeat(262_144)}}}),
        "metadata.annotations: Too long: may not be more than 262144 bytes"),
    yaml_answer_on_request,
    head_is_refused_or_empty,
    head_of_a_built_in_kind_is_not_allowed,
    unknown_collections_are_not_found_by_any_method,
    body_nested_a_thousand_levels_is_taken,
    answer_in_protobuf_on_request,
];

async fn raw(objects: &Collection, media_type: &str, body: &[u8]) -> wire::Reply {
    send(
        &objects.client,
        Method::POST,
        &objects.path,
        &[("content-type", media_type)],
        body.to_vec(),
    )
    .await
}

async fn unknown_resource_is_not_found(client: Client) {
    let name = namespace(&client).await;
    let reply = get(&client, &format!("/api/v1/namespaces/{name}/gadgets")).await;
    let status = reply.not_found("the server could not find the requested resource");
    check!(status, "/details": {});
}

async fn unknown_path_is_not_found(client: Client) {
    assert_eq!(get(&client, "/nowhere").await.code, 404);
}

async fn method_that_a_resource_lacks_is_not_allowed(client: Client) {
    let maps = configmaps(&client).await;
    let reply = put(&client, &maps.path, &json!({})).await;
    reply.fails(
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
    );
}

async fn body_that_is_no_json_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    raw(&maps, "application/json", b"{\"apiVersion\": \"v1\",")
        .await
        .refused(400, "BadRequest");
}

async fn body_that_is_no_object_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    raw(&maps, "application/json", b"[]")
        .await
        .refused(400, "BadRequest");
}

async fn empty_body_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    raw(&maps, "application/json", b"")
        .await
        .refused(400, "BadRequest");
}

async fn body_that_is_no_utf8_is_refused(client: Client) {
    let things = things(&client, json!({"s": {"type": "string"}})).await;
    let mut body = things
        .object("a", json!({"spec": {"s": "X"}}))
        .to_string()
        .into_bytes();
    for byte in body.iter_mut().filter(|byte| **byte == b'X') {
        *byte = 0xff;
    }
    // Go's decoder replaces invalid UTF-8 with U+FFFD.
    check!(raw(&things, "application/json", &body).await.is(201), "/spec/s": "\u{fffd}");
}

async fn body_of_an_unknown_media_type_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let reply = raw(&maps, "text/plain", b"hello").await;
    let status = reply.refused(415, "UnsupportedMediaType");
    let message = at(&status, "/message").as_str().unwrap_or_default();
    assert!(
        message.starts_with(
            "the body of the request was in an unknown format - accepted media types include: "
        ),
        "{message}"
    );
}

async fn body_without_a_kind_of_a_custom_resource_is_refused(client: Client) {
    let things = things(&client, json!({})).await;
    raw(
        &things,
        "application/json",
        b"{\"metadata\":{\"name\":\"a\"}}",
    )
    .await
    .refused(400, "BadRequest");
}

async fn body_over_the_limit_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let object = maps.object("a", json!({"data": {"k": "x".repeat(3 * 1024 * 1024 + 1)}}));
    let reply = maps.create(&object).await;
    reply.fails_with(413, "RequestEntityTooLarge", "limit is 3145728");
}

async fn body_nested_too_deeply_is_refused(client: Client) {
    let things = things(
        &client,
        json!({"any": {"x-kubernetes-preserve-unknown-fields": true}}),
    )
    .await;
    let depth = 20_000;
    let body = format!(
        "{{\"apiVersion\":\"{}\",\"kind\":\"Thing\",\"metadata\":{{\"name\":\"a\"}},\"spec\":{{\"any\":{}{}}}}}",
        things.api_version,
        "[".repeat(depth),
        "]".repeat(depth)
    );
    raw(&things, "application/json", body.as_bytes())
        .await
        .refused(400, "BadRequest");
}

async fn wrong_type_in_a_built_in_kind_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let reply = maps.creation("a", json!({"data": {"k": 1}})).await;
    reply.bad_request_with("ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string");
}

async fn answer_in_an_unknown_media_type_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let reply = get_accepting(&client, &maps.path, "image/png").await;
    reply.fails_with(
        406,
        "NotAcceptable",
        "406: Not Acceptable\n\nAvailable representations: application/json, ",
    );
}

async fn type_that_is_no_text_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let number = br#"{"apiVersion":1,"kind":"ConfigMap","metadata":{"name":"a"}}"#;
    raw(&maps, "application/json", number).await.bad_request_with(
        "json parse error: json: cannot unmarshal number into Go struct field .apiVersion of type string",
    );
    let list = br#"{"apiVersion":"v1","kind":[],"metadata":{"name":"a"}}"#;
    raw(&maps, "application/json", list).await.bad_request_with(
        "json parse error: json: cannot unmarshal array into Go struct field .kind of type string",
    );
}

async fn yaml_body_is_understood(client: Client) {
    let maps = configmaps(&client).await;
    let reply = raw(
        &maps,
        "application/yaml",
        b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n",
    )
    .await;
    check!(reply.is(201), "/data/k": "v");
}

async fn yaml_ends_with_its_first_document(client: Client) {
    let maps = configmaps(&client).await;
    let body = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\nkind: Other\n";
    let created = raw(&maps, "application/yaml", body).await.is(201);
    check!(created, "/metadata/name": "a");
}

async fn status_has_metadata_and_content_type(client: Client) {
    let maps = configmaps(&client).await;
    let reply = maps.get("missing").await;
    assert_eq!(reply.header("content-type"), Some("application/json"));
    let status = reply.refused(404, "NotFound");
    check!(status, "/metadata": {});
}

async fn invalid_status_lists_its_causes(client: Client) {
    let deployments = DEPLOYMENTS.fresh(&client).await;
    let template = json!({"metadata": {"labels": {"app": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let object = deployments.object(
        "a",
        json!({"spec": {"selector": {"matchLabels": {"app": "a"}}, "template": template}}),
    );
    let status = deployments.create(&object).await.refused(422, "Invalid");
    check!(status,
        "/details/name": "a",
        "/details/group": "apps",
        "/details/kind": "Deployment",
        "/details/causes/0/reason": "FieldValueInvalid",
        "/details/causes/0/field": "spec.template.metadata.labels",
        "/message": "Deployment.apps \"a\" is invalid: spec.template.metadata.labels: Invalid value: {\"app\":\"b\"}: `selector` does not match template `labels`");
}

async fn query_of_a_wrong_type_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    maps.list("watch=true&timeoutSeconds=soon")
        .await
        .refused(400, "BadRequest");
}

async fn delete_options_of_a_wrong_kind_are_refused(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    maps.delete_with("a", &json!({"apiVersion": "v1", "kind": "Pod"}))
        .await
        .refused(400, "BadRequest");
    maps.get("a").await.is(200);
}

async fn unknown_subresource_is_not_found(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    let reply = maps.get("a/nothing").await;
    reply.not_found("the server could not find the requested resource");
}

async fn path_with_an_encoded_slash_is_no_other_path(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    assert_eq!(maps.get("..%2Fconfigmaps%2Fa").await.code, 404);
}

async fn post_to_an_object_is_not_allowed(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    let reply = post(&client, &maps.at("a"), &maps.object("a", json!({}))).await;
    reply.refused(405, "MethodNotAllowed");
}

async fn yaml_answer_on_request(client: Client) {
    let reply = get_accepting(&client, "/api/v1/namespaces/default", "application/yaml").await;
    reply.is(200);
    assert!(
        reply.text.starts_with("apiVersion: v1\nkind: Namespace\n"),
        "{}",
        reply.text
    );
}

async fn head_is_refused_or_empty(client: Client) {
    let maps = configmaps(&client).await;
    let reply = send(&client, Method::HEAD, &maps.path, &[], Vec::new()).await;
    assert!(reply.text.is_empty(), "{}", reply.text);
}

async fn body_nested_a_thousand_levels_is_taken(client: Client) {
    let any = json!({"x-kubernetes-preserve-unknown-fields": true});
    let things = things(&client, json!({"any": any})).await;
    let nested = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
    let body = things
        .object("a", json!({"spec": {"any": "NESTED"}}))
        .to_string()
        .replace("\"NESTED\"", &nested);
    let reply = raw(&things, "application/json", body.as_bytes()).await;
    assert_eq!(reply.code, 201, "{}", reply.text);
}

async fn answer_in_protobuf_on_request(client: Client) {
    let reply = get_accepting(
        &client,
        "/api/v1/namespaces/default",
        "application/vnd.kubernetes.protobuf",
    )
    .await;
    assert_eq!(reply.code, 200, "{}", reply.text);
    assert_eq!(
        reply.header("content-type"),
        Some("application/vnd.kubernetes.protobuf")
    );
    assert!(reply.text.starts_with("k8s\0"));
}

async fn head_of_a_built_in_kind_is_not_allowed(client: Client) {
    let maps = configmaps(&client).await;
    for path in [maps.path.clone(), maps.at("none")] {
        let reply = send(&client, Method::HEAD, &path, &[], Vec::new()).await;
        assert_eq!(reply.code, 405, "{path}");
    }
    let things = things(&client, json!({})).await;
    let reply = send(&client, Method::HEAD, &things.path, &[], Vec::new()).await;
    assert_eq!(reply.code, 200, "{}", things.path);
}

async fn unknown_collections_are_not_found_by_any_method(client: Client) {
    for path in [
        "/apis/none.example.com/v1/things",
        "/apis/apps/v1/things",
        "/api/v1/things",
    ] {
        for method in [Method::PUT, Method::PATCH, Method::OPTIONS] {
            let reply = send(&client, method.clone(), path, &[], b"{}".to_vec()).await;
            assert_eq!(reply.code, 404, "{method} {path}: {}", reply.text);
        }
    }
}
