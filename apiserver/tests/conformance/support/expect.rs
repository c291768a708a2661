//! Assertions on responses.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Returns the value at a JSON pointer, or `null`.
pub(crate) fn at<'v>(value: &'v Value, pointer: &str) -> &'v Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

/// Asserts the value at a JSON pointer.
#[track_caller]
pub(crate) fn check<T>(value: &Value, pointer: &str, expected: T)
where
    T: Debug,
    Value: PartialEq<T>,
{
    let found = at(value, pointer);
    assert!(
        *found == expected,
        "{pointer}: expected {expected:?}, found {found} in {value:#}"
    );
}

/// Asserts the values at JSON pointers: `check!(object, "/kind": "Pod", "/spec/volumes": [])`.
#[allow(unused_macros, reason = "other suites use only parts of the support")]
macro_rules! check {
    ($value:expr, $($expected:tt)+) => {
        $crate::support::expect::check_all(&$value, serde_json::json!({$($expected)+}))
    };
}

/// Asserts the values at JSON pointers.
#[track_caller]
pub(crate) fn check_all(value: &Value, expected: Value) {
    let Value::Object(expected) = expected else {
        panic!("expected values by their pointers");
    };
    for (pointer, expected) in expected {
        check(value, &pointer, expected);
    }
}

/// Asserts that there is no value at a JSON pointer.
#[track_caller]
pub(crate) fn check_absent(value: &Value, pointer: &str) {
    assert!(
        value.pointer(pointer).is_none(),
        "{pointer}: expected nothing in {value:#}"
    );
}

/// Returns the names of a list's items, in order.
pub(crate) fn names(list: &Value) -> Vec<&str> {
    at(list, "/items")
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| at(item, "/metadata/name").as_str().unwrap_or_default())
        .collect()
}

/// Returns the resource version of an object or a list.
#[track_caller]
pub(crate) fn resource_version(value: &Value) -> String {
    let version = at(value, "/metadata/resourceVersion")
        .as_str()
        .unwrap_or_default();
    assert!(!version.is_empty(), "no resource version in {value:#}");
    version.to_owned()
}

/// How long asynchronous effects may take. The slowest is the garbage collector of
/// kube-controller-manager: it looks for new resources every 30 s, waits up to 30 s more for their
/// caches (`Sync` in garbagecollector.go), and retries owners of kinds that it does not know yet
/// with exponential backoff.
pub(crate) const PATIENCE: Duration = Duration::from_secs(240);

/// Polls until there is a value; panics after [`PATIENCE`], which only a broken server exceeds.
pub(crate) async fn eventually<T, F, Fut>(what: &str, poll: F) -> T
where
    F: Fn() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if let Some(value) = poll().await {
            return value;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("not within {PATIENCE:?}: {what}");
}
