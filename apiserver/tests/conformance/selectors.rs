//! Label and field selectors of lists and watches.

use crate::harness::cases;
use crate::support::*;

cases![
    label_equality: check_labels("color%3Dred", &["a"]),
    label_inequality: check_labels("color!%3Dred", &["b", "c", "d"]),
    label_in_a_set: check_labels("color%20in%20(red,blue)", &["a", "b"]),
    label_not_in_a_set: check_labels("color%20notin%20(red,blue)", &["c", "d"]),
    label_exists: check_labels("color", &["a", "b", "d"]),
    label_does_not_exist: check_labels("!color", &["c"]),
    label_requirements_are_all_met: check_labels("color%3Dred,size%3D1", &["a"]),
    invalid_label_selector_is_refused: list_refused(
        "labelSelector=color%3D%3D%3Dred", 400, "BadRequest", "unable to parse requirement"),
    field_metadata_name: lists("fieldSelector=metadata.name%3Db", &["b"]),
    field_metadata_name_not_equal: lists("fieldSelector=metadata.name!%3Db", &["a", "c", "d"]),
    field_metadata_namespace,
    field_metadata_namespace_of_a_cluster_scoped_kind_is_refused,
    field_of_a_pod,
    unknown_field_selector_is_refused,
    unknown_field_selector_of_a_custom_resource_is_refused,
    selectable_fields_of_a_custom_resource,
    watch_follows_a_label_selector,
    watch_shows_objects_that_leave_a_selector_as_deleted,
    watch_shows_objects_that_enter_a_selector_as_added,
    watch_follows_a_field_selector,
    label_and_field_selector_together,
    field_type_of_a_secret,
    field_involved_object_of_an_event,
];

async fn labelled(client: &Client) -> Collection {
    let secrets = secrets(client).await;
    for (name, labels) in [
        ("a", json!({"color": "red", "size": "1"})),
        ("b", json!({"color": "blue"})),
        ("c", json!({"size": "1"})),
        ("d", json!({"color": ""})),
    ] {
        secrets
            .given(name, json!({"metadata": {"labels": labels}}))
            .await;
    }
    secrets
}

async fn check_labels(client: Client, selector: &str, expected: &[&str]) {
    lists(client, &format!("labelSelector={selector}"), expected).await;
}

/// Expects a query to list these of the labelled secrets.
async fn lists(client: Client, query: &str, expected: &[&str]) {
    let list = labelled(&client).await.listed(query).await;
    assert_eq!(names(&list), expected, "{query}");
}

async fn field_metadata_namespace(client: Client) {
    let secrets = labelled(&client).await;
    let namespace = secrets.namespace.clone().unwrap_or_default();
    let list = get(
        &client,
        &format!("/api/v1/secrets?fieldSelector=metadata.namespace%3D{namespace}"),
    )
    .await
    .is(200);
    assert_eq!(names(&list), ["a", "b", "c", "d"]);
}

async fn field_of_a_pod(client: Client) {
    let pods = PODS.fresh(&client).await;
    for (name, node) in [("a", "one"), ("b", "two")] {
        pods.given(
            name,
            json!({"spec": {"nodeName": node, "containers": [{"name": "c", "image": "i"}]}}),
        )
        .await;
    }
    assert_eq!(
        names(&pods.listed("fieldSelector=spec.nodeName%3Done").await),
        ["a"]
    );
    assert_eq!(
        names(
            &pods
                .listed("fieldSelector=status.phase%3DPending,spec.nodeName%3Dtwo")
                .await
        ),
        ["b"]
    );
    pods.delete_all("gracePeriodSeconds=0").await;
}

