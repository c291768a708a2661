//! Expectations of an answer.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use serde_json::Value;

/// The value at a JSON pointer, or `null`.
pub(crate) fn at<'v>(value: &'v Value, pointer: &str) -> &'v Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

/// The value at a JSON pointer is this one.
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

/// The values at JSON pointers are these: `check!(object, "/kind": "Pod", "/spec/volumes": [])`.
#[allow(unused_macros, reason = "other suites use only parts of the support")]
macro_rules! check {
    ($value:expr, $($expected:tt)+) => {
        $crate::support::expect::check_all(&$value, serde_json::json!({$($expected)+}))
    };
}

/// The values at JSON pointers are these.
#[track_caller]
pub(crate) fn check_all(value: &Value, expected: Value) {
    let Value::Object(expected) = expected else {
        panic!("expected values by their pointers");
    };
    for (pointer, expected) in expected {
        check(value, &pointer, expected);
    }
}

/// There is nothing at a JSON pointer.
#[track_caller]
pub(crate) fn check_absent(value: &Value, pointer: &str) {
    assert!(
        value.pointer(pointer).is_none(),
        "{pointer}: expected nothing in {value:#}"
    );
}

/// The names of a list's items, in order.
pub(crate) fn names(list: &Value) -> Vec<&str> {
    at(list, "/items")
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| at(item, "/metadata/name").as_str().unwrap_or_default())
        .collect()
}

/// An object's or a list's resource version.
#[track_caller]
pub(crate) fn resource_version(value: &Value) -> String {
    let version = at(value, "/metadata/resourceVersion")
        .as_str()
        .unwrap_or_default();
    assert!(!version.is_empty(), "no resource version in {value:#}");
    version.to_owned()
}

/// How long what happens of itself may take, and be right. The slowest is the garbage collector of
/// kube-controller-manager: it looks for new resources every 30 s, waits up to 30 s more for their caches (`Sync` in
/// garbagecollector.go), and asks for an owner of a kind that it doesn't know yet at intervals that double.
pub(crate) const PATIENCE: Duration = Duration::from_secs(240);

/// Polls until there is a value; panics after [`PATIENCE`], which only a broken server takes.
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
    panic!("still not so after {PATIENCE:?}: {what}");
}
