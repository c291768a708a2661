//! Writes to KubeVirt's objects, fenced by epoch and retried after conflicts.

use codegen_runtime::client::TypedClient;
use codegen_runtime::error::chain;
use codegen_runtime::k8s_openapi::api::core::v1::PersistentVolumeClaim;
use codegen_runtime::kube::api::{DeleteParams, Patch, PatchParams, Preconditions};
use codegen_runtime::kube::{self, Resource, ResourceExt};
use codegen_runtime::quantity::Quantity;
use codegen_runtime::retry::{self, DEFAULT_BACKOFF};
use serde_json::{Value, json};

use super::api::generated::clientset::typed::kubevirt::v1::VirtualMachineInstances;
use super::api::generated::clientset::typed::kubevirt::v1::VirtualMachines;
use super::{KubeVirt, Vm, Vmi, object};
use crate::driver::{DriverError, ServerRef, Term};

/// How an attempt failed.
enum Attempt {
    /// With a conflict.
    Conflict(DriverError),
    /// With any other error.
    Over(DriverError),
}

impl From<DriverError> for Attempt {
    fn from(error: DriverError) -> Self {
        Self::Over(error)
    }
}

impl From<Attempt> for DriverError {
    fn from(attempt: Attempt) -> Self {
        match attempt {
            Attempt::Conflict(error) | Attempt::Over(error) => error,
        }
    }
}

impl Attempt {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict(_))
    }

    fn of(what: &str, server: &ServerRef, error: &kube::Error) -> Self {
        let is_conflict = retry::is_conflict(error);
        let error = refusal(what, server, error);
        if is_conflict {
            Self::Conflict(error)
        } else {
            Self::Over(error)
        }
    }
}

/// Converts an API error to a driver error. Only errors of the object itself are permanent:
/// permissions, quotas and missing CRDs may be fixed while the driver retries.
pub(super) fn refusal(what: &str, server: &ServerRef, error: &kube::Error) -> DriverError {
    let text = format!("{what} KubeVirt machine {server}: {}", chain(error));
    match error {
        kube::Error::Api(status) if matches!(status.code, 400 | 422) => DriverError::Refused(text),
        _ => DriverError::Failed(text),
    }
}

impl KubeVirt {
    pub(super) fn vms(&self, server: &ServerRef) -> VirtualMachines {
        self.clientset
            .kubevirt_v1()
            .virtual_machines(&server.namespace)
    }

    pub(super) fn vmis(&self, server: &ServerRef) -> VirtualMachineInstances {
        self.clientset
            .kubevirt_v1()
            .virtual_machine_instances(&server.namespace)
    }

    /// Writes the caller's epoch to an existing server.
    pub(super) async fn claim(&self, term: &Term, server: &ServerRef) -> Result<(), DriverError> {
        self.write(term, server, true, |_| Ok(Value::Null)).await?;
        Ok(())
    }

    /// Changes a server: `edit` returns a merge patch of its spec, null if nothing should change.
    pub(super) async fn change(
        &self,
        term: &Term,
        server: &ServerRef,
        edit: impl Fn(&Vm) -> Result<Value, DriverError>,
    ) -> Result<Vm, DriverError> {
        let vm = self.write(term, server, false, edit).await?;
        vm.ok_or_else(|| DriverError::Failed(format!("server {server} does not exist")))
    }

    /// Returns `None` if there is no server. A server that is being deleted is returned unchanged
    /// if `or_leaving` is set, and an error otherwise.
    async fn write(
        &self,
        term: &Term,
        server: &ServerRef,
        or_leaving: bool,
        edit: impl Fn(&Vm) -> Result<Value, DriverError>,
    ) -> Result<Option<Vm>, DriverError> {
        let (vms, edit) = (&self.vms(server), &edit);
        let attempt = || async move {
            let Some(vm) = self.fenced(term, server).await? else {
                return Ok(None);
            };
            if vm.meta().deletion_timestamp.is_some() {
                if or_leaving {
                    return Ok(Some(vm));
                }
                let message = format!("server {server} is being deleted");
                return Err(Attempt::Over(DriverError::Failed(message)));
            }
            let spec = edit(&vm)?;
            if spec.is_null() && object::epoch(&vm) == term.epoch {
                return Ok(Some(vm));
            }
            let mut patch = json!({"metadata": {"resourceVersion": vm.resource_version()}});
            if term.epoch > 0 {
                patch["metadata"]["annotations"] = json!({object::EPOCH: term.epoch.to_string()});
            }
            if !spec.is_null() {
                patch["spec"] = spec;
            }
            let patch = Patch::Merge(patch);
            let written = vms
                .patch(&server.id(), &PatchParams::default(), &patch)
                .await;
            let written = written.map_err(|error| Attempt::of("change", server, &error))?;
            self.cache.wrote(server, &written);
            Ok(Some(written))
        };
        Ok(retry::on_error(DEFAULT_BACKOFF, Attempt::is_conflict, attempt).await?)
    }

