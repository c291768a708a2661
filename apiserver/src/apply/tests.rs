//! Tests of ownership and merging.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{ApplyError, ResetFields, Writer, apply, track_update};
use crate::schema::Structural;

fn schema() -> Structural {
    let keyed = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "required": ["name"], "properties":
            {"name": {"type": "string"}, "value": {"type": "string"}}}});
    let schema = json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {
            "size": {"type": "integer"},
            "mode": {"type": "string"},
            "items": keyed,
            "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "args": {"type": "array", "items": {"type": "string"}},
            "limits": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}},
        }},
        "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
    }});
    Structural::compile(&schema).unwrap()
}

fn writer<'a>(manager: &'a str, schema: &'a Structural) -> Writer<'a> {
    Writer {
        manager,
        subresource: "",
        api_version: "example.com/v1",
        reset: ResetFields::Status,
        schema: Some(schema),
        now: Timestamp::from_second(1_700_000_000).unwrap(),
    }
}

fn object(spec: Value) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a", "namespace": "n"}, "spec": spec})
}

/// Returns the fields of a manager, or `None` if it has no entry.
fn fields<'a>(object: &'a Value, manager: &str, operation: &str) -> Option<&'a Value> {
    let entries = object["metadata"]["managedFields"].as_array()?;
    let entry = entries
        .iter()
        .find(|entry| entry["manager"] == manager && entry["operation"] == operation)?;
    Some(&entry["fieldsV1"])
}

#[test]
fn an_apply_owns_what_it_says() {
    let schema = schema();
    let created = apply(
        &writer("a", &schema),
        None,
        &object(json!({"size": 1, "items": [{"name": "x", "value": "1"}], "tags": ["t"], "args": ["p"], "limits": {"c": "1"}})),
        false,
    )
    .unwrap();
    assert_eq!(
        created["metadata"]["managedFields"],
        json!([{
            "manager": "a",
            "operation": "Apply",
            "apiVersion": "example.com/v1",
            "time": "2023-11-14T22:13:20Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:spec": {
                "f:size": {},
                "f:items": {"k:{\"name\":\"x\"}": {".": {}, "f:name": {}, "f:value": {}}},
                "f:tags": {"v:\"t\"": {}},
                "f:args": {},
                "f:limits": {},
            }},
        }])
    );
}

#[test]
fn another_managers_fields_are_conflicts_unless_forced() {
    let schema = schema();
    let live = apply(
        &writer("a", &schema),
        None,
        &object(json!({"size": 1, "mode": "x"})),
        false,
    )
    .unwrap();
    let config = object(json!({"size": 2, "mode": "y"}));
    let Err(ApplyError::Conflicts { message, conflicts }) =
        apply(&writer("b", &schema), Some(&live), &config, false)
    else {
        panic!("no conflict");
    };
    assert_eq!(
        message,
        "Apply failed with 2 conflicts: conflicts with \"a\":\n- .spec.mode\n- .spec.size"
    );
    let shown: Vec<(&str, &str)> = conflicts
        .iter()
        .map(|c| (c.field.as_str(), c.message.as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            (".spec.mode", "conflict with \"a\""),
            (".spec.size", "conflict with \"a\"")
        ]
    );

    let forced = apply(&writer("b", &schema), Some(&live), &config, true).unwrap();
    assert_eq!(forced["spec"], json!({"size": 2, "mode": "y"}));
    assert_eq!(fields(&forced, "a", "Apply"), None);
    assert_eq!(
        fields(&forced, "b", "Apply"),
        Some(&json!({"f:spec": {"f:size": {}, "f:mode": {}}}))
    );

    let shared = apply(
        &writer("b", &schema),
        Some(&live),
        &object(json!({"size": 1})),
        false,
    )
    .unwrap();
    assert_eq!(
        fields(&shared, "b", "Apply"),
        Some(&json!({"f:spec": {"f:size": {}}}))
    );
}

