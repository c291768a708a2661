//! The law of conversions, for generated tests: there and back is where one was.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Map, Number, Value, json};

use super::rules::without_dropped;
use super::{Rule, Side, Spoke, decode, encode, from_hub, to_hub};
use crate::object::{Object, ResourceInfo};

/// How many objects are made of each version.
const OBJECTS: u64 = 128;
/// How deep objects are made: schemas from types that contain themselves end somewhere.
const DEEPEST: usize = 12;
/// The parts of object names, texts and keys.
const WORDS: [&str; 6] = ["a", "b2", "green", "x-y", "deadbeef", "zz"];

/// Checks with random objects of a CRD's schemas that a conversion to the hub and back is the
/// identity, and one from the hub and back. Fields that are dropped on purpose are not compared.
///
/// An `example` in a schema is used where random values would not do, as for patterns.
///
/// # Errors
/// The first object that changes or is not converted.
pub fn check<S: Spoke>(crd: &CustomResourceDefinition) -> Result<(), String> {
    let crd = serde_json::to_value(crd).map_err(|error| error.to_string())?;
    for seed in 0..OBJECTS {
        let there_and_back = |spoke: &S| from_hub::<S>(&to_hub(spoke)?);
        returns::<S, _>(&crd, seed, Side::Spoke, S::rules(), there_and_back)?;
        let there_and_back = |hub: &S::Hub| to_hub(&from_hub::<S>(hub)?);
        returns::<S::Hub, _>(&crd, seed, Side::Hub, S::rules(), there_and_back)?;
    }
    Ok(())
}

fn returns<K: Object, E: std::fmt::Display>(
    crd: &Value,
    seed: u64,
    side: Side,
    rules: &'static [Rule],
    there_and_back: impl Fn(&K) -> Result<K, E>,
) -> Result<(), String> {
    let info = ResourceInfo::of::<K>(&());
    let versions = crd.pointer("/spec/versions").and_then(Value::as_array);
    let mut versions = versions.into_iter().flatten();
    let version = versions.find(|version| version["name"] == *info.version);
    let version = version.ok_or_else(|| format!("the CRD has no version {}", info.version))?;
    let made = made(&version["schema"]["openAPIV3Schema"], seed, &info);
    let shown = made.to_string();
    let failed = |error: &dyn std::fmt::Display| format!("{error}: {shown}");
    let object: K = decode(made).map_err(|error| failed(&error))?;
    let after = there_and_back(&object).map_err(|error| failed(&error))?;
    let compared = |object: &K| {
        let value = encode(object).map_err(|error| failed(&error))?;
        Ok::<Value, String>(without_dropped(rules, side, value))
    };
    let (before, after) = (compared(&object)?, compared(&after)?);
    match before == after {
        true => Ok(()),
        false => Err(format!("{before} comes back as {after}")),
    }
}

/// A random object of a kind.
fn made(schema: &Value, seed: u64, info: &ResourceInfo) -> Value {
    let mut random = StdRng::seed_from_u64(seed);
    let mut object = value(schema, &mut random, 0);
    if let Value::Object(fields) = &mut object {
        fields.insert("apiVersion".to_owned(), json!(info.api_version()));
        fields.insert("kind".to_owned(), json!(info.kind));
        let mut metadata = json!({"name": "made-up"});
        if random.random() {
            metadata["annotations"] = json!({"example.com/note": "stays"});
        }
        fields.insert("metadata".to_owned(), metadata);
    }
    object
}

/// A random value that a schema permits, unless patterns or rules demand more.
fn value(schema: &Value, random: &mut StdRng, depth: usize) -> Value {
    if let Some(example) = schema.get("example") {
        return example.clone();
    }
    let listed = schema["enum"].as_array().filter(|all| !all.is_empty());
    if let Some(listed) = listed {
        let at = random.random_range(0..listed.len());
        return listed.get(at).cloned().unwrap_or_default();
    }
    if schema["x-kubernetes-int-or-string"] == true {
        return json!(random.random_range(0..9));
    }
    match schema["type"].as_str() {
        Some("boolean") => json!(random.random::<bool>()),
        Some("integer") => json!(integer(schema, random)),
        Some("number") => {
            let half = Number::from_f64(integer(schema, random) as f64);
            half.map_or(Value::Null, Value::Number)
        }
        Some("string") => json!(string(schema, random)),
        Some("array") => array(schema, random, depth),
        _ => Value::Object(object(schema, random, depth)),
    }
}

