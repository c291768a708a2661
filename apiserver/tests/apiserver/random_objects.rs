//! Random objects: validation without a server agrees with the server.

use embedded_apiserver::ApiServer;
use http::Method;
use kube_schema::{FieldErrors, Validator};
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use serde_json::{Value, json};

use crate::generated_crds::{Case, cases};
use crate::support::ask;

/// The number of objects of each kind.
const OBJECTS: u64 = 150;

/// Replacement values: of every type, at the limits of schemas.
fn values() -> Vec<Value> {
    vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(7),
        json!(1_i64 << 40),
        json!(1.5),
        json!(1e300),
        json!(""),
        json!("a"),
        json!("é日本"),
        json!("10.0.0.1"),
        json!("1h"),
        json!("x".repeat(300)),
        json!([]),
        json!(["a", "a"]),
        json!([{"name": "a"}, {"name": "a"}]),
        json!({}),
        json!({"a": 1}),
    ]
}

/// Replaces, removes or duplicates a random part outside of the metadata.
fn mutate(value: &mut Value, random: &mut StdRng) {
    let deeper = random.random_bool(0.7);
    match value {
        Value::Object(map) if deeper && !map.is_empty() => {
            let keys: Vec<String> = map.keys().cloned().collect();
            let key = keys.choose(random).cloned().unwrap_or_default();
            if random.random_bool(0.15) {
                map.remove(&key);
            } else if let Some(value) = map.get_mut(&key) {
                mutate(value, random);
            }
        }
        Value::Array(items) if deeper && !items.is_empty() => {
            let at = random.random_range(0..items.len());
            if random.random_bool(0.2) {
                items.push(items[at].clone());
            } else {
                mutate(&mut items[at], random);
            }
        }
        other => *other = values().choose(random).cloned().unwrap_or_default(),
    }
}

fn causes(outcome: Result<(), FieldErrors>) -> Vec<String> {
    let found = outcome.err().unwrap_or_default();
    assert_eq!(found.unevaluated().count(), 0, "{found}");
    found.errors().iter().map(ToString::to_string).collect()
}

fn causes_of(answer: &Value) -> Vec<String> {
    let causes = answer["details"]["causes"].as_array().into_iter().flatten();
    let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
    causes
        .map(|cause| format!("{}: {}", text(cause, "field"), text(cause, "message")))
        .collect()
}

#[tokio::test]
async fn random_objects_are_judged_as_by_the_server() {
    let (mut accepted, mut refused) = (0, 0);
    for case in cases() {
        let Case {
            folder,
            sample,
            crds,
            crd,
        } = case;
        let (group, version) = sample["apiVersion"]
            .as_str()
            .unwrap()
            .split_once('/')
            .unwrap();
        let validator = Validator::of_crd(&crd, version).unwrap();
        let plural = crd["spec"]["names"]["plural"].as_str().unwrap();
        let path = format!(
            "/apis/{group}/{version}/namespaces/default/{plural}?dryRun=All&fieldValidation=Ignore"
        );
        let server = ApiServer::builder().crd_values(crds).build().unwrap();
        for seed in 0..OBJECTS {
            let mut random = StdRng::seed_from_u64(seed);
            let mut object = sample.clone();
            for _ in 0..random.random_range(1..4) {
                mutate(&mut object["spec"], &mut random);
            }
            let (code, answer) = ask(&server, Method::POST, &path, &object).await;
            let expected = match code {
                201 => Vec::new(),
                422 => causes_of(&answer),
                // Rejected before validation, because a value that must be an object is not one.
                _ => continue,
            };
            let found = causes(validator.validate(object.clone()));
            assert_eq!(found, expected, "{} {seed}: {object}", folder.display());
            accepted += usize::from(code == 201);
            refused += usize::from(code == 422);
        }
    }
    assert!(accepted > 50 && refused > 300, "{accepted} {refused}");
}
