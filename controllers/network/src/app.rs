//! The program: builds backend, controller and manager from the flags.

use std::sync::Arc;

use clap::{Args, ValueEnum};
#[cfg(feature = "demo")]
use codegen_runtime::app::Demo;
use codegen_runtime::app::{App, BoxError, Process};
use codegen_runtime::manager::ManagerBuilder;
use ipnet::IpNet;

use crate::backend::Backend;
use crate::backend::neutron::{Neutron, NeutronFlags};
use crate::backend::simulated::Simulated;
use crate::controller::per_deployment::NetworkPerDeployment;
use crate::controller::{NetworkController, check_range};
use crate::generated::clientset::Clientset;
use crate::generated::informers::SharedInformerFactory;

/// The name under which events are reported.
pub const REPORTER: &str = "samplecrd.k8s.io/network-controller";

/// Returns the program.
pub fn app() -> App {
    let app = App::new("network-controller", env!("CARGO_PKG_VERSION"))
        .about("Creates networks declared as Kubernetes objects")
        .reporter(REPORTER)
        .sharded();
    #[cfg(feature = "demo")]
    let app = app.demo(
        Demo::new()
            .crds(include_str!("../deploy/crd.yaml"))
            .objects(include_str!("../deploy/samples/networks.yaml"))
            .args(["--network-per-deployment"])
            .command_to_try("kubectl get networks")
            .command_to_try(r#"kubectl patch network blue --type merge -p '{"spec":{"gateway":"192.168.0.254"}}'"#)
            .command_to_try("kubectl apply -f controllers/network/deploy/samples/overlap.yaml")
            .command_to_try("kubectl describe network overlap")
            .command_to_try("kubectl create deployment web --image nginx")
            .command_to_try("kubectl label deployment web samplecrd.k8s.io/network=auto")
            .command_to_try("kubectl get network web -o yaml"),
    );
    app
}

/// The flags of this controller.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// The backend that provides the networks.
    #[arg(long, value_name = "BACKEND", value_enum, default_value_t = BackendName::Simulated)]
    pub backend: BackendName,
    /// Create a Network for each Deployment labelled samplecrd.k8s.io/network=auto.
    #[arg(long)]
    pub network_per_deployment: bool,
    /// The range from which those networks are allocated.
    #[arg(long, value_name = "CIDR", default_value = "10.128.0.0/16", value_parser = parse_pool, requires = "network_per_deployment")]
    pub network_pool: IpNet,
    /// The prefix length of those networks.
    #[arg(
        long,
        value_name = "BITS",
        default_value_t = 24,
        requires = "network_per_deployment"
    )]
    pub network_pool_prefix: u8,
    /// The OpenStack endpoints and credentials.
    #[command(flatten)]
    pub neutron: NeutronFlags,
}

fn parse_pool(text: &str) -> Result<IpNet, String> {
    check_range(text).map_err(|error| error.to_string().replace("spec.cidr: ", ""))
}

/// The name of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BackendName {
    /// Networks that exist in this process only.
    Simulated,
    /// Networks of OpenStack Networking.
    Neutron,
}

/// Builds a manager with the controllers that the flags enable.
///
/// # Errors
///
/// If the flags are inconsistent.
pub async fn setup(process: Process, flags: Flags) -> Result<ManagerBuilder, BoxError> {
    let backend: Arc<dyn Backend> = match flags.backend {
        BackendName::Simulated => {
            flags.neutron.check_unused()?;
            Arc::new(Simulated::new())
        }
        BackendName::Neutron => Arc::new(Neutron::new(&flags.neutron)?),
    };
    setup_with(process, flags, backend)
}

/// Like [`setup`], with the caller's backend.
///
/// # Errors
///
/// As [`setup`].
pub fn setup_with(
    process: Process,
    flags: Flags,
    backend: Arc<dyn Backend>,
) -> Result<ManagerBuilder, BoxError> {
    let factory = SharedInformerFactory::from(process.factory());
    let clientset = Clientset::new(process.client().clone());
    let sharding = process.sharding();
    if sharding.as_ref().is_some_and(|it| !it.is_by_namespace()) {
        return Err("--shard-by=uid: networks of a namespace must not overlap, so one replica has to see them all: use --shard-by=namespace".into());
    }
    let (events, metrics) = (process.recorder(), process.metrics().clone());
    let controller = NetworkController::new(
        clientset.clone(),
        &factory,
        backend,
        events.clone(),
        &metrics,
        process.threads(),
    );
    let controller = controller.sharded(sharding.clone())?;
    let per_deployment = flags.network_per_deployment.then(|| {
        let (pool, prefix) = (flags.network_pool, flags.network_pool_prefix);
        NetworkPerDeployment::new(clientset, &factory, events, &metrics, pool, prefix)
            .sharded(sharding)
    });
    let per_deployment = per_deployment.transpose()?;
    if flags
        .network_pool
        .subnets(flags.network_pool_prefix)
        .is_err()
    {
        return Err(format!(
            "--network-pool-prefix={}: longer than {}'s, and no longer than an address",
            flags.network_pool_prefix, flags.network_pool
        )
        .into());
    }
    let manager = process.manager(&factory)?.runnable(controller);
    Ok(match per_deployment {
        Some(per_deployment) => manager.runnable(per_deployment),
        None => manager,
    })
}
