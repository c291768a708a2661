//! CRDs with several versions, and CRDs that change.

use crate::harness::cases;
use crate::support::expect::eventually;
use crate::support::*;

cases![
    object_is_served_in_every_version,
    object_written_in_one_version_reads_in_another,
    list_is_of_the_requested_version,
    watch_is_of_the_requested_version,
    version_that_is_not_served_is_not_found,
    new_version_is_served_after_an_update,
    version_that_stops_being_served_is_not_found,
    each_version_has_its_own_schema,
    write_in_a_version_keeps_fields_that_it_knows,
    deprecated_version_warns,
    crd_without_a_storage_version_is_refused,
    crd_whose_name_does_not_match_is_refused,
    crd_without_a_schema_is_refused,
    crd_with_an_unstructural_schema_is_refused,
    crd_with_taken_names_is_not_accepted,
    crd_deletion_deletes_its_objects,
    crd_group_cannot_change,
    crd_defaults_its_names,
    schema_update_is_enforced,
    stored_versions_remember,
];

fn free() -> Value {
    json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}

async fn both(client: &Client) -> (Crd, Collection, Collection) {
    let crd = Crd::new(free()).and_version("v2", free());
    let first = crd.install(client).await;
    let second = crd.things(client, first.namespace.as_deref().unwrap_or_default(), "v2");
    (crd, first, second)
}

async fn object_is_served_in_every_version(client: Client) {
    let (_, first, second) = both(&client).await;
    let created = first.given("a", json!({"spec": {"k": "v"}})).await;
    let read = second.get("a").await.is(200);
    check!(read, "/apiVersion": second.api_version, "/spec/k": "v");
    assert_eq!(at(&read, "/metadata/uid"), at(&created, "/metadata/uid"));
    assert_eq!(resource_version(&read), resource_version(&created));
}

async fn object_written_in_one_version_reads_in_another(client: Client) {
    let (_, first, second) = both(&client).await;
    second.given("a", json!({"spec": {"k": "v"}})).await;
    first.merged("a", json!({"spec": {"k": "w"}})).await;
    check!(second.get("a").await.is(200), "/spec/k": "w");
}

async fn list_is_of_the_requested_version(client: Client) {
    let (_, first, second) = both(&client).await;
    first.given("a", json!({})).await;
    let list = second.listed("").await;
    check!(list, "/apiVersion": second.api_version, "/items/0/apiVersion": second.api_version);
}

async fn watch_is_of_the_requested_version(client: Client) {
    let (_, first, second) = both(&client).await;
    let mut watch = second.watch_from_now("").await;
    first.given("a", json!({})).await;
    check!(watch.expect("ADDED", "a").await, "/apiVersion": second.api_version);
}

async fn version_that_is_not_served_is_not_found(client: Client) {
    let mut crd = Crd::new(free()).and_version("v2", free());
    crd.body["spec"]["versions"][1]["served"] = json!(false);
    let first = crd.install(&client).await;
    let second = crd.things(
        &client,
        first.namespace.as_deref().unwrap_or_default(),
        "v2",
    );
    assert_eq!(second.list("").await.code, 404);
}

async fn new_version_is_served_after_an_update(client: Client) {
    let mut crd = Crd::new(free());
    let first = crd.install(&client).await;
    first.given("a", json!({})).await;
    let mut stored = get(&client, &crd.path()).await.is(200);
    crd = crd.and_version("v2", free());
    stored["spec"]["versions"] = crd.body["spec"]["versions"].clone();
    put(&client, &crd.path(), &stored).await.is(200);
    crd.wait_until_served(&client).await;
    let second = crd.things(
        &client,
        first.namespace.as_deref().unwrap_or_default(),
        "v2",
    );
    check!(second.get("a").await.is(200), "/apiVersion": second.api_version);
}

async fn version_that_stops_being_served_is_not_found(client: Client) {
    let (crd, first, second) = both(&client).await;
    let unserve = json!([{"op": "replace", "path": "/spec/versions/1/served", "value": false}]);
    patch(&client, &crd.path(), wire::patch_type::JSON, &unserve)
        .await
        .is(200);
    eventually("v2 is no longer served", || async {
        (second.list("").await.code == 404).then_some(())
    })
    .await;
    first.listed("").await;
}

fn typed(property: &str) -> Value {
    crd::spec_schema(json!({property: {"type": "integer"}}))
}

async fn each_version_has_its_own_schema(client: Client) {
    let crd = Crd::new(crd::spec_schema(json!({"n": {"type": "integer"}})))
        .and_version("v2", crd::spec_schema(json!({"n": {"type": "string"}})));
    let first = crd.install(&client).await;
    let second = crd.things(
        &client,
        first.namespace.as_deref().unwrap_or_default(),
        "v2",
    );
    second.given("a", json!({"spec": {"n": "text"}})).await;
    let reply = first.creation("b", json!({"spec": {"n": "text"}})).await;
    reply.invalid_with("spec.n in body must be of type integer: \"string\"");
}

async fn write_in_a_version_keeps_fields_that_it_knows(client: Client) {
    let crd = Crd::new(typed("one")).and_version("v2", typed("two"));
    let first = crd.install(&client).await;
    let second = crd.things(
        &client,
        first.namespace.as_deref().unwrap_or_default(),
        "v2",
    );
    let created = first
        .given("a", json!({"spec": {"one": 1, "two": 2}}))
        .await;
    check!(created, "/spec": {"one": 1});
    // The storage version is v1: fields that only v2 has are pruned before storage.
    check!(second.get("a").await.is(200), "/spec": {});
}

