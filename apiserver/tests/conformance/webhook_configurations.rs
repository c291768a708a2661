//! Webhook configurations: defaults and validation.

use crate::harness::cases;
use crate::support::*;
use crate::webhook_server::{Scene, Stage, allow, rule};

cases![
    webhooks_have_defaults,
    names_are_domains_of_three_labels: refuses("/name", [
        (json!("a.b"), "name: Invalid value: \"a.b\": should be a domain with at least three segments separated by dots"),
        (json!("A.b.c"), "name: Invalid value: \"A.b.c\": a lowercase RFC 1123 subdomain"),
        (json!(""), "name: Required value"),
    ]),
    clients_are_a_url_or_a_service: refuses("/clientConfig", [
        (json!({"url": "https://a.b/c", "service": {"namespace": "n", "name": "s"}}),
            "clientConfig: Required value: exactly one of url or service is required"),
        (json!({}), "clientConfig: Required value: exactly one of url or service is required"),
    ]),
    urls_are_https_without_more: refuses("/clientConfig", [
        (json!({"url": "http://127.0.0.1/a"}),
            "clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]"),
        (json!({"url": "https:///a"}),
            "clientConfig.url: Invalid value: \"\": host must be specified; desired format: https://host[/path]"),
        (json!({"url": "https://me@a.b/a"}),
            "clientConfig.url: Invalid value: \"me\": user information is not permitted in the URL"),
        (json!({"url": "https://a.b/a#c"}),
            "clientConfig.url: Invalid value: \"c\": fragments are not permitted in the URL"),
        (json!({"url": "https://a.b/a?c=d"}),
            "clientConfig.url: Invalid value: \"c=d\": query parameters are not permitted in the URL"),
    ]),
    services_have_names_ports_and_paths: refuses("/clientConfig", [
        (json!({"service": {"namespace": "n", "name": "s", "port": 0}}),
            "clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive"),
        (json!({"service": {"namespace": "n", "name": "s", "path": "a"}}),
            "clientConfig.service.path: Invalid value: \"a\": must start with a '/'"),
        (json!({"service": {"namespace": "n", "name": "s", "path": "/a//b"}}),
            "clientConfig.service.path: Invalid value: \"/a//b\": segment[1] may not be empty"),
        (json!({"service": {"namespace": "n", "name": "s", "path": "//"}}),
            "clientConfig.service.path: Invalid value: \"//\": segment[0] may not be empty"),
    ]),
    side_effects_are_declared: refuses("/sideEffects", [
        (Value::Null, "sideEffects: Required value: must specify one of None, NoneOnDryRun"),
        (json!("Some"), "sideEffects: Unsupported value: \"Some\": supported values: \"None\", \"NoneOnDryRun\""),
    ]),
    reviews_are_of_a_known_version: refuses("/admissionReviewVersions", [
        (json!([]), "admissionReviewVersions: Required value: must specify one of v1, v1beta1"),
        (json!(["v2"]),
            "admissionReviewVersions: Invalid value: [\"v2\"]: must include at least one of v1, v1beta1"),
        (json!(["v1", "v1"]), "admissionReviewVersions[1]: Invalid value: \"v1\": duplicate version"),
    ]),
    timeouts_are_at_most_thirty_seconds: refuses("/timeoutSeconds", [
        (json!(0), "timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds"),
        (json!(31), "timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds"),
    ]),
    rules_have_no_more_resources_beside_wildcards: refuses("/rules/0/resources", [
        (json!(["*", "pods"]),
            "rules[0].resources: Invalid value: [\"*\",\"pods\"]: if '*' is present, must not specify other resources without subresources"),
        (json!(["*/*", "pods"]),
            "rules[0].resources: Invalid value: [\"*/*\",\"pods\"]: if '*/*' is present, must not specify other resources"),
        (json!(["pods/*", "pods/status"]),
            "rules[0].resources[1]: Invalid value: \"pods/status\": if 'pods/*' is present, must not specify pods/status"),
        (json!([]), "rules[0].resources: Required value"),
    ]),
    rules_have_no_more_operations_beside_wildcards: refuses("/rules/0/operations", [
        (json!(["READ"]), "rules[0].operations[0]: Unsupported value: \"READ\""),
        (json!(["*", "CREATE"]),
            "rules[0].operations: Invalid value: [\"*\",\"CREATE\"]: if '*' is present, must not specify other operations"),
    ]),
    rules_have_no_more_groups_beside_wildcards: refuses("/rules/0/apiGroups", [
        (json!(["*", "apps"]),
            "rules[0].apiGroups: Invalid value: [\"*\",\"apps\"]: if '*' is present, must not specify other API groups"),
    ]),
    rules_have_a_scope_that_is_known: refuses("/rules/0/scope", [
        (json!("Some"),
            "rules[0].scope: Unsupported value: \"Some\": supported values: \"*\", \"Cluster\", \"Namespaced\""),
    ]),
    rules_have_versions: refuses("/rules", [
        (json!([rule(&["CREATE"], "", "", &["pods"])]), "rules[0].apiVersions[0]: Required value"),
    ]),
    conditions_are_expressions: refuses("/matchConditions/0/expression", [
        (json!(""), "matchConditions[0].expression: Required value"),
        (json!("object.a =="),
            "matchConditions[0].expression: Invalid value: \"object.a ==\": compilation failed: "),
        (json!("nobody == 1"),
            "matchConditions[0].expression: Invalid value: \"nobody == 1\": compilation failed: "),
        (json!("'text'"), "matchConditions[0].expression: Invalid value: \"'text'\": must evaluate to bool"),
    ]),
    conditions_have_names: refuses("/matchConditions/0/name", [
        (json!(""), "matchConditions[0].name: Required value"),
    ]),
    names_are_unique_within_a_configuration,
];

