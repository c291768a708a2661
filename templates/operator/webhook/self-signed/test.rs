//! The self-signed certificate of the webhooks.

use codegen_runtime::fake::{ApiServer, Running, assert_rbac};

use {{crate}}::app;

use crate::support::{server, until};

/// The flags that `config/webhooks` adds to the Deployment. A cluster expands their variables.
const FLAGS: [&str; 2] = [
    "--webhook-self-signed=$(POD_NAMESPACE)/$(WEBHOOK_SERVICE)",
    "--webhook-secret=webhook-service-cert",
];

/// Whether every webhook client configuration has a CA bundle.
fn is_trusted(server: &ApiServer) -> bool {
    let objects = server.objects();
    let mut clients = Vec::new();
    let group = "admissionregistration.k8s.io";
    for sort in ["mutating", "validating"] {
        let plural = format!("{sort}webhookconfigurations");
        for configuration in objects.list(group, &plural, "") {
            let webhooks = configuration["webhooks"].as_array().unwrap().iter();
            clients.extend(webhooks.map(|webhook| webhook["clientConfig"].clone()));
        }
    }
    let group = "apiextensions.k8s.io";
    for definition in objects.list(group, "customresourcedefinitions", "") {
        let client = definition.pointer("/spec/conversion/webhook/clientConfig");
        clients.extend(client.cloned());
    }
    assert!(!clients.is_empty(), "no webhooks are configured");
    clients.iter().all(|client| client["caBundle"].is_string())
}

#[tokio::test]
async fn the_api_server_is_told_whom_to_trust_and_the_roles_allow_it() {
    let component = include_str!("../../config/webhooks/kustomization.yaml");
    let [service, secret] = FLAGS.map(|flag| {
        assert!(component.contains(flag), "{flag}");
        let flag = flag.replace("$(POD_NAMESPACE)", "{{name}}-system");
        flag.replace("$(WEBHOOK_SERVICE)", "webhook-service")
    });
    let server = server();
    assert!(!is_trusted(&server));
    let client = server.client_as(app::NAME);
    let args = [&*service, &secret, "--webhook-bind-address=127.0.0.1:0"];
    let running = Running::program(app::app(), client, &args, app::setup);
    until(async || is_trusted(&server)).await;
    running.stop().await;
    let roles = include_str!("../../config/role.yaml");
    assert_rbac(&server, app::NAME, [roles]);
}
