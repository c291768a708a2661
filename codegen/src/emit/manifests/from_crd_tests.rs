//! Round trips: CRDs are read, turned into types, and written again.

use serde_json::{Value, json};

use super::crds;
use crate::{Compat, Filters, Manifests, Options, Source, Sources};

/// The CRDs that are generated from the CRD.
fn written(crd: &Value, filters: Filters) -> Vec<Value> {
    let sources = Sources {
        crds: vec![Source::new("crd.yaml", crd.to_string())],
        ..Sources::default()
    };
    let options = Options {
        manifests: Some(Manifests::default()),
        filters,
        // Read without checks, so that what the API server rejects is preserved too.
        compat: Compat::ControllerGen,
        ..Options::default()
    };
    let api = crate::load(&sources, &options).unwrap_or_else(|errors| panic!("{errors}"));
    let crds = crds(&api, &Manifests::default(), Compat::Strict);
    let crds = crds.unwrap_or_else(|errors| panic!("{errors}"));
    crds.into_iter().map(|(_, _, crd)| crd).collect()
}

/// A CRD as generated; `properties` belong to its root, `version` adds keys to version `v1`.
fn crd(properties: Value, version: Value) -> Value {
    let mut v1 = json!({
        "name": "v1",
        "served": true,
        "storage": true,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
    });
    if let (Value::Object(v1), Value::Object(version)) = (&mut v1, version) {
        v1.extend(version);
    }
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget"},
            "scope": "Namespaced",
            "versions": [v1],
        },
    })
}

#[track_caller]
fn check(crd: &Value) {
    let written = written(crd, Filters::default());
    assert_eq!(written, std::slice::from_ref(crd));
}

#[track_caller]
fn check_property(schema: Value) {
    check(&crd(json!({"spec": schema}), json!({})));
}

#[test]
fn scalars_keep_formats_bounds_and_defaults() {
    check_property(json!({
        "type": "object",
        "required": ["count", "ghost"],
        "properties": {
            "count": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 10, "exclusiveMaximum": true, "default": 3},
            "free": {"type": "integer"},
            "large": {"type": "integer", "format": "int64", "multipleOf": 2, "nullable": true},
            "name": {
                "type": "string", "minLength": 1, "maxLength": 63, "pattern": "^[a-z]+$", "default": "", "title": "Name",
                "example": "x", "externalDocs": {"url": "https://example.com", "description": "More."},
            },
            "on": {"type": "boolean", "default": false},
            "ratio": {"type": "number", "minimum": 0.5, "format": "double"},
            "since": {"type": "string", "format": "date-time"},
            "token": {"type": "string", "format": "byte"},
        },
    }));
}

#[test]
fn enums_keep_values_and_whether_null_is_one() {
    check_property(json!({
        "type": "object",
        "properties": {
            "either": {"type": "string", "enum": ["A", "B", null]},
            "level": {"type": "integer", "enum": [1, 2, 3]},
            "nullable": {"type": "string", "enum": ["A", "B", null], "nullable": true, "default": "A"},
            "plain": {"type": "string", "enum": ["A", "B"], "nullable": true},
        },
    }));
}

#[test]
fn elements_of_lists_and_maps_keep_what_is_said_of_them() {
    check_property(json!({
        "type": "object",
        "properties": {
            "lists": {
                "type": "array", "maxItems": 3, "x-kubernetes-list-type": "atomic",
                "items": {
                    "type": "array", "description": "Inner.", "minItems": 1,
                    "items": {"type": "string", "nullable": true, "pattern": "^a", "default": "a", "description": "Text."},
                },
            },
            "maps": {
                "type": "object", "x-kubernetes-map-type": "atomic", "minProperties": 1, "required": ["a"],
                "additionalProperties": {
                    "type": "array",
                    "items": {"type": "object", "additionalProperties": {"type": "integer", "format": "int64", "maximum": 5}},
                },
            },
            "objects": {
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                "items": {
                    "type": "object", "description": "Item.", "required": ["name"],
                    "properties": {"name": {"type": "string"}, "value": {"type": "string"}},
                    "x-kubernetes-validations": [{"rule": "self.name != 'x'", "message": "no x", "optionalOldSelf": true}],
                },
            },
        },
    }));
}

