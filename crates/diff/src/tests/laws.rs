//! Laws over random pairs of schemas: each witness is true, and if nobody is hurt, random objects
//! are treated as before.

use kube_schema::{Structural, Validator};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{crd, lines};
use crate::decode::misfits;
use crate::{Finding, Options, Who, compare};

/// How many objects are tried for one pair of schemas.
const OBJECTS: usize = 150;

fn leaf() -> impl Strategy<Value = Value> + Clone {
    let small = || prop::option::of(0_i64..6);
    let integer = (small(), small(), any::<bool>()).prop_map(|(low, high, open)| {
        let mut schema = json!({"type": "integer"});
        put(&mut schema, "minimum", low);
        put(
            &mut schema,
            "maximum",
            high.map(|high| high + low.unwrap_or(0)),
        );
        if open && low.is_some() && high > Some(1) {
            schema["exclusiveMinimum"] = json!(true);
        }
        schema
    });
    let patterns = ["^[a-c]*$", "^[ab]+$", "^a", "b$", "^(ab|c)*$", "^.{2}$"];
    let pattern = prop::option::of(prop::sample::select(patterns.to_vec()));
    let text = (small(), small(), pattern).prop_map(|(least, most, pattern)| {
        let mut schema = json!({"type": "string"});
        put(&mut schema, "minLength", least);
        put(
            &mut schema,
            "maxLength",
            most.map(|most| most + least.unwrap_or(0)),
        );
        put(&mut schema, "pattern", pattern);
        schema
    });
    let listed = prop::sample::subsequence(vec!["a", "b", "ab", "c"], 1..4);
    let listed = listed.prop_map(|values| json!({"type": "string", "enum": values}));
    let formats = prop::sample::select(vec!["ipv4", "uuid", "date", "own"]);
    let format = formats.prop_map(|format| json!({"type": "string", "format": format}));
    let flag = prop::option::of(any::<bool>()).prop_map(|default| {
        let mut schema = json!({"type": "boolean"});
        put(&mut schema, "default", default);
        schema
    });
    let either = Just(json!({"x-kubernetes-int-or-string": true}));
    let nullable = Just(json!({"type": "string", "nullable": true}));
    prop_oneof![integer, text, listed, format, flag, either, nullable]
}

fn put(schema: &mut Value, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        schema[key] = value.into();
    }
}

/// A schema of a value below the object's root.
fn node() -> impl Strategy<Value = Value> + Clone {
    leaf().prop_recursive(2, 10, 3, |inner| {
        let list = (inner.clone(), prop::option::of(0_i64..3), any::<bool>());
        let list = list.prop_map(|(items, most, set)| {
            let mut schema = json!({"type": "array", "items": items});
            put(&mut schema, "maxItems", most);
            let is_scalar = schema["items"].get("properties").is_none();
            if set && is_scalar && schema["items"]["type"] == "integer" {
                schema["x-kubernetes-list-type"] = json!("set");
            }
            schema
        });
        let map = inner
            .clone()
            .prop_map(|values| json!({"type": "object", "additionalProperties": values}));
        prop_oneof![list, map, object(inner)]
    })
}

/// A schema of an object with some of three fields.
fn object(field: impl Strategy<Value = Value> + Clone) -> impl Strategy<Value = Value> + Clone {
    let fields = prop::collection::vec(prop::option::of(field), 3);
    let combined = prop::option::of(prop::sample::select(vec![
        ("anyOf", json!([{"required": ["x"]}, {"required": ["y"]}])),
        ("oneOf", json!([{"required": ["x"]}, {"required": ["y"]}])),
        ("not", json!({"required": ["x", "y"]})),
        (
            "x-kubernetes-validations",
            json!([{"rule": "!has(self.x) || !has(self.y)"}]),
        ),
        ("x-kubernetes-preserve-unknown-fields", json!(true)),
    ]));
    (fields, any::<[bool; 3]>(), combined).prop_map(|(fields, required, combined)| {
        let mut properties = Map::new();
        let mut names = Vec::new();
        for ((name, field), required) in ["x", "y", "z"].into_iter().zip(fields).zip(required) {
            let Some(field) = field else { continue };
            properties.insert(name.to_owned(), field);
            if required {
                names.push(name);
            }
        }
        let knows = |name: &str| properties.contains_key(name);
        let knows_both = knows("x") && knows("y");
        let mut schema = json!({"type": "object", "properties": properties});
        if !names.is_empty() {
            schema["required"] = json!(names);
        }
        if let Some((key, value)) = combined.filter(|_| knows_both) {
            schema[key] = value;
        }
        schema
    })
}

/// A pair of schemas that differ in one field of `spec`, or in all.
fn pair() -> impl Strategy<Value = (Value, Value)> {
    let spec = object(node());
    (spec.clone(), spec, 0..4_usize).prop_map(|(old, other, which)| {
        let mut new = old.clone();
        match ["x", "y", "z"].get(which) {
            Some(name) => match other["properties"].get(name) {
                Some(field) => new["properties"][*name] = field.clone(),
                None => return (old, other),
            },
            None => new = other,
        }
        (old, new)
    })
}

