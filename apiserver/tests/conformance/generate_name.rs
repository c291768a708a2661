//! Generated names.

use crate::harness::cases;
use crate::support::*;

cases![
    generate_name_gets_a_suffix,
    generate_name_yields_different_names,
    name_wins_over_generate_name,
    generate_name_of_a_custom_resource,
    long_generate_name_is_cut,
    invalid_generate_name_is_refused,
    an_update_drops_what_it_does_not_give,
];

fn generated(prefix: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": prefix}})
}

async fn generate_name_gets_a_suffix(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps.create(&generated("part-")).await.is(201);
    let name = at(&created, "/metadata/name").as_str().unwrap_or_default();
    let suffix = name.strip_prefix("part-").unwrap_or_default();
    assert_eq!(suffix.len(), 5, "{name}");
    assert!(
        suffix
            .chars()
            .all(|c| "bcdfghjklmnpqrstvwxz2456789".contains(c)),
        "{name}"
    );
    check!(created, "/metadata/generateName": "part-");
    maps.get(name).await.is(200);
}

async fn generate_name_yields_different_names(client: Client) {
    let maps = configmaps(&client).await;
    for _ in 0..5 {
        maps.create(&generated("part-")).await.is(201);
    }
    assert_eq!(
        names(&maps.listed("").await)
            .iter()
            .filter(|name| name.starts_with("part-"))
            .count(),
        5
    );
}

async fn name_wins_over_generate_name(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps
        .given("a", json!({"metadata": {"generateName": "part-"}}))
        .await;
    check!(created, "/metadata/name": "a");
}

async fn generate_name_of_a_custom_resource(client: Client) {
    let things = things(&client, json!({})).await;
    let object = json!({"apiVersion": things.api_version, "kind": "Thing", "metadata": {"generateName": "part-"}});
    let created = things.create(&object).await.is(201);
    assert_eq!(
        at(&created, "/metadata/name").as_str().map(str::len),
        Some(10)
    );
}

async fn long_generate_name_is_cut(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps.create(&generated(&"x".repeat(70))).await.is(201);
    let name = at(&created, "/metadata/name").as_str().unwrap_or_default();
    assert_eq!(
        name.len(),
        63,
        "58 characters of the base and 5 of the suffix: {name}"
    );
}

async fn invalid_generate_name_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    maps.create(&generated("Not_Valid"))
        .await
        .invalid_with("metadata.generateName: Invalid value: \"Not_Valid\"");
}

async fn an_update_drops_what_it_does_not_give(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({"metadata": {"generateName": "part-"}}))
        .await;
    let replaced = maps.replaced("a", &maps.object("a", json!({}))).await;
    check!(replaced, "/metadata/generateName": null);
}
