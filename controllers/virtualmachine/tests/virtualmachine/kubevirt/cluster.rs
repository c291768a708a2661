//! The API server under test.

use std::env;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::k8s_openapi::api::core::v1::Namespace;
use codegen_runtime::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use codegen_runtime::kube::api::{DeleteParams, PostParams};
use codegen_runtime::kube::config::{KubeConfigOptions, Kubeconfig};
use codegen_runtime::kube::{Api, Client, Config, ResourceExt};
use codegen_runtime::quantity::Quantity;
use embedded_apiserver::{ApiServer, Roles};
use tokio_util::sync::CancellationToken;
use virtualmachine_controller::apis::cloudnative::v1alpha1::{
    VirtualMachine, VirtualMachineResource, VirtualMachineSpec,
};
use virtualmachine_controller::driver::kubevirt::api::apis::kubevirt::v1 as api;
use virtualmachine_controller::driver::kubevirt::api::generated::clientset::Clientset as KubeVirtClientset;
use virtualmachine_controller::driver::kubevirt::{KubeVirt, Options};
use virtualmachine_controller::driver::{
    Driver, Power, Resources, Server, ServerRef, ServerSpec, ServerState, Term,
};
use virtualmachine_controller::generated::clientset::Clientset;

use crate::kubevirt::stand_in::StandIn;

const GIB: u64 = 1 << 30;

/// The initial sizes.
pub(crate) const SMALL: Resources = Resources {
    cpus: 2,
    memory: 4_000_000_000,
    disk: 40 * GIB,
};

/// The sizes to grow to.
pub(crate) const LARGE: Resources = Resources {
    cpus: 4,
    memory: 8 * GIB,
    disk: 50 * GIB,
};

/// The driver's user on the embedded server.
const DRIVER: &str = "virtualmachine-controller";

const PATIENCE: Duration = Duration::from_secs(30);

/// A namespace of the server under test, with a simulated KubeVirt.
pub(crate) struct Cluster {
    pub(crate) client: Client,
    pub(crate) namespace: String,
    pub(crate) kubevirt: Arc<StandIn>,
    /// The server, if it is the embedded one.
    pub(crate) embedded: Option<ApiServer>,
    stop: CancellationToken,
}

impl Cluster {
    pub(crate) async fn start() -> Self {
        let crds = crds();
        let (client, embedded, collects) = match env::var("CONFORMANCE_KUBECONFIG") {
            Ok(path) if !path.is_empty() => {
                let client = connect(&path).await;
                install(&client, &crds).await;
                let collects = env::var("CONFORMANCE_CONTROLLERS").is_ok_and(|value| value == "1");
                (client, None, collects)
            }
            _ => {
                let server = ApiServer::builder().crds(crds).build().expect("a server");
                (server.client(), Some(server), true)
            }
        };
        let namespace = Namespace {
            metadata: codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
                generate_name: Some("kubevirt-driver-".to_owned()),
                ..Default::default()
            },
            ..Default::default()
        };
        let namespaces: Api<Namespace> = Api::all(client.clone());
        let namespace = namespaces.create(&PostParams::default(), &namespace).await;
        let namespace = namespace.expect("a namespace").name_any();
        let stop = CancellationToken::new();
        let kubevirt = StandIn::start(client.clone(), &namespace, collects, &stop).await;
        Self {
            client,
            namespace,
            kubevirt,
            embedded,
            stop,
        }
    }

    /// Creates a driver as in a newly started process.
    pub(crate) fn driver(&self) -> KubeVirt {
        let options = Options {
            namespaces: vec![self.namespace.clone()],
            ..Options::default()
        };
        let client = match &self.embedded {
            Some(server) => server.client_as(DRIVER),
            None => self.client.clone(),
        };
        KubeVirt::new(client, options)
    }

    /// Creates one of our objects.
    pub(crate) async fn machine(&self, name: &str) -> ServerRef {
        let mut machine = VirtualMachine {
            spec: VirtualMachineSpec {
                resource: VirtualMachineResource {
                    cpu: Quantity::new("2"),
                    memory: Quantity::new("4G"),
                    root_disk: Quantity::new("40Gi"),
                },
                ..Default::default()
            },
            ..Default::default()
        };
        machine.metadata.name = Some(name.to_owned());
        let machines = Clientset::new(self.client.clone());
        let machines = machines
            .cloudnative_v1alpha1()
            .virtual_machines(&self.namespace)
            .defaults();
        let machine = machines.create(&machine).await;
        ServerRef::of(&machine.expect("a machine"))
    }

    /// Returns KubeVirt's machine for a server.
    pub(crate) async fn vm(&self, server: &ServerRef) -> api::VirtualMachine {
        let vm = self.find_vm(server).await;
        vm.expect("KubeVirt has the machine")
    }

    pub(crate) async fn find_vm(&self, server: &ServerRef) -> Option<api::VirtualMachine> {
        let vms = KubeVirtClientset::new(self.client.clone());
        let vms = vms
            .kubevirt_v1()
            .virtual_machines(&self.namespace)
            .defaults();
        vms.get_opt(&server.id()).await.expect("an answer")
    }

    pub(crate) fn clientset(&self) -> KubeVirtClientset {
        KubeVirtClientset::new(self.client.clone())
    }

    /// Cleans up a cluster that is shared with others.
    pub(crate) async fn end(self) {
        self.stop.cancel();
        if let Some(server) = &self.embedded {
            let roles = Roles::parse([include_str!("../../../deploy/role.yaml")]).expect("roles");
            let forbidden = roles.forbidden(server, DRIVER);
            assert!(forbidden.is_empty(), "the roles forbid {forbidden:#?}");
        }
        if self.embedded.is_none() {
            self.kubevirt.clear().await;
            let namespaces: Api<Namespace> = Api::all(self.client.clone());
            let params = DeleteParams::default();
            let deleted = namespaces.delete(&self.namespace, &params).await;
            deleted.expect("the namespace is deleted");
        }
    }
}