#[test]
fn values_held_as_json_keep_their_whole_schema() {
    check_property(json!({
        "type": "object",
        "properties": {
            "any": {"x-kubernetes-preserve-unknown-fields": true, "description": "Anything."},
            "everything": {"type": "object", "additionalProperties": true},
            "mixed": {"anyOf": [{"type": "string"}, {"type": "array"}], "items": {"type": "string", "maxLength": 3}, "x-kubernetes-preserve-unknown-fields": true},
            "nothing": {"type": "object"},
            "open": {"type": "object", "properties": {"a": {"type": "string"}}, "x-kubernetes-preserve-unknown-fields": true},
            "port": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}], "default": "http"},
            "values": {"type": "object", "additionalProperties": {"x-kubernetes-preserve-unknown-fields": true}},
        },
    }));
}

#[test]
fn embedded_objects_keep_which_of_their_common_properties_are_named() {
    let meta =
        json!({"type": "object", "properties": {"name": {"type": "string", "maxLength": 9}}});
    check_property(json!({
        "type": "object",
        "properties": {
            "bare": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
            "described": {
                "type": "object", "x-kubernetes-embedded-resource": true, "required": ["kind", "spec"],
                "properties": {"kind": {"type": "string", "enum": ["Pod"]}, "metadata": meta, "spec": {"type": "string"}},
            },
            "named": {
                "type": "object", "x-kubernetes-embedded-resource": true,
                "properties": {"apiVersion": {"type": "string"}, "metadata": meta},
            },
        },
    }));
}

#[test]
fn types_of_one_shape_keep_their_own_descriptions() {
    let place = |what: &str, city: &str| {
        json!({
            "type": "object", "description": what,
            "properties": {"city": {"type": "string", "description": city}, "zip": {"type": "string"}},
        })
    };
    let side = |what: &str| json!({"type": "object", "properties": {"place": place(what, what)}});
    check_property(json!({
        "type": "object",
        "properties": {"from": side("From."), "to": side("To."), "via": {"type": "object", "properties": {
            "place": {"type": "object", "properties": {"city": {"type": "string"}, "zip": {"type": "string"}}},
        }}},
    }));
}

#[test]
fn combinators_and_rules_of_the_root_are_kept() {
    let mut crd = crd(
        json!({
            "apiVersion": {"type": "string", "description": "The version."},
            "kind": {"type": "string"},
            "metadata": {"type": "object", "properties": {"name": {"type": "string", "pattern": "^w"}}},
            "spec": {
                "type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
                "not": {"properties": {"a": {"enum": ["x"]}}},
                "allOf": [{"properties": {"b": {"minLength": 1}}}],
            },
        }),
        json!({}),
    );
    let root = &mut crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    root["description"] = "A widget.".into();
    root["required"] = json!(["metadata", "spec"]);
    root["x-kubernetes-validations"] =
        json!([{"rule": "self.spec == oldSelf.spec", "reason": "FieldValueForbidden"}]);
    check(&crd);
}

