//! Networks for Deployments, on an API server with the definition and its garbage collector; `CONFORMANCE_KUBECONFIG` names a real one
//! (`hack/network-e2e.sh`).

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::connect::ClientOptions;
use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
use codegen_runtime::k8s_openapi::api::core::v1::Namespace;
use codegen_runtime::kube::api::{
    Api, DeleteParams, ListParams, Patch, PatchParams, PostParams, PropagationPolicy,
};
use codegen_runtime::kube::config::{KubeConfigOptions, Kubeconfig};
use codegen_runtime::kube::{Client, Config};
use embedded_apiserver::ApiServer;
use network_controller::apis::samplecrd::v1::{Network, NetworkPhase as Phase};
use network_controller::backend::simulated::Simulated;
use network_controller::generated::clientset::Clientset;
use serde_json::{Value, json};

use crate::support::{PATIENCE, Running};

const CRD: &str = include_str!("../../deploy/crd.yaml");

/// A cluster with the definition, and a namespace of the test's own.
struct Cluster {
    client: Client,
    namespace: String,
    collects: bool,
    _server: Option<ApiServer>,
}

impl Cluster {
    async fn new(name: &str) -> Self {
        let crd: Value = serde_saphyr::from_str(CRD).unwrap();
        let (client, server) = match std::env::var("CONFORMANCE_KUBECONFIG") {
            Ok(path) => {
                let kubeconfig = Kubeconfig::read_from(path).unwrap();
                let options = KubeConfigOptions::default();
                let config = Config::from_custom_kubeconfig(kubeconfig, &options)
                    .await
                    .unwrap();
                (ClientOptions::new().connect(config).unwrap(), None)
            }
            Err(_) => {
                let server = ApiServer::builder().build().unwrap();
                (server.client(), Some(server))
            }
        };
        let crds = Api::<codegen_runtime::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition>::all(client.clone());
        let params = PatchParams::apply("test").force();
        crds.patch("networks.samplecrd.k8s.io", &params, &Patch::Apply(&crd))
            .await
            .unwrap();
        let all = Clientset::new(client.clone()).samplecrd_v1().networks("");
        until("the definition is served", async || {
            all.list(&ListParams::default()).await.is_ok()
        })
        .await;
        let namespace = format!("{name}-{}", std::process::id());
        let mut object = Namespace::default();
        object.metadata.name = Some(namespace.clone());
        let namespaces = Api::<Namespace>::all(client.clone());
        namespaces
            .create(&PostParams::default(), &object)
            .await
            .unwrap();
        let collects =
            server.is_some() || std::env::var("CONFORMANCE_CONTROLLERS").is_ok_and(|it| it == "1");
        Self {
            client,
            namespace,
            collects,
            _server: server,
        }
    }

    fn start(&self, args: &[&str]) -> Running {
        let namespace = format!("--namespace={}", self.namespace);
        let backend = Arc::new(Simulated::new());
        Running::start(
            self.client.clone(),
            backend,
            &[&[namespace.as_str()], args].concat(),
        )
    }

    fn deployments(&self) -> Api<Deployment> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    async fn network(&self, name: &str) -> Option<Network> {
        let networks = Clientset::new(self.client.clone())
            .samplecrd_v1()
            .networks(&self.namespace);
        networks.get_opt(name).await.unwrap()
    }

    async fn deploy(&self, name: &str, metadata: Value) {
        let mut deployment: Deployment = serde_json::from_value(json!({
            "metadata": metadata,
            "spec": {
                "replicas": 0,
                "selector": { "matchLabels": { "app": name } },
                "template": {
                    "metadata": { "labels": { "app": name } },
                    "spec": { "containers": [{ "name": "c", "image": "busybox" }] },
                },
            },
        }))
        .unwrap();
        deployment.metadata.name = Some(name.to_owned());
        self.deployments()
            .create(&PostParams::default(), &deployment)
            .await
            .unwrap();
    }

    async fn label(&self, name: &str, value: Option<&str>) {
        let patch = json!({ "metadata": { "labels": { "samplecrd.k8s.io/network": value } } });
        self.deployments()
            .patch(name, &PatchParams::default(), &Patch::Merge(patch))
            .await
            .unwrap();
    }

    async fn until_active(&self, name: &str) -> Network {
        let is_active = async || {
            let network = self.network(name).await;
            network
                .and_then(|it| it.status)
                .is_some_and(|it| it.phase == Phase::Active)
        };
        until(name, is_active).await;
        self.network(name).await.unwrap()
    }
}

async fn until(what: &str, is: impl AsyncFn() -> bool) {
    let wait = async {
        while !is().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, wait).await.is_ok(), "{what}");
}

