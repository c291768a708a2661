//! Sharded lists and watches (KEP-5866), which the feature gate `ShardedListAndWatch` turns on.
//!
//! uids are the server's, so cases compute which objects are in a range.

use kube_names::shard::{Field, PARAMETER, Range, Selector, hash};

use crate::harness::cases;
use crate::support::watching::Watch;
use crate::support::*;

cases![gates:
    lists_of_built_in_kinds_repeat_the_selector,
    lists_of_custom_resources_do_not,
    only_whole_lists_repeat_the_selector,
    the_parts_of_the_space_are_disjoint_and_whole,
    a_range_by_namespace_holds_all_of_its_objects_or_none,
    an_empty_selector_selects_all,
    pages_count_what_other_shards_hold,
    a_page_that_is_full_has_a_token_even_if_nothing_is_left_of_the_shard,
    initial_events_are_those_of_the_shard,
    watches_see_only_their_shard,
    collections_are_deleted_by_shard,
    other_selectors_are_checked_first,
    a_shard_selector_is_checked_before_versions_and_tokens,
    a_word: refused("x", "unexpected expression kind 3; expected shardRange() call or || operator"),
    blank: refused("+", "empty shard selector is not allowed; omit the parameter for unfiltered lists"),
    a_literal: refused("shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')||true",
        "unexpected expression kind 5; expected shardRange() call or || operator"),
    a_list: refused("[1]", "unexpected expression kind 4; expected shardRange() call or || operator"),
    a_field: refused("a.b", "unexpected expression kind 7; expected shardRange() call or || operator"),
    a_test: refused("has(a.b)", "unsupported function \"has\"; only shardRange() and || are allowed"),
    and: refused("a%26%26b", "unsupported function \"_%26%26_\"; only shardRange() and || are allowed"),
    not: refused("!a", "unsupported function \"!_\"; only shardRange() and || are allowed"),
    another_function: refused("f(1)", "unsupported function \"f\"; only shardRange() and || are allowed"),
    two_arguments: refused("shardRange(object.metadata.uid,'0x0000000000000000')",
        "shardRange() requires exactly 3 arguments, got 2"),
    the_name: refused("shardRange(object.metadata.name,'0x0000000000000000','0x8000000000000000')",
        "unsupported field path \"object.metadata.name\"; supported: object.metadata.uid, object.metadata.namespace"),
    no_path: refused("shardRange(object['metadata'].uid,'0x0000000000000000','0x8000000000000000')",
        "shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 1"),
    two_fields: refused(
        "shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')||shardRange(object.metadata.namespace,'0x8000000000000000','0x10000000000000000')",
        "all shard ranges must use the same field, got \"object.metadata.uid\" and \"object.metadata.namespace\""),
    a_number: refused("shardRange(object.metadata.uid,0,8)", "hexStart must be a string literal, got int64"),
    bytes: refused("shardRange(object.metadata.uid,b'x',8)", "hexStart must be a string literal, got []uint8"),
    null: refused("shardRange(object.metadata.uid,null,8)", "hexStart must be a string literal, got structpb.NullValue"),
    a_variable: refused("shardRange(object.metadata.uid,'0x0000000000000000',a)",
        "hexEnd must be a string literal (e.g. '0xff'), got expression kind 3"),
    few_digits: refused("shardRange(object.metadata.uid,'0x0','0x8000000000000000')",
        "hexStart must be a 0x-prefixed 16-digit hex value, got \"0x0\" (did you mean \"0x0000000000000000\"?)"),
    a_reversed_range: refused("shardRange(object.metadata.uid,'0x8000000000000000','0x0000000000000000')",
        "shard range start 0x8000000000000000 must be less than end 0x0000000000000000"),
    double_quotes_and_parentheses: written("(shardRange(object.metadata.uid,%220x0000000000000000%22,'0x8000000000000000'))"),
    a_receiver: written("x.shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')"),
    spaces: written("++shardRange(+object.metadata.uid,++'0x0000000000000000','0x8000000000000000')+"),
];

const HALF: u64 = 1 << 63;

fn selector(field: Field, first: u64, last: u64) -> Selector {
    let range = Range::new(first, last).expect("a range");
    Selector {
        field,
        ranges: vec![range],
    }
}

fn lower() -> Selector {
    selector(Field::Uid, 0, HALF - 1)
}

/// Returns the parameter of a request.
fn parameter(selector: &Selector) -> String {
    let text = selector.to_string();
    let text = text.replace(' ', "+").replace('|', "%7C");
    format!("{PARAMETER}={text}")
}

