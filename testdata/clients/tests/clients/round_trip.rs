//! Round trips of samples through the types, shared by the tests of the golden crates for CRDs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_names,
    unreachable_pub,
    reason = "tests panic on failure and choose their own names"
)]

use std::{fs, path::Path};

use codegen_runtime::scheme::Scheme;
use serde_json::Value;

/// Decodes and encodes every sample of the case: all its content is kept, and a second round trip changes nothing. Returns the number of
/// samples.
pub(crate) fn check(scheme: &Scheme, case: &str) -> usize {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../samples")
        .join(case);
    let mut paths: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in &paths {
        let name = path.display();
        let text = fs::read_to_string(path).unwrap();
        let sample: Value =
            serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let trip = |value: &Value| {
            let object = scheme.decode_value(value.clone());
            let object = object.unwrap_or_else(|error| panic!("{name}: {error}"));
            object.to_json().unwrap()
        };
        let once = trip(&sample);
        if let Some(lost) = lost("", &sample, &once) {
            panic!("{name}: {lost}");
        }
        assert_eq!(trip(&once), once, "{name}: a second trip");
    }
    paths.len()
}

/// Returns the path of the first value in `before` that is missing in `after`. Additions by the type, such as defaults, are ignored.
fn lost(path: &str, before: &Value, after: &Value) -> Option<String> {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => before.iter().find_map(|(key, value)| {
            let path = format!("{path}.{key}");
            match after.get(key) {
                Some(after) => lost(&path, value, after),
                None => Some(format!("{path} is lost: {value}")),
            }
        }),
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => before
            .iter()
            .zip(after)
            .enumerate()
            .find_map(|(index, (before, after))| lost(&format!("{path}[{index}]"), before, after)),
        _ if before == after => None,
        _ => Some(format!("{path} was {before} and is {after}")),
    }
}
