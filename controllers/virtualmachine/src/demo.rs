//! The controller on an API server of its own: to try it without a cluster.

use std::future::Future;
use std::io::{self, Write};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Parser;
use codegen_runtime::kube::ResourceExt;
use codegen_runtime::kube::api::{DeleteParams, PostParams, WatchEvent, WatchParams};
use codegen_runtime::quantity::Quantity;
use embedded_apiserver::ApiServer;
use futures::StreamExt;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::apis::cloudnative::v1alpha1::{VirtualMachine, VirtualMachinePhase};
use crate::app;
use crate::cli::{Cli, DemoFlags};
use crate::controller::FINALIZER;
use crate::driver::simulated::{Latency, Simulated};
use crate::generated::clientset::Clientset;

/// The CRD that is deployed.
const CRD: &str = include_str!("../deploy/crd.yaml");

/// The machine of the walk.
const SAMPLE: &str = include_str!("../deploy/samples/test-vm.yaml");

/// Time for the walk: each step takes about a second.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts the API server and the controller. Then plays one machine's life, or stays until `shutdown` is cancelled.
///
/// # Errors
///
/// If the address is taken, the kubeconfig can't be written, or the machine doesn't do what it should.
pub async fn run(flags: &DemoFlags, shutdown: &CancellationToken) -> anyhow::Result<()> {
    let crd: Value = serde_saphyr::from_str(CRD).context("deploy/crd.yaml")?;
    let server = ApiServer::builder().crd_values([crd]).build()?;
    let driver = Simulated::new(Latency::default());
    let stop = shutdown.child_token();
    let controller_flags = Cli::try_parse_from(["virtualmachine-controller"])?.flags;
    let controller = app::run_with(
        server.client(),
        Arc::new(driver.clone()),
        controller_flags,
        &stop,
    );
    let play = async {
        if flags.once {
            let clientset = Clientset::new(server.client());
            let walk = tokio::time::timeout(PATIENCE, walk(&clientset, &driver));
            walk.await.context("the machine did not settle")?
        } else {
            stay(flags, &server, &stop).await
        }
    };
    beside(controller, play, &stop).await
}

/// Runs `play` beside the controller, and stops that afterwards.
async fn beside(
    controller: impl Future<Output = anyhow::Result<()>>,
    play: impl Future<Output = anyhow::Result<()>>,
    stop: &CancellationToken,
) -> anyhow::Result<()> {
    let mut controller = pin!(controller);
    let played = tokio::select! {
        ended = &mut controller => return ended,
        played = play => played,
    };
    stop.cancel();
    controller.await?;
    played
}

/// Serves until `stop` is cancelled.
async fn stay(
    flags: &DemoFlags,
    server: &ApiServer,
    stop: &CancellationToken,
) -> anyhow::Result<()> {
    let serving = server
        .serve(flags.listen)
        .await
        .with_context(|| format!("cannot listen on {}", flags.listen))?;
    let path = &flags.kubeconfig;
    std::fs::write(path, serving.kubeconfig("demo"))
        .with_context(|| format!("cannot write {}", path.display()))?;
    say(&instructions(path))?;
    stop.cancelled().await;
    serving.shutdown().await;
    Ok(())
}

fn instructions(kubeconfig: &Path) -> String {
    format!(
        "The API server and the controller run. In another terminal:

  export KUBECONFIG={}
  kubectl apply --server-side -f controllers/virtualmachine/deploy/samples/test-vm.yaml
  kubectl get vm -w
  kubectl patch vm test-vm --type merge -p '{{\"spec\":{{\"action\":\"stopped\"}}}}'
  kubectl get events
  kubectl delete vm test-vm

Ctrl-C ends it.",
        kubeconfig.display()
    )
}

/// The life of the sample: from its creation to the end of its finalizer.
async fn walk(clientset: &Clientset, driver: &Simulated) -> anyhow::Result<()> {
    let mut sample: VirtualMachine =
        serde_saphyr::from_str(SAMPLE).context("deploy/samples/test-vm.yaml")?;
    sample.metadata.namespace = Some("default".to_owned());
    let name = sample.name_any();
    let machines = clientset.cloudnative_v1alpha1().virtual_machines("default");
    let created = machines.create(&sample, &PostParams::default()).await?;
    say(&format!("virtualmachine.cloudnative.czs/{name} created"))?;

    let from = created.resource_version().unwrap_or_default();
    let watch = WatchParams::default().fields(&format!("metadata.name={name}"));
    let mut events = machines.watch(&watch, &from).await?.boxed();
    let mut phase = VirtualMachinePhase::None;
    while let Some(event) = events.next().await {
        match event? {
            WatchEvent::Added(machine) | WatchEvent::Modified(machine) => {
                let status = machine.status.clone().unwrap_or_default();
                if status.phase == phase {
                    continue;
                }
                phase = status.phase;
                say(&line(&machine))?;
                match phase {
                    VirtualMachinePhase::Active => {
                        drop(machines.delete(&name, &DeleteParams::default()).await?);
                        say(&format!("virtualmachine.cloudnative.czs/{name} deleted"))?;
                    }
                    VirtualMachinePhase::Terminating => {
                        say(&format!(
                            "  held by its finalizer {}",
                            machine.finalizers().join(", ")
                        ))?;
                    }
                    VirtualMachinePhase::Failed => bail!("{name} failed: {}", status.reason),
                    _ => {}
                }
            }
            WatchEvent::Deleted(_) => {
                let left = driver.cloud()?.servers.len();
                if left > 0 {
                    bail!("{name} is gone, and {left} servers are left");
                }
                return say(&format!(
                    "{name} is gone: {FINALIZER} removed its server first"
                ));
            }
            WatchEvent::Bookmark(_) => {}
            WatchEvent::Error(status) => bail!("the watch failed: {}", status.message),
        }
    }
    bail!("the watch ended before {name} was gone")
}

/// The machine in one line.
fn line(machine: &VirtualMachine) -> String {
    let status = machine.status.clone().unwrap_or_default();
    let (name, phase) = (machine.name_any(), format!("{:?}", status.phase));
    let Some(server) = status.server else {
        return format!("  {name}  {phase}");
    };
    let text = |quantity: Option<Quantity>| quantity.map_or("-".to_owned(), |it| it.to_string());
    let (cpu, memory) = match server.usage {
        Some(usage) => (Some(usage.cpu), Some(usage.memory)),
        None => (None, None),
    };
    format!(
        "  {name}  {phase:<11}  cpu {:<5} memory {:<7} server {}",
        text(cpu),
        text(memory),
        server.id
    )
}

fn say(line: &str) -> anyhow::Result<()> {
    Ok(writeln!(io::stdout(), "{line}")?)
}
