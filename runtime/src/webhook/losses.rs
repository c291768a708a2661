//! What a conversion loses, found by converting objects that are made up from the CRD's schemas.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Map, Value, json};

use crate::object::{Object, ResourceInfo};

/// How deep objects are made up: schemas from types that contain themselves end somewhere.
const DEEPEST: usize = 12;

/// Returns the fields that a conversion of `A` to `B` and back loses, in both directions:
/// `v1beta1 loses .spec.color in v1`. A test asserts that there are none.
///
/// For each property of the CRD's schema of a version, an object with this property and what is
/// required is made up, converted to the other version and back, and compared. Labels and
/// annotations are free for a conversion to use, so that metadata is not compared.
///
/// # Errors
/// A property for which no object could be made up, or whose object does not convert: the message
/// names it.
pub fn lost_fields<A, B>(crd: &CustomResourceDefinition) -> Result<Vec<String>, String>
where
    A: Object + TryFrom<B>,
    B: Object + TryFrom<A>,
    <A as TryFrom<B>>::Error: std::fmt::Display,
    <B as TryFrom<A>>::Error: std::fmt::Display,
{
    let mut lost = lost_one_way::<A, B>(crd)?;
    lost.extend(lost_one_way::<B, A>(crd)?);
    Ok(lost)
}

fn lost_one_way<A, B>(crd: &CustomResourceDefinition) -> Result<Vec<String>, String>
where
    A: Object + TryFrom<B>,
    B: Object + TryFrom<A>,
    <A as TryFrom<B>>::Error: std::fmt::Display,
    <B as TryFrom<A>>::Error: std::fmt::Display,
{
    let (from, to) = (
        ResourceInfo::of::<A>(&()).version,
        ResourceInfo::of::<B>(&()).version,
    );
    let crd = serde_json::to_value(crd).map_err(|error| error.to_string())?;
    let versions = crd.pointer("/spec/versions").and_then(Value::as_array);
    let version = versions
        .into_iter()
        .flatten()
        .find(|version| version["name"] == *from)
        .ok_or_else(|| format!("the CRD has no version {from}"))?;
    let schema = &version["schema"]["openAPIV3Schema"];
    let mut lost = Vec::new();
    for path in paths(schema) {
        let shown = shown(&path);
        let object = object_with(schema, &path, &ResourceInfo::of::<A>(&()));
        let failed = |what: &str, error: &dyn std::fmt::Display| {
            format!(
                "an object of {from} with {shown} {what}: {error}; an `example` in the schema decides its value"
            )
        };
        let object: A =
            serde_json::from_value(object).map_err(|error| failed("does not decode", &error))?;
        let before = serde_json::to_value(&object).map_err(|error| error.to_string())?;
        let there = B::try_from(object)
            .map_err(|error| failed(&format!("does not convert to {to}"), &error))?;
        let back = A::try_from(there)
            .map_err(|error| failed(&format!("does not convert back from {to}"), &error))?;
        let after = serde_json::to_value(&back).map_err(|error| error.to_string())?;
        if at(&before, &path) != at(&after, &path) {
            lost.push(format!("{from} loses {shown} in {to}"));
        }
    }
    Ok(lost)
}

/// A step from a value into one below it.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Property(String),
    Item,
    Entry,
}

/// The key of the one entry that maps are made up with.
const KEY: &str = "key";

fn shown(path: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::Property(name) => format!(".{name}"),
        Step::Item => "[]".to_owned(),
        Step::Entry => ".*".to_owned(),
    };
    path.iter().map(step).collect()
}

/// The paths of all values without further ones below them, apart from metadata and the type.
fn paths(schema: &Value) -> Vec<Vec<Step>> {
    let mut found = Vec::new();
    let properties = schema["properties"].as_object();
    for (name, property) in properties.into_iter().flatten() {
        if !matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
            add_paths(
                property,
                &mut vec![Step::Property(name.clone())],
                &mut found,
            );
        }
    }
    found
}