async fn scene(client: &Client) -> Scene {
    Scene::start(client, |_, _| allow()).await
}

async fn webhooks_have_defaults(client: Client) {
    let scene = scene(&client).await;
    let mut webhook = scene.server.webhook("a", json!({}));
    if let Some(fields) = webhook.as_object_mut() {
        fields.remove("timeoutSeconds");
    }
    webhook["clientConfig"] = json!({"service": {"namespace": "none", "name": "none"}});
    for (stage, reinvocation) in [
        (Stage::Mutating, json!("Never")),
        (Stage::Validating, Value::Null),
    ] {
        let created = scene.refused(stage, webhook.clone()).await.is(201);
        let webhook = at(&created, "/webhooks/0");
        check!(webhook,
            "/failurePolicy": "Fail",
            "/matchPolicy": "Equivalent",
            "/timeoutSeconds": 10,
            "/objectSelector": {},
            "/rules/0/scope": "*",
            "/clientConfig/service/port": 443);
        assert_eq!(*at(webhook, "/reinvocationPolicy"), reinvocation);
    }
}

/// Expects a webhook to be rejected for each of these values of a field, with at least this reason.
async fn refuses<const N: usize>(client: Client, pointer: &str, values: [(Value, &str); N]) {
    let scene = scene(&client).await;
    for (value, reason) in values {
        let mut webhook = scene.server.webhook("a", json!({}));
        webhook["matchConditions"] = json!([{"name": "c", "expression": "true"}]);
        let (parent, field) = pointer.rsplit_once('/').expect("a pointer");
        let parent = webhook.pointer_mut(parent).expect("a parent");
        match value {
            Value::Null => drop(parent.as_object_mut().and_then(|map| map.remove(field))),
            value => parent[field] = value,
        }
        let refused = scene.refused(Stage::Mutating, webhook).await;
        refused.invalid_with(&format!("webhooks[0].{reason}"));
    }
}

async fn names_are_unique_within_a_configuration(client: Client) {
    let scene = scene(&client).await;
    let webhook = scene.server.webhook("a", json!({}));
    let body = scene.configuration(Stage::Mutating, "twice", &[webhook.clone(), webhook]);
    let path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
    let refused = post(&client, path, &body).await;
    refused.invalid_with("webhooks[1].name: Duplicate value: \"a.conformance.test\"");
}
