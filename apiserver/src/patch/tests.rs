//! Patch tests: document, patch and result.

use serde_json::{Value, json};

use super::{PatchError, StrategicError, json_patch, merge_patch, strategic_merge_patch};

fn check(document: Value, patch: Value, expected: Result<Value, &str>) {
    let result = json_patch(&document, patch.to_string().as_bytes());
    let shown = result.map_err(|error| error.to_string());
    assert_eq!(
        shown,
        expected.map_err(str::to_owned),
        "{document} patched with {patch}"
    );
}

#[test]
fn json_patches_apply() {
    let base = || json!({"a": {"b": 1}, "l": [1, 2, 3], "x/y": {"~": 0}});
    rows![check:
        (base(), json!([{"op": "add", "path": "/a/c", "value": 2}]),
            Ok(json!({"a": {"b": 1, "c": 2}, "l": [1, 2, 3], "x/y": {"~": 0}}))),
        (json!({"l": [1, 3]}), json!([{"op": "add", "path": "/l/1", "value": 2}]),
            Ok(json!({"l": [1, 2, 3]}))),
        (json!({"l": [1]}), json!([{"op": "add", "path": "/l/-", "value": 2}]), Ok(json!({"l": [1, 2]}))),
        (json!({"l": [1, 2]}), json!([{"op": "remove", "path": "/l/-1"}]), Ok(json!({"l": [1]}))),
        (json!({"x/y": {"~": 0}}), json!([{"op": "replace", "path": "/x~1y/~0", "value": 1}]),
            Ok(json!({"x/y": {"~": 1}}))),
        (json!({}), json!([{"op": "replace", "path": "/a", "value": 1}]), Ok(json!({"a": 1}))),
        (json!({"a": {"b": 1}}), json!([{"op": "move", "from": "/a/b", "path": "/c"}]),
            Ok(json!({"a": {}, "c": 1}))),
        (json!({"a": {"b": 1}}), json!([{"op": "copy", "from": "/a", "path": "/c"}]),
            Ok(json!({"a": {"b": 1}, "c": {"b": 1}}))),
        (json!({"a": 1}), json!([{"op": "test", "path": "/a", "value": 1}]), Ok(json!({"a": 1}))),
        (json!({"a": 1}), json!([{"op": "test", "path": "/b", "value": null}]), Ok(json!({"a": 1}))),
        (json!({"a": 1}), json!([]), Ok(json!({"a": 1}))),
    ];
}

#[test]
fn json_patches_fail_in_the_librarys_words() {
    let document = || json!({"a": {"b": 1}, "l": [1]});
    #[rustfmt::skip]
    let cases = [
        (json!({"op": "remove", "path": "/x"}),
            "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value"),
        (json!({"op": "add", "path": "/x/y", "value": 1}),
            "add operation does not apply: doc is missing path: \"/x/y\": missing value"),
        (json!({"op": "add", "path": "/l/5", "value": 1}),
            "error in add for path: '/l/5': Unable to access invalid index: 5: invalid index referenced"),
        (json!({"op": "add", "path": "/l/x", "value": 1}),
            "error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax"),
        (json!({"op": "replace", "path": "/l/3", "value": 1}),
            "replace operation does not apply: doc is missing key: /l/3: missing value"),
        (json!({"op": "test", "path": "/a/b", "value": 2}), "testing value /a/b failed: test failed"),
        (json!({"op": "move", "from": "/q", "path": "/z"}),
            "error in move for path: 'q': Unable to remove nonexistent key: q: missing value"),
        (json!({"op": "nope", "path": "/a"}), "Unexpected kind: nope"),
        (json!({"op": "copy", "path": "/a"}),
            "copy operation failed to decode from: operation, missing from field: missing value"),
    ];
    for (operation, expected) in cases {
        check(document(), json!([operation]), Err(expected));
    }
}

#[test]
fn malformed_and_huge_patches_are_refused() {
    let refused = json_patch(&json!({}), br#"{"op":"add"}"#);
    let message = "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp";
    assert_eq!(refused, Err(PatchError::BadRequest(message.to_owned())));
    assert!(matches!(
        json_patch(&json!({}), b"["),
        Err(PatchError::BadRequest(_))
    ));
    let operations = vec![json!({"op": "add", "path": "/a", "value": 1}); 10_001];
    let refused = json_patch(&json!({}), Value::from(operations).to_string().as_bytes());
    assert!(
        matches!(refused, Err(PatchError::TooLarge(_))),
        "{refused:?}"
    );
    let copies: Vec<Value> = (0..400)
        .map(|i| json!({"op": "copy", "from": "/a", "path": format!("/c{i}")}))
        .collect();
    let refused = json_patch(
        &json!({"a": "x".repeat(10_000)}),
        Value::from(copies).to_string().as_bytes(),
    );
    assert!(
        matches!(refused, Err(PatchError::Unprocessable(_))),
        "{refused:?}"
    );
}

#[test]
fn merge_patches_merge_remove_and_replace() {
    let check = |mut document: Value, patch: Value, expected: Value| {
        merge_patch(&mut document, &patch);
        assert_eq!(document, expected, "{patch}");
    };
    rows![check:
        (json!({"a": {"b": 1, "c": 2}}), json!({"a": {"b": null, "d": 3}}), json!({"a": {"c": 2, "d": 3}})),
        (json!({"a": [1, 2]}), json!({"a": [3]}), json!({"a": [3]})),
        (json!({}), json!({"a": {"b": null, "c": [{"d": null}]}}), json!({"a": {"c": [{}]}})),
        (json!({"a": 1}), json!({"a": {"b": null}}), json!({"a": {}})),
        (json!({"a": {"b": 1}}), json!({"a": [{"d": null}]}), json!({"a": [{"d": null}]})),
        (json!({"a": null}), json!({"a": {"b": 1}}), json!({"a": {"b": 1}})),
    ];
}

fn pod_template(containers: Value) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": {"spec": {"containers": containers}}}})
}

