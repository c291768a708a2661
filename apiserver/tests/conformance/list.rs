//! Lists: order, resource versions and pages.

use crate::harness::cases;
use crate::support::expect::eventually;
use crate::support::*;

cases![
    list_is_sorted_by_name,
    list_has_kind_and_resource_version,
    list_items_of_built_in_kinds_have_no_kind,
    list_items_of_custom_resources_have_their_kind,
    empty_list_has_items,
    list_of_a_missing_namespace_is_empty,
    list_over_all_namespaces,
    list_resource_version_moves_with_writes,
    limit_cuts_the_list,
    continue_goes_on_where_the_page_ended,
    pages_are_of_one_snapshot,
    last_page_has_no_token,
    remaining_item_count_is_told,
    remaining_item_count_is_not_told_with_a_selector,
    limit_with_a_label_selector,
    continue_across_namespaces,
    continue_with_a_resource_version_is_refused,
    nonsense_continue_token_is_refused,
    nonsense_limit_is_refused,
    limit_of_an_exact_fit_has_no_token,
    list_of_custom_resources_in_pages,
    partial_object_metadata_list,
    partial_object_metadata_of_one_object,
    watch_false_is_a_list,
    limit_of_zero_is_no_limit,
    limit_from_version_zero_cuts_nothing,
    limit_not_older_than_a_version_cuts_the_list,
];

async fn five(client: &Client) -> Collection {
    let secrets = secrets(client).await;
    for name in ["d", "b", "a", "e", "c"] {
        secrets.given(name, json!({"metadata": {"labels": {"vowel": if "ae".contains(name) { "yes" } else { "no" }}}})).await;
    }
    secrets
}

fn token(list: &Value) -> String {
    let token = at(list, "/metadata/continue").as_str().unwrap_or_default();
    assert!(
        !token.is_empty(),
        "no continue token in {}",
        list["metadata"]
    );
    token
        .bytes()
        .map(|b| {
            if b.is_ascii_alphanumeric() {
                (b as char).to_string()
            } else {
                format!("%{b:02X}")
            }
        })
        .collect()
}

async fn list_is_sorted_by_name(client: Client) {
    assert_eq!(
        names(&five(&client).await.listed("").await),
        ["a", "b", "c", "d", "e"]
    );
}

async fn list_has_kind_and_resource_version(client: Client) {
    let list = five(&client).await.listed("").await;
    check!(list, "/kind": "SecretList", "/apiVersion": "v1");
    resource_version(&list);
    check_absent(&list, "/metadata/continue");
    check_absent(&list, "/metadata/remainingItemCount");
}

async fn list_items_of_built_in_kinds_have_no_kind(client: Client) {
    let list = five(&client).await.listed("").await;
    check_absent(&list, "/items/0/kind");
    check_absent(&list, "/items/0/apiVersion");
}

async fn list_items_of_custom_resources_have_their_kind(client: Client) {
    let things = things(&client, json!({})).await;
    things.given("a", json!({})).await;
    let list = things.listed("").await;
    check!(list,
        "/kind": "ThingList",
        "/apiVersion": things.api_version,
        "/items/0/kind": "Thing",
        "/items/0/apiVersion": things.api_version);
}

async fn empty_list_has_items(client: Client) {
    check!(secrets(&client).await.listed("").await, "/items": []);
    check!(things(&client, json!({})).await.listed("").await, "/items": []);
}

async fn list_of_a_missing_namespace_is_empty(client: Client) {
    check!(get(&client, "/api/v1/namespaces/conformance-missing/secrets").await.is(200),
        "/items": []);
}

async fn list_over_all_namespaces(client: Client) {
    let mark = collection::unique();
    let (first, second) = (secrets(&client).await, secrets(&client).await);
    first
        .given("a", json!({"metadata": {"labels": {"mark": mark}}}))
        .await;
    second
        .given("a", json!({"metadata": {"labels": {"mark": mark}}}))
        .await;
    let list = get(
        &client,
        &format!("/api/v1/secrets?labelSelector=mark%3D{mark}"),
    )
    .await
    .is(200);
    let mut found: Vec<_> = (0..2)
        .map(|n| {
            at(&list, &format!("/items/{n}/metadata/namespace"))
                .as_str()
                .map(str::to_owned)
        })
        .collect();
    found.sort();
    let mut expected = vec![first.namespace, second.namespace];
    expected.sort();
    assert_eq!(found, expected);
}