/// Creates a dozen objects; returns the names of those in the lower half by uid, and of the others.
async fn dozen(objects: &Collection) -> (Vec<String>, Vec<String>) {
    let (mut low, mut high) = (Vec::new(), Vec::new());
    // Both halves get at least two.
    while low.len() + high.len() < 12 || low.len() < 2 || high.len() < 2 {
        let name = format!("o{:03}", low.len() + high.len());
        let object = objects.given(&name, json!({})).await;
        let uid = at(&object, "/metadata/uid").as_str().unwrap_or_default();
        let side = if hash(uid) < HALF {
            &mut low
        } else {
            &mut high
        };
        side.push(name);
    }
    (low, high)
}

async fn refused(client: Client, text: &str, fault: &str) {
    let secrets = secrets(&client).await;
    let reply = secrets.list(&format!("{PARAMETER}={text}")).await;
    let status = reply.is(500);
    let message = format!("invalid shard selector: {}", fault.replace("%26", "&"));
    check!(status, "/message": message, "/code": 500, "/status": "Failure");
    check_absent(&status, "/reason");
    let reply = secrets.list(&format!("watch=1&{PARAMETER}={text}")).await;
    check!(reply.is(500), "/message": message);
}

/// The selector is accepted, and repeated in its usual form.
async fn written(client: Client, text: &str) {
    let list = secrets(&client)
        .await
        .listed(&format!("{PARAMETER}={text}"))
        .await;
    check!(list, "/metadata/shardInfo": {"selector": lower().to_string()});
}

async fn lists_of_built_in_kinds_repeat_the_selector(client: Client) {
    let secrets = secrets(&client).await;
    let (low, high) = dozen(&secrets).await;
    let list = secrets.listed(&parameter(&lower())).await;
    assert_eq!(names(&list), low);
    check!(list, "/metadata/shardInfo": {"selector": lower().to_string()});
    let two = Selector {
        ranges: vec![Range::ALL, Range::new(HALF, u64::MAX).expect("a range")],
        ..lower()
    };
    let list = secrets.listed(&parameter(&two)).await;
    assert_eq!(names(&list).len(), low.len() + high.len());
    check!(list, "/metadata/shardInfo": {"selector": two.to_string()});
}

async fn lists_of_custom_resources_do_not(client: Client) {
    let things = things(&client, json!({})).await;
    let (low, _) = dozen(&things).await;
    let list = things.listed(&parameter(&lower())).await;
    assert_eq!(names(&list), low);
    check_absent(&list, "/metadata/shardInfo");
}

async fn only_whole_lists_repeat_the_selector(client: Client) {
    let secrets = secrets(&client).await;
    let (low, _) = dozen(&secrets).await;
    let path = format!("{}?{}", secrets.path, parameter(&lower()));
    for view in ["Table", "PartialObjectMetadataList"] {
        let accept = format!("application/json;as={view};v=v1;g=meta.k8s.io");
        let list = get_accepting(&client, &path, &accept).await.is(200);
        check!(list, "/kind": view);
        check_absent(&list, "/metadata/shardInfo");
        let rows = if view == "Table" { "rows" } else { "items" };
        assert_eq!(list[rows].as_array().map(Vec::len), Some(low.len()));
    }
}

async fn the_parts_of_the_space_are_disjoint_and_whole(client: Client) {
    let things = things(&client, json!({})).await;
    let (low, high) = dozen(&things).await;
    let (mut found, quarter) = (Vec::new(), HALF / 2);
    for n in 0..4 {
        let part = selector(Field::Uid, n * quarter, n * quarter + (quarter - 1));
        let list = things.listed(&parameter(&part)).await;
        found.extend(names(&list).into_iter().map(str::to_owned));
    }
    found.sort();
    let mut all = [low, high].concat();
    all.sort();
    assert_eq!(found, all);
}

async fn a_range_by_namespace_holds_all_of_its_objects_or_none(client: Client) {
    let secrets = secrets(&client).await;
    let (low, high) = dozen(&secrets).await;
    let own = hash(secrets.namespace.as_deref().unwrap_or_default());
    let list = secrets
        .listed(&parameter(&selector(Field::Namespace, own, own)))
        .await;
    assert_eq!(names(&list).len(), low.len() + high.len());
    let list = secrets
        .listed(&parameter(&selector(Field::Namespace, own + 1, u64::MAX)))
        .await;
    check!(list, "/items": []);
    // Cluster-scoped objects have the hash of an empty namespace.
    let none = parameter(&selector(Field::Namespace, hash(""), hash("")));
    let list = get(&client, &format!("/api/v1/namespaces?{none}"))
        .await
        .is(200);
    assert!(names(&list).contains(&"default"));
}

