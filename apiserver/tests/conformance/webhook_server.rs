//! A webhook server on 127.0.0.1 with its own certificate, and configurations that send requests to
//! it.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use kube::Client;
use parking_lot::Mutex;
use rustls::pki_types::PrivateKeyDer;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::support::cleanup::delete_at_end;
use crate::support::collection::{Collection, configmaps, unique};
use crate::support::expect::{at, eventually};
use crate::support::wire;

const CONFIGURATIONS: &str = "/apis/admissionregistration.k8s.io/v1";

/// The answer of a webhook.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// The `response` of a review; the uid is filled in.
    Response(Value),
    /// A status code and a body.
    Raw(u16, String),
    /// A redirect: its status code and its location.
    Redirect(u16, String),
    /// No answer within any timeout.
    Nothing,
}

/// Allows the request.
pub(crate) fn allow() -> Answer {
    Answer::Response(json!({"allowed": true}))
}

/// Denies the request with a status.
pub(crate) fn deny(status: Value) -> Answer {
    Answer::Response(json!({"allowed": false, "status": status}))
}

/// Patches the object.
pub(crate) fn patch(operations: Value) -> Answer {
    let patch = base64::engine::general_purpose::STANDARD.encode(operations.to_string());
    Answer::Response(json!({"allowed": true, "patchType": "JSONPatch", "patch": patch}))
}

type Handler = dyn Fn(&str, &Value) -> Answer + Send + Sync;

/// A webhook server that runs until the test program ends.
#[derive(Clone)]
pub(crate) struct Webhooks {
    url: String,
    ca_bundle: String,
    calls: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Webhooks {
    /// Starts a server that answers based on the path and the `request` of a review.
    pub(crate) async fn start(
        handler: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let certified = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]);
        let certified = certified.expect("a certificate");
        let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).expect("a key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions of TLS")
            .with_no_client_auth()
            .with_single_cert(vec![certified.cert.der().clone()], key)
            .expect("a certificate with its key");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = Self {
            url: format!("https://{address}"),
            ca_bundle: base64::engine::general_purpose::STANDARD.encode(certified.cert.pem()),
            calls: Arc::default(),
        };
        let (calls, handler): (_, Arc<Handler>) = (server.calls.clone(), Arc::new(handler));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let one = serve(stream, acceptor.clone(), calls.clone(), handler.clone());
                tokio::spawn(one);
            }
        });
        server
    }

    /// Returns the `clientConfig` for a path.
    pub(crate) fn client(&self, path: &str) -> Value {
        json!({"url": format!("{}{path}", self.url), "caBundle": self.ca_bundle})
    }

    /// Returns the URL for a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// Returns a webhook for creates and updates of config maps, at the path `/NAME`, with these
    /// fields set.
    pub(crate) fn webhook(&self, name: &str, fields: Value) -> Value {
        let mut webhook = json!({
            "name": format!("{name}.conformance.test"),
            "clientConfig": self.client(&format!("/{name}")),
            "rules": [rule(&["CREATE", "UPDATE"], "", "v1", &["configmaps"])],
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            "timeoutSeconds": 10,
        });
        for (field, value) in fields.as_object().into_iter().flatten() {
            webhook[field] = value.clone();
        }
        webhook
    }

    /// Returns the requests to a path so far, in order.
    pub(crate) fn calls(&self, path: &str) -> Vec<Value> {
        let calls = self.calls.lock();
        let calls = calls.iter().filter(|(called, _)| called == path);
        calls.map(|(_, request)| request.clone()).collect()
    }

    /// Returns the paths called so far, in order.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.calls
            .lock()
            .iter()
            .map(|(path, _)| path.clone())
            .collect()
    }

    /// Clears the recorded calls.
    pub(crate) fn forget(&self) {
        self.calls.lock().clear();
    }
}

/// Returns a rule of a webhook.
pub(crate) fn rule(operations: &[&str], group: &str, version: &str, resources: &[&str]) -> Value {
    json!({"operations": operations, "apiGroups": [group], "apiVersions": [version], "resources": resources})
}

async fn serve(
    stream: TcpStream,
    acceptor: TlsAcceptor,
    calls: Arc<Mutex<Vec<(String, Value)>>>,
    handler: Arc<Handler>,
) {
    let Ok(stream) = acceptor.accept(stream).await else {
        return;
    };
    let service = service_fn(move |request: Request<Incoming>| {
        let (calls, handler) = (calls.clone(), handler.clone());
        async move {
            let path = request.uri().path().to_owned();
            let body = request.into_body().collect().await.expect("a body");
            let review: Value = serde_json::from_slice(&body.to_bytes()).expect("a review in JSON");
            let request = at(&review, "/request");
            calls.lock().push((path.clone(), request.clone()));
            let mut location = None;
            let (code, body) = match handler(&path, request) {
                Answer::Redirect(code, to) => {
                    location = Some(to);
                    (code, String::new())
                }
                Answer::Response(mut response) => {
                    if response["uid"].is_null() {
                        response["uid"] = request["uid"].clone();
                    }
                    let kind = (&review["apiVersion"], &review["kind"]);
                    let review =
                        json!({"apiVersion": kind.0, "kind": kind.1, "response": response});
                    (200, review.to_string())
                }
                Answer::Raw(code, body) => (code, body),
                Answer::Nothing => std::future::pending().await,
            };
            let kind = if code == 200 {
                "application/json"
            } else {
                "text/plain"
            };
            let response = Response::builder()
                .status(code)
                .header("content-type", kind);
            let response = match location {
                Some(location) => response.header("location", location),
                None => response,
            };
            let response = response
                .body(Full::new(Bytes::from(body)))
                .expect("a response");
            Ok::<_, Infallible>(response)
        }
    });
    let connection = hyper::server::conn::http1::Builder::new();
    // A client that gives up closes the connection.
    drop(
        connection
            .serve_connection(TokioIo::new(stream), service)
            .await,
    );
}

