//! Feature gates.

use embedded_apiserver::{ApiServer, FeatureGate};

use crate::support::{MAPS, create_map, get};

const SELECTOR: &str =
    "shardSelector=shardRange(object.metadata.uid,'0x0000000000000000','0x0000000000000001')";

async fn names(server: &ApiServer, query: &str) -> (u16, usize) {
    let (code, list) = get(server, &format!("{MAPS}?{query}")).await;
    (code, list["items"].as_array().map_or(0, Vec::len))
}

#[tokio::test]
async fn without_its_gate_a_shard_selector_is_ignored() {
    let server = ApiServer::builder().build().unwrap();
    create_map(&server, "a").await;
    assert_eq!(names(&server, SELECTOR).await, (200, 1));
    assert_eq!(names(&server, "shardSelector=x").await, (200, 1));
    let server = ApiServer::builder()
        .feature_gate(FeatureGate::ShardedListAndWatch, true)
        .build()
        .unwrap();
    create_map(&server, "a").await;
    assert_eq!(names(&server, SELECTOR).await, (200, 0));
    assert_eq!(names(&server, "shardSelector=x").await.0, 500);
}

#[test]
fn a_setting_of_a_gate_names_it_and_says_true_or_false() {
    let gate = FeatureGate::ShardedListAndWatch;
    let parse = FeatureGate::parse_setting;
    assert_eq!(parse("ShardedListAndWatch=true"), Ok((gate, true)));
    assert_eq!(parse("ShardedListAndWatch=false"), Ok((gate, false)));
    for invalid in [
        "ShardedListAndWatch",
        "ShardedListAndWatch=1",
        "AllAlpha=true",
    ] {
        assert_eq!(
            parse(invalid).unwrap_err(),
            format!(
                "unknown feature gate \"{invalid}\": expected NAME=true or NAME=false, with a name of ShardedListAndWatch"
            )
        );
    }
}