#[test]
fn a_conflict_with_an_update_names_its_version_and_subresource() {
    let schema = schema();
    let mut live = object(json!({"size": 1}));
    track_update(&writer("kubectl-edit", &schema), None, &mut live);
    let Err(error) = apply(
        &writer("b", &schema),
        Some(&live),
        &object(json!({"size": 2})),
        false,
    ) else {
        panic!("no conflict");
    };
    let expected = "Apply failed with 1 conflict: conflict with \"kubectl-edit\" using example.com/v1: .spec.size";
    assert_eq!(error.to_string(), expected);

    let status = Writer {
        subresource: "status",
        reset: ResetFields::AllButStatus,
        ..writer("ctrl", &schema)
    };
    let mut with_status = live.clone();
    with_status["status"] = json!({"phase": "Up"});
    track_update(&status, Some(&live), &mut with_status);
    let config = json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a", "namespace": "n"},
        "status": {"phase": "Down"}});
    let Err(error) = apply(
        &Writer {
            manager: "b",
            ..status
        },
        Some(&with_status),
        &config,
        false,
    ) else {
        panic!("no conflict");
    };
    let expected = "Apply failed with 1 conflict: conflict with \"ctrl\" with subresource \"status\" using \
                    example.com/v1: .status.phase";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn what_is_no_longer_applied_goes_unless_somebody_else_has_it() {
    let schema = schema();
    let items = |names: &[&str]| {
        names
            .iter()
            .map(|name| json!({"name": name}))
            .collect::<Value>()
    };
    let live = apply(
        &writer("a", &schema),
        None,
        &object(
            json!({"size": 1, "mode": "x", "items": items(&["x", "y", "z"]), "tags": ["s", "t"]}),
        ),
        false,
    )
    .unwrap();
    let live = apply(
        &writer("b", &schema),
        Some(&live),
        &object(json!({"mode": "x", "items": items(&["y"])})),
        false,
    )
    .unwrap();
    let live = apply(
        &writer("a", &schema),
        Some(&live),
        &object(json!({"items": items(&["x"]), "tags": ["t"]})),
        false,
    )
    .unwrap();
    assert_eq!(
        live["spec"],
        json!({"mode": "x", "items": items(&["x", "y"]), "tags": ["t"]})
    );
    let live = apply(
        &writer("a", &schema),
        Some(&live),
        &object(json!({})),
        false,
    )
    .unwrap();
    assert_eq!(live["spec"], json!({"mode": "x", "items": items(&["y"])}));
    assert_eq!(fields(&live, "a", "Apply"), Some(&json!({"f:spec": {}})));
}

#[test]
fn an_update_takes_what_it_changes() {
    let schema = schema();
    let live = apply(
        &writer("a", &schema),
        None,
        &object(json!({"size": 1, "mode": "x"})),
        false,
    )
    .unwrap();
    let mut new = live.clone();
    new["spec"]["size"] = json!(2);
    track_update(&writer("b", &schema), Some(&live), &mut new);
    assert_eq!(
        fields(&new, "a", "Apply"),
        Some(&json!({"f:spec": {"f:mode": {}}}))
    );
    assert_eq!(
        fields(&new, "b", "Update"),
        Some(&json!({"f:spec": {"f:size": {}}}))
    );

    let mut same = new.clone();
    same["metadata"]["resourceVersion"] = json!("7");
    track_update(&writer("c", &schema), Some(&new), &mut same);
    assert_eq!(
        same["metadata"]["managedFields"],
        new["metadata"]["managedFields"]
    );
}

#[test]
fn applying_the_same_again_changes_nothing() {
    let schema = schema();
    let config = object(json!({"size": 1, "items": [{"name": "x"}]}));
    let live = apply(&writer("a", &schema), None, &config, false).unwrap();
    let later = Writer {
        now: Timestamp::from_second(1_800_000_000).unwrap(),
        ..writer("a", &schema)
    };
    assert_eq!(apply(&later, Some(&live), &config, false).unwrap(), live);
}