fn integer(schema: &Value, random: &mut StdRng) -> i64 {
    let bound = |key: &str| schema[key].as_f64().map(|bound| bound as i64);
    let exclusive = |key: &str| i64::from(schema[key] == true);
    let low = bound("minimum").map_or(0, |low| low + exclusive("exclusiveMinimum"));
    let high = bound("maximum").map(|high| high - exclusive("exclusiveMaximum"));
    let high = high.unwrap_or(low.saturating_add(100));
    let found = random.random_range(low.min(high)..=high);
    match schema["multipleOf"].as_i64() {
        Some(factor) if factor > 0 => found - found.rem_euclid(factor),
        _ => found,
    }
}

fn string(schema: &Value, random: &mut StdRng) -> String {
    let fixed = match schema["format"].as_str() {
        Some("date-time") => "2026-01-31T15:04:05Z",
        Some("date") => "2026-01-31",
        Some("duration") => "1m0s",
        Some("byte") => "bWFkZSB1cA==",
        Some("ipv4" | "ip") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("cidr") => "192.0.2.0/24",
        Some("uuid") => "00000000-0000-4000-8000-000000000001",
        Some("uri") => "https://example.com/",
        _ => "",
    };
    if !fixed.is_empty() {
        return fixed.to_owned();
    }
    let bound = |key: &str| schema[key].as_u64().and_then(|it| usize::try_from(it).ok());
    let mut text = word(random).to_owned();
    while text.len() < bound("minLength").unwrap_or_default().min(4096) {
        text.push_str(word(random));
    }
    text.truncate(bound("maxLength").unwrap_or(usize::MAX));
    text
}

fn word(random: &mut StdRng) -> &'static str {
    let at = random.random_range(0..WORDS.len());
    WORDS.get(at).copied().unwrap_or_default()
}

fn array(schema: &Value, random: &mut StdRng, depth: usize) -> Value {
    let bound = |key: &str| schema[key].as_u64().and_then(|it| usize::try_from(it).ok());
    let least = bound("minItems").unwrap_or_default().min(64);
    let most = if depth < DEEPEST { least + 3 } else { least };
    let most = most.min(bound("maxItems").unwrap_or(usize::MAX)).max(least);
    let length = random.random_range(least..=most);
    let items = (0..length).map(|_| value(&schema["items"], random, depth + 1));
    let items: Vec<Value> = items.collect();
    let keys = schema["x-kubernetes-list-map-keys"].as_array();
    let keys: Vec<&str> = keys
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let is_set = schema["x-kubernetes-list-type"] == "set";
    let mut seen: Vec<Vec<Value>> = Vec::new();
    // Items of sets and map lists are unique.
    let unique = items.into_iter().filter(|item| {
        let key: Vec<Value> = match is_set {
            true => vec![item.clone()],
            false => keys.iter().map(|key| item[*key].clone()).collect(),
        };
        let is_new = key.is_empty() || !seen.contains(&key);
        seen.push(key);
        is_new
    });
    unique.collect()
}

fn object(schema: &Value, random: &mut StdRng, depth: usize) -> Map<String, Value> {
    let mut fields = Map::new();
    let required = schema["required"].as_array();
    let required: Vec<&Value> = required.into_iter().flatten().collect();
    let properties = schema["properties"].as_object();
    for (name, property) in properties.into_iter().flatten() {
        let is_required = required.iter().any(|it| **it == **name);
        if is_required || (depth < DEEPEST && random.random_bool(0.7)) {
            fields.insert(name.clone(), value(property, random, depth + 1));
        }
    }
    if schema["additionalProperties"].is_object() && depth < DEEPEST {
        for _ in 0..random.random_range(0..3) {
            let key = word(random).to_owned();
            fields.insert(
                key,
                value(&schema["additionalProperties"], random, depth + 1),
            );
        }
    }
    fields
}
