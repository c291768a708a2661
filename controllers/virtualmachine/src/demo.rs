//! Runs the controller with an API server of its own, to try it without a cluster.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::{Context, bail};
use codegen_runtime::app::Demo;
use codegen_runtime::kube::ResourceExt;
use codegen_runtime::kube::api::{DeleteParams, PostParams, WatchEvent, WatchParams};
use codegen_runtime::quantity::Quantity;
use futures::StreamExt;

use crate::apis::cloudnative::v1alpha1::{VirtualMachine, VirtualMachinePhase};
use crate::controller::FINALIZER;
use crate::driver::simulated::Simulated;
use crate::generated::clientset::Clientset;

/// The machine of the walkthrough.
const SAMPLE: &str = include_str!("../deploy/samples/test-vm.yaml");

/// The timeout of the walkthrough, whose steps take about a second each.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns the objects and columns of `virtualmachine-controller demo`; `driver` is the one that
/// its controller uses.
pub fn demo(driver: Simulated) -> Demo {
    Demo::new()
        .about("Starts an API server of its own and the controller with the simulated driver, to try with kubectl")
        .crds(include_str!("../deploy/crd.yaml"))
        .command_to_try("kubectl apply --server-side -f controllers/virtualmachine/deploy/samples/test-vm.yaml")
        .command_to_try("kubectl get vm -w")
        .command_to_try(
            r#"kubectl patch vm test-vm --type merge -p '{"spec":{"action":"stopped"}}'"#,
        )
        .command_to_try("kubectl get events")
        .command_to_try("kubectl delete vm test-vm")
        .walk(move |client| async move {
            let clientset = Clientset::new(client);
            let walk = tokio::time::timeout(PATIENCE, walk(&clientset, &driver));
            Ok(walk.await.context("the machine did not settle")??)
        })
}

/// Walks through the lifecycle of the sample, from its creation to the removal of its finalizer.
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

/// Formats the machine on one line.
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
