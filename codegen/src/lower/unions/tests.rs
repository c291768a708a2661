//! Unions in the forms that CRDs use for them.

use serde_json::{Value, json};

use crate::{
    Options, Source, Sources,
    model::{FieldUnion, TypeDef, TypeKind, UnionBound},
};

/// Returns the unions of an object with the schema, one per line:
/// `exactly one of a, b; by type: A, B; as_union`.
fn unions(spec: &Value) -> Vec<String> {
    let def = spec_type(spec);
    let TypeKind::Struct(body) = &def.kind else {
        panic!("{def:?}");
    };
    body.unions.iter().map(line).collect()
}

/// Returns the type of an object with the schema.
fn spec_type(spec: &Value) -> TypeDef {
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Thing", "plural": "things", "singular": "thing", "listKind": "ThingList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {
                "openAPIV3Schema": {"type": "object", "properties": {"spec": spec}},
            }}],
        },
    });
    let sources = Sources {
        crds: vec![Source::new("crd.yaml", crd.to_string())],
        ..Sources::default()
    };
    let api = crate::load(&sources, &Options::default()).unwrap();
    api.groups[0].versions[0]
        .type_def("ThingSpec")
        .unwrap()
        .clone()
}

fn line(union: &FieldUnion) -> String {
    let bound = match union.bound {
        UnionBound::ExactlyOne => "exactly one",
        UnionBound::AtMostOne => "at most one",
        UnionBound::AtLeastOne => "at least one",
    };
    let members: Vec<&str> = union
        .members
        .iter()
        .map(|member| member.field.as_str())
        .collect();
    let values: Vec<&str> = union
        .members
        .iter()
        .filter_map(|member| member.value.as_deref())
        .collect();
    let by = union.discriminator.as_ref();
    let by = by.map_or_else(String::new, |by| {
        format!("; by {by}: {}", values.join(", "))
    });
    let view = union.view.as_ref();
    let view = view.map_or_else(String::new, |view| {
        format!("; {}, {}", view.name, view.method)
    });
    format!("{bound} of {}{by}{view}", members.join(", "))
}

/// Returns a struct of four strings and an enum, with additional keywords.
fn schema(more: &Value) -> Value {
    let text = json!({"type": "string"});
    let mut schema = json!({
        "type": "object",
        "properties": {
            "a": text, "b": text, "c": text, "d": text,
            "kind": {"type": "string", "enum": ["A", "B", "Other"]},
        },
    });
    for (key, value) in more.as_object().unwrap() {
        schema[key] = value.clone();
    }
    schema
}

#[track_caller]
fn check(more: &Value, expected: &[&str]) {
    assert_eq!(unions(&schema(more)), expected, "{more}");
}

#[track_caller]
fn check_rules(rules: &[&str], expected: &[&str]) {
    let rules: Vec<Value> = rules.iter().map(|rule| json!({"rule": rule})).collect();
    check(&json!({"x-kubernetes-validations": rules}), expected);
}

const EXACTLY: &str = "exactly one of a, b; ThingSpecUnion, as_union";
const AT_MOST: &str = "at most one of a, b; ThingSpecUnion, as_union";
const AT_LEAST: &str = "at least one of a, b";

#[test]
fn alternatives_that_require_one_property_each() {
    let alternatives = json!([{"required": ["a"]}, {"required": ["b"]}]);
    check(&json!({"oneOf": alternatives}), &[EXACTLY]);
    check(&json!({"anyOf": alternatives}), &[AT_LEAST]);
    check(&json!({"allOf": [{"oneOf": alternatives}]}), &[EXACTLY]);
    let or_none =
        json!([{"not": {"anyOf": alternatives}}, {"required": ["a"]}, {"required": ["b"]}]);
    check(&json!({"oneOf": or_none}), &[AT_MOST]);
    check(&json!({"not": {"required": ["a", "b"]}}), &[AT_MOST]);
    let with_properties = json!([
        {"required": ["a"], "properties": {"a": {}}}, {"required": ["b"], "properties": {"b": {}}},
    ]);
    check(&json!({"oneOf": with_properties}), &[EXACTLY]);
    let excluding = json!([
        {"required": ["a"], "not": {"required": ["b"]}},
        {"required": ["b"], "not": {"anyOf": [{"required": ["a"]}, {"required": ["c"]}]}},
    ]);
    check(&json!({"oneOf": excluding}), &[EXACTLY]);
}

#[test]
fn one_property_at_most() {
    let all = "a, b, c, d, kind; ThingSpecUnion, as_union";
    check(
        &json!({"maxProperties": 1}),
        &[&format!("at most one of {all}")],
    );
    let one = json!({"minProperties": 1, "maxProperties": 1});
    check(&one, &[&format!("exactly one of {all}")]);
    check(&json!({"maxProperties": 2}), &[]);
    let open = json!({"minProperties": 1, "maxProperties": 1, "x-kubernetes-preserve-unknown-fields": true});
    check(&open, &[&format!("at most one of {all}")]);
}

