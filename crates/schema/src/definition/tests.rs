use serde_json::{Value, json};

use super::{check, set_defaults, v1_path};
use crate::metadata::keep;

/// A valid definition.
fn crd() -> Value {
    json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}},
                }},
            }],
        },
    })
}

/// Asserts the errors, with their places in v1, of a definition in which a value was set.
#[track_caller]
fn check_with(pointer: &str, value: Value, expected: &[&str]) {
    let mut crd = crd();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    crd.pointer_mut(parent).unwrap()[key] = value;
    set_defaults(&mut crd);
    let found = check(&crd, keep).into_iter();
    let found: Vec<String> = found
        .map(|error| format!("{}: {}", v1_path(&error.field), error.body()))
        .collect();
    assert_eq!(found, expected, "{pointer}");
}

#[test]
fn a_definition_is_valid_with_its_defaults() {
    let mut crd = crd();
    set_defaults(&mut crd);
    assert_eq!(crd["spec"]["names"]["listKind"], "WidgetList");
    assert_eq!(crd["spec"]["names"]["singular"], "widget");
    assert_eq!(crd["spec"]["conversion"], json!({"strategy": "None"}));
    assert_eq!(check(&crd, keep), []);
}

#[test]
fn errors_are_those_of_the_server_with_their_places_in_v1() {
    rows!(check_with:
        ("/spec/names/listKind", json!("Widget"), &[
            "spec.names.listKind: Invalid value: \"Widget\": kind and listKind may not be the same",
        ]),
        ("/spec/versions/0/storage", json!(false), &[
            "spec.versions: Invalid value: [{\"name\":\"v1\",\"schema\":{\"openAPIV3Schema\":{\"properties\":{\"spec\":{\"properties\":{\"size\":{\"type\":\"integer\"}},\"type\":\"object\"}},\"type\":\"object\"}},\"served\":true,\"storage\":false}]: must have exactly one version marked as storage version",
        ]),
        ("/spec/versions/0/subresources", json!({"scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".size"}}), &[
            "spec.versions[0].subresources.scale.statusReplicasPath: Invalid value: \".size\": should be a json path under .status",
        ]),
        ("/spec/versions/0/additionalPrinterColumns", json!([{"name": "Size", "type": "integer", "jsonPath": "spec.size"}]), &[
            "spec.versions[0].additionalPrinterColumns[0].jsonPath: Invalid value: \"spec.size\": must be a simple json path starting with .",
        ]),
        ("/spec/conversion", json!({"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"]}}), &[
            "spec.conversion.webhook.clientConfig: Required value: required when strategy is set to Webhook",
        ]),
        ("/spec/versions/0/schema/openAPIV3Schema/properties/spec/pattern", json!("("), &[
            "spec.versions[0].schema.openAPIV3Schema.properties[spec].pattern: Invalid value: \"(\": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`",
        ]),
    );
}

#[test]
fn what_versions_share_is_reported_once() {
    let mut crd = crd();
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["pattern"] =
        json!("(");
    let mut second = crd["spec"]["versions"][0].clone();
    second["name"] = json!("v2");
    second["storage"] = json!(false);
    crd["spec"]["versions"].as_array_mut().unwrap().push(second);
    set_defaults(&mut crd);
    assert_eq!(check(&crd, keep).len(), 1);
}