fn add_paths(schema: &Value, path: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
    let properties = schema["properties"].as_object();
    let properties = properties.filter(|it| !it.is_empty() && path.len() < DEEPEST);
    if let Some(properties) = properties {
        for (name, property) in properties {
            path.push(Step::Property(name.clone()));
            add_paths(property, path, found);
            path.pop();
        }
        return;
    }
    for (below, step) in [("items", Step::Item), ("additionalProperties", Step::Entry)] {
        if schema[below].is_object() && path.len() < DEEPEST {
            path.push(step);
            add_paths(&schema[below], path, found);
            path.pop();
            return;
        }
    }
    found.push(path.clone());
}

/// An object of a kind with the value at a path, and what is required.
fn object_with(schema: &Value, path: &[Step], info: &ResourceInfo) -> Value {
    let mut object = value_with(schema, path);
    if let Value::Object(fields) = &mut object {
        fields.insert("apiVersion".to_owned(), json!(info.api_version()));
        fields.insert("kind".to_owned(), json!(info.kind));
        fields.insert("metadata".to_owned(), json!({"name": "made-up"}));
    }
    object
}

/// A value of a schema with the value at a path below it, and what is required.
fn value_with(schema: &Value, path: &[Step]) -> Value {
    match path.split_first() {
        None => value_of(schema),
        Some((Step::Item, rest)) => json!([value_with(&schema["items"], rest)]),
        Some((Step::Entry, rest)) => {
            json!({KEY: value_with(&schema["additionalProperties"], rest)})
        }
        Some((Step::Property(name), rest)) => {
            let mut fields = required_of(schema, DEEPEST);
            let value = value_with(&schema["properties"][name], rest);
            fields.insert(name.clone(), value);
            Value::Object(fields)
        }
    }
}

fn value_of(schema: &Value) -> Value {
    value_within(schema, DEEPEST)
}

/// A value that the schema's type permits; patterns and rules are not followed, as no type checks
/// them.
fn value_within(schema: &Value, depth: usize) -> Value {
    let first = schema["enum"].as_array().and_then(|values| values.first());
    let given = ["example", "default"].map(|word| schema.get(word));
    if let Some(value) = given.into_iter().flatten().next().or(first) {
        return value.clone();
    }
    if schema["x-kubernetes-int-or-string"] == true {
        return json!(1);
    }
    let least = |word: &str| schema[word].as_u64().unwrap_or(1).clamp(1, 64);
    match schema["type"].as_str() {
        Some("boolean") => json!(true),
        Some("integer") => schema["minimum"]
            .as_i64()
            .map_or(json!(1), |least| json!(least.saturating_add(1))),
        Some("number") => json!(1.5),
        Some("string") => match schema["format"].as_str() {
            Some("date-time") => json!("2026-01-31T15:04:05Z"),
            Some("date") => json!("2026-01-31"),
            Some("duration") => json!("1m0s"),
            Some("byte") => json!("bWFkZSB1cA=="),
            Some("ipv4" | "ip") => json!("192.0.2.1"),
            Some("ipv6") => json!("2001:db8::1"),
            Some("cidr") => json!("192.0.2.0/24"),
            Some("uuid") => json!("00000000-0000-4000-8000-000000000001"),
            Some("uri") => json!("https://example.com/"),
            _ => Value::String("a".repeat(usize::try_from(least("minLength")).unwrap_or(1))),
        },
        Some("array") if depth > 0 => json!([value_within(&schema["items"], depth - 1)]),
        Some("array") => json!([]),
        Some("object") | None if schema["additionalProperties"].is_object() && depth > 0 => {
            json!({KEY: value_within(&schema["additionalProperties"], depth - 1)})
        }
        _ => Value::Object(required_of(schema, depth)),
    }
}

fn required_of(schema: &Value, depth: usize) -> Map<String, Value> {
    let required = schema["required"].as_array();
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    let names = names.filter(|_| depth > 0);
    let value = |name: &str| value_within(&schema["properties"][name], depth.saturating_sub(1));
    names.map(|name| (name.to_owned(), value(name))).collect()
}

/// The value at a path.
fn at<'v>(value: &'v Value, path: &[Step]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Property(name) => value.get(name),
        Step::Item => value.get(0),
        Step::Entry => value.get(KEY),
    })
}