#[test]
fn alternatives_of_an_enum_are_a_discriminator() {
    let alternatives = json!([
        {"properties": {"kind": {"enum": ["A"]}}, "required": ["kind", "a"], "not": {"required": ["b"]}},
        {"properties": {"kind": {"not": {"enum": ["A", "Other"]}}}, "required": ["kind", "b"], "not": {"required": ["a"]}},
    ]);
    let by_kind = "of a, b; by kind: A, B; ThingSpecUnion, as_union";
    check(
        &json!({"oneOf": alternatives}),
        &[&format!("exactly one {by_kind}")],
    );
    let by_value = json!([
        {"properties": {"kind": {"enum": ["A"]}}, "required": ["kind"], "not": {"required": ["b"]}},
        {"properties": {"kind": {"enum": ["B"]}}, "required": ["kind", "b"], "not": {"required": ["a"]}},
    ]);
    check(
        &json!({"oneOf": by_value}),
        &[&format!("at most one {by_kind}")],
    );
}

#[test]
fn what_may_be_set_together_is_no_union() {
    check(
        &json!({"oneOf": [{"required": ["a", "b"]}, {"required": ["c", "d"]}]}),
        &["at least one of b, d", "at least one of a, c"],
    );
    check(&json!({"anyOf": [{"required": ["a"]}, {}]}), &[]);
    let defaulted = json!({
        "properties": {"a": {"type": "string", "default": ""}, "b": {"type": "string"}},
        "not": {"required": ["a", "b"]},
    });
    check(&defaulted, &[]);
    let required = json!({"required": ["a"], "not": {"required": ["a", "b"]}});
    check(&required, &[]);
}

#[test]
fn rules_of_controller_gen() {
    let set = "[has(self.a),has(self.b)].filter(x,x==true).size()";
    check_rules(&[&format!("{set} == 1")], &[EXACTLY]);
    check_rules(&[&format!("{set} <= 1")], &[AT_MOST]);
    check_rules(&[&format!("{set} >= 1")], &[AT_LEAST]);
}

#[test]
fn rules_by_hand() {
    for rule in [
        "has(self.a) != has(self.b)",
        "(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) == 1",
        "(has(self.a) && !has(self.b)) || (!has(self.a) && has(self.b))",
        "[has(self.a), has(self.b)].exists_one(x, x)",
        "has(self.a) ? !has(self.b) : has(self.b)",
        "[has(self.a), has(self.b)].map(x, x ? 1 : 0).sum() == 1",
        "size([has(self.a), has(self.b)].filter(x, x)) == 1",
    ] {
        check_rules(&[rule], &[EXACTLY]);
    }
    for rule in [
        "!(has(self.a) && has(self.b))",
        "!has(self.a) || !has(self.b)",
        "has(self.a) ? !has(self.b) : true",
        "(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) < 2",
        "[has(self.a), has(self.b)].exists(x, !x)",
    ] {
        check_rules(&[rule], &[AT_MOST]);
    }
    check_rules(&["has(self.a) || has(self.b)"], &[AT_LEAST]);
    check_rules(
        &["!has(self.a) || !has(self.b)", "has(self.a) || has(self.b)"],
        &[EXACTLY],
    );
}

#[test]
fn rules_that_permit_both_make_no_union() {
    for rule in [
        "!has(self.a) || !has(self.b) || size(self.b) == 0",
        "has(self.a) == has(self.b)",
        "!has(self.a) && !has(self.b)",
        "has(oldSelf.a) || !(has(self.a) && has(self.b))",
        "has(self.a",
        "self.kind == 'A' ? has(self.a) : true",
    ] {
        check_rules(&[rule], &[]);
    }
}

#[test]
fn rules_make_an_enum_a_discriminator() {
    let by_kind = "; by kind: A, B; ThingSpecUnion, as_union";
    let forbid = [
        "!has(self.a) || (has(self.kind) && self.kind == 'A')",
        "has(self.b) ? has(self.kind) && self.kind == 'B' : true",
    ];
    check_rules(&forbid, &[&format!("at most one of a, b{by_kind}")]);
    // Names and constraints do not determine what must not be set.
    check_rules(
        &["self.kind == 'A' ? has(self.a) : has(self.b)"],
        &[AT_LEAST],
    );
    // Of two fields that a value permits, the one that it requires is the member.
    let required = [
        "has(self.kind)",
        "self.kind == 'A' ? has(self.c) : !has(self.c) && !has(self.a)",
        "self.kind in ['B', 'Other'] ? has(self.b) == (self.kind == 'B') : !has(self.b)",
    ];
    check_rules(
        &required,
        &["at most one of b, c; by kind: B, A; ThingSpecUnion, as_union"],
    );
}

