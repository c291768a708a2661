//! What is found in CRDs that differ from a good one in one place.

use super::{Crd, read, schema::Schema};
use crate::{Diagnostics, Filters, Source};

/// A CRD whose field `spec` has the schema.
fn crd(schema: &str) -> String {
    format!(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {{group: example.com, scope: Cluster, \
         names: {{kind: Widget, plural: widgets}}, versions: [{{name: v1, served: true, storage: true, schema: \
         {{openAPIV3Schema: {{type: object, properties: {{spec: {schema}}}}}}}}}]}}}}"
    )
}

fn read_text(text: &str) -> (Vec<Crd>, Diagnostics) {
    let mut diagnostics = Diagnostics::new();
    let sources = [Source::new("crd.yaml", text)];
    let crds = read(&sources, &Filters::default(), &mut diagnostics);
    (crds, diagnostics)
}

#[track_caller]
fn check_schema(schema: &str, expected: &[&str]) {
    let (_, diagnostics) = read_text(&crd(schema));
    let found: Vec<String> = diagnostics
        .as_slice()
        .iter()
        .map(|found| {
            let help = found.help.join("; ");
            format!("{:?}: {}; {help}", found.severity, found.message)
        })
        .collect();
    assert_eq!(found, expected, "{schema}");
}

#[test]
fn annotations_of_other_dialects_say_nothing() {
    check_schema(
        "{type: string, deprecated: true, examples: [a], writeOnly: true, $id: x, $comment: x, contentEncoding: base64, \
         discriminator: {propertyName: x}, xml: {}, x-go-name: X, x-kubernetes-patch-strategy: merge}",
        &[],
    );
}

#[test]
fn a_keyword_that_the_api_server_drops_is_a_warning_once_in_a_crd() {
    let dropped = |key: &str| {
        format!(
            "Warning: `{key}` is no keyword of a CRD's schema, and ignored; leave it out: the API server drops it too"
        )
    };
    check_schema("{type: string, const: a}", &[&dropped("const")]);
    check_schema(
        "{type: object, optional: true, properties: {a: {type: string, optional: true}, b: {if: {}}}}",
        &[&dropped("optional"), &dropped("if")],
    );
    let unions = "x-kubernetes-unions";
    check_schema(
        &format!("{{type: object, {unions}: []}}"),
        &[&dropped(unions)],
    );
}

#[test]
fn a_slip_in_a_keyword_is_an_error() {
    check_schema(
        "{type: object, proprties: {}}",
        &["Error: `proprties` is no keyword of a CRD's schema; did you mean `properties`?"],
    );
    check_schema(
        "{x-kubernetes-int-or-strings: true}",
        &[
            "Error: `x-kubernetes-int-or-strings` is no keyword of a CRD's schema; did you mean `x-kubernetes-int-or-string`?",
        ],
    );
}

#[test]
fn null_leaves_a_keyword_unset() {
    check_schema(
        "{type: object, x-kubernetes-map-type: null, properties: {a: {type: array, x-kubernetes-list-type: null, \
         items: {type: string}}}}",
        &[],
    );
}

#[test]
fn properties_of_an_array_are_ignored() {
    check_schema(
        "{type: array, items: {type: string}, properties: {a: {type: string}}}",
        &[
            "Warning: the `properties` of an array mean nothing, and are ignored; move them under `items`",
        ],
    );
}

/// The paths of the schemas that keep what they do not name, of a CRD with `spec.preserveUnknownFields` or without.
fn keeping(preserve: bool) -> Vec<String> {
    fn walk(path: &str, schema: &Schema, found: &mut Vec<String>) {
        if schema.validation.preserve_unknown_fields {
            found.push(path.to_owned());
        }
        for (name, property) in &schema.properties {
            walk(&format!("{path}.{name}"), property, found);
        }
        if let Some(items) = &schema.items {
            walk(&format!("{path}[]"), items, found);
        }
    }
    let schema = "{type: object, properties: {a: {type: string}, list: {type: array, items: {type: object}}}}";
    let flag = format!("{{preserveUnknownFields: {preserve}, group:");
    let (crds, _) = read_text(&crd(schema).replace("{group:", &flag));
    let mut found = Vec::new();
    walk("", crds[0].versions[0].schema.as_ref().unwrap(), &mut found);
    found
}

#[test]
fn a_crd_that_is_never_pruned_keeps_unknown_fields_of_every_object() {
    assert_eq!(keeping(true), ["", ".spec", ".spec.list[]"]);
    assert!(keeping(false).is_empty());
}