async fn unknown_field_selector_is_refused(client: Client) {
    let secrets = secrets(&client).await;
    let reply = secrets.list("fieldSelector=spec.color%3Dred").await;
    reply.bad_request("field label not supported: spec.color");
    let reply = get(&client, "/api/v1/configmaps?fieldSelector=spec.color%3Dred").await;
    reply.bad_request("\"spec.color\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
}

async fn unknown_field_selector_of_a_custom_resource_is_refused(client: Client) {
    let things = things(&client, json!({"color": {"type": "string"}})).await;
    things
        .list("fieldSelector=spec.color%3Dred")
        .await
        .bad_request_with("field label not supported: spec.color");
}

async fn selectable_fields_of_a_custom_resource(client: Client) {
    let things = Crd::new(crd::spec_schema(json!({"color": {"type": "string"}})))
        .with("selectableFields", json!([{"jsonPath": ".spec.color"}]))
        .install(&client)
        .await;
    for (name, color) in [("a", "red"), ("b", "blue"), ("c", "red")] {
        things.given(name, json!({"spec": {"color": color}})).await;
    }
    assert_eq!(
        names(&things.listed("fieldSelector=spec.color%3Dred").await),
        ["a", "c"]
    );
    assert_eq!(
        names(&things.listed("fieldSelector=spec.color!%3Dred").await),
        ["b"]
    );
}

async fn watch_follows_a_label_selector(client: Client) {
    let secrets = labelled(&client).await;
    let mut watch = secrets.watch_from_now("labelSelector=color%3Dred").await;
    secrets
        .given("e", json!({"metadata": {"labels": {"color": "blue"}}}))
        .await;
    secrets
        .given("f", json!({"metadata": {"labels": {"color": "red"}}}))
        .await;
    watch.expect("ADDED", "f").await;
}

async fn watch_shows_objects_that_leave_a_selector_as_deleted(client: Client) {
    let secrets = labelled(&client).await;
    let mut watch = secrets.watch_from_now("labelSelector=color%3Dred").await;
    let updated = secrets
        .merged("a", json!({"metadata": {"labels": {"color": "blue"}}}))
        .await;
    let gone = watch.expect("DELETED", "a").await;
    check!(gone, "/metadata/labels/color": "red");
    assert_eq!(resource_version(&gone), resource_version(&updated));
}

async fn watch_shows_objects_that_enter_a_selector_as_added(client: Client) {
    let secrets = labelled(&client).await;
    let mut watch = secrets.watch_from_now("labelSelector=color%3Dred").await;
    secrets
        .merged("b", json!({"metadata": {"labels": {"color": "red"}}}))
        .await;
    watch.expect("ADDED", "b").await;
    secrets
        .merged("b", json!({"metadata": {"labels": {"more": "1"}}}))
        .await;
    watch.expect("MODIFIED", "b").await;
}

async fn watch_follows_a_field_selector(client: Client) {
    let secrets = labelled(&client).await;
    let mut watch = secrets
        .watch_from_now("fieldSelector=metadata.name%3Dc")
        .await;
    secrets
        .merged("a", json!({"metadata": {"labels": {"x": "1"}}}))
        .await;
    secrets
        .merged("c", json!({"metadata": {"labels": {"x": "1"}}}))
        .await;
    watch.expect("MODIFIED", "c").await;
}

async fn label_and_field_selector_together(client: Client) {
    let secrets = labelled(&client).await;
    let query =
        |name: &str| format!("labelSelector=color%3Dred&fieldSelector=metadata.name%3D{name}");
    assert_eq!(names(&secrets.listed(&query("a")).await), ["a"]);
    assert_eq!(
        names(&secrets.listed(&query("b")).await),
        Vec::<&str>::new()
    );
}

async fn field_type_of_a_secret(client: Client) {
    let secrets = secrets(&client).await;
    secrets.given("a", json!({})).await;
    secrets.given("b", json!({"type": "example.com/own"})).await;
    assert_eq!(
        names(&secrets.listed("fieldSelector=type%3Dexample.com/own").await),
        ["b"]
    );
}

async fn field_involved_object_of_an_event(client: Client) {
    let events = CORE_EVENTS.fresh(&client).await;
    let namespace = events.namespace.clone().unwrap_or_default();
    for (name, involved) in [("a", "one"), ("b", "two")] {
        let involved = json!({"kind": "Pod", "name": involved, "namespace": namespace});
        events
            .given(
                name,
                json!({"involvedObject": involved, "reason": "Tested", "type": "Normal"}),
            )
            .await;
    }
    assert_eq!(
        names(
            &events
                .listed("fieldSelector=involvedObject.name%3Dtwo,type%3DNormal")
                .await
        ),
        ["b"]
    );
}

async fn field_metadata_namespace_of_a_cluster_scoped_kind_is_refused(client: Client) {
    let mut crd = Crd::new(json!({"type": "object"}));
    crd.body["spec"]["scope"] = json!("Cluster");
    let things = crd.install(&client).await;
    let things = things.path.replace(
        &format!("/namespaces/{}", things.namespace.unwrap_or_default()),
        "",
    );
    let nodes = "/api/v1/nodes".to_owned();
    let namespaces = "/api/v1/namespaces".to_owned();
    for path in [things, nodes, namespaces] {
        let query = format!("{path}?fieldSelector=metadata.namespace%3Da");
        let message = "field label not supported: metadata.namespace";
        get(&client, &query).await.fails(400, "BadRequest", message);
    }
}