#[test]
fn a_second_union_is_named_after_its_discriminator_or_a_shared_word() {
    let properties = json!({
        "a": {"type": "string"}, "b": {"type": "string"},
        "userRef": {"type": "string"}, "groupRef": {"type": "string"},
    });
    let rules = json!([
        {"rule": "!(has(self.userRef) && has(self.groupRef))"}, {"rule": "has(self.a) != has(self.b)"},
    ]);
    check(
        &json!({"properties": properties, "x-kubernetes-validations": rules}),
        &[
            EXACTLY,
            "at most one of groupRef, userRef; ThingSpecRefUnion, as_ref_union",
        ],
    );
}

#[test]
fn a_view_gets_a_name_that_is_free() {
    let mut schema = schema(&json!({"not": {"required": ["a", "b"]}}));
    schema["properties"]["specUnion"] =
        json!({"type": "object", "properties": {"x": {"type": "string"}}});
    let found = unions(&schema);
    assert!(
        found[0].starts_with("at most one of a, b; ThingSpecUnion"),
        "{found:?}"
    );
    assert!(
        found[0] != AT_MOST,
        "the type at `spec.specUnion` has that name"
    );
}

/// Each item contains the previous one twice: expanded, the last would exhaust any memory.
#[test]
fn rules_whose_lists_grow_without_end_are_given_up() {
    for item in ["[x, x]", "x + x"] {
        let doubled = format!(".map(x, {item})").repeat(40);
        let rule = format!("[[has(self.a), has(self.b)]]{doubled}.size() == 2");
        let spec = json!({
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "x-kubernetes-validations": [{"rule": rule}],
        });
        assert_eq!(unions(&spec), [""; 0]);
    }
}

/// Returns an object of optional strings `f0`, `f1`, …, with rules.
fn texts_with_rules(names: &[String], rules: impl Iterator<Item = String>) -> Value {
    let properties = names.iter().map(|name| (name, json!({"type": "string"})));
    let properties: std::collections::BTreeMap<_, _> = properties.collect();
    let rules: Vec<Value> = rules.map(|rule| json!({ "rule": rule })).collect();
    json!({"type": "object", "properties": properties, "x-kubernetes-validations": rules})
}

/// The search visits each of the 780 rules for each of the 780 pairs, unless it checks only rules
/// that involve the pair.
#[test]
fn a_rule_for_each_pair_of_forty_fields_makes_one_union() {
    let names: Vec<String> = (10..50).map(|index| format!("f{index}")).collect();
    let pairs = names.iter().enumerate();
    let pairs = pairs.flat_map(|(index, a)| names.iter().skip(index + 1).map(move |b| (a, b)));
    let rules = pairs.map(|(a, b)| format!("!(has(self.{a}) && has(self.{b}))"));
    let members = names.join(", ");
    assert_eq!(
        unions(&texts_with_rules(&names, rules)),
        [format!(
            "at most one of {members}; ThingSpecUnion, as_union"
        )]
    );
}

/// Fields, pairs and terms of the rules multiply: a full search would take 60 million steps.
#[test]
fn structs_that_take_too_much_work_have_no_unions() {
    let names: Vec<String> = (0..128).map(|index| format!("f{index}")).collect();
    let terms: Vec<String> = names
        .iter()
        .map(|name| format!("(has(self.{name}) ? 1 : 0)"))
        .collect();
    let rule = format!("{} <= 1", terms.join(" + "));
    let rules = std::iter::repeat_n(rule, 10);
    assert_eq!(unions(&texts_with_rules(&names, rules)), [""; 0]);
}

/// Checks each rule for whether a union of the struct expresses the same.
#[track_caller]
fn check_said(rules: &[(&str, bool)]) {
    let all: Vec<Value> = rules
        .iter()
        .map(|(rule, _)| json!({"rule": rule}))
        .collect();
    let demands = json!({"required": ["kind"], "x-kubernetes-validations": all});
    let def = spec_type(&schema(&demands));
    let found = def.validation.rules.iter();
    let found: Vec<(&str, bool)> = found
        .map(|rule| (rule.rule.as_str(), rule.said_by_union))
        .collect();
    assert_eq!(found, rules);
}

#[test]
fn rules_that_a_union_says_are_marked() {
    check_said(&[
        ("has(self.a) != has(self.b)", true),
        ("!(has(self.a) && has(self.b))", true),
        ("has(self.a) || has(self.b)", true),
        ("!has(self.a) || self.a != self.d", false),
        ("has(self.a) || self.d == ''", false),
        ("has(self.a) == has(oldSelf.a)", false),
    ]);
    // At most one: a rule that requires one is stricter.
    check_said(&[
        ("(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) <= 1", true),
        ("has(self.c) || has(self.d)", true),
        ("has(self.a) == has(self.c)", false),
    ]);
}

#[test]
fn rules_that_a_discriminator_says_are_marked() {
    check_said(&[
        ("self.kind == 'A' ? has(self.a) : !has(self.a)", false),
        ("!has(self.b) || self.kind == 'B'", true),
    ]);
    check_said(&[
        ("has(self.a) == (self.kind == 'A')", true),
        ("has(self.b) == (self.kind == 'B')", true),
        ("has(self.a) || has(self.b)", true),
    ]);
}