async fn deprecated_version_warns(client: Client) {
    let crd = Crd::new(free())
        .with("deprecated", json!(true))
        .with("deprecationWarning", json!("use something else"));
    let things = crd.install(&client).await;
    assert_eq!(things.list("").await.warnings(), ["use something else"]);
}

async fn refused_crd(client: &Client, body: &Value, message: &str) {
    post(client, crd::CRDS, body).await.invalid_with(message);
}

async fn crd_without_a_storage_version_is_refused(client: Client) {
    let mut crd = Crd::new(free());
    crd.body["spec"]["versions"][0]["storage"] = json!(false);
    refused_crd(
        &client,
        &crd.body,
        "must have exactly one version marked as storage version",
    )
    .await;
}

async fn crd_whose_name_does_not_match_is_refused(client: Client) {
    let mut crd = Crd::new(free());
    crd.body["metadata"]["name"] = json!("other.example.com");
    let message = "metadata.name: Invalid value: \"other.example.com\": must be spec.names.plural+\".\"+spec.group";
    refused_crd(&client, &crd.body, message).await;
}

async fn crd_without_a_schema_is_refused(client: Client) {
    let mut crd = Crd::new(free());
    crd.body["spec"]["versions"][0]["schema"] = json!({});
    refused_crd(
        &client,
        &crd.body,
        "spec.versions[0].schema.openAPIV3Schema: Required value",
    )
    .await;
}

async fn crd_with_an_unstructural_schema_is_refused(client: Client) {
    let crd = Crd::new(
        json!({"type": "object", "properties": {"spec": {"properties": {"k": {"type": "string"}}}}}),
    );
    let message = "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields";
    let reply = post(&client, crd::CRDS, &crd.body).await;
    reply.invalid_with(
        message
            .split_once("properties")
            .map(|(_, rest)| rest)
            .unwrap_or_default(),
    );
}

async fn crd_with_taken_names_is_not_accepted(client: Client) {
    let crd = Crd::new(free());
    crd.install(&client).await;
    let mut other = crd.clone();
    other.body["metadata"]["name"] = json!(format!("others.{}", crd.group));
    other.body["spec"]["names"] =
        json!({"kind": "Thing", "listKind": "ThingList", "plural": "others", "singular": "other"});
    post(&client, crd::CRDS, &other.body).await.is(201);
    let path = format!("{}/others.{}", crd::CRDS, crd.group);
    let condition = eventually("the names are judged", || async {
        let found = get(&client, &path).await.json();
        let conditions = found["status"]["conditions"].as_array().cloned()?;
        conditions
            .into_iter()
            .find(|condition| condition["type"] == "NamesAccepted")
    })
    .await;
    check!(condition, "/status": "False", "/reason": "ListKindConflict");
    delete(&client, &path).await.is(200);
}

async fn crd_deletion_deletes_its_objects(client: Client) {
    let crd = Crd::new(free());
    let things = crd.install(&client).await;
    let first = things.given("a", json!({})).await;
    delete(&client, &crd.path()).await.is(200);
    eventually("the CRD is gone", || async {
        (get(&client, &crd.path()).await.code == 404).then_some(())
    })
    .await;
    post(&client, crd::CRDS, &crd.body).await.is(201);
    crd.wait_until_served(&client).await;
    assert_eq!(names(&things.listed("").await), Vec::<&str>::new());
    let second = things.given("a", json!({})).await;
    assert_ne!(at(&first, "/metadata/uid"), at(&second, "/metadata/uid"));
}

async fn crd_group_cannot_change(client: Client) {
    let crd = Crd::new(free());
    crd.install(&client).await;
    let reply = patch(
        &client,
        &crd.path(),
        wire::patch_type::MERGE,
        &json!({"spec": {"group": "other.example.com"}}),
    )
    .await;
    reply.refused(422, "Invalid");
}

async fn crd_defaults_its_names(client: Client) {
    let mut crd = Crd::new(free());
    crd.body["spec"]["names"] = json!({"kind": "Thing", "plural": "things"});
    crd.install(&client).await;
    let stored = get(&client, &crd.path()).await.is(200);
    check!(stored,
        "/spec/names": {"kind": "Thing", "listKind": "ThingList", "plural": "things", "singular": "thing"},
        "/spec/conversion": {"strategy": "None"});
}

async fn schema_update_is_enforced(client: Client) {
    let crd = Crd::new(crd::spec_schema(json!({"n": {"type": "integer"}})));
    let things = crd.install(&client).await;
    things.given("a", json!({"spec": {"n": 5}})).await;
    let tighten = json!([{"op": "add", "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/n/maximum", "value": 3}]);
    patch(&client, &crd.path(), wire::patch_type::JSON, &tighten)
        .await
        .is(200);
    eventually("the new schema refuses", || async {
        let reply = things
            .creation_with("dryRun=All", "b", json!({"spec": {"n": 4}}))
            .await;
        (reply.code == 422).then_some(())
    })
    .await;
    check!(things.get("a").await.is(200), "/spec/n": 5);
}

async fn stored_versions_remember(client: Client) {
    let (crd, _, _) = both(&client).await;
    let swap = json!([
        {"op": "replace", "path": "/spec/versions/0/storage", "value": false},
        {"op": "replace", "path": "/spec/versions/1/storage", "value": true},
    ]);
    patch(&client, &crd.path(), wire::patch_type::JSON, &swap)
        .await
        .is(200);
    check!(get(&client, &crd.path()).await.is(200), "/status/storedVersions": ["v1", "v2"]);
}
