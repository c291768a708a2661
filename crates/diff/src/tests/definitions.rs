//! Changes beside the schemas.

use serde_json::{Value, json};

use super::{check_crds, crd};

fn base() -> Value {
    let field = json!({"type": "object", "properties": {"a": {"type": "string"}, "status": {"type": "object"}}});
    crd(
        &json!({"type": "object", "properties": {"spec": field, "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}}}}),
    )
}

/// Checks a change at a pointer: to a value, and back.
#[track_caller]
fn both_ways(at: &str, value: Value, there: &[&str], back: &[&str]) {
    let old = base();
    let mut new = base();
    let (parent, key) = at.rsplit_once('/').unwrap();
    new.pointer_mut(parent).unwrap()[key] = value;
    check_crds(&old, &new, there);
    check_crds(&new, &old, back);
}

#[test]
fn names_and_scope_are_compared() {
    both_ways(
        "/spec/scope",
        json!("Cluster"),
        &["incompatible scope-changed"],
        &["incompatible scope-changed"],
    );
    both_ways(
        "/spec/names/shortNames",
        json!(["w"]),
        &["compatible short-name-changed"],
        &["risk short-name-changed spec.names.shortNames: tools"],
    );
    both_ways(
        "/spec/names/categories",
        json!(["all"]),
        &["compatible short-name-changed"],
        &["risk short-name-changed spec.names.categories: tools"],
    );
    both_ways(
        "/spec/names/singular",
        json!("wodget"),
        &["risk name-changed"],
        &["risk name-changed"],
    );
    both_ways("/spec/names/singular", json!("widget"), &[], &[]);
    both_ways(
        "/spec/names/listKind",
        json!("Widgets"),
        &["incompatible name-changed spec.names.listKind: readers"],
        &["incompatible name-changed"],
    );
}

#[test]
fn subresources_columns_and_selectable_fields_are_compared() {
    let version = "/spec/versions/0";
    both_ways(
        &format!("{version}/subresources"),
        json!({"status": {}}),
        &[
            "incompatible subresource-added subresources.status: meaning, writers: the status is stored ⇒ the status is ignored",
        ],
        &["incompatible subresource-removed subresources.status: writers, tools"],
    );
    both_ways(
        &format!("{version}/additionalPrinterColumns"),
        json!([{"name": "A", "type": "string", "jsonPath": ".spec.a"}]),
        &["compatible column-changed"],
        &["risk column-changed additionalPrinterColumns: tools"],
    );
    both_ways(
        &format!("{version}/selectableFields"),
        json!([{"jsonPath": ".spec.a"}]),
        &["compatible selectable-field-changed"],
        &["incompatible selectable-field-changed selectableFields: readers, tools"],
    );
    both_ways(
        &format!("{version}/deprecated"),
        json!(true),
        &["compatible deprecation-changed"],
        &["compatible deprecation-changed"],
    );
    both_ways(
        &format!("{version}/served"),
        json!(false),
        &["incompatible version-removed"],
        &["compatible version-added"],
    );
}

/// A CRD with another version beside the stored one, whose spec has a field more.
fn two(strategy: &str, served: bool) -> Value {
    let mut two = base();
    let mut version = two["spec"]["versions"][0].clone();
    version["name"] = json!("v2");
    version["storage"] = json!(false);
    version["served"] = json!(served);
    let spec = &mut version["schema"]["openAPIV3Schema"]["properties"]["spec"];
    spec["properties"]["b"] = json!({"type": "array", "items": {"type": "string"}});
    two["spec"]["versions"]
        .as_array_mut()
        .unwrap()
        .push(version);
    two["spec"]["conversion"] = json!({"strategy": strategy});
    two
}

#[test]
fn versions_come_and_go() {
    let no_loss = two("Webhook", true);
    check_crds(
        &base(),
        &no_loss,
        &["risk conversion-changed", "compatible version-added"],
    );
    check_crds(
        &no_loss,
        &base(),
        &[
            "compatible conversion-changed",
            "incompatible version-removed",
        ],
    );
    let mut moved = no_loss.clone();
    moved["spec"]["versions"][0]["storage"] = json!(false);
    moved["spec"]["versions"][1]["storage"] = json!(true);
    check_crds(&no_loss, &moved, &["compatible storage-version-changed"]);
}

#[test]
fn conversion_by_none_that_drops_a_field_is_shown() {
    check_crds(
        &base(),
        &two("None", true),
        &[
            "compatible version-added",
            "incompatible conversion-loss spec.b: data: written as `v2` ⇒ stored as `v1`: `spec.b` is dropped",
        ],
    );
    check_crds(&base(), &two("None", false), &["compatible version-added"]);
    // What was lost before is not a change.
    let mut columns = two("None", true);
    columns["spec"]["names"]["shortNames"] = json!(["w"]);
    check_crds(
        &two("None", true),
        &columns,
        &["compatible short-name-changed"],
    );
}

#[test]
fn a_schema_that_the_server_refuses_is_reported() {
    let old = base();
    let mut new = base();
    new["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] =
        json!({"properties": {}});
    let found = crate::compare(&old, &new, &crate::Options::default());
    assert!(
        found.iter().any(|it| it.rule.id == "schema-refused"),
        "{found:#?}"
    );
}
