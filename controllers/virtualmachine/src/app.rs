//! The process: client, driver, controller and manager, put together as the flags say.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use codegen_runtime::connect::ClientOptions;
use codegen_runtime::event::{EventBroadcaster, EventOptions, Reporter};
use codegen_runtime::kube::config::{KubeConfigOptions, Kubeconfig};
use codegen_runtime::kube::{Client, Config};
use codegen_runtime::manager::{Manager, OnStuckWork};
use codegen_runtime::metrics::Metrics;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::cli::{DriverName, Flags};
use crate::controller::{Options, VirtualMachineController};
use crate::driver::kubevirt::{self, KubeVirt};
#[cfg(target_os = "linux")]
use crate::driver::qemu::{Qemu, QemuOptions};
use crate::driver::simulated::{Fault, Latency, Lost, Simulated};
use crate::driver::{Driver, DriverError};
use crate::generated::clientset::Clientset;
use crate::generated::informers::SharedInformerFactory;

/// The name under which events are reported.
pub const REPORTER: &str = "cloudnative.czs/virtualmachine-controller";

/// What requests call their sender.
const USER_AGENT: &str = concat!("virtualmachine-controller/", env!("CARGO_PKG_VERSION"));

/// Runs the controller until `shutdown` is cancelled.
///
/// # Errors
///
/// If something of what the flags name isn't there, or the manager ends other than by being asked to: leadership lost, say.
pub async fn run(flags: Flags, shutdown: &CancellationToken) -> anyhow::Result<()> {
    let metrics = Metrics::new();
    let config = config(flags.kubeconfig.as_deref(), flags.master.as_deref()).await?;
    let client = ClientOptions::new()
        .user_agent(USER_AGENT)
        .metrics(&metrics)
        .connect(config)?;
    let driver = driver(&flags, &client).await?;
    run_reporting(client, driver, flags, metrics, shutdown).await
}

/// As [`run`], with a client and a driver of the caller's.
///
/// # Errors
///
/// As [`run`].
pub async fn run_with(
    client: Client,
    driver: Arc<dyn Driver>,
    flags: Flags,
    shutdown: &CancellationToken,
) -> anyhow::Result<()> {
    run_reporting(client, driver, flags, Metrics::new(), shutdown).await
}

async fn run_reporting(
    client: Client,
    driver: Arc<dyn Driver>,
    flags: Flags,
    metrics: Metrics,
    shutdown: &CancellationToken,
) -> anyhow::Result<()> {
    let identity = flags.election.identity();
    let clientset = Clientset::new(client.clone());
    let factory: SharedInformerFactory = SharedInformerFactory::builder(clientset.clone())
        .namespace(&flags.namespace)
        .resync(flags.resync_period)
        .build();
    let events =
        EventBroadcaster::with_options(client.clone(), EventOptions::default().metrics(&metrics));
    let controller = VirtualMachineController::new(
        clientset,
        &factory,
        driver,
        &identity,
        events.recorder(Reporter::new(REPORTER, &identity)),
        &metrics,
        Options {
            workers: usize::from(flags.threads),
            namespace: flags.namespace.clone(),
            orphan_period: flags.resync_period,
            remove_orphans_after: flags.driver.remove_orphans_after,
            ..Options::default()
        },
    );
    let standing = controller.standing().clone();
    let mut manager = Manager::builder(&factory)
        .metrics(&metrics)
        .events(events)
        .runnable(controller)
        .on_stuck_work(OnStuckWork::ExitProcess)
        .readyz("driver", move || standing.check());
    if flags.election.leader_elect {
        let config = flags
            .election
            .config(&identity)
            .context("leader election")?;
        manager = manager.leader_election(client, config);
    }
    if let Some(address) = flags.metrics_bind_address.0 {
        manager = manager.serve_metrics(listen(address, "metrics").await?);
    }
    if let Some(address) = flags.health_probe_bind_address.0 {
        manager = manager.serve_health(listen(address, "health checks").await?);
    }
    tracing::info!(identity, version = env!("CARGO_PKG_VERSION"), "starting");
    manager.build()?.run(shutdown).await?;
    tracing::info!(identity, "stopped");
    Ok(())
}

async fn listen(address: SocketAddr, what: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot serve {what} on {address}"))
}

/// The cluster that the flags name, else the one that the environment does.
async fn config(kubeconfig: Option<&Path>, master: Option<&str>) -> anyhow::Result<Config> {
    let mut config = match (kubeconfig, master) {
        (Some(path), _) => {
            let kubeconfig = Kubeconfig::read_from(path)
                .with_context(|| format!("cannot read the kubeconfig {}", path.display()))?;
            Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
                .await
                .with_context(|| format!("cannot use the kubeconfig {}", path.display()))?
        }
        (None, Some(master)) => match Config::infer().await {
            Ok(config) => config,
            Err(_) => Config::new(parse_url(master)?),
        },
        (None, None) => Config::infer().await.context(
            "no cluster: give --kubeconfig or --master, set $KUBECONFIG, or run in a pod",
        )?,
    };
    if let Some(master) = master {
        config.cluster_url = parse_url(master)?;
    }
    Ok(config)
}

fn parse_url(master: &str) -> anyhow::Result<http::Uri> {
    master
        .parse()
        .with_context(|| format!("--master: {master:?} is no URL such as https://127.0.0.1:6443"))
}

async fn driver(flags: &Flags, client: &Client) -> anyhow::Result<Arc<dyn Driver>> {
    let of = &flags.driver;
    Ok(match flags.vm_driver {
        DriverName::Simulated => {
            let latency = Latency::default();
            let simulated = match &of.simulated_dir {
                None => Simulated::new(latency),
                Some(directory) => Simulated::in_directory(latency, directory)?,
            };
            if of.simulated_faults > 0.0 {
                for lost in [Lost::Request, Lost::Answer] {
                    simulated.fault(Fault {
                        operation: None,
                        times: None,
                        chance: of.simulated_faults / 2.0,
                        lost,
                        error: Some(DriverError::Failed("a simulated fault".to_owned())),
                    });
                }
            }
            Arc::new(simulated)
        }
        #[cfg(target_os = "linux")]
        DriverName::Qemu => {
            let options = QemuOptions {
                image: of.image.clone().map(PathBuf::from),
                grace: of.shutdown_grace,
                ..QemuOptions::new(&of.qemu_dir)
            };
            Arc::new(Qemu::new(&options).await.context("--vm-driver=qemu")?)
        }
        DriverName::Kubevirt => {
            let options = kubevirt::Options {
                namespace: flags.namespace.clone(),
                image: of.image.clone(),
                storage_class: of.storage_class.clone(),
                grace: of.shutdown_grace,
            };
            Arc::new(KubeVirt::new(client.clone(), options))
        }
    })
}
