//! The cluster of a scenario: an embedded API server, or the one of `CONFORMANCE_KUBECONFIG`.

use std::time::Duration;

use codegen_runtime::client::TypedClient;
use codegen_runtime::connect::ClientOptions;
use codegen_runtime::k8s_openapi::api::core::v1::{Namespace, Pod};
use codegen_runtime::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use codegen_runtime::kube::api::{DeleteParams, ObjectMeta, Patch, PatchParams};
use codegen_runtime::kube::config::{KubeConfigOptions, Kubeconfig};
use codegen_runtime::kube::{Client, Config, ResourceExt};
use embedded_apiserver::ApiServer;
use serde_json::{Value, json};

/// How long a test waits for a condition that should hold within milliseconds, on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A cluster with a CRD and a namespace for the test.
#[derive(Clone)]
pub struct Cluster {
    /// A client with administrator permissions.
    pub client: Client,
    /// The name of the namespace.
    pub namespace: String,
    /// Whether the server is embedded, so that it uses the clock of the test's runtime.
    pub is_embedded: bool,
    /// Whether dependents are garbage-collected: always on the embedded server, on a real one if
    /// `CONFORMANCE_CONTROLLERS` is 1.
    pub collects_garbage: bool,
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cluster")
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}

impl Cluster {
    /// Connects to a cluster that serves `crd`, a CRD in YAML.
    pub async fn new(crd: &str) -> Self {
        let crd: Value = serde_saphyr::from_str(crd).unwrap();
        let (client, is_embedded, collects_garbage) = match std::env::var("CONFORMANCE_KUBECONFIG")
        {
            Ok(path) if !path.is_empty() => {
                let given = Kubeconfig::read_from(path).unwrap();
                let options = KubeConfigOptions::default();
                let config = Config::from_custom_kubeconfig(given, &options).await;
                let client = ClientOptions::new().connect(config.unwrap()).unwrap();
                install(&client, &crd).await;
                let collects = std::env::var("CONFORMANCE_CONTROLLERS");
                (client, false, collects.is_ok_and(|it| it == "1"))
            }
            _ => {
                let server = ApiServer::builder().crd_values([crd]).build();
                (server.unwrap().client(), true, true)
            }
        };
        let namespace = Namespace {
            metadata: ObjectMeta {
                generate_name: Some("controller-".to_owned()),
                ..ObjectMeta::default()
            },
            ..Namespace::default()
        };
        let namespaces = TypedClient::<Namespace>::cluster(client.clone()).defaults();
        let created = namespaces.create(&namespace).await;
        Self {
            client,
            namespace: created.unwrap().name_any(),
            is_embedded,
            collects_garbage,
        }
    }

    /// Returns a client for the pods of the namespace.
    pub fn pods(&self) -> TypedClient<Pod> {
        TypedClient::namespaced(self.client.clone(), &self.namespace)
    }

    /// Creates a pod with one container `main`, and sets its status.
    pub async fn pod(&self, name: &str, labels: Value, status: Value) -> Pod {
        let pod = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": { "name": name, "labels": labels },
            "spec": {
                "automountServiceAccountToken": false,
                "containers": [{ "name": "main", "image": "busybox:1" }],
            },
        });
        let pod = serde_json::from_value(pod).unwrap();
        self.pods().defaults().create(&pod).await.unwrap();
        self.pod_status(name, status).await
    }

    /// Merges `status` into the status of a pod.
    pub async fn pod_status(&self, name: &str, status: Value) -> Pod {
        let patch = Patch::Merge(json!({ "status": status }));
        let params = PatchParams::default();
        let patched = self
            .pods()
            .patch_subresource(name, "status", &params, &patch)
            .await;
        patched.unwrap()
    }

    /// Deletes a pod without a grace period.
    pub async fn delete_pod(&self, name: &str) {
        let now = DeleteParams::default().grace_period(0);
        self.pods().delete(name, &now).await.unwrap();
    }
}

/// Installs a CRD and waits until it is established.
async fn install(client: &Client, crd: &Value) {
    let crds = TypedClient::<CustomResourceDefinition>::cluster(client.clone()).defaults();
    let name = crd["metadata"]["name"].as_str().unwrap();
    let apply = PatchParams::apply("test").force();
    crds.patch(name, &apply, &Patch::Apply(crd)).await.unwrap();
    let text = |pointer: &str| crd.pointer(pointer).unwrap().as_str().unwrap();
    let (group, plural) = (text("/spec/group"), text("/spec/names/plural"));
    let version = text("/spec/versions/0/name");
    let path = format!("/apis/{group}/{version}/{plural}");
    let is_served = async || {
        let list = http::Request::get(&path).body(Vec::new()).unwrap();
        if client.request::<Value>(list).await.is_err() {
            return false;
        }
        let crd = crds.get(name).await.unwrap();
        let conditions = crd
            .status
            .into_iter()
            .flat_map(|it| it.conditions)
            .flatten();
        conditions
            .into_iter()
            .any(|it| it.type_ == "Established" && it.status == "True")
    };
    assert!(eventually(is_served).await);
}

/// Fails unless people can read a message of a condition or an event: on one line, without the
/// debug form of an error.
#[track_caller]
pub fn assert_readable(message: &str) {
    for debug in ["ApiError", "Status {", "Some(", "None", "\n"] {
        assert!(!message.contains(debug), "{debug:?} is in {message:?}");
    }
}

/// Whether `is` comes true within [`PATIENCE`].
pub async fn eventually(is: impl AsyncFn() -> bool) -> bool {
    let wait = async {
        while !is().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.is_ok()
}
