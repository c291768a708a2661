//! The program: builds driver, controller and manager from the flags.

use std::path::PathBuf;
use std::sync::Arc;

#[cfg(target_os = "linux")]
use anyhow::Context as _;
use codegen_runtime::app::{App, AppError, Invocation, Process};
use codegen_runtime::kube::Client;
use codegen_runtime::manager::ManagerBuilder;
use tokio_util::sync::CancellationToken;

use crate::cli::{self, DriverName, Flags};
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

/// Returns the program, without its demo.
pub fn app() -> App {
    App::new("virtualmachine-controller", env!("CARGO_PKG_VERSION"))
        .about(
            "Runs virtual machines that are declared as Kubernetes objects\n\nWithout a kubeconfig it uses the one of $KUBECONFIG or \
             ~/.kube/config, and in a pod the pod's service account.",
        )
        .reporter(REPORTER)
        .sharded()
        .adjust_command(cli::help)
}

/// Builds a manager with the controller and the driver that the flags select; `simulated` is the
/// driver for simulated servers without a directory.
///
/// # Errors
///
/// If a program, file or directory that the flags name is missing.
pub async fn setup(
    process: Process,
    flags: Flags,
    simulated: Simulated,
) -> anyhow::Result<ManagerBuilder> {
    flags.check()?;
    let driver = driver(&process, &flags, simulated).await?;
    setup_with(process, &flags, driver)
}

/// Runs the controller with the caller's client and driver, until `shutdown` is cancelled.
///
/// # Errors
///
/// As [`App::run`].
pub async fn run_with(
    client: Client,
    driver: Arc<dyn Driver>,
    invocation: Invocation<Flags>,
    shutdown: &CancellationToken,
) -> Result<(), AppError> {
    let setup = async |process, own: Flags| setup_with(process, &own, driver);
    let Invocation { flags, own, .. } = invocation;
    app().run_with(client, flags, own, setup, shutdown).await
}

fn setup_with(
    process: Process,
    flags: &Flags,
    driver: Arc<dyn Driver>,
) -> anyhow::Result<ManagerBuilder> {
    let factory = SharedInformerFactory::from(process.factory());
    let common = process.flags();
    let controller = VirtualMachineController::new(
        Clientset::new(process.client().clone()),
        &factory,
        driver,
        process.identity(),
        process.recorder(),
        process.metrics(),
        Options {
            workers: process.threads(),
            namespaces: common.namespaces.clone(),
            orphan_period: common.resync_period,
            remove_orphans_after: flags.driver.remove_orphans_after,
            ..Options::default()
        },
    );
    let controller = controller.sharded(process.sharding())?;
    let fencing = controller.fencing().clone();
    let manager = process.manager(&factory)?.runnable(controller);
    Ok(manager.readyz("driver", move || fencing.check()))
}

async fn driver(
    process: &Process,
    flags: &Flags,
    simulated: Simulated,
) -> anyhow::Result<Arc<dyn Driver>> {
    let of = &flags.driver;
    Ok(match flags.vm_driver {
        DriverName::Simulated => {
            let simulated = match &of.simulated_dir {
                None => simulated,
                Some(directory) => Simulated::in_directory(Latency::default(), directory)?,
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
                namespaces: process.flags().namespaces.clone(),
                image: of.image.clone(),
                storage_class: of.storage_class.clone(),
                grace: of.shutdown_grace,
            };
            Arc::new(KubeVirt::new(process.client().clone(), options))
        }
    })
}
