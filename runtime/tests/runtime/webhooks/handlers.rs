//! Handlers, called by the embedded API server.

use codegen_runtime::k8s_openapi::api::core::v1::ConfigMap;
use codegen_runtime::kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use codegen_runtime::kube::{self, Client};
use embedded_apiserver::ApiServer;
use serde_json::{Value, json};

use super::{map, value, webhooks};

fn configuration(kind: &str, path: &str, operations: &[&str]) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "c"},
        "webhooks": [{
            "name": "colors.example.com",
            "clientConfig": {"service": {"namespace": "system", "name": "webhook-service", "path": path}},
            "rules": [{"operations": operations, "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "scope": "*"}],
            "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Fail",
        }],
    })
}

/// Creates a client of a server with the webhooks of `main.rs`.
fn client() -> Client {
    let server = ApiServer::builder()
        .objects([
            configuration(
                "MutatingWebhookConfiguration",
                "/mutate--v1-configmap",
                &["CREATE", "UPDATE"],
            ),
            configuration(
                "ValidatingWebhookConfiguration",
                "/validate--v1-configmap",
                &["*"],
            ),
        ])
        .webhooks("system", "webhook-service", webhooks())
        .build()
        .unwrap();
    server.client()
}

fn refusal(error: kube::Error) -> (u16, String) {
    match error {
        kube::Error::Api(status) => (status.code, status.message),
        other => panic!("{other}"),
    }
}

const DENIED: &str = "admission webhook \"colors.example.com\" denied the request: ";

#[tokio::test]
async fn a_defaulter_changes_what_is_stored_and_nothing_else() {
    let maps = Api::<ConfigMap>::default_namespaced(client());
    let created = maps
        .create(&PostParams::default(), &map("a", "k", "v"))
        .await
        .unwrap();
    assert_eq!(value(&created, "color"), Some("blue"));
    assert_eq!(value(&created, "k"), Some("v"));
    let given = maps
        .create(&PostParams::default(), &map("b", "color", "green"))
        .await
        .unwrap();
    assert_eq!(value(&given, "color"), Some("green"));
}

#[tokio::test]
async fn a_validator_refuses_with_the_errors_of_fields() {
    let maps = Api::<ConfigMap>::default_namespaced(client());
    let mut wrong = map("a", "color", "red");
    wrong
        .data
        .get_or_insert_default()
        .insert("size".to_owned(), "big".to_owned());
    let error = maps
        .create(&PostParams::default(), &wrong)
        .await
        .unwrap_err();
    let (code, message) = refusal(error);
    assert_eq!(code, 422);
    assert_eq!(
        message,
        format!(
            "{DENIED}ConfigMap \"a\" is invalid: [data.color: Unsupported value: \"red\": supported values: \"blue\", \"green\", data.size: Invalid value: \"big\": must be a number]"
        )
    );
}

#[tokio::test]
async fn updates_are_held_against_the_old_object_and_deletions_can_be_refused() {
    let maps = Api::<ConfigMap>::default_namespaced(client());
    maps.create(&PostParams::default(), &map("a", "locked", "yes"))
        .await
        .unwrap();
    let change = Patch::Merge(json!({"data": {"color": "green"}}));
    let error = maps
        .patch("a", &PatchParams::default(), &change)
        .await
        .unwrap_err();
    let (code, message) = refusal(error);
    assert_eq!(code, 422);
    assert!(
        message.ends_with("data.color: Forbidden: cannot be changed"),
        "{message}"
    );
    let change = Patch::Merge(json!({"data": {"other": "1"}}));
    maps.patch("a", &PatchParams::default(), &change)
        .await
        .unwrap();
    let error = maps
        .delete("a", &DeleteParams::default())
        .await
        .unwrap_err();
    assert_eq!(refusal(error), (403, format!("{DENIED}it is locked")));
    let unlock = Patch::Merge(json!({"data": {"locked": null}}));
    maps.patch("a", &PatchParams::default(), &unlock)
        .await
        .unwrap();
    maps.delete("a", &DeleteParams::default()).await.unwrap();
}

#[tokio::test]
async fn a_handler_that_panics_fails_its_request_alone() {
    let maps = Api::<ConfigMap>::default_namespaced(client());
    let error = maps
        .create(&PostParams::default(), &map("a", "panic", "yes"))
        .await
        .unwrap_err();
    let (code, message) = refusal(error);
    assert_eq!(code, 500);
    assert!(
        message.contains("an error on the server (\"the handler panicked\")"),
        "{message}"
    );
    maps.create(&PostParams::default(), &map("a", "k", "v"))
        .await
        .unwrap();
}
