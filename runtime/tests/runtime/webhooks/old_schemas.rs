//! Objects that were stored with another schema can be deleted: they are decoded only for a method
//! that reads them.

use codegen_runtime::k8s_openapi::api::core::v1::ConfigMap;
use codegen_runtime::webhook::{AdmissionRequest, Refusal, Validator, Warnings, Webhooks};
use serde_json::{Value, json};

use super::router::{MUTATE, VALIDATE, response, review};
use super::webhooks;

/// An object that the type cannot hold.
fn odd(metadata: Value) -> Value {
    json!({"metadata": metadata, "data": 7})
}

fn deleted(finalizers: &[&str]) -> Value {
    json!({"name": "a", "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": finalizers})
}

struct CreateOnly;

impl Validator<ConfigMap> for CreateOnly {
    async fn create(
        &self,
        _: &ConfigMap,
        _: &AdmissionRequest,
        _: &mut Warnings,
    ) -> Result<(), Refusal> {
        Err(Refusal::forbidden("none"))
    }
}

/// Returns the code with which a request is refused, 0 if it is allowed.
async fn code(webhooks: &Webhooks, path: &str, body: Value) -> u64 {
    let answer = response(webhooks, path, &body).await;
    assert_eq!(answer["patch"], Value::Null);
    match answer["allowed"] == true {
        true => 0,
        false => answer["status"]["code"].as_u64().unwrap(),
    }
}

#[tokio::test]
async fn nothing_is_decoded_for_methods_that_are_not_implemented() {
    let webhooks = Webhooks::builder()
        .validator::<ConfigMap>(CreateOnly)
        .build();
    let old = odd(json!({"name": "a"}));
    let check = async |operation: &str, object: Value, old: Value, expected: u64| {
        let found = code(&webhooks, VALIDATE, review(operation, object, old)).await;
        assert_eq!(found, expected, "{operation}");
    };
    check("DELETE", Value::Null, old.clone(), 0).await;
    check("UPDATE", old.clone(), old.clone(), 0).await;
    check("CREATE", old.clone(), Value::Null, 400).await;
    check(
        "CREATE",
        json!({"metadata": {"name": "a"}}),
        Value::Null,
        403,
    )
    .await;
}

#[tokio::test]
async fn a_deletion_is_refused_if_the_method_that_decides_cannot_read_the_object() {
    let body = review("DELETE", Value::Null, odd(json!({"name": "a"})));
    assert_eq!(code(&webhooks(), VALIDATE, body).await, 400);
}

#[tokio::test]
async fn updates_of_the_metadata_of_a_deleted_object_pass() {
    let webhooks = webhooks();
    let check = async |object: Value, old: Value, expected: u64| {
        for path in [VALIDATE, MUTATE] {
            let body = review("UPDATE", object.clone(), old.clone());
            assert_eq!(
                code(&webhooks, path, body).await,
                expected,
                "{path} {object}"
            );
        }
    };
    let old = odd(deleted(&["example.com/f"]));
    check(odd(deleted(&[])), old.clone(), 0).await;
    // It changes more than that.
    let mut other = odd(deleted(&[]));
    other["data"] = json!(8);
    check(other, old.clone(), 400).await;
    let mut other = odd(deleted(&[]));
    other["binaryData"] = json!({});
    check(other, old, 400).await;
    // It is not being deleted.
    let lives = odd(json!({"name": "a", "deletionTimestamp": null}));
    check(lives.clone(), lives, 400).await;
}

/// A rule that became stricter must not keep an object either.
#[tokio::test]
async fn a_validator_is_not_asked_about_the_metadata_of_a_deleted_object() {
    struct Never;
    impl Validator<ConfigMap> for Never {
        async fn update(
            &self,
            _: &ConfigMap,
            _: &ConfigMap,
            _: &AdmissionRequest,
            _: &mut Warnings,
        ) -> Result<(), Refusal> {
            Err(Refusal::forbidden("never"))
        }
    }
    let webhooks = Webhooks::builder().validator::<ConfigMap>(Never).build();
    let object = |metadata: Value, value: &str| json!({"metadata": metadata, "data": {"k": value}});
    let (old, new) = (
        object(deleted(&["example.com/f"]), "v"),
        object(deleted(&[]), "v"),
    );
    assert_eq!(
        code(&webhooks, VALIDATE, review("UPDATE", new, old.clone())).await,
        0
    );
    let new = object(deleted(&[]), "other");
    assert_eq!(
        code(&webhooks, VALIDATE, review("UPDATE", new, old)).await,
        403
    );
}
