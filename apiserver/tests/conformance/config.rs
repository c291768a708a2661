//! Config maps and secrets: their keys, and what the type of a secret requires.

use crate::harness::cases;
use crate::support::*;

cases![
    key_is_not_a_folder: create_invalid_with(
        CONFIG_MAPS, json!({"data": {".": "a"}}), "data[.]: Invalid value: \".\": must not be '.'"),
    key_is_not_the_parent_folder: create_invalid_with(
        SECRETS, json!({"stringData": {"..": "a"}}), "data[..]: Invalid value: \"..\": must not be '..'"),
    key_does_not_start_with_two_dots: create_invalid_with(
        CONFIG_MAPS, json!({"binaryData": {"..a": "YQ=="}}), "binaryData[..a]: Invalid value: \"..a\": must not start with '..'"),
    key_has_a_longest_length: create_invalid_with(
        CONFIG_MAPS, json!({"data": {"x".repeat(254): "a"}}), "must be no more than 253 characters"),
    key_is_in_one_map: create_invalid_with(
        CONFIG_MAPS, json!({"data": {"a": "a"}, "binaryData": {"a": "YQ=="}}),
        "data[a]: Invalid value: \"a\": duplicate of key present in binaryData"),
    certificate_has_a_key: create_invalid_with(
        SECRETS, json!({"type": "kubernetes.io/tls", "stringData": {"tls.crt": ""}}), "data[tls.key]: Required value"),
    certificate_keeps_its_key,
    password_or_user_is_required: create_invalid_with(
        SECRETS, json!({"type": "kubernetes.io/basic-auth"}),
        "[data[username]: Required value, data[password]: Required value]"),
    password_alone_is_enough,
    private_key_is_required: create_invalid_with(
        SECRETS, json!({"type": "kubernetes.io/ssh-auth", "stringData": {"ssh-privatekey": ""}}),
        "data[ssh-privatekey]: Required value"),
    credentials_of_registries_are_required: create_invalid_with(
        SECRETS, json!({"type": "kubernetes.io/dockerconfigjson"}), "data[.dockerconfigjson]: Required value"),
    credentials_of_registries_are_json: create_invalid_with(
        SECRETS, json!({"type": "kubernetes.io/dockerconfigjson", "stringData": {".dockerconfigjson": "text"}}),
        "data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\": "),
    token_has_a_service_account: create_invalid_with(
        SECRETS, json!({"type": "kubernetes.io/service-account-token"}),
        "metadata.annotations[kubernetes.io/service-account.name]: Required value"),
];

async fn certificate_keeps_its_key(client: Client) {
    let secrets = secrets(&client).await;
    let data = json!({"tls.crt": "", "tls.key": ""});
    secrets
        .given("a", json!({"type": "kubernetes.io/tls", "data": data}))
        .await;
    let reply = secrets.merge("a", json!({"data": {"tls.key": null}})).await;
    reply.invalid("Secret \"a\" is invalid: data[tls.key]: Required value");
}

async fn password_alone_is_enough(client: Client) {
    let secrets = secrets(&client).await;
    let fields = json!({"type": "kubernetes.io/basic-auth", "data": {"password": ""}});
    secrets.given("a", fields).await;
}
