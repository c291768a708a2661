//! The cluster that scenarios run on: an API server, and loops of either implementation.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::kube::config::{KubeConfigOptions, Kubeconfig};
use codegen_runtime::kube::{Client, Config, Error};
use controller_manager::testing::ControlPlane;
use embedded_apiserver::{ApiError, ApiServer, Fault, FaultKind, GroupResource, Reaction};
use http::Request;
use serde_json::{Value, json};
use tokio::sync::Mutex;

/// The kubeconfig of a cluster with loops and simulated pods. If unset, an embedded server runs
/// them.
const KUBECONFIG: &str = "KCM_KUBECONFIG";
/// The command that restarts the loops of that cluster.
const RESTART: &str = "KCM_RESTART";

/// The maximum number of pods per namespace.
type Quotas = Arc<std::sync::Mutex<BTreeMap<String, usize>>>;

/// The cluster, shared by all scenarios.
pub(crate) struct Cluster {
    pub(crate) client: Client,
    embedded: Option<Embedded>,
}

struct Embedded {
    server: ApiServer,
    quotas: Quotas,
    loops: Mutex<Option<ControlPlane>>,
}

impl Cluster {
    pub(crate) async fn start() -> Arc<Self> {
        if let Ok(path) = std::env::var(KUBECONFIG) {
            let kubeconfig = Kubeconfig::read_from(path).expect("a kubeconfig");
            let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
                .await
                .expect("a configuration");
            let client = Client::try_from(config).expect("a client");
            return Arc::new(Self {
                client,
                embedded: None,
            });
        }
        let server = ApiServer::builder().build().expect("a server");
        let loops = ControlPlane::start(server.client()).expect("loops");
        let quotas = Quotas::default();
        enforce(&server, quotas.clone());
        let embedded = Embedded {
            server: server.clone(),
            quotas,
            loops: Mutex::new(Some(loops)),
        };
        Arc::new(Self {
            client: server.client(),
            embedded: Some(embedded),
        })
    }

    /// Whether the server runs in this process, so that a test can start another.
    pub(crate) fn is_embedded(&self) -> bool {
        self.embedded.is_some()
    }

    /// Kills the loops in the middle of their work, and starts new ones.
    pub(crate) async fn restart(&self) {
        if let Some(embedded) = &self.embedded {
            let mut loops = embedded.loops.lock().await;
            if let Some(running) = loops.take() {
                running.kill().await;
            }
            *loops = Some(ControlPlane::start(embedded.server.client()).expect("loops"));
        } else if let Ok(command) = std::env::var(RESTART) {
            let status = tokio::process::Command::new("sh")
                .arg("-c")
                .arg(command)
                .status()
                .await;
            assert!(
                status.is_ok_and(|status| status.success()),
                "the loops did not restart"
            );
        }
    }

    /// Cuts the next five watches of each kind after three events. Does nothing on a real server.
    pub(crate) fn cut_watches(&self) {
        if let Some(embedded) = &self.embedded {
            for resource in ["pods", "replicasets", "deployments"] {
                let cut = FaultKind::CutWatch { after_events: 3 };
                embedded
                    .server
                    .faults()
                    .add(Fault::new(cut).on("watch", resource).times(5));
            }
        }
    }

    /// Limits the pods of `namespace` to `count`: `Some(0)` rejects all, `None` lifts the quota.
    pub(crate) async fn quota(&self, namespace: &str, count: Option<usize>) {
        let Some(embedded) = &self.embedded else {
            return self.real_quota(namespace, count).await;
        };
        let mut quotas = embedded.quotas.lock().expect("no panic");
        match count {
            Some(count) => drop(quotas.insert(namespace.to_owned(), count)),
            None => drop(quotas.remove(namespace)),
        }
    }

    /// Creates a quota and writes its status, since no quota controller runs. Its admission plugin
    /// counts up from there.
    async fn real_quota(&self, namespace: &str, count: Option<usize>) {
        let path = format!("/api/v1/namespaces/{namespace}/resourcequotas");
        let Some(count) = count else {
            self.call("DELETE", &format!("{path}/pods"), None)
                .await
                .expect("the quota goes");
            return;
        };
        let hard = json!({"pods": count.to_string()});
        let used = self
            .call("GET", &format!("/api/v1/namespaces/{namespace}/pods"), None)
            .await
            .expect("pods");
        let used = used["items"].as_array().map_or(0, Vec::len);
        let mut quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "pods"}, "spec": {"hard": hard}});
        quota = self
            .call("POST", &path, Some(&quota))
            .await
            .expect("the quota comes");
        quota["status"] = json!({"hard": hard, "used": {"pods": used.to_string()}});
        self.call("PUT", &format!("{path}/pods/status"), Some(&quota))
            .await
            .expect("the quota's status");
        // Real time: the real server's admission reads quotas from a cache that cannot be observed
        // from outside.
        tokio::time::sleep(Duration::from_millis(500)).await;
    }

    /// Sends one request with a JSON body. The content type of a patch follows the method:
    /// `PATCH merge`.
    pub(crate) async fn call(
        &self,
        verb: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Error> {
        let (verb, patch) = verb.split_once(' ').unwrap_or((verb, ""));
        let content_type = match patch {
            "" => "application/json",
            "json" => "application/json-patch+json",
            _ => "application/merge-patch+json",
        };
        let body = body.map_or(Vec::new(), |body| body.to_string().into_bytes());
        let request = Request::builder()
            .method(verb)
            .uri(path)
            .header("content-type", content_type)
            .body(body);
        self.client.request(request.expect("a request")).await
    }
}

/// Rejects pods above the quotas, like the admission plugin of a real server.
fn enforce(server: &ApiServer, quotas: Quotas) {
    let objects = server.clone();
    server.prepend_reactor("create", "pods", move |action| {
        let quota = quotas
            .lock()
            .expect("no panic")
            .get(&action.namespace)
            .copied();
        let Some(quota) = quota.filter(|_| action.subresource.is_empty()) else {
            return Reaction::Pass;
        };
        let used = objects.objects().list("", "pods", &action.namespace).len();
        if used < quota {
            return Reaction::Pass;
        }
        let why = format!(
            "exceeded quota: pods, requested: pods=1, used: pods={used}, limited: pods={quota}"
        );
        Reaction::Fail(ApiError::forbidden(
            &GroupResource::new("", "pods"),
            &action.name,
            &why,
        ))
    });
}