#[test]
fn an_object_from_before_the_first_apply_has_an_owner() {
    let schema = schema();
    let mut live = object(json!({"size": 1}));
    live["metadata"]["uid"] = json!("u");
    let applied = apply(
        &writer("a", &schema),
        Some(&live),
        &object(json!({"mode": "x"})),
        false,
    )
    .unwrap();
    assert_eq!(
        fields(&applied, "before-first-apply", "Update"),
        Some(&json!({"f:spec": {".": {}, "f:size": {}}}))
    );
    let mut updated = live.clone();
    updated["spec"]["size"] = json!(3);
    track_update(&writer("b", &schema), Some(&live), &mut updated);
    assert_eq!(updated["metadata"].get("managedFields"), None);
}

#[test]
fn clients_can_edit_and_clear_managed_fields() {
    let schema = schema();
    let live = apply(
        &writer("a", &schema),
        None,
        &object(json!({"size": 1})),
        false,
    )
    .unwrap();
    let mut cleared = live.clone();
    cleared["metadata"]["uid"] = json!("u");
    let live_with_uid = cleared.clone();
    cleared["metadata"]["managedFields"] = json!([{}]);
    track_update(&writer("b", &schema), Some(&live_with_uid), &mut cleared);
    assert_eq!(cleared["metadata"].get("managedFields"), None);
    let mut broken = live_with_uid.clone();
    broken["metadata"]["managedFields"] = json!([{"manager": "x", "operation": "Nope"}]);
    track_update(&writer("b", &schema), Some(&live_with_uid), &mut broken);
    assert_eq!(
        broken["metadata"]["managedFields"],
        live["metadata"]["managedFields"]
    );
}

#[test]
fn configurations_that_do_not_fit_are_refused() {
    let schema = schema();
    let check = |spec: Value, expected: &str| {
        let error = apply(&writer("a", &schema), None, &object(spec), false).unwrap_err();
        assert_eq!(
            error,
            ApplyError::Internal(format!(
                "failed to create typed patch object (n/a; example.com/v1, Kind=Thing): {expected}"
            ))
        );
    };
    rows![check:
        (json!({"bogus": 1}), ".spec.bogus: field not declared in schema"),
        (json!({"items": [{"name": "x"}, {"name": "x"}]}),
            ".spec.items: duplicate entries for key [name=\"x\"]"),
        (json!({"size": "one"}), ".spec.size: expected numeric (int or float), got string"),
        (json!({"mode": 5}), ".spec.mode: expected string, got &value.valueUnstructured{Value:5}"),
        (json!({"args": "x"}), ".spec.args: expected list, got &{x}"),
    ];
    let mut owned = object(json!({}));
    owned["metadata"]["managedFields"] = json!([]);
    let error = apply(&writer("a", &schema), None, &owned, false).unwrap_err();
    assert_eq!(
        error,
        ApplyError::BadRequest("metadata.managedFields must be nil".to_owned())
    );
}

#[test]
fn built_in_lists_merge_by_their_keys() {
    let schema_less = |manager| Writer {
        schema: None,
        api_version: "apps/v1",
        ..writer(manager, Box::leak(Box::new(schema())))
    };
    let deployment = |containers: Value| {
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": "n"},
            "spec": {"template": {"spec": {"containers": containers}}}})
    };
    let live = apply(
        &schema_less("a"),
        None,
        &deployment(json!([{"name": "web", "image": "i", "ports": [{"containerPort": 80}]}])),
        false,
    )
    .unwrap();
    assert_eq!(
        fields(&live, "a", "Apply"),
        Some(
            &json!({"f:spec": {"f:template": {"f:spec": {"f:containers": {
        "k:{\"name\":\"web\"}": {".": {}, "f:name": {}, "f:image": {}, "f:ports": {
            "k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}}}}}}}}})
        )
    );
    let merged = apply(
        &schema_less("b"),
        Some(&live),
        &deployment(json!([{"name": "side"}, {"name": "web", "args": ["x"]}])),
        false,
    )
    .unwrap();
    assert_eq!(
        merged["spec"]["template"]["spec"]["containers"],
        json!([
            {"name": "side"},
            {"name": "web", "image": "i", "ports": [{"containerPort": 80}], "args": ["x"]},
        ])
    );
}
