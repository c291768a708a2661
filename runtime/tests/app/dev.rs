//! Tests of `dev` and of end-to-end tests: an API server that calls webhooks of this process by
//! their URLs.

use std::time::Duration;

use codegen_runtime::app::{App, BoxError, Demo, Process, Reach};
use codegen_runtime::manager::ManagerBuilder;
use codegen_runtime::webhook::{AdmissionRequest, Refusal, Webhooks};
use embedded_apiserver::ApiServer;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingAdmissionPolicy,
};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;
use kube::ResourceExt;
use kube::api::{Api, ListParams, PostParams};
use tokio_util::sync::CancellationToken;

const CONFIGURATION: &str = r#"
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: greet, annotations: {cert-manager.io/inject-ca-from: a/b}}
webhooks:
- name: mconfigmap-v1.kb.io
  clientConfig: {service: {name: any, namespace: system, path: /mutate--v1-configmap}}
  rules:
  - {apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [CREATE]}
  admissionReviewVersions: [v1]
  sideEffects: None
"#;

const CRD: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: greetings.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Greeting, listKind: GreetingList, plural: greetings, singular: greeting}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {service: {name: any, namespace: system, path: /convert}}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
"#;

const SAMPLE: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: sample, namespace: default}
"#;

const POLICY: &str = r#"
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: polite}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [CREATE]}
  validations:
  - {expression: "object.metadata.name != 'rude'", message: "be polite"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: polite}
spec: {policyName: polite, validationActions: [Deny]}
"#;

fn greet(map: &mut ConfigMap, _: &AdmissionRequest) -> Result<(), Refusal> {
    let data = map.data.get_or_insert_default();
    data.insert("greeting".to_owned(), "hello".to_owned());
    Ok(())
}

fn app() -> App {
    let demo = Demo::new().crds(CRD).objects(CONFIGURATION);
    let demo = demo.objects(POLICY).objects(SAMPLE);
    let webhooks = Webhooks::builder().defaulter(greet).build();
    let app = App::new("greet-controller", "1.2.3").webhooks(webhooks);
    app.demo(demo)
}

async fn setup(process: Process, (): ()) -> Result<ManagerBuilder, BoxError> {
    let factory = process.factory();
    Ok(process.manager(&factory)?)
}

/// The configuration that `dev` applies.
async fn configuration(client: &Client) -> Option<MutatingWebhookConfiguration> {
    let api = Api::<MutatingWebhookConfiguration>::all(client.clone());
    api.get_opt("greet-dev").await.unwrap()
}

/// The error for an object that the policy refuses.
async fn refused(client: &Client) -> Option<String> {
    let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
    let map: ConfigMap = serde_json::from_str(r#"{"metadata": {"name": "rude"}}"#).unwrap();
    let created = maps.create(&PostParams::default(), &map).await;
    created.err().map(|error| error.to_string())
}

/// The names of the policies.
async fn policies(client: &Client) -> Vec<String> {
    let api = Api::<ValidatingAdmissionPolicy>::all(client.clone());
    let found = api.list(&ListParams::default()).await.unwrap();
    found.iter().map(ResourceExt::name_any).collect()
}

/// The address of the conversion webhook: by URL, and by the name of a service.
async fn conversion(client: &Client) -> (Option<String>, Option<String>) {
    let api = Api::<CustomResourceDefinition>::all(client.clone());
    let crd = api.get("greetings.example.com").await.unwrap();
    let webhook = crd.spec.conversion.unwrap().webhook.unwrap();
    let called = webhook.client_config.unwrap();
    (called.url, called.service.map(|service| service.name))
}

#[tokio::test]
async fn a_cluster_calls_webhooks_of_this_process_until_it_stops() {
    let server = ApiServer::builder().build().unwrap();
    let client = server.client();
    let app = app();
    let flags = app
        .try_parse_from::<()>(["greet-controller"])
        .unwrap()
        .flags;
    let (reach, stop) = (Reach::new("127.0.0.1", 0), CancellationToken::new());
    let program = app.develop(client.clone(), flags, (), &reach, setup, &stop);
    let steps = async {
        let found = loop {
            match configuration(&client).await {
                Some(found) => break found,
                None => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        };
        assert_eq!(found.metadata.annotations.unwrap_or_default().len(), 0);
        let url = &found.webhooks.unwrap()[0].client_config.url;
        let url = url.as_ref().unwrap();
        assert!(url.starts_with("https://127.0.0.1:"), "{url}");
        assert!(url.ends_with("/mutate--v1-configmap"), "{url}");
        let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
        let map: ConfigMap = serde_json::from_str(r#"{"metadata": {"name": "a"}}"#).unwrap();
        let created = maps.create(&PostParams::default(), &map).await.unwrap();
        assert_eq!(created.data.unwrap()["greeting"], "hello");
        let (url, service) = conversion(&client).await;
        assert!(url.unwrap().ends_with("/convert") && service.is_none());
        assert_eq!(policies(&client).await, ["polite-dev"]);
        assert!(refused(&client).await.unwrap().contains("be polite"));
        stop.cancel();
    };
    let (ended, ()) = tokio::join!(program, steps);
    ended.unwrap();
    assert!(configuration(&client).await.is_none());
    assert_eq!(conversion(&client).await, (None, Some("any".to_owned())));
    assert_eq!(policies(&client).await, [""; 0]);
    assert_eq!(refused(&client).await, None);
}

#[tokio::test]
async fn an_end_to_end_test_has_the_samples_as_webhooks_change_them() {
    let (mut is_greeted, mut is_policy_own) = (false, false);
    let tested = app().end_to_end(setup, async |trial| {
        trial.samples_are_ready().await?;
        let maps = Api::<ConfigMap>::namespaced(trial.client().clone(), "default");
        let sample = maps.get("sample").await?;
        is_greeted = sample.data.is_some_and(|data| data["greeting"] == "hello");
        is_policy_own = policies(trial.client()).await == ["polite-dev"];
        Ok(())
    });
    tested.await.unwrap();
    assert!(is_greeted && is_policy_own);
}

#[tokio::test]
async fn the_error_of_a_step_is_that_of_the_test() {
    let tested = app().end_to_end(setup, async |_| Err("no".into()));
    assert_eq!(tested.await.unwrap_err().to_string(), "no");
}

#[test]
fn the_command_line_of_dev_is_sound() {
    let app = app();
    app.command::<()>().debug_assert();
    let line = ["a", "dev", "--host", "172.18.0.1", "--", "--threads=3"];
    let dev = app.try_parse_from::<()>(line).unwrap().dev.unwrap();
    assert_eq!(dev.reach.host, "172.18.0.1");
    assert_eq!((dev.reach.port, dev.args.len()), (9443, 1));
    let wrong = ["a", "dev", "--host", "https://a"];
    assert!(app.try_parse_from::<()>(wrong).is_err());
}