#[test]
fn names_columns_subresources_and_conversion_are_kept() {
    let mut crd = crd(
        json!({"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}),
        json!({
            "deprecated": true,
            "deprecationWarning": "use v2",
            "subresources": {
                "status": {},
                "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size", "labelSelectorPath": ".status.selector"},
            },
            "additionalPrinterColumns": [
                {"name": "Size", "type": "integer", "jsonPath": ".spec.size", "format": "int32", "description": "Its size.", "priority": 1},
                {"name": "Ghost", "type": "string", "jsonPath": ".spec.ghost"},
            ],
            "selectableFields": [{"jsonPath": ".spec.size"}],
        }),
    );
    crd["metadata"]["annotations"] = json!({"api-approved.kubernetes.io": "unapproved"});
    crd["metadata"]["labels"] = json!({"app": "x"});
    crd["spec"]["scope"] = "Cluster".into();
    crd["spec"]["names"]["shortNames"] = json!(["w", "wd"]);
    crd["spec"]["names"]["categories"] = json!(["all"]);
    // Crossplane's package installer adds the service's name.
    for service in [
        json!({"name": "webhook", "namespace": "default", "path": "/convert", "port": 8443}),
        json!({"path": "/convert"}),
    ] {
        crd["spec"]["conversion"] = json!({
            "strategy": "Webhook",
            "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"service": service, "caBundle": "AA=="}},
        });
        check(&crd);
    }
}

#[test]
fn versions_without_types_stand_in_the_crd() {
    let spec = |ty: &str| json!({"spec": {"type": ty, "description": "Its spec."}});
    let mut crd = crd(spec("object"), json!({}));
    let schema = |ty: &str| json!({"openAPIV3Schema": {"type": "object", "properties": spec(ty)}});
    let old =
        json!({"name": "v1alpha1", "served": false, "storage": false, "schema": schema("string")});
    let beta =
        json!({"name": "v1beta1", "served": true, "storage": false, "schema": schema("array")});
    for version in [old, beta] {
        if let Some(versions) = crd["spec"]["versions"].as_array_mut() {
            versions.push(version);
        }
    }
    check(&crd);
    let only = Filters {
        versions: vec!["v1".to_owned()],
        ..Filters::default()
    };
    assert_eq!(written(&crd, only), [crd]);
}

#[test]
fn a_crd_without_a_served_version_is_written() {
    let mut crd = crd(
        json!({"spec": {"type": "object"}}),
        json!({"served": false}),
    );
    check(&crd);
    // A version that the filters exclude stays, too.
    let v2 = json!({"name": "v2", "served": false, "storage": false, "schema": {"openAPIV3Schema": {"type": "object"}}});
    if let Some(versions) = crd["spec"]["versions"].as_array_mut() {
        versions.push(v2);
    }
    let only = Filters {
        versions: vec!["v2".to_owned()],
        ..Filters::default()
    };
    assert_eq!(written(&crd, only), [crd]);
}

#[test]
fn what_the_server_and_kubectl_add_is_left_out() {
    let plain = crd(json!({"spec": {"type": "object"}}), json!({}));
    let mut served = plain.clone();
    served["metadata"]["uid"] = "1".into();
    served["metadata"]["annotations"] =
        json!({"kubectl.kubernetes.io/last-applied-configuration": "{}"});
    served["spec"]["conversion"] = json!({"strategy": "None"});
    served["status"] = json!({"storedVersions": ["v1"]});
    assert_eq!(written(&served, Filters::default()), [plain]);
}

#[test]
fn kinds_of_a_crd_give_it_in_the_program_too() {
    let crd = crd(json!({"spec": {"type": "object"}}), json!({}));
    let sources = Sources {
        crds: vec![Source::new("crd.yaml", crd.to_string())],
        ..Sources::default()
    };
    let generate = |manifests| {
        let options = Options {
            manifests,
            ..Options::default()
        };
        let generated = crate::generate(&sources, &options);
        generated
            .unwrap_or_else(|errors| panic!("{errors}"))
            .files
            .into_values()
            .any(|text| text.contains("fn crd() -> CustomResourceDefinition"))
    };
    assert!(generate(Some(Manifests::default())));
    assert!(!generate(None));
}

#[test]
fn a_schema_that_the_server_refuses_is_written_unchecked_alone() {
    let text = json!({"type": "string", "pattern": "("});
    let crd = crd(
        json!({"spec": {"type": "object", "properties": {"a": text}}}),
        json!({}),
    );
    let sources = Sources {
        crds: vec![Source::new("crd.yaml", crd.to_string())],
        ..Sources::default()
    };
    let load = |manifests, compat| {
        let options = Options {
            manifests,
            compat,
            ..Options::default()
        };
        crate::load(&sources, &options).is_ok()
    };
    assert!(!load(Some(Manifests::default()), Compat::Strict));
    assert!(load(Some(Manifests::default()), Compat::ControllerGen));
    // Types alone do not require a valid schema.
    assert!(load(None, Compat::Strict));
}
