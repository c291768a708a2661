//! Tests two CRDs for equivalence to the API server: parses them, fills in defaults, and compares
//! them ignoring what the server ignores: the order of properties, versions and `required`; unknown
//! keywords; and the difference between absent, null, empty and false values that Go's `omitempty`
//! removes. Independent of the generator's own reader.

use serde_json::{Map, Value};

/// Returns some of the places where two CRDs differ. Empty if they are equivalent.
pub(crate) fn differences(source: &Value, written: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", &canonical(source), &canonical(written), &mut found);
    found.truncate(3);
    found
}

fn canonical(crd: &Value) -> Value {
    let metadata = picked(
        &crd["metadata"],
        &["name", "labels", "annotations"],
        |key, value| match key {
            "annotations" => without(value, "kubectl.kubernetes.io/last-applied-configuration"),
            _ => some(value),
        },
    );
    object([
        ("metadata", metadata),
        ("spec", canonical_spec(&crd["spec"])),
    ])
}

fn canonical_spec(spec: &Value) -> Value {
    let keys = [
        "group",
        "names",
        "scope",
        "conversion",
        "preserveUnknownFields",
        "versions",
    ];
    picked(spec, &keys, |key, value| match key {
        "names" => Some(canonical_names(value)),
        "conversion" if value["strategy"] == "Webhook" => {
            let webhook = pruned(&value["webhook"])?;
            Some(object([
                ("strategy", "Webhook".into()),
                ("webhook", webhook),
            ]))
        }
        "conversion" => None,
        "preserveUnknownFields" => flag(value),
        "versions" => {
            let mut versions: Vec<Value> = list(value).iter().map(canonical_version).collect();
            versions.sort_by_key(|version| version["name"].to_string());
            Some(Value::Array(versions))
        }
        _ => some(value),
    })
}

fn canonical_names(names: &Value) -> Value {
    let keys = [
        "kind",
        "plural",
        "singular",
        "listKind",
        "shortNames",
        "categories",
    ];
    let mut names = picked(names, &keys, |_, value| some(value));
    let kind = names["kind"].as_str().unwrap_or_default().to_owned();
    for (key, default) in [
        ("singular", kind.to_lowercase()),
        ("listKind", format!("{kind}List")),
    ] {
        if names.get(key).is_none() {
            names[key] = default.into();
        }
    }
    names
}

fn canonical_version(version: &Value) -> Value {
    let keys = [
        "name",
        "served",
        "storage",
        "deprecated",
        "deprecationWarning",
        "schema",
        "subresources",
        "additionalPrinterColumns",
        "selectableFields",
    ];
    picked(version, &keys, |key, value| match key {
        "served" | "storage" => Some(value.clone()),
        "deprecated" => flag(value),
        "schema" => Some(canonical_schema(&value["openAPIV3Schema"])),
        "subresources" => {
            let subresources = picked(value, &["status", "scale"], |key, value| match key {
                "status" => (!value.is_null()).then(|| Value::Object(Map::new())),
                _ => pruned(value),
            });
            some(&subresources)
        }
        "additionalPrinterColumns" => some(&list(value).iter().filter_map(pruned).collect()),
        _ => some(value),
    })
}

fn canonical_schema(schema: &Value) -> Value {
    let Some(members) = schema.as_object() else {
        return schema.clone();
    };
    let members = members
        .iter()
        .filter_map(|(key, value)| Some((key.clone(), keyword(key, value)?)));
    Value::Object(members.collect())
}

/// Returns the canonical value of a schema keyword, or `None` if it has no effect or the API server
/// does not know it.
fn keyword(key: &str, value: &Value) -> Option<Value> {
    let schemas = |value: &Value| some(&list(value).iter().map(canonical_schema).collect());
    match key {
        // Any value is significant, including false and empty ones.
        "default" | "example" => (!value.is_null()).then(|| value.clone()),
        "maximum" | "minimum" | "multipleOf" | "maxLength" | "minLength" | "maxItems"
        | "minItems" | "maxProperties" | "minProperties" => {
            (!value.is_null()).then(|| value.clone())
        }
        "description"
        | "type"
        | "format"
        | "title"
        | "pattern"
        | "enum"
        | "$ref"
        | "definitions"
        | "dependencies"
        | "patternProperties"
        | "additionalItems"
        | "x-kubernetes-list-map-keys"
        | "x-kubernetes-list-type"
        | "x-kubernetes-map-type" => some(value),
        "externalDocs" => pruned(value),
        "exclusiveMaximum"
        | "exclusiveMinimum"
        | "uniqueItems"
        | "nullable"
        | "x-kubernetes-preserve-unknown-fields"
        | "x-kubernetes-embedded-resource"
        | "x-kubernetes-int-or-string" => flag(value),
        "required" => {
            let mut names = list(value).to_vec();
            names.sort_by_key(Value::to_string);
            names.dedup();
            some(&Value::Array(names))
        }
        "properties" => {
            let properties = value.as_object()?.iter();
            some(
                &properties
                    .map(|(name, schema)| (name.clone(), canonical_schema(schema)))
                    .collect(),
            )
        }
        "items" | "not" => (!value.is_null()).then(|| canonical_schema(value)),
        "additionalProperties" => match value {
            Value::Null | Value::Bool(false) => None,
            _ => Some(canonical_schema(value)),
        },
        "allOf" | "anyOf" | "oneOf" => schemas(value),
        "x-kubernetes-validations" => some(&list(value).iter().filter_map(pruned).collect()),
        _ => None,
    }
}

fn compare(path: &str, a: &Value, b: &Value, found: &mut Vec<String>) {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                match b.get(key) {
                    Some(other) => compare(&format!("{path}.{key}"), value, other, found),
                    None => found.push(format!("{path}.{key} is lost: {}", short(value))),
                }
            }
            let added = b.iter().filter(|(key, _)| !a.contains_key(*key));
            found
                .extend(added.map(|(key, value)| format!("{path}.{key} is new: {}", short(value))));
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                compare(&format!("{path}[{index}]"), a, b, found);
            }
        }
        // 1 equals 1.0.
        (Value::Number(a), Value::Number(b))
            if (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64() => {}
        (a, b) if a == b => {}
        (a, b) => found.push(format!("{path}: {} became {}", short(a), short(b))),
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(120).collect()
}

/// Returns an object with these keys, each value converted by `read`. Keys that are absent, or for
/// which `read` returns `None`, are left out.
fn picked(value: &Value, keys: &[&str], read: impl Fn(&str, &Value) -> Option<Value>) -> Value {
    let members = keys
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), read(key, value.get(key)?)?)));
    Value::Object(members.collect())
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(
        members
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    )
}

/// Returns the value, or `None` if it is null or empty.
fn some(value: &Value) -> Option<Value> {
    let empty = match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    };
    (!empty).then(|| value.clone())
}

/// Removes null, empty, false and 0 from a map, recursively.
fn pruned(value: &Value) -> Option<Value> {
    match value {
        Value::Object(map) => {
            let members = map
                .iter()
                .filter_map(|(key, value)| Some((key.clone(), pruned(value)?)));
            some(&Value::Object(members.collect()))
        }
        Value::Bool(false) => None,
        Value::Number(number) if number.as_i64() == Some(0) => None,
        _ => some(value),
    }
}

fn flag(value: &Value) -> Option<Value> {
    (*value == Value::Bool(true)).then(|| value.clone())
}

fn without(value: &Value, key: &str) -> Option<Value> {
    let mut value = value.clone();
    if let Value::Object(map) = &mut value {
        map.remove(key);
    }
    some(&value)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