async fn connect(path: &str) -> Client {
    let kubeconfig = Kubeconfig::read_from(path).expect("CONFORMANCE_KUBECONFIG can be read");
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    Client::try_from(config.expect("a usable context")).expect("a client")
}

/// KubeVirt's two CRDs and ours.
fn crds() -> Vec<CustomResourceDefinition> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = [
        "deploy/crd.yaml",
        "../../testdata/crds/kubevirt/virtualmachines.kubevirt.io.yaml",
        "../../testdata/crds/kubevirt/virtualmachineinstances.kubevirt.io.yaml",
    ];
    let read = |file| {
        let text = std::fs::read_to_string(root.join(file)).expect("the CRD can be read");
        serde_saphyr::from_str(&text).expect("a CRD")
    };
    files.into_iter().map(read).collect()
}

async fn install(client: &Client, crds: &[CustomResourceDefinition]) {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    for crd in crds {
        match api.create(&PostParams::default(), crd).await {
            Err(error) if !error.to_string().contains("already exists") => panic!("{error}"),
            _ => {}
        }
    }
    for crd in crds {
        until(|| async {
            let served = api.get(&crd.name_any()).await.expect("the CRD");
            let conditions = served.status.and_then(|status| status.conditions);
            let established = conditions
                .unwrap_or_default()
                .into_iter()
                .any(|condition| condition.type_ == "Established" && condition.status == "True");
            established.then_some(())
        })
        .await;
    }
}

/// Polls `ask` until it returns a value.
pub(crate) async fn until<T, F: Future<Output = Option<T>>>(ask: impl Fn() -> F) -> T {
    let wait = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait)
        .await
        .expect("it comes about in time")
}

/// Waits until the server has the state.
pub(crate) async fn reaches(driver: &KubeVirt, server: &ServerRef, state: ServerState) -> Server {
    until(|| async {
        let now = driver.status(server).await.expect("a status");
        now.filter(|now| now.state == state)
    })
    .await
}

/// Waits until the server is gone.
pub(crate) async fn goes(driver: &KubeVirt, server: &ServerRef) {
    until(|| async {
        let now = driver.status(server).await.expect("a status");
        now.is_none().then_some(())
    })
    .await;
}

pub(crate) fn spec(power: Power) -> ServerSpec {
    ServerSpec {
        resources: SMALL,
        power,
    }
}

pub(crate) fn term(epoch: u64) -> Term {
    Term {
        holder: format!("process-{epoch}"),
        shard: None,
        epoch,
    }
}

/// Returns the machine's resourceVersion, once the stand-in has stopped writing.
pub async fn settled(cluster: &Cluster, server: &ServerRef) -> Option<String> {
    until(|| async {
        let before = cluster.vm(server).await.resource_version();
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        (cluster.vm(server).await.resource_version() == before).then_some(before)
    })
    .await
}

pub fn epoch(vm: &api::VirtualMachine) -> Option<&str> {
    vm.annotations()
        .get("cloudnative.czs/epoch")
        .map(String::as_str)
}
