//! resourceVersion and resourceVersionMatch in reads.

use crate::harness::cases;
use crate::support::*;

cases![
    list_from_zero_is_answered,
    list_not_older_than_sees_the_write,
    list_exact_is_of_that_version,
    list_exact_of_a_version_before_a_delete,
    exact_without_a_version_is_refused: list_refused(
        "resourceVersionMatch=Exact", 422, "Invalid",
        "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"),
    match_without_a_version_is_refused: list_refused(
        "resourceVersionMatch=NotOlderThan", 422, "Invalid",
        "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"),
    exact_of_zero_is_refused: list_refused(
        "resourceVersion=0&resourceVersionMatch=Exact", 422, "Invalid",
        "resourceVersionMatch: Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""),
    unknown_match_is_refused: list_refused(
        "resourceVersion=1&resourceVersionMatch=Roughly", 422, "Invalid",
        "resourceVersionMatch: Unsupported value: \"Roughly\": supported values: \"Exact\", \"NotOlderThan\""),
    list_of_a_version_too_large_times_out,
    get_not_older_than_sees_the_write,
    match_with_continue_is_refused: list_refused(
        "limit=1&continue=abc&resourceVersion=1&resourceVersionMatch=NotOlderThan", 422, "Invalid",
        "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided"),
    exact_with_a_limit_pages_through_that_version,
    resource_version_that_is_no_number_is_refused,
    unset_is_the_most_recent,
];

async fn list_from_zero_is_answered(client: Client) {
    let list = secrets(&client).await.listed("resourceVersion=0").await;
    resource_version(&list);
}

async fn list_not_older_than_sees_the_write(client: Client) {
    let secrets = secrets(&client).await;
    let version = resource_version(&secrets.given("a", json!({})).await);
    for query in [
        format!("resourceVersion={version}"),
        format!("resourceVersion={version}&resourceVersionMatch=NotOlderThan"),
    ] {
        let list = secrets.listed(&query).await;
        assert_eq!(names(&list), ["a"]);
        assert!(resource_version(&list).parse::<u64>().ok() >= version.parse().ok());
    }
}

async fn list_exact_is_of_that_version(client: Client) {
    let secrets = secrets(&client).await;
    let version = resource_version(&secrets.given("a", json!({})).await);
    secrets.given("b", json!({})).await;
    let list = secrets
        .listed(&format!(
            "resourceVersion={version}&resourceVersionMatch=Exact"
        ))
        .await;
    assert_eq!(names(&list), ["a"]);
    assert_eq!(resource_version(&list), version);
}

async fn list_exact_of_a_version_before_a_delete(client: Client) {
    let secrets = secrets(&client).await;
    let version = resource_version(&secrets.given("a", json!({"stringData": {"k": "v"}})).await);
    secrets.delete("a").await.is(200);
    let list = secrets
        .listed(&format!(
            "resourceVersion={version}&resourceVersionMatch=Exact"
        ))
        .await;
    check!(list, "/items/0/data/k": "dg==");
}

async fn list_of_a_version_too_large_times_out(client: Client) {
    let secrets = secrets(&client).await;
    let now: u64 = secrets.version().await.parse().expect("a number");
    let reply = secrets
        .list(&format!("resourceVersion={}", now + 1_000_000))
        .await;
    let status = reply.fails_with(504, "Timeout", "Too large resource version");
    check!(status,
        "/details/causes/0/reason": "ResourceVersionTooLarge",
        "/details/retryAfterSeconds": 1);
}

async fn get_not_older_than_sees_the_write(client: Client) {
    let secrets = secrets(&client).await;
    let version = resource_version(&secrets.given("a", json!({})).await);
    assert_eq!(
        resource_version(
            &secrets
                .get(&format!("a?resourceVersion={version}"))
                .await
                .is(200)
        ),
        version
    );
    secrets.get("a?resourceVersion=0").await;
}

async fn exact_with_a_limit_pages_through_that_version(client: Client) {
    let secrets = secrets(&client).await;
    secrets.given("a", json!({})).await;
    let version = resource_version(&secrets.given("b", json!({})).await);
    secrets.given("c", json!({})).await;
    let list = secrets
        .listed(&format!(
            "limit=1&resourceVersion={version}&resourceVersionMatch=Exact"
        ))
        .await;
    assert_eq!(names(&list), ["a"]);
    check!(list, "/metadata/remainingItemCount": 1);
    assert_eq!(resource_version(&list), version);
}

async fn resource_version_that_is_no_number_is_refused(client: Client) {
    let reply = secrets(&client).await.list("resourceVersion=soon").await;
    reply.refused(400, "BadRequest");
}

async fn unset_is_the_most_recent(client: Client) {
    let secrets = secrets(&client).await;
    for n in 0..5 {
        let name = format!("s{n}");
        secrets.given(&name, json!({})).await;
        assert!(names(&secrets.listed("").await).contains(&name.as_str()));
    }
}