async fn list_resource_version_moves_with_writes(client: Client) {
    let secrets = secrets(&client).await;
    let before = secrets.version().await;
    let written = resource_version(&secrets.given("a", json!({})).await);
    let after = secrets.version().await;
    let number = |version: &str| version.parse::<u64>().expect("a number");
    assert!(
        number(&before) < number(&written) && number(&written) <= number(&after),
        "{before} {written} {after}"
    );
}

async fn limit_cuts_the_list(client: Client) {
    let list = five(&client).await.listed("limit=2").await;
    assert_eq!(names(&list), ["a", "b"]);
    token(&list);
}

async fn continue_goes_on_where_the_page_ended(client: Client) {
    let secrets = five(&client).await;
    let first = secrets.listed("limit=2").await;
    let second = secrets
        .listed(&format!("limit=2&continue={}", token(&first)))
        .await;
    assert_eq!(names(&second), ["c", "d"]);
    let third = secrets
        .listed(&format!("limit=2&continue={}", token(&second)))
        .await;
    assert_eq!(names(&third), ["e"]);
}

async fn pages_are_of_one_snapshot(client: Client) {
    let secrets = five(&client).await;
    let first = secrets.listed("limit=2").await;
    secrets.delete("c").await.is(200);
    secrets.given("cc", json!({})).await;
    let rest = secrets.listed(&format!("continue={}", token(&first))).await;
    assert_eq!(names(&rest), ["c", "d", "e"]);
    assert_eq!(resource_version(&rest), resource_version(&first));
}

async fn last_page_has_no_token(client: Client) {
    let secrets = five(&client).await;
    let first = secrets.listed("limit=3").await;
    let last = secrets
        .listed(&format!("limit=3&continue={}", token(&first)))
        .await;
    check_absent(&last, "/metadata/continue");
    check_absent(&last, "/metadata/remainingItemCount");
}

async fn remaining_item_count_is_told(client: Client) {
    let secrets = five(&client).await;
    let first = secrets.listed("limit=2").await;
    check!(first, "/metadata/remainingItemCount": 3);
    let second = secrets
        .listed(&format!("limit=2&continue={}", token(&first)))
        .await;
    check!(second, "/metadata/remainingItemCount": 1);
}

async fn remaining_item_count_is_not_told_with_a_selector(client: Client) {
    let list = five(&client)
        .await
        .listed("limit=1&labelSelector=vowel%3Dno")
        .await;
    check_absent(&list, "/metadata/remainingItemCount");
    token(&list);
}

async fn limit_with_a_label_selector(client: Client) {
    let secrets = five(&client).await;
    let first = secrets.listed("limit=2&labelSelector=vowel%3Dno").await;
    assert_eq!(names(&first), ["b", "c"]);
    let second = secrets
        .listed(&format!(
            "limit=2&labelSelector=vowel%3Dno&continue={}",
            token(&first)
        ))
        .await;
    assert_eq!(names(&second), ["d"]);
    check_absent(&second, "/metadata/continue");
}

async fn continue_across_namespaces(client: Client) {
    let things = things(&client, json!({})).await;
    let other = Resource(&format!("/apis/{}", things.api_version), "things", "Thing")
        .within(&client, &namespace(&client).await);
    for name in ["a", "b"] {
        things.given(name, json!({})).await;
        other.given(name, json!({})).await;
    }
    let everywhere = format!("/apis/{}/things", things.api_version);
    let first = get(&client, &format!("{everywhere}?limit=3")).await.is(200);
    let second = get(
        &client,
        &format!("{everywhere}?limit=3&continue={}", token(&first)),
    )
    .await
    .is(200);
    assert_eq!(
        (names(&first), names(&second)),
        (vec!["a", "b", "a"], vec!["b"])
    );
}

