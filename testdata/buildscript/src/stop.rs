//! The code of docs/migrating-from-kopium.md, which quotes it.

use codegen_runtime::kube::api::{Api, ListParams, PostParams};
use codegen_runtime::kube::{self, Client, ResourceExt};

use crate::kubernetes::apis::cloudnative::v1alpha1::{VirtualMachine, VirtualMachinePhase};

/// Stops the active machines of a namespace; returns their names.
pub async fn stop_all(client: Client, namespace: &str) -> kube::Result<Vec<String>> {
    let machines = Api::<VirtualMachine>::namespaced(client, namespace);
    let mut stopped = Vec::new();
    for mut machine in machines.list(&ListParams::default()).await? {
        let status = machine.status.as_ref();
        let phase = status.and_then(|status| status.phase.as_ref());
        if phase != Some(&VirtualMachinePhase::Active) {
            continue;
        }
        let name = machine.name_any();
        machine.spec.action = "stopped".to_owned();
        machines
            .replace(&name, &PostParams::default(), &machine)
            .await?;
        stopped.push(name);
    }
    Ok(stopped)
}

#[cfg(test)]
mod tests {
    use codegen_runtime::fake;
    use serde_json::json;

    use super::*;

    const MACHINES: fake::Resource = fake::Resource {
        group: "cloudnative.czs",
        version: "v1alpha1",
        kind: "VirtualMachine",
        plural: "virtualmachines",
        singular: "virtualmachine",
        scope: fake::Scope::Namespaced,
        short_names: &[],
        status: true,
        scale: None,
    };

    fn machine(name: &str, phase: &str) -> VirtualMachine {
        serde_json::from_value(json!({
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"action": "active"},
            "status": {"phase": phase},
        }))
        .unwrap()
    }

    #[tokio::test]
    async fn active_machines_are_stopped() {
        let machines = [machine("one", "Active"), machine("two", "Creating")];
        let (client, tracker) = fake::serve(&[MACHINES], machines);
        assert_eq!(stop_all(client, "default").await.unwrap(), ["one"]);
        let stored: VirtualMachine = tracker.get("default", "one").unwrap();
        assert_eq!(stored.spec.action, "stopped");
    }
}
