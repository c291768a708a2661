use k8s_openapi::api::core::v1::ConfigMap as Hub;
use serde_json::{Value, json};

use super::kept::{Annotation, Kept};
use super::rules::apply;
use super::{Error, LARGEST, Rule, Side, annotation, call};

static LINE: [Rule; 3] = [
    Rule::moved("number", "article"),
    Rule::kept(Side::Hub, "note"),
    Rule::within("parts", "parts", &LINE),
];

static SPEC: [Rule; 5] = [
    Rule::items("lines", "lines", &["id"], &LINE),
    Rule::values(
        "mode",
        "mode",
        &[("fast", "Fast"), ("faster", "Fast"), ("slow", "Slow")],
    ),
    Rule::called("seconds", "timeout", to_text, to_number),
    Rule::entries("shops", "shops", &LINE),
    Rule::dropped(Side::Spoke, "legacy"),
];

static ROOT: [Rule; 2] = [
    Rule::moved("spec.size", "spec.storage.size"),
    Rule::within("spec", "spec", &SPEC),
];

fn to_text(value: &Value) -> Result<Value, super::BoxError> {
    call(value, |seconds: u64| Ok::<_, String>(format!("{seconds}s")))
}

fn to_number(value: &Value) -> Result<Value, super::BoxError> {
    call(value, |text: String| {
        text.trim_end_matches('s').parse::<u64>()
    })
}

fn convert(side: Side, object: Value) -> Result<Value, Error> {
    let Value::Object(object) = object else {
        panic!("an object")
    };
    apply(&ROOT, side, object).map(Value::Object)
}

#[test]
fn fields_are_renamed_moved_respelled_and_converted_both_ways() {
    let spoke = json!({"spec": {
        "size": 5, "mode": "fast", "seconds": 3, "other": true,
        "lines": [{"id": "a", "number": 1, "parts": [{"number": 2}]}],
        "shops": {"x": {"number": 3}},
    }});
    let hub = json!({"spec": {
        "storage": {"size": 5}, "mode": "Fast", "timeout": "3s", "other": true,
        "lines": [{"id": "a", "article": 1, "parts": [{"article": 2}]}],
        "shops": {"x": {"article": 3}},
    }});
    assert_eq!(convert(Side::Spoke, spoke.clone()).unwrap(), hub);
    let mut back = convert(Side::Hub, hub).unwrap();
    // What nothing is left of is not part of the other version's type.
    back["spec"].as_object_mut().unwrap().remove("storage");
    assert_eq!(back, spoke);
}

#[test]
fn a_name_that_means_something_else_in_the_other_version_is_not_mixed_up() {
    static SWAPPED: [Rule; 2] = [Rule::moved("a", "b"), Rule::moved("b", "a")];
    let object = json!({"a": 1, "b": 2});
    let found = apply(&SWAPPED, Side::Spoke, object.as_object().unwrap().clone());
    assert_eq!(Value::Object(found.unwrap()), json!({"a": 2, "b": 1}));
}

#[test]
fn a_value_without_a_counterpart_is_an_error_that_names_it() {
    let error = convert(Side::Hub, json!({"spec": {"mode": "Odd"}})).unwrap_err();
    let expected = "`mode` cannot be converted: the other version has nothing for \"Odd\"";
    assert_eq!(error.to_string(), expected);
    let error = convert(Side::Hub, json!({"spec": {"timeout": "long"}})).unwrap_err();
    let expected = "`timeout` cannot be converted: invalid digit found in string";
    assert_eq!(error.to_string(), expected);
}

/// Keeps what `own` has and `seen` lacks, changes `seen` to `now`, and restores it.
#[track_caller]
fn check(own: Value, seen: Value, now: Value, expected: Value) {
    let kept = Kept::difference(&SPEC, Side::Hub, Some(&own), Some(&seen)).unwrap();
    let text = serde_json::to_string(&kept).unwrap();
    let kept: Kept = serde_json::from_str(&text).unwrap();
    let mut object = now;
    kept.restore(&mut object);
    assert_eq!(object, expected, "{text}");
}

