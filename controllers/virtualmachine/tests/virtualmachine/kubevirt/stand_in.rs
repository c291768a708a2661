//! A stand-in for KubeVirt and CDI: gives each machine a claim, an instance while it should run,
//! and a status.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::k8s_openapi::api::core::v1::PersistentVolumeClaim;
use codegen_runtime::k8s_openapi::api::storage::v1::StorageClass;
use codegen_runtime::kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use codegen_runtime::kube::{self, Api, Client, Resource, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use virtualmachine_controller::driver::kubevirt::api::apis::kubevirt::v1 as api;

const FINALIZER: &str = "kubevirt.io/virtualMachineControllerFinalize";
const STORAGE_CLASS: &str = "kubevirt-driver-expandable";

pub(crate) struct StandIn {
    vms: Api<api::VirtualMachine>,
    vmis: Api<api::VirtualMachineInstance>,
    claims: Api<PersistentVolumeClaim>,
    /// Whether the cluster has a garbage collector.
    collects: bool,
    /// A status reported for every machine instead of the real one.
    says: Mutex<Option<Value>>,
}

impl StandIn {
    pub(crate) async fn start(
        client: Client,
        namespace: &str,
        collects: bool,
        stop: &CancellationToken,
    ) -> Arc<Self> {
        let class: StorageClass = serde_json::from_value(json!({
            "metadata": {"name": STORAGE_CLASS}, "provisioner": "stand-in.invalid", "allowVolumeExpansion": true,
        }))
        .expect("a storage class");
        let classes: Api<StorageClass> = Api::all(client.clone());
        match classes.create(&PostParams::default(), &class).await {
            Err(error) if !error.to_string().contains("already exists") => panic!("{error}"),
            _ => {}
        }
        let stand_in = Arc::new(Self {
            vms: Api::namespaced(client.clone(), namespace),
            vmis: Api::namespaced(client.clone(), namespace),
            claims: Api::namespaced(client, namespace),
            collects,
            says: Mutex::default(),
        });
        let (worker, stop) = (stand_in.clone(), stop.clone());
        tokio::spawn(async move {
            while !stop.is_cancelled() {
                let vms = worker.vms.list(&ListParams::default()).await;
                for vm in vms.into_iter().flat_map(|vms| vms.items) {
                    // Failures are retried in the next round.
                    let _ = worker.work(&vm).await;
                }
                tokio::time::sleep(Duration::from_millis(15)).await;
            }
        });
        stand_in
    }

    /// Overrides the status of every machine from now on; `None` removes the override.
    pub(crate) fn say(&self, status: Option<Value>) {
        *self.says.lock() = status;
    }

    fn said(&self) -> Option<Value> {
        let says = self.says.lock();
        says.clone()
    }

    pub(crate) async fn claim(&self, vm: &str) -> Option<PersistentVolumeClaim> {
        let claim = self.claims.get_opt(&format!("{vm}-root")).await;
        claim.expect("an answer")
    }

    /// Removes everything that would block the namespace's deletion.
    pub(crate) async fn clear(&self) {
        wipe(&self.vms).await;
        wipe(&self.vmis).await;
        wipe(&self.claims).await;
    }

    async fn work(&self, vm: &api::VirtualMachine) -> kube::Result<()> {
        let name = &vm.name_any();
        if vm.meta().deletion_timestamp.is_some() {
            return self.finish(vm).await;
        }
        if vm.labels().is_empty() {
            return Ok(());
        }
        if !vm
            .finalizers()
            .iter()
            .any(|finalizer| finalizer == FINALIZER)
        {
            let patch = json!({"metadata": {"finalizers": [FINALIZER]}});
            merge(&self.vms, name, &patch).await?;
        }
        self.provide_claim(vm).await?;
        let vmi = self.vmis.get_opt(name).await?;
        let phase = vmi
            .as_ref()
            .and_then(|vmi| vmi.status.as_ref()?.phase.clone());
        let on = vm.spec.run_strategy.as_deref() == Some("Always");
        let status = match (on, vmi.is_some(), phase.as_deref()) {
            (true, false, _) => {
                self.launch(vm).await?;
                json!({"created": true, "ready": false, "printableStatus": "Starting"})
            }
            (true, true, Some("Running")) => {
                json!({"created": true, "ready": true, "printableStatus": "Running"})
            }
            (true, true, _) => {
                // KubeVirt's instances have no status subresource.
                let status = json!({"status": {"phase": "Running"}});
                merge(&self.vmis, name, &status).await?;
                json!({"created": true, "ready": false, "printableStatus": "Starting"})
            }
            (false, true, _) => {
                self.say_of(
                    vm,
                    json!({"created": true, "ready": false, "printableStatus": "Stopping"}),
                )
                .await?;
                self.vmis.delete(name, &DeleteParams::background()).await?;
                return Ok(());
            }
            (false, false, _) => {
                json!({"created": false, "ready": false, "printableStatus": "Stopped"})
            }
        };
        self.say_of(vm, status).await
    }

    async fn say_of(&self, vm: &api::VirtualMachine, truth: Value) -> kube::Result<()> {
        let status = self.said().unwrap_or(truth);
        let now = serde_json::to_value(&vm.status).unwrap_or_default();
        let differs = |(key, value): (&String, &Value)| now.get(key) != Some(value);
        if status
            .as_object()
            .is_some_and(|status| status.iter().any(differs))
        {
            let patch = Patch::Merge(json!({"status": status}));
            self.vms
                .patch_status(&vm.name_any(), &PatchParams::default(), &patch)
                .await?;
        }
        Ok(())
    }

    async fn launch(&self, vm: &api::VirtualMachine) -> kube::Result<()> {
        let template = &vm.spec.template;
        let metadata = template.metadata.clone().flatten().unwrap_or_default();
        let mut metadata = json!(metadata);
        metadata["name"] = json!(vm.name_any());
        metadata["ownerReferences"] = json!([owner(vm)]);
        let vmi = json!({
            "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance",
            "metadata": metadata, "spec": template.spec,
        });
        let vmi = serde_json::from_value(vmi).map_err(kube::Error::SerdeError)?;
        self.vmis.create(&PostParams::default(), &vmi).await?;
        Ok(())
    }

    /// Creates the claim of a root disk, bound, and slightly larger than the disk, as CDI does.
    async fn provide_claim(&self, vm: &api::VirtualMachine) -> kube::Result<()> {
        let name = format!("{}-root", vm.name_any());
        if self.claims.get_opt(&name).await?.is_some() {
            return Ok(());
        }
        let claim = json!({
            "metadata": {"name": name, "ownerReferences": [owner(vm)]},
            "spec": {
                "accessModes": ["ReadWriteOnce"], "storageClassName": STORAGE_CLASS, "volumeMode": "Filesystem",
                "volumeName": name, "resources": {"requests": {"storage": "42Gi"}},
            },
        });
        let claim = serde_json::from_value(claim).map_err(kube::Error::SerdeError)?;
        self.claims.create(&PostParams::default(), &claim).await?;
        let status = json!({"status": {"phase": "Bound", "capacity": {"storage": "42Gi"}}});
        self.claims
            .patch_status(&name, &PatchParams::default(), &Patch::Merge(status))
            .await?;
        Ok(())
    }

    /// Removes the instance and the claim, then the machine's finalizer.
    async fn finish(&self, vm: &api::VirtualMachine) -> kube::Result<()> {
        let name = &vm.name_any();
        self.say_of(vm, json!({"printableStatus": "Terminating"}))
            .await?;
        if self.vmis.get_opt(name).await?.is_some() {
            self.vmis.delete(name, &DeleteParams::background()).await?;
            return Ok(());
        }
        let claim = &format!("{name}-root");
        if self.claims.get_opt(claim).await?.is_some() {
            let _ = self.claims.delete(claim, &DeleteParams::background()).await;
            // A real cluster protects claims, and has a controller that removes the protection.
            let _ = merge(
                &self.claims,
                claim,
                &json!({"metadata": {"finalizers": null}}),
            )
            .await;
            return Ok(());
        }
        let kept = vm.finalizers().iter();
        let kept: Vec<&String> = kept
            .filter(|finalizer| *finalizer != FINALIZER && self.collects)
            .collect();
        if kept.len() < vm.finalizers().len() {
            let patch =
                json!({"metadata": {"resourceVersion": vm.resource_version(), "finalizers": kept}});
            merge(&self.vms, name, &patch).await?;
        }
        Ok(())
    }
}

fn owner(vm: &api::VirtualMachine) -> Value {
    json!({
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "name": vm.name_any(), "uid": vm.uid(),
        "controller": true, "blockOwnerDeletion": true,
    })
}

async fn merge<K>(api: &Api<K>, name: &str, patch: &Value) -> kube::Result<()>
where
    K: Clone + DeserializeOwned + std::fmt::Debug,
{
    api.patch(name, &PatchParams::default(), &Patch::Merge(patch))
        .await?;
    Ok(())
}

async fn wipe<K>(api: &Api<K>)
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug,
{
    let objects = api.list(&ListParams::default()).await.expect("a list");
    for object in objects {
        let name = &object.name_any();
        let _ = api.delete(name, &DeleteParams::background()).await;
        let _ = merge(api, name, &json!({"metadata": {"finalizers": null}})).await;
    }
}
