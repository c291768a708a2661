//! Defaults, and values that plain serde would change.

use golden_features::apis::features::v1::Flat;
use serde_json::{Value, json};

/// A missing property decodes as its default, at the root and below; a nullable one stays null.
#[test]
fn defaults_are_filled_in() {
    let least = json!({
        "apiVersion": "features.example.com/v1", "kind": "Flat", "metadata": {},
        "at": "2024-05-06T07:08:09Z", "ratio": 1.5, "forced": null,
    });
    let flat: Flat = serde_json::from_value(least).unwrap();
    let flat = serde_json::to_value(&flat).unwrap();
    assert_eq!(flat["since"], "2020-01-01T00:00:00Z");
    assert_eq!(flat["quota"], 4_294_967_296_i64);
    assert_eq!(flat["label"], "none");
    let preset = r#"{
        "since": "2020-01-01T00:00:00Z", "quota": 4294967296, "label": "none", "pi": 3.14,
        "steps": [1, 2.5], "started": "2020-01-01T00:00:00Z"
    }"#;
    let preset: Value = serde_json::from_str(preset).unwrap();
    assert_eq!(flat["preset"], preset);
    assert_eq!(
        serde_json::to_value(Flat::default()).unwrap()["preset"],
        flat["preset"]
    );
}

/// Values that an API server stores and that plain serde would round, refuse or change.
#[test]
fn hard_values_come_through() {
    let text = r#"{"apiVersion":"features.example.com/v1","kind":"Flat","metadata":{},
        "at":"9999-12-31T23:59:59Z","until":"9999-12-30T22:00:00.999999999Z","forced":9007199254740993,
        "label":null,"maybe":123456789.12345679,"mode":"Slow","port":"-4294967296",
        "preset":{"label":null,"pi":-9223372036854775808,"quota":"+4294967296","since":null,"started":"2024-05-06T07:08:09.123456789Z","steps":[18446744073709551615]},
        "quota":-4294967296,"ratio":-0.0,"since":null,"sizes":["+4294967296",4294967296,"80"],
        "times":{"a":"0001-01-01T00:00:00Z"},"weight":1e+300}"#;
    let object: Value = serde_json::from_str(text).unwrap();
    let flat: Flat = serde_json::from_str(text).unwrap();
    let again = serde_json::to_string(&flat).unwrap();
    assert!(again.contains("\"ratio\":-0.0"), "{again}");
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap(), object);
}
