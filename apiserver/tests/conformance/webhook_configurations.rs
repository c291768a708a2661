//! Webhook configurations: their defaults, and which of them are refused.

use crate::harness::cases;
use crate::support::*;
use crate::webhook_server::{Scene, Stage, allow, rule};

cases![
    webhooks_have_defaults,
    names_are_domains_of_three_labels,
    clients_are_a_url_or_a_service,
    urls_are_https_without_more,
    services_have_names_ports_and_paths,
    side_effects_are_declared,
    reviews_are_of_a_known_version,
    timeouts_are_at_most_thirty_seconds,
    rules_have_no_more_beside_wildcards,
    conditions_are_expressions_with_names,
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

/// A webhook with a field set is refused, for this reason at least.
async fn refuses(scene: &Scene, pointer: &str, value: Value, reason: &str) {
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

async fn names_are_domains_of_three_labels(client: Client) {
    let scene = scene(&client).await;
    let at = |name: &str| json!(name);
    refuses(&scene, "/name", at("a.b"), "name: Invalid value: \"a.b\": should be a domain with at least three segments separated by dots").await;
    refuses(
        &scene,
        "/name",
        at("A.b.c"),
        "name: Invalid value: \"A.b.c\": a lowercase RFC 1123 subdomain",
    )
    .await;
    refuses(&scene, "/name", at(""), "name: Required value").await;
}

async fn clients_are_a_url_or_a_service(client: Client) {
    let scene = scene(&client).await;
    let both = json!({"url": "https://a.b/c", "service": {"namespace": "n", "name": "s"}});
    for client in [both, json!({})] {
        refuses(
            &scene,
            "/clientConfig",
            client,
            "clientConfig: Required value: exactly one of url or service is required",
        )
        .await;
    }
}

async fn urls_are_https_without_more(client: Client) {
    let scene = scene(&client).await;
    let form = "; desired format: https://host[/path]";
    #[rustfmt::skip]
    let cases = [
        ("http://127.0.0.1/a", format!("Invalid value: \"http\": 'https' is the only allowed URL scheme{form}")),
        ("https:///a", format!("Invalid value: \"\": host must be specified{form}")),
        ("https://me@a.b/a", "Invalid value: \"me\": user information is not permitted in the URL".to_owned()),
        ("https://a.b/a#c", "Invalid value: \"c\": fragments are not permitted in the URL".to_owned()),
        ("https://a.b/a?c=d", "Invalid value: \"c=d\": query parameters are not permitted in the URL".to_owned()),
    ];
    for (url, reason) in cases {
        let client = json!({"url": url});
        refuses(
            &scene,
            "/clientConfig",
            client,
            &format!("clientConfig.url: {reason}"),
        )
        .await;
    }
}

async fn services_have_names_ports_and_paths(client: Client) {
    let scene = scene(&client).await;
    for (service, reason) in [
        (
            json!({"namespace": "n", "name": "s", "port": 0}),
            "port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
        ),
        (
            json!({"namespace": "n", "name": "s", "path": "a"}),
            "path: Invalid value: \"a\": must start with a '/'",
        ),
        (
            json!({"namespace": "n", "name": "s", "path": "/a//b"}),
            "path: Invalid value: \"/a//b\": segment[1] may not be empty",
        ),
        (
            json!({"namespace": "n", "name": "s", "path": "//"}),
            "path: Invalid value: \"//\": segment[0] may not be empty",
        ),
    ] {
        let client = json!({"service": service});
        refuses(
            &scene,
            "/clientConfig",
            client,
            &format!("clientConfig.service.{reason}"),
        )
        .await;
    }
}

async fn side_effects_are_declared(client: Client) {
    let scene = scene(&client).await;
    refuses(
        &scene,
        "/sideEffects",
        Value::Null,
        "sideEffects: Required value: must specify one of None, NoneOnDryRun",
    )
    .await;
    refuses(
        &scene,
        "/sideEffects",
        json!("Some"),
        "sideEffects: Unsupported value: \"Some\": supported values: \"None\", \"NoneOnDryRun\"",
    )
    .await;
}

async fn reviews_are_of_a_known_version(client: Client) {
    let scene = scene(&client).await;
    let path = "admissionReviewVersions";
    for (versions, reason) in [
        (
            json!([]),
            format!("{path}: Required value: must specify one of v1, v1beta1"),
        ),
        (
            json!(["v2"]),
            format!("{path}: Invalid value: [\"v2\"]: must include at least one of v1, v1beta1"),
        ),
        (
            json!(["v1", "v1"]),
            format!("{path}[1]: Invalid value: \"v1\": duplicate version"),
        ),
    ] {
        refuses(&scene, "/admissionReviewVersions", versions, &reason).await;
    }
}

async fn timeouts_are_at_most_thirty_seconds(client: Client) {
    let scene = scene(&client).await;
    for seconds in [0, 31] {
        let reason = format!(
            "timeoutSeconds: Invalid value: {seconds}: the timeout value must be between 1 and 30 seconds"
        );
        refuses(&scene, "/timeoutSeconds", json!(seconds), &reason).await;
    }
}

async fn rules_have_no_more_beside_wildcards(client: Client) {
    let scene = scene(&client).await;
    for (resources, reason) in [
        (
            json!(["*", "pods"]),
            "resources: Invalid value: [\"*\",\"pods\"]: if '*' is present, must not specify other resources without subresources",
        ),
        (
            json!(["*/*", "pods"]),
            "resources: Invalid value: [\"*/*\",\"pods\"]: if '*/*' is present, must not specify other resources",
        ),
        (
            json!(["pods/*", "pods/status"]),
            "resources[1]: Invalid value: \"pods/status\": if 'pods/*' is present, must not specify pods/status",
        ),
        (json!([]), "resources: Required value"),
    ] {
        refuses(
            &scene,
            "/rules/0/resources",
            resources,
            &format!("rules[0].{reason}"),
        )
        .await;
    }
    refuses(
        &scene,
        "/rules/0/operations",
        json!(["READ"]),
        "rules[0].operations[0]: Unsupported value: \"READ\"",
    )
    .await;
    refuses(&scene, "/rules/0/operations", json!(["*", "CREATE"]), "rules[0].operations: Invalid value: [\"*\",\"CREATE\"]: if '*' is present, must not specify other operations").await;
    refuses(&scene, "/rules/0/apiGroups", json!(["*", "apps"]), "rules[0].apiGroups: Invalid value: [\"*\",\"apps\"]: if '*' is present, must not specify other API groups").await;
    refuses(&scene, "/rules/0/scope", json!("Some"), "rules[0].scope: Unsupported value: \"Some\": supported values: \"*\", \"Cluster\", \"Namespaced\"").await;
    let more = json!([rule(&["CREATE"], "", "", &["pods"])]);
    refuses(
        &scene,
        "/rules",
        more,
        "rules[0].apiVersions[0]: Required value",
    )
    .await;
}

async fn conditions_are_expressions_with_names(client: Client) {
    let scene = scene(&client).await;
    for (expression, reason) in [
        ("", "Required value"),
        (
            "object.a ==",
            "Invalid value: \"object.a ==\": compilation failed: ",
        ),
        (
            "nobody == 1",
            "Invalid value: \"nobody == 1\": compilation failed: ",
        ),
        ("'text'", "Invalid value: \"'text'\": must evaluate to bool"),
    ] {
        let reason = format!("matchConditions[0].expression: {reason}");
        refuses(
            &scene,
            "/matchConditions/0/expression",
            json!(expression),
            &reason,
        )
        .await;
    }
    refuses(
        &scene,
        "/matchConditions/0/name",
        json!(""),
        "matchConditions[0].name: Required value",
    )
    .await;
}

async fn names_are_unique_within_a_configuration(client: Client) {
    let scene = scene(&client).await;
    let webhook = scene.server.webhook("a", json!({}));
    let body = scene.configuration(Stage::Mutating, "twice", &[webhook.clone(), webhook]);
    let path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
    let refused = post(&client, path, &body).await;
    refused.invalid_with("webhooks[1].name: Duplicate value: \"a.conformance.test\"");
}
