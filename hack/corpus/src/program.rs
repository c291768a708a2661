//! Generates the program of a project, which decodes every sample into its type, encodes it again,
//! and compares the result.

use kube_codegen::model::{ApiSet, names};

use crate::VERSION;

pub(crate) fn manifest(name: &str) -> String {
    let kubernetes = VERSION
        .get()
        .map_or_else(|| "latest".to_owned(), |version| version.feature());
    format!(
        r#"[package]
name = "{name}"
version = "0.1.0"
edition = "2024"
publish = false

[dependencies]
k8s-openapi = {{ version = "0.29", default-features = false, features = ["{kubernetes}", "std"] }}
serde = {{ version = "1", features = ["derive"] }}
serde_json = {{ version = "1", features = ["float_roundtrip"] }}
serde-saphyr = "2"

# Names of projects have two underscores.
[lints.rust]
non_snake_case = "allow"
"#
    )
}

pub(crate) fn main(name: &str, api: &ApiSet) -> String {
    let library = name.replace('-', "_");
    let mut arms = String::new();
    for (group, version) in api.versions() {
        for resource in &version.resources {
            arms.push_str(&format!(
                "        ({:?}, {:?}) => through::<{library}::apis::{}::{}::{}>(value),\n",
                format!("{}/{}", group.name, version.name),
                resource.kind,
                names::ident(&group.module),
                names::ident(&version.module),
                names::ident(&resource.root),
            ));
        }
    }
    MAIN.replace("        // ARMS\n", &arms)
}

const MAIN: &str = r#"//! Round-trips each sample through its type.
use std::{fs, process::ExitCode};

use serde_json::{Map, Value};

fn main() -> ExitCode {
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/samples.txt");
    let list = fs::read_to_string(list).unwrap_or_default();
    let mut wrong = 0;
    let mut right = 0;
    for path in list.lines() {
        match check(path) {
            Ok(()) => right += 1,
            Err(error) => {
                println!("{path}: {error}");
                wrong += 1;
            }
        }
    }
    let made_up = check_made_up();
    println!("{right} samples passed, {wrong} failed");
    if wrong == 0 && made_up { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether every random object round-trips exactly.
fn check_made_up() -> bool {
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/instances.jsonl");
    let Ok(list) = fs::read_to_string(list) else {
        return true;
    };
    let (mut right, mut wrong) = (0, 0);
    for line in list.lines() {
        let (case, text) = line.split_once('\t').unwrap_or_default();
        let through = || {
            let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
            same("", &value, &decode(value.clone())?)
        };
        match through() {
            Ok(()) => right += 1,
            Err(error) => {
                let object: Value = serde_json::from_str(text).unwrap_or_default();
                println!("made-up {case} of {}: {error}", object["kind"]);
                wrong += 1;
            }
        }
    }
    println!("{right} made-up objects passed, {wrong} failed");
    wrong == 0
}

/// Checks that `again` equals `value`, without missing or added members. 1 equals 1.0.
fn same(path: &str, value: &Value, again: &Value) -> Result<(), String> {
    match (value, again) {
        (Value::Object(a), Value::Object(b)) => {
            if let Some((key, value)) = b.iter().find(|(key, _)| !a.contains_key(*key)) {
                return Err(format!("{path}.{key} is new: {value}"));
            }
            a.iter().try_for_each(|(key, value)| match b.get(key) {
                Some(other) => same(&format!("{path}.{key}"), value, other),
                None => Err(format!("{path}.{key} is lost: {value}")),
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().try_for_each(|(index, (a, b))| same(&format!("{path}[{index}]"), a, b))
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() != b.is_f64() && a.as_i128().or(b.as_i128()).is_some_and(is_exact) && a.as_f64() == b.as_f64() => Ok(()),
        (a, b) if a == b => Ok(()),
        (a, b) => Err(format!("{path}: {a} became {b}")),
    }
}

/// Whether an f64 represents the integer exactly.
fn is_exact(integer: i128) -> bool {
    integer.abs() <= 1 << 53
}

fn check(path: &str) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let options = serde_saphyr::options! { legacy_octal_numbers: true, budget: None };
    let mut value: Value = serde_saphyr::from_str_with_options(&text, options).map_err(|error| error.to_string())?;
    // kubectl drops it as well, since clients do not set it.
    if let Some(Value::Object(metadata)) = value.get_mut("metadata") {
        if metadata.get("creationTimestamp") == Some(&Value::Null) {
            metadata.remove("creationTimestamp");
        }
    }
    let again = decode(value.clone())?;
    compare("", &value, &again)
}

fn decode(value: Value) -> Result<Value, String> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    match (text("apiVersion").as_str(), text("kind").as_str()) {
        // ARMS
        other => Err(format!("no type for {other:?}")),
    }
}

fn through<T: serde::Serialize + serde::de::DeserializeOwned>(value: Value) -> Result<Value, String> {
    let object: T = serde_json::from_value(value).map_err(|error| format!("decode: {error}"))?;
    serde_json::to_value(&object).map_err(|error| format!("encode: {error}"))
}

/// Checks that `again` contains all of `value` unchanged. It may have additional defaults.
fn compare(path: &str, value: &Value, again: &Value) -> Result<(), String> {
    match (value, again) {
        (Value::Object(value), Value::Object(again)) => members(path, value, again),
        (Value::Array(value), Value::Array(again)) if value.len() == again.len() => {
            value.iter().zip(again).enumerate().try_for_each(|(index, (a, b))| compare(&format!("{path}[{index}]"), a, b))
        }
        (Value::Number(a), Value::Number(b)) if (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64() => Ok(()),
        (a, b) if a == b => Ok(()),
        (Value::String(a), Value::String(b)) if same_instant(a, b) => Ok(()),
        (a, b) => Err(format!("{path}: {a} became {b}")),
    }
}

fn members(path: &str, value: &Map<String, Value>, again: &Map<String, Value>) -> Result<(), String> {
    for (key, member) in value {
        match again.get(key) {
            Some(other) => compare(&format!("{path}.{key}"), member, other)?,
            None => return Err(format!("{path}.{key} is lost: {member}")),
        }
    }
    Ok(())
}

fn same_instant(a: &str, b: &str) -> bool {
    let parse = |text: &str| text.parse::<k8s_openapi::jiff::Timestamp>().ok();
    parse(a).is_some_and(|a| Some(a) == parse(b))
}
"#;