async fn continue_with_a_resource_version_is_refused(client: Client) {
    let secrets = five(&client).await;
    let first = secrets.listed("limit=2").await;
    let reply = secrets
        .list(&format!(
            "limit=2&continue={}&resourceVersion={}",
            token(&first),
            resource_version(&first)
        ))
        .await;
    reply.bad_request("specifying resource version is not allowed when using continue");
}

async fn nonsense_continue_token_is_refused(client: Client) {
    let secrets = five(&client).await;
    secrets
        .list("limit=2&continue=nonsense")
        .await
        .bad_request_with("continue key is not valid");
}

async fn nonsense_limit_is_refused(client: Client) {
    let secrets = secrets(&client).await;
    secrets.list("limit=many").await.refused(400, "BadRequest");
}

async fn limit_of_an_exact_fit_has_no_token(client: Client) {
    let list = five(&client).await.listed("limit=5").await;
    assert_eq!(names(&list).len(), 5);
    check_absent(&list, "/metadata/continue");
}

async fn list_of_custom_resources_in_pages(client: Client) {
    let things = things(&client, json!({})).await;
    for name in ["a", "b", "c"] {
        things.given(name, json!({})).await;
    }
    let first = things.listed("limit=2").await;
    check!(first, "/metadata/remainingItemCount": 1);
    let second = things
        .listed(&format!("limit=2&continue={}", token(&first)))
        .await;
    assert_eq!(names(&second), ["c"]);
}

const METADATA_LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

async fn partial_object_metadata_list(client: Client) {
    let secrets = five(&client).await;
    let list = get_accepting(&client, &secrets.path, METADATA_LIST)
        .await
        .is(200);
    check!(list, "/kind": "PartialObjectMetadataList", "/apiVersion": "meta.k8s.io/v1");
    assert_eq!(names(&list).len(), 5);
    check!(list, "/items/0/kind": "PartialObjectMetadata", "/items/0/metadata/labels/vowel": "yes");
    check_absent(&list, "/items/0/type");
}

async fn partial_object_metadata_of_one_object(client: Client) {
    let secrets = five(&client).await;
    let object = get_accepting(&client, &secrets.at("a"), METADATA)
        .await
        .is(200);
    check!(object,
        "/kind": "PartialObjectMetadata",
        "/apiVersion": "meta.k8s.io/v1",
        "/metadata/name": "a");
    check_absent(&object, "/type");
}

async fn watch_false_is_a_list(client: Client) {
    let list = five(&client).await.listed("watch=false").await;
    check!(list, "/kind": "SecretList");
}

async fn limit_of_zero_is_no_limit(client: Client) {
    let list = five(&client).await.listed("limit=0").await;
    assert_eq!(names(&list).len(), 5);
    check_absent(&list, "/metadata/continue");
}

async fn limit_from_version_zero_cuts_nothing(client: Client) {
    let secrets = five(&client).await;
    for query in [
        "resourceVersion=0&limit=2",
        "resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=2",
    ] {
        // Any state includes one before the last writes.
        let list = eventually("all five are listed", || async {
            let list = secrets.listed(query).await;
            (names(&list).len() == 5).then_some(list)
        })
        .await;
        check_absent(&list, "/metadata/continue");
    }
}

async fn limit_not_older_than_a_version_cuts_the_list(client: Client) {
    let secrets = five(&client).await;
    let version = secrets.version().await;
    let query = format!("resourceVersion={version}&resourceVersionMatch=NotOlderThan&limit=2");
    let list = secrets.listed(&query).await;
    assert_eq!(names(&list), ["a", "b"]);
    check!(list, "/metadata/remainingItemCount": 3);
    let token = at(&list, "/metadata/continue").as_str().unwrap_or_default();
    let rest = secrets.list(&format!("continue={token}&limit=9")).await;
    assert_eq!(names(&rest.is(200)), ["c", "d", "e"]);
}