#[test]
fn what_was_kept_comes_back_unless_the_field_was_changed() {
    let own = json!({"mode": "Fast", "note": null, "storage": {"class": "x", "size": 1}});
    let seen = json!({"mode": "Slow", "storage": {"size": 1}});
    check(own.clone(), seen.clone(), seen.clone(), own.clone());
    let mut now = seen.clone();
    now["mode"] = json!("Odd");
    now["storage"]["size"] = json!(2);
    let expected = json!({"mode": "Odd", "note": null, "storage": {"class": "x", "size": 2}});
    check(own.clone(), seen.clone(), now, expected);
    let mut now = seen.clone();
    now.as_object_mut().unwrap().remove("storage");
    check(own, seen, now, json!({"mode": "Fast", "note": null}));
}

#[test]
fn items_get_back_what_they_had_wherever_they_are_now() {
    let item = |id: &str, article: u8| json!({"id": id, "article": article});
    let full = |id: &str, article: u8, note: &str| {
        let mut item = item(id, article);
        item["note"] = json!(note);
        item
    };
    let own = json!({"lines": [full("a", 1, "x"), full("b", 2, "y")]});
    let seen = json!({"lines": [item("a", 1), item("b", 2)]});
    // By key: one is new, one has moved and changed, and one is gone.
    let now = json!({"lines": [item("c", 1), item("b", 5)]});
    let expected = json!({"lines": [item("c", 1), full("b", 5, "y")]});
    check(own, seen, now, expected);
    // Without keys: equal items first, then the one that is left at its place.
    let own = json!({"plain": [full("a", 1, "x"), full("b", 2, "y"), full("c", 3, "z")]});
    let seen = json!({"plain": [item("a", 1), item("b", 2), item("c", 3)]});
    let now = json!({"plain": [item("b", 2), item("a", 1), item("c", 9)]});
    let expected = json!({"plain": [full("b", 2, "y"), full("a", 1, "x"), full("c", 9, "z")]});
    check(own.clone(), seen.clone(), now, expected);
    // Of equal items, the one at its place.
    let twice = json!({"plain": [item("a", 1), full("a", 1, "x")]});
    let same = json!({"plain": [item("a", 1), item("a", 1)]});
    check(twice.clone(), same.clone(), same, twice);
    let now = json!({"plain": [item("c", 3), item("d", 4)]});
    let expected = json!({"plain": [full("c", 3, "z"), item("d", 4)]});
    check(own, seen, now, expected);
}

#[test]
fn the_annotation_is_the_groups_and_limited_in_size() {
    let mut object = serde_json::to_value(Hub::default()).unwrap();
    let name = annotation("shop.example.com");
    let mut kept = Annotation::take(&mut object, "shop.example.com");
    let value = |length: usize| json!({"note": "x".repeat(length)});
    let lost = |length| Kept::difference(&[], Side::Hub, Some(&value(length)), Some(&json!({})));
    kept.insert("v1", lost(3).unwrap());
    kept.put(&mut object).unwrap();
    let text = object["metadata"]["annotations"][&name].as_str().unwrap();
    assert_eq!(
        text,
        r#"{"v1":{"fields":{"note":{"value":{"own":"xxx"}}}}}"#
    );
    let mut kept = Annotation::take(&mut object, "shop.example.com");
    assert_eq!(object["metadata"].get("annotations"), None);
    kept.insert("v1", lost(LARGEST).unwrap());
    let error = kept.put(&mut object).unwrap_err();
    assert!(
        matches!(error, Error::TooLarge { size } if size > LARGEST),
        "{error}"
    );
}

#[test]
fn an_annotation_that_is_not_valid_is_ignored() {
    let name = annotation("a.io");
    let mut object = json!({"metadata": {"annotations": {name: "odd", "b": "c"}}});
    let mut kept = Annotation::take(&mut object, "a.io");
    assert!(kept.remove("v1").is_none());
    assert_eq!(object, json!({"metadata": {"annotations": {"b": "c"}}}));
}