async fn an_empty_selector_selects_all(client: Client) {
    let secrets = secrets(&client).await;
    secrets.given("a", json!({})).await;
    let list = secrets.listed(&format!("{PARAMETER}=")).await;
    assert_eq!(names(&list), ["a"]);
    check_absent(&list, "/metadata/shardInfo");
}

async fn pages_count_what_other_shards_hold(client: Client) {
    let secrets = secrets(&client).await;
    let (low, high) = dozen(&secrets).await;
    let list = secrets
        .listed(&format!("limit=1&{}", parameter(&lower())))
        .await;
    assert_eq!(names(&list), low[..1]);
    let left = low.len() + high.len() - 1;
    check!(list, "/metadata/remainingItemCount": left);
}

async fn a_page_that_is_full_has_a_token_even_if_nothing_is_left_of_the_shard(client: Client) {
    let secrets = secrets(&client).await;
    let (low, _) = dozen(&secrets).await;
    let last = secrets.given("z", json!({})).await;
    let uid = hash(at(&last, "/metadata/uid").as_str().unwrap_or_default());
    let rest = if uid < HALF {
        selector(Field::Uid, HALF, u64::MAX)
    } else {
        lower()
    };
    let list = secrets.listed(&parameter(&rest)).await;
    let all = names(&list);
    assert!(uid < HALF || all == low);
    let query = format!("limit={}&{}", all.len(), parameter(&rest));
    let first = secrets.listed(&query).await;
    assert_eq!(names(&first), all);
    let token = at(&first, "/metadata/continue")
        .as_str()
        .unwrap_or_default();
    assert!(!token.is_empty());
    let second = secrets.listed(&format!("{query}&continue={token}")).await;
    check!(second, "/items": []);
    check_absent(&second, "/metadata/continue");
}

const STREAMED: &str =
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

async fn initial_events_are_those_of_the_shard(client: Client) {
    for objects in [secrets(&client).await, things(&client, json!({})).await] {
        let (low, _) = dozen(&objects).await;
        let mut watch = objects
            .watch(&format!("{STREAMED}&{}", parameter(&lower())))
            .await;
        let (events, bookmark) = watch.until_bookmark().await;
        let mut found: Vec<_> = events
            .iter()
            .map(|event| {
                at(event, "/object/metadata/name")
                    .as_str()
                    .unwrap_or_default()
                    .to_owned()
            })
            .collect();
        found.sort();
        assert_eq!(found, low);
        check!(bookmark, "/metadata/annotations": {"k8s.io/initial-events-end": "true"});
    }
}

/// An object never changes its shard: its events are what they are without a selector.
async fn watches_see_only_their_shard(client: Client) {
    let secrets = secrets(&client).await;
    let version = secrets.version().await;
    let watch = |selector: Selector| {
        let query = format!("resourceVersion={version}&{}", parameter(&selector));
        let secrets = secrets.clone();
        async move { secrets.watch(&query).await }
    };
    let mut lower_watch = watch(lower()).await;
    let mut upper_watch = watch(selector(Field::Uid, HALF, u64::MAX)).await;
    let (low, high) = dozen(&secrets).await;
    for name in low.iter().chain(&high) {
        let labels = json!({"metadata": {"labels": {"x": "1"}}});
        secrets.merged(name, labels).await;
        secrets.delete(name).await.is(200);
    }
    for (watch, own) in [(&mut lower_watch, &low), (&mut upper_watch, &high)] {
        sees(watch, "ADDED", own).await;
        for name in own {
            watch.expect("MODIFIED", name).await;
            watch.expect("DELETED", name).await;
        }
    }
}

async fn sees(watch: &mut Watch, kind: &str, names: &[String]) {
    for name in names {
        watch.expect(kind, name).await;
    }
}

async fn collections_are_deleted_by_shard(client: Client) {
    let secrets = secrets(&client).await;
    let (low, high) = dozen(&secrets).await;
    let deleted = secrets.delete_all(&parameter(&lower())).await.is(200);
    assert_eq!(names(&deleted), low);
    assert_eq!(names(&secrets.listed("").await), high);
    secrets.delete_all(&format!("{PARAMETER}=x")).await.is(500);
}

async fn other_selectors_are_checked_first(client: Client) {
    let secrets = secrets(&client).await;
    for query in ["labelSelector=!!", "fieldSelector=foo=b", "limit=abc"] {
        secrets
            .list(&format!("{PARAMETER}=x&{query}"))
            .await
            .is(400);
    }
}

async fn a_shard_selector_is_checked_before_versions_and_tokens(client: Client) {
    let secrets = secrets(&client).await;
    for query in [
        "resourceVersion=abc",
        "continue=abc",
        "watch=1&resourceVersion=abc",
    ] {
        secrets
            .list(&format!("{PARAMETER}=x&{query}"))
            .await
            .is(500);
    }
}