/// A random value that is near a schema: some of its parts break it.
fn value(schema: &Value, random: &mut Random) -> Value {
    let bound = |key: &str| schema.get(key).and_then(Value::as_i64).unwrap_or(2);
    if let Some(values) = schema.get("enum").and_then(Value::as_array)
        && random.below(4) > 0
    {
        return random.pick(values).clone();
    }
    match schema["type"].as_str() {
        Some("integer") => {
            let end: &&str = random.pick(&["minimum", "maximum"]);
            json!(bound(end) + random.below(4) - 2)
        }
        Some("boolean") => json!(random.below(2) == 0),
        Some("string") if random.below(12) == 0 => Value::Null,
        Some("string") => {
            let words = [
                "",
                "a",
                "b",
                "ab",
                "ba",
                "abc",
                "cc",
                "aaab",
                "192.0.2.1",
                "2026-01-01",
                "00000000-0000-4000-8000-000000000000",
            ];
            let length = usize::try_from(random.below(9)).unwrap();
            let letters = "abc".chars();
            let made: String = (0..length)
                .map(|_| *random.pick(&letters.clone().collect::<Vec<_>>()))
                .collect();
            json!(if random.below(2) == 0 {
                made
            } else {
                (*random.pick(&words)).to_owned()
            })
        }
        Some("array") => {
            let count = random.below(4);
            (0..count)
                .map(|_| value(&schema["items"], random))
                .collect()
        }
        Some("object") => {
            let mut map = Map::new();
            for (name, field) in schema
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                if random.below(3) > 0 {
                    map.insert(name.clone(), value(field, random));
                }
            }
            if let Some(values) = schema.get("additionalProperties") {
                map.insert("k".to_owned(), value(values, random));
            }
            if random.below(8) == 0 {
                map.insert("w".to_owned(), json!("unlisted"));
            }
            Value::Object(map)
        }
        _ => random.pick(&[json!(1), json!("a"), json!("b")]).clone(),
    }
}

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(self.0 >> 40).unwrap() % bound
    }

    fn pick<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        let index = self.below(i64::try_from(values.len()).unwrap());
        &values[usize::try_from(index).unwrap()]
    }
}

/// Whether an object hurts somebody, independently of the search: by the crates that serve
/// requests.
fn harm(old: &Value, new: &Value, object: &Value) -> Option<String> {
    let validator = |crd: &Value| Validator::of_crd(crd, "v1").unwrap();
    let schema = |crd: &Value| crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone();
    let compiled = |crd: &Value| Structural::compile(&schema(crd)).unwrap();
    let settle = |crd: &Value, object: &Value| {
        let (mut object, schema) = (object.clone(), compiled(crd));
        schema.prune(&mut object);
        schema.apply_defaults(&mut object);
        object
    };
    // What was pruned before was never part of the API.
    let mut known = object.clone();
    compiled(old).prune(&mut known);
    let before = validator(old).validate(known.clone()).is_ok();
    let after = validator(new).validate(known);
    if let (true, Err(error)) = (before, &after) {
        return Some(error.to_string());
    }
    if before {
        let stored = settle(old, object);
        let mut read = settle(new, &stored);
        compiled(old).prune(&mut read);
        if read != stored {
            return Some(format!("{stored} is read as {read}"));
        }
    }
    if validator(new).validate(object.clone()).is_ok() {
        let found = misfits(&schema(old), &settle(new, object));
        return (!found.is_empty()).then(|| format!("{found:?}"));
    }
    None
}

/// Asserts that what a finding says of its witness is so.
fn check_witnesses(old: &Value, new: &Value, found: &[Finding]) {
    for harm in found.iter().flat_map(|finding| &finding.harms) {
        let Some(witness) = &harm.witness else {
            continue;
        };
        let accepts = |crd: &Value| {
            Validator::of_crd(crd, "v1")
                .unwrap()
                .validate(witness.object.clone())
        };
        let (before, after) = (accepts(old), accepts(new));
        if harm.who.contains(&Who::Stored) {
            assert!(before.is_ok(), "{witness:#?}");
            let error = after.unwrap_err();
            let said = witness.after.split_once(" is invalid: ").unwrap().1;
            assert_eq!(error.to_string(), said, "{witness:#?}");
        } else if harm.who == [Who::Readers] {
            assert!(after.is_ok(), "{witness:#?}");
        } else if !witness.before.starts_with("accepted as an update") {
            assert!(before.is_ok() && after.is_ok(), "{witness:#?}");
        }
    }
}

proptest! {
    #[test]
    fn witnesses_are_true_and_nobody_is_hurt_unseen((old, new) in pair(), seed in any::<u64>()) {
        let whole = |spec: &Value| crd(&json!({"type": "object", "properties": {"spec": spec}}));
        let (old_crd, new_crd) = (whole(&old), whole(&new));
        let is_sound = |crd: &Value| Structural::compile(&crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]).is_ok();
        prop_assume!(is_sound(&old_crd) && is_sound(&new_crd));
        let found = compare(&old_crd, &new_crd, &Options { budget: 300, ..Options::default() });
        check_witnesses(&old_crd, &new_crd, &found);
        let hurt = found.iter().any(|finding| !finding.harms.is_empty());
        if !hurt {
            let mut random = Random(seed);
            for index in 0..OBJECTS {
                let spec = value(if index % 2 == 0 { &old } else { &new }, &mut random);
                let object = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": "b"}, "spec": spec});
                let harm = harm(&old_crd, &new_crd, &object);
                prop_assert!(harm.is_none(), "{object}: {}\nold {old}\nnew {new}\n{:#?}", harm.unwrap_or_default(), lines(&found));
            }
        }
    }
}
