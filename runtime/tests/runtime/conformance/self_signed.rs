//! Self-signed certificates: an API server uses them to call the webhooks of two replicas.
//!
//! The service of the webhooks is an `ExternalName` for `localhost`, which API servers resolve
//! where there is no pod network.

use std::time::Duration;

use codegen_runtime::codec;
use codegen_runtime::webhook::{
    AdmissionRequest, AdmissionResponse, Converter, Refusal, SelfSigned, WebhookServer, Webhooks,
};
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{Api, Client};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::harness::cases;
use crate::support::cleanup::delete_at_end;
use crate::support::expect::eventually;
use crate::support::wire::{self, patch_type};
use crate::support::{Collection, Resource, configmaps};

cases![an_api_server_calls_webhooks_with_certificates_of_their_own];

const GROUP: &str = "self-signed.conformance.test";

/// Declares one kind in two versions that differ in a field's name.
macro_rules! version {
    ($module:ident, $version:literal, $field:ident) => {
        mod $module {
            use super::*;

            #[derive(Clone, Debug, Default, Deserialize, Serialize)]
            pub(super) struct Gauge {
                pub(super) metadata: ObjectMeta,
                pub(super) $field: Option<i64>,
            }

            codec::kinds! {
                "self-signed.conformance.test" / $version;
                Gauge, "gauges", NamespaceResourceScope;
            }
        }
    };
}

version!(v1, "v1", level);
version!(v2, "v2", height);

impl From<v1::Gauge> for v2::Gauge {
    fn from(gauge: v1::Gauge) -> Self {
        let (metadata, height) = (gauge.metadata, gauge.level);
        Self { metadata, height }
    }
}

impl From<v2::Gauge> for v1::Gauge {
    fn from(gauge: v2::Gauge) -> Self {
        let (metadata, level) = (gauge.metadata, gauge.height);
        Self { metadata, level }
    }
}

fn webhooks() -> Webhooks {
    let refuse = async |_: AdmissionRequest| {
        AdmissionResponse::refuse(Refusal::forbidden("no config maps here"))
    };
    Webhooks::builder()
        .raw("/refuse", refuse)
        .converter(Converter::hub::<v2::Gauge>().spoke::<v1::Gauge>())
        .build()
}

fn client_config(namespace: &str, path: &str, port: u16) -> Value {
    json!({"service": {"namespace": namespace, "name": "hook", "path": path, "port": port}})
}

fn definition(namespace: &str, port: u16) -> Value {
    let version = |name: &str, storage: bool, field: &str| {
        json!({"name": name, "served": true, "storage": storage, "schema": {"openAPIV3Schema":
            {"type": "object", "properties": {field: {"type": "integer"}}}}})
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("gauges.{GROUP}")},
        "spec": {
            "group": GROUP, "scope": "Namespaced", "names": {"kind": "Gauge", "plural": "gauges"},
            "versions": [version("v1", false, "level"), version("v2", true, "height")],
            "conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
                "clientConfig": client_config(namespace, "/convert", port)}},
        },
    })
}

fn configuration(namespace: &str, port: u16) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": format!("self-signed-{namespace}")},
        "webhooks": [{
            "name": "self-signed.conformance.test",
            "clientConfig": client_config(namespace, "/refuse", port),
            "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "objectSelector": {"matchLabels": {"refused": "yes"}},
            "admissionReviewVersions": ["v1"], "sideEffects": "None",
        }],
    })
}

/// Starts a replica, and returns the port that it listens on.
async fn replica(client: &Client, namespace: &str, stop: &CancellationToken) -> u16 {
    let certificates = SelfSigned::new(client, namespace, "hook").conversions_of(&webhooks());
    let certificates = certificates.certificates().await.expect("certificates");
    let server = WebhookServer::bind("127.0.0.1:0", certificates, webhooks()).await;
    let server = server.expect("a port");
    let port = server.local_addr().expect("an address").port();
    let stop = stop.clone();
    tokio::spawn(async move { server.run(&stop).await });
    port
}

/// Waits until the webhook refuses a config map: the server may not have received its configuration
/// yet.
async fn refuses(maps: &Collection) {
    let object = json!({"metadata": {"labels": {"refused": "yes"}}});
    let object = maps.object("a", object);
    eventually("the webhook is called", || async {
        let reply = maps.create_with("dryRun=All", &object).await;
        let message = "admission webhook \"self-signed.conformance.test\" denied the request: no config maps here";
        (reply.code == 403 && reply.json()["message"] == message).then_some(())
    })
    .await;
}

async fn an_api_server_calls_webhooks_with_certificates_of_their_own(client: Client) {
    let maps = configmaps(&client).await;
    let namespace = maps.namespace.clone().unwrap_or_default();
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hook"},
        "spec": {"type": "ExternalName", "externalName": "localhost"}});
    let services = format!("/api/v1/namespaces/{namespace}/services");
    wire::post(&client, &services, &service).await.is(201);
    // The objects that reference the service exist before the replicas, whose ports are unknown
    // until then; objects created later are handled every ten seconds.
    let crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let crd = format!("{crds}/gauges.{GROUP}");
    let created = wire::post(&client, crds, &definition(&namespace, 1)).await;
    created.is(201);
    delete_at_end(crd.clone());
    let configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    let body = configuration(&namespace, 1);
    wire::post(&client, configurations, &body).await.is(201);
    let configuration = format!("{configurations}/self-signed-{namespace}");
    delete_at_end(configuration.clone());
    // Both start at once.
    let stop = CancellationToken::new();
    let (one, other) = tokio::join!(
        replica(&client, &namespace, &stop),
        replica(&client, &namespace, &stop)
    );
    let move_to = async |path: &str, client_config: &str, port: u16| {
        let port = json!([{"op": "replace", "path": format!("{client_config}/service/port"), "value": port}]);
        let patched = wire::patch(&client, path, patch_type::JSON, &port).await;
        patched.is(200)
    };
    let of_conversion = "/spec/conversion/webhook/clientConfig";
    let of_admission = "/webhooks/0/clientConfig";
    move_to(&crd, of_conversion, one).await;
    move_to(&configuration, of_admission, one).await;
    refuses(&maps).await;
    let version = |name: &str| {
        let path = format!("/apis/{GROUP}/{name}");
        Resource(&path, "gauges", "Gauge").within(&client, &namespace)
    };
    let (old, new) = (version("v1"), version("v2"));
    let gauge = old.object("a", json!({"level": 5}));
    eventually("the conversion is called", || async {
        (old.create(&gauge).await.code == 201).then_some(())
    })
    .await;
    assert_eq!(new.get("a").await.is(200)["height"], 5);
    // The other replica has the same certificate. Changing only the port keeps the CA bundle.
    let patched = move_to(&configuration, of_admission, other).await;
    let secrets = Api::<Secret>::namespaced(client.clone(), &namespace);
    let secret = secrets.get("hook-cert").await.expect("a secret");
    let authority = json!(secret.data.unwrap_or_default()["ca.crt"]);
    assert_eq!(
        patched["webhooks"][0]["clientConfig"]["caBundle"],
        authority
    );
    tokio::time::sleep(Duration::from_millis(500)).await;
    refuses(&maps).await;
    stop.cancel();
}