#[test]
fn strategic_merge_patches_merge_lists_by_their_keys() {
    let check = |before: Value, change: Value, after: Value| {
        let patch = json!({"spec": {"template": {"spec": {"containers": change}}}});
        assert_eq!(
            strategic_merge_patch(&pod_template(before), &patch),
            Ok(pod_template(after)),
            "{patch}"
        );
    };
    let two = || json!([{"name": "a", "image": "1"}, {"name": "b", "args": ["x"]}]);
    rows![check:
        (two(), json!([{"name": "b", "image": "2"}]),
            json!([{"name": "a", "image": "1"}, {"name": "b", "args": ["x"], "image": "2"}])),
        (two(), json!([{"name": "b", "args": ["y"]}]),
            json!([{"name": "a", "image": "1"}, {"name": "b", "args": ["y"]}])),
        (two(), json!([{"name": "c"}]),
            json!([{"name": "c"}, {"name": "a", "image": "1"}, {"name": "b", "args": ["x"]}])),
        (two(), json!([{"name": "a", "$patch": "delete"}]), json!([{"name": "b", "args": ["x"]}])),
        (two(), json!([{"name": "c"}, {"$patch": "replace"}]), json!([{"name": "c"}])),
        (two(), json!([{"name": "a", "image": null}]), json!([{"name": "a"}, {"name": "b", "args": ["x"]}])),
    ];
}

#[test]
fn strategic_merge_patches_carry_out_directives() {
    let check = |before: Value, patch: Value, after: Value| {
        let object = |mut fields: Value| {
            fields["apiVersion"] = json!("apps/v1");
            fields["kind"] = json!("Deployment");
            fields
        };
        assert_eq!(
            strategic_merge_patch(&object(before), &patch),
            Ok(object(after)),
            "{patch}"
        );
    };
    rows![check:
        (json!({"spec": {"selector": {"matchLabels": {"a": "1"}}}}),
            json!({"spec": {"selector": {"$patch": "replace", "matchLabels": {"b": "2"}}}}),
            json!({"spec": {"selector": {"matchLabels": {"b": "2"}}}})),
        (json!({"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}}),
            json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}),
            json!({"spec": {"strategy": {"type": "Recreate"}}})),
        (json!({"metadata": {"finalizers": ["a/x", "b/y"]}}),
            json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["a/x"]}}),
            json!({"metadata": {"finalizers": ["b/y"]}})),
        (json!({"metadata": {"finalizers": ["a/x"]}}),
            json!({"metadata": {"finalizers": ["b/y"], "$setElementOrder/finalizers": ["b/y", "a/x"]}}),
            json!({"metadata": {"finalizers": ["b/y", "a/x"]}})),
    ];
}

#[test]
fn strategic_merge_patches_that_do_not_fit_are_refused() {
    let check = |patch: Value, expected: StrategicError| {
        let object = pod_template(json!([{"name": "a"}]));
        assert_eq!(
            strategic_merge_patch(&object, &patch),
            Err(expected),
            "{patch}"
        );
    };
    rows![check:
        (json!({"spec": {"template": {"spec": {"containers": [{"image": "x"}]}}}}),
            StrategicError::Internal("map: map[image:x] does not contain declared merge key: name".to_owned())),
        (json!({"spec": {"$patch": "merge"}}),
            StrategicError::Internal("unknown patch type: merge".to_owned())),
        (json!({"spec": {"$retainKeys": ["a"], "b": 1}}),
            StrategicError::BadRequest("invalid patch format of retainKeys".to_owned())),
    ];
}

#[test]
fn insertions_into_one_list_apply_in_order() {
    let object = json!({"l": [1, 2], "m": {}});
    let patch =
        br#"[{"op": "add", "path": "/l/0", "value": 3}, {"op": "add", "path": "/l/-1", "value": 4},
        {"op": "add", "path": "/l/4", "value": 5}, {"op": "remove", "path": "/l/0"},
        {"op": "add", "path": "/m/0", "value": 1}, {"op": "add", "path": "/m/1", "value": 2}]"#;
    let patched = json_patch(&object, patch).unwrap();
    assert_eq!(patched, json!({"l": [1, 2, 4, 5], "m": {"0": 1, "1": 2}}));
    let beyond = br#"[{"op": "add", "path": "/l/2", "value": 3}, {"op": "add", "path": "/l/9", "value": 4}]"#;
    assert!(matches!(
        json_patch(&object, beyond),
        Err(PatchError::Unprocessable(why)) if why.contains("error in add for path: '/l/9'")
    ));
}