/// Denies the first two deletions of each object, and allows everything else.
pub(crate) fn refuse_two_deletions() -> impl Fn(&str, &Value) -> Answer + Send + Sync + 'static {
    let refused = Mutex::new(BTreeMap::<String, usize>::new());
    move |_, request| {
        if request["operation"] != "DELETE" || request["dryRun"] == true {
            return allow();
        }
        let mut refused = refused.lock();
        let count = refused.entry(request["name"].to_string()).or_default();
        *count += 1;
        match *count {
            1 | 2 => deny(json!({"code": 403, "message": "not yet"})),
            _ => allow(),
        }
    }
}

/// The kind of a configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stage {
    Mutating,
    Validating,
}

/// A separate namespace whose config maps are sent to the webhooks of its configurations.
pub(crate) struct Scene {
    pub(crate) maps: Collection,
    pub(crate) server: Webhooks,
}

impl Scene {
    pub(crate) async fn start(
        client: &Client,
        handler: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self {
            maps: configmaps(client).await,
            server: Webhooks::start(handler).await,
        }
    }

    /// Returns a configuration with these webhooks, restricted to the scene's namespace unless a
    /// webhook has its own selector.
    pub(crate) fn configuration(&self, stage: Stage, name: &str, webhooks: &[Value]) -> Value {
        let kind = match stage {
            Stage::Mutating => "MutatingWebhookConfiguration",
            Stage::Validating => "ValidatingWebhookConfiguration",
        };
        let mut webhooks = webhooks.to_vec();
        for webhook in &mut webhooks {
            if webhook["namespaceSelector"].is_null() {
                webhook["namespaceSelector"] = self.selector();
            }
        }
        json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind,
            "metadata": {"name": name}, "webhooks": webhooks})
    }

    /// Returns the selector of the scene's namespace.
    pub(crate) fn selector(&self) -> Value {
        json!({"matchLabels": {"kubernetes.io/metadata.name": self.maps.namespace}})
    }

    /// Creates a configuration with these webhooks and this name prefix, and waits until it is in
    /// effect.
    pub(crate) async fn install_as(
        &self,
        stage: Stage,
        prefix: &str,
        webhooks: &[Value],
    ) -> String {
        let name = format!("{prefix}-{}", unique());
        let ready = format!("ready-{name}");
        let mut all = webhooks.to_vec();
        // Called for dry runs of a probe, before all other webhooks.
        let probe = json!({"objectSelector": {"matchLabels": {"probe": name}}});
        all.insert(0, self.server.webhook(&ready, probe));
        let configuration = self.configuration(stage, &name, &all);
        let client = &self.maps.client;
        let plural = match stage {
            Stage::Mutating => "mutatingwebhookconfigurations",
            Stage::Validating => "validatingwebhookconfigurations",
        };
        let path = format!("{CONFIGURATIONS}/{plural}");
        wire::post(client, &path, &configuration).await.is(201);
        delete_at_end(format!("{path}/{name}"));
        eventually("the webhooks are in force", || async {
            let mut object = self.maps.object("probe", json!({"data": {"k": "v"}}));
            object["metadata"]["labels"] = json!({"probe": name});
            self.maps.create_with("dryRun=All", &object).await;
            let called = !self.server.calls(&format!("/{ready}")).is_empty();
            called.then_some(())
        })
        .await;
        // The real server has a single replica, so it is in effect by now.
        tokio::time::sleep(Duration::from_millis(20)).await;
        self.server.forget();
        format!("{path}/{name}")
    }

    /// Installs a webhook `/a`.
    pub(crate) async fn install_one(&self, stage: Stage) -> String {
        let webhook = self.server.webhook("a", json!({}));
        self.install(stage, &[webhook]).await
    }

    pub(crate) async fn install(&self, stage: Stage, webhooks: &[Value]) -> String {
        self.install_as(stage, "conformance", webhooks).await
    }

    /// Creates a configuration; returns the response.
    pub(crate) async fn refused(&self, stage: Stage, webhook: Value) -> wire::Reply {
        let name = format!("conformance-{}", unique());
        let plural = match stage {
            Stage::Mutating => "mutatingwebhookconfigurations",
            Stage::Validating => "validatingwebhookconfigurations",
        };
        let body = self.configuration(stage, &name, &[webhook]);
        let path = format!("{CONFIGURATIONS}/{plural}");
        delete_at_end(format!("{path}/{name}"));
        wire::post(&self.maps.client, &path, &body).await
    }
}