#[tokio::test]
async fn a_labelled_deployment_has_a_network_as_long_as_it_lives() {
    let cluster = Cluster::new("deployments").await;
    let running = cluster.start(&["--network-per-deployment", "--network-pool=10.128.0.0/22"]);
    let auto = json!({ "labels": { "samplecrd.k8s.io/network": "auto" } });
    cluster.deploy("web", auto.clone()).await;
    let web = cluster.until_active("web").await;
    assert_eq!(
        (web.spec.cidr.as_str(), web.spec.gateway.as_str()),
        ("10.128.0.0/24", "10.128.0.1")
    );
    let owners = web.metadata.owner_references.unwrap();
    assert_eq!(
        (owners[0].kind.as_str(), owners[0].controller),
        ("Deployment", Some(true))
    );

    cluster.deploy("api", json!({})).await;
    cluster
        .deploy(
            "six",
            json!({
                "labels": { "samplecrd.k8s.io/network": "auto" },
                "annotations": { "samplecrd.k8s.io/cidr": "fd00:7::/64" },
            }),
        )
        .await;
    assert_eq!(cluster.until_active("six").await.spec.gateway, "fd00:7::1");
    assert!(cluster.network("api").await.is_none(), "it has no label");
    cluster.label("api", Some("auto")).await;
    assert_eq!(cluster.until_active("api").await.spec.cidr, "10.128.1.0/24");
    cluster.label("api", None).await;
    until("the label is gone, and the network", async || {
        cluster.network("api").await.is_none()
    })
    .await;

    let networks = Clientset::new(cluster.client.clone())
        .samplecrd_v1()
        .networks(&cluster.namespace);
    drop(
        networks
            .delete("web", &DeleteParams::default())
            .await
            .unwrap(),
    );
    let was = web.metadata.uid;
    until("a network that somebody deletes comes again", async || {
        cluster
            .network("web")
            .await
            .is_some_and(|it| it.metadata.uid != was)
    })
    .await;
    if cluster.collects {
        let params = DeleteParams {
            propagation_policy: Some(PropagationPolicy::Background),
            ..DeleteParams::default()
        };
        cluster.deployments().delete("web", &params).await.unwrap();
        until("collected with its owner", async || {
            cluster.network("web").await.is_none()
        })
        .await;
    }
    running.stop().await;
}

#[tokio::test]
async fn a_network_of_somebody_else_is_left_alone() {
    let cluster = Cluster::new("others").await;
    let networks = Clientset::new(cluster.client.clone())
        .samplecrd_v1()
        .networks(&cluster.namespace);
    let mut own = crate::support::network("web", "10.0.0.0/8", "10.0.0.1");
    own.metadata.namespace = Some(cluster.namespace.clone());
    networks.create(&own, &PostParams::default()).await.unwrap();
    let running = cluster.start(&["--network-per-deployment"]);
    cluster.until_active("web").await;
    let auto = json!({ "labels": { "samplecrd.k8s.io/network": "auto" } });
    cluster.deploy("web", auto).await;
    let events = Api::<codegen_runtime::k8s_openapi::api::events::v1::Event>::namespaced(
        cluster.client.clone(),
        &cluster.namespace,
    );
    until("the deployment is told", async || {
        let events = events.list(&ListParams::default()).await.unwrap();
        events
            .items
            .iter()
            .any(|it| it.reason.as_deref() == Some("NetworkExists"))
    })
    .await;
    let web = cluster.network("web").await.unwrap();
    assert_eq!(
        (web.spec.cidr.as_str(), web.metadata.owner_references),
        ("10.0.0.0/8", None)
    );
    running.stop().await;
}

#[tokio::test]
async fn the_whole_controller_runs_on_the_cluster() {
    let cluster = Cluster::new("whole").await;
    let running = cluster.start(&[]);
    let networks = Clientset::new(cluster.client.clone())
        .samplecrd_v1()
        .networks(&cluster.namespace);
    let named = |name: &str, cidr: &str, gateway: &str| {
        let mut network = crate::support::network(name, cidr, gateway);
        network.metadata.namespace = Some(cluster.namespace.clone());
        network
    };
    networks
        .create(
            &named("blue", "10.0.0.0/8", "10.0.0.1"),
            &PostParams::default(),
        )
        .await
        .unwrap();
    cluster.until_active("blue").await;
    networks
        .create(
            &named("overlap", "10.1.0.0/16", "10.1.0.1"),
            &PostParams::default(),
        )
        .await
        .unwrap();
    let reason = async || {
        let status = cluster.network("overlap").await?.status?;
        Some(crate::support::reason(&status))
    };
    until("it overlaps", async || {
        reason().await.as_deref() == Some("CIDROverlap")
    })
    .await;
    drop(
        networks
            .delete("blue", &DeleteParams::default())
            .await
            .unwrap(),
    );
    until("blue is gone", async || {
        cluster.network("blue").await.is_none()
    })
    .await;
    cluster.until_active("overlap").await;
    let long = named("long", &"1".repeat(65), "10.0.0.1");
    assert!(
        networks
            .create(&long, &PostParams::default())
            .await
            .is_err(),
        "the schema limits it"
    );
    running.stop().await;
}