    /// Returns the current object, if this term may write to it.
    async fn fenced(&self, term: &Term, server: &ServerRef) -> Result<Option<Vm>, DriverError> {
        let vm = self.vms(server).get_opt(&server.id()).await;
        let Some(vm) = vm.map_err(|error| refusal("read", server, &error))? else {
            return Ok(None);
        };
        if !object::owns(server, &vm) {
            let message = format!(
                "the KubeVirt machine {}/{} exists and was not created for this object",
                server.namespace,
                server.id()
            );
            return Err(DriverError::Refused(message));
        }
        let newest = object::epoch(&vm);
        if newest > term.epoch {
            let epoch = term.epoch;
            return Err(DriverError::Stale { epoch, newest });
        }
        Ok(Some(vm))
    }

    /// Deletes the machine and its dependents: the object stays until its instance and its disk are
    /// gone.
    pub(super) async fn remove(&self, term: &Term, server: &ServerRef) -> Result<(), DriverError> {
        let vms = &self.vms(server);
        let attempt = || async move {
            let Some(vm) = self.fenced(term, server).await? else {
                return Ok(self.remove_instance(server).await?);
            };
            if vm.meta().deletion_timestamp.is_some() {
                return Ok(());
            }
            let params = DeleteParams::foreground().preconditions(Preconditions {
                uid: vm.uid(),
                resource_version: vm.resource_version(),
            });
            match vms.delete(&server.id(), &params).await {
                Ok(_) => self.cache.deleted(server),
                Err(error) if is_missing(&error) => {}
                Err(error) => return Err(Attempt::of("delete", server, &error)),
            }
            Ok(())
        };
        Ok(retry::on_error(DEFAULT_BACKOFF, Attempt::is_conflict, attempt).await?)
    }

    /// Deletes an instance whose machine was deleted without it.
    async fn remove_instance(&self, server: &ServerRef) -> Result<(), DriverError> {
        let failed = |error| refusal("delete the instance of", server, &error);
        let vmis = self.vmis(server);
        let vmi: Option<Vmi> = vmis.get_opt(&server.id()).await.map_err(failed)?;
        let vmi = vmi.filter(|vmi| object::owns(server, vmi));
        let Some(vmi) = vmi.filter(|vmi| vmi.meta().deletion_timestamp.is_none()) else {
            return Ok(());
        };
        let params = DeleteParams::background().preconditions(Preconditions {
            uid: vmi.uid(),
            resource_version: None,
        });
        match vmis.delete(&server.id(), &params).await {
            Err(error) if !is_missing(&error) => Err(failed(error)),
            _ => Ok(()),
        }
    }

    /// Grows the claim of the root disk for a disk of `disk` bytes.
    pub(super) async fn grow_claim(
        &self,
        server: &ServerRef,
        disk: u64,
    ) -> Result<(), DriverError> {
        let name = &object::root_volume(&server.id());
        let claims = &TypedClient::<PersistentVolumeClaim>::namespaced(
            self.clientset.client().clone(),
            &server.namespace,
        );
        let attempt = || async move {
            let failed = |error| Attempt::of("grow the disk of", server, &error);
            let Some(claim) = claims.get_opt(name).await.map_err(failed)? else {
                let message = format!("the disk of server {server} does not exist yet");
                return Err(Attempt::Over(DriverError::Failed(message)));
            };
            let phase = claim.status.as_ref().and_then(|s| s.phase.as_deref());
            if phase != Some("Bound") {
                let message = format!(
                    "the disk of server {server} is not bound to a volume yet, so it cannot grow"
                );
                return Err(Attempt::Over(DriverError::Failed(message)));
            }
            let wanted = object::claim(&claim, disk);
            if requested(&claim) >= wanted {
                return Ok(());
            }
            let patch = Patch::Merge(json!({
                "metadata": {"resourceVersion": claim.resource_version()},
                "spec": {"resources": {"requests": {"storage": object::bytes(wanted)}}},
            }));
            let grown = claims.patch(name, &PatchParams::default(), &patch).await;
            grown.map(drop).map_err(failed)
        };
        Ok(retry::on_error(DEFAULT_BACKOFF, Attempt::is_conflict, attempt).await?)
    }
}

fn requested(claim: &PersistentVolumeClaim) -> u64 {
    let resources = claim.spec.as_ref().and_then(|spec| spec.resources.as_ref());
    let requests = resources.and_then(|resources| resources.requests.as_ref());
    let storage = requests.and_then(|requests| requests.get("storage"));
    let amount = storage.and_then(|storage| Quantity::new(&storage.0).amount().ok());
    u64::try_from(amount.map_or(0, |amount| amount.value())).unwrap_or(0)
}

fn is_missing(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.is_not_found())
}
