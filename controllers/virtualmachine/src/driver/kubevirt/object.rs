//! KubeVirt's object for a server: creation, identification and changes.

use std::collections::BTreeMap;

use codegen_runtime::k8s_openapi::api::core::v1::{
    PersistentVolumeClaim, PersistentVolumeClaimSpec, VolumeResourceRequirements,
};
use codegen_runtime::k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use codegen_runtime::kube::{Resource, ResourceExt};
use codegen_runtime::quantity::Amount;
use codegen_runtime::store::ObjectKey;
use serde_json::{Value, json};

use super::Options;
use super::api::apis::kubevirt::v1::{
    VirtualMachine as Vm, VirtualMachineDataVolumeTemplates, VirtualMachineDataVolumeTemplatesSpec,
    VirtualMachineDiskDisk, VirtualMachineInstanceCpu, VirtualMachineInstanceDataVolume,
    VirtualMachineInstanceDevices, VirtualMachineInstanceDisks, VirtualMachineInstanceDomain,
    VirtualMachineInstanceMemory, VirtualMachineInstanceSpec, VirtualMachineInstanceVolumes,
    VirtualMachineRegistry, VirtualMachineSource, VirtualMachineSpec, VirtualMachineTemplate,
};
use crate::apis::cloudnative::v1alpha1::VirtualMachine;
use crate::driver::{DriverError, Power, Resources, ServerRef, ServerSpec, Term};

const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
const MANAGER: &str = "virtualmachine-controller";
const UID: &str = "cloudnative.czs/virtualmachine-uid";
/// The name of our object. An annotation, since a label value may be too short for a name.
const NAME: &str = "cloudnative.czs/virtualmachine";
/// The newest epoch that wrote the object.
pub(super) const EPOCH: &str = "cloudnative.czs/epoch";
/// The name of the disk and the volume in the machine.
const ROOT: &str = "root";

/// Returns the label selector of the objects that this driver created.
pub(super) fn selector() -> String {
    format!("{MANAGED_BY}={MANAGER}")
}

/// Returns the name of the root disk's data volume and claim.
pub(super) fn root_volume(id: &str) -> String {
    format!("{id}-root")
}

/// Whether KubeVirt's object belongs to `server`.
pub(super) fn owns(server: &ServerRef, object: &impl Resource) -> bool {
    let meta = object.meta();
    let label = meta.labels.as_ref().and_then(|labels| labels.get(UID));
    let owner = |owner: &OwnerReference| owner.uid == server.uid;
    label.is_some_and(|uid| *uid == server.uid)
        || meta
            .owner_references
            .as_ref()
            .is_some_and(|owners| owners.iter().any(owner))
}

/// Returns the key of our object for an object of KubeVirt's.
pub(super) fn key_of(object: &impl Resource) -> Option<ObjectKey> {
    let name = object.annotations().get(NAME)?;
    Some(ObjectKey::new(object.namespace().as_deref(), name))
}

/// Returns the server that KubeVirt's object belongs to; `None` if its metadata does not identify
/// one.
pub(super) fn server_of(object: &impl Resource) -> Option<ServerRef> {
    Some(ServerRef {
        namespace: object.namespace()?,
        name: object.annotations().get(NAME)?.clone(),
        uid: object.labels().get(UID)?.clone(),
    })
}

/// Returns the newest epoch that wrote the object; 0 if it is missing or malformed.
pub(super) fn epoch(vm: &Vm) -> u64 {
    let written = vm.annotations().get(EPOCH);
    written.and_then(|epoch| epoch.parse().ok()).unwrap_or(0)
}

pub(super) fn run_strategy(power: Power) -> &'static str {
    match power {
        Power::On => "Always",
        Power::Off => "Halted",
    }
}

/// Builds the object for a new server.
pub(super) fn vm(server: &ServerRef, term: &Term, spec: &ServerSpec, options: &Options) -> Vm {
    let id = server.id();
    let labels = BTreeMap::from([
        (MANAGED_BY.to_owned(), MANAGER.to_owned()),
        (UID.to_owned(), server.uid.clone()),
    ]);
    let name = BTreeMap::from([(NAME.to_owned(), server.name.clone())]);
    // KubeVirt copies these to the instance, so that it can be found and identified as well.
    let instance = BTreeMap::from([
        ("labels".to_owned(), json!(labels)),
        ("annotations".to_owned(), json!(name)),
    ]);
    let mut annotations = name;
    if term.epoch > 0 {
        annotations.insert(EPOCH.to_owned(), term.epoch.to_string());
    }
    Vm {
        metadata: ObjectMeta {
            namespace: Some(server.namespace.clone()),
            name: Some(id.clone()),
            labels: Some(labels),
            annotations: Some(annotations),
            owner_references: Some(vec![owner(server)]),
            ..ObjectMeta::default()
        },
        spec: VirtualMachineSpec {
            run_strategy: Some(run_strategy(spec.power).to_owned()),
            data_volume_templates: Some(vec![Some(root_template(
                &id,
                spec.resources.disk,
                options,
            ))]),
            template: VirtualMachineTemplate {
                metadata: Some(Some(instance)),
                spec: Some(instance_spec(&id, &spec.resources, options)),
            },
            ..VirtualMachineSpec::default()
        },
        status: None,
    }
}

fn owner(server: &ServerRef) -> OwnerReference {
    OwnerReference {
        api_version: VirtualMachine::api_version(&()).into_owned(),
        kind: VirtualMachine::kind(&()).into_owned(),
        name: server.name.clone(),
        uid: server.uid.clone(),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }
}

fn root_template(id: &str, disk: u64, options: &Options) -> VirtualMachineDataVolumeTemplates {
    let source = match &options.image {
        None => VirtualMachineSource {
            blank: Some(BTreeMap::new()),
            ..Default::default()
        },
        Some(image) => VirtualMachineSource {
            registry: Some(VirtualMachineRegistry {
                url: Some(image.clone()),
                ..Default::default()
            }),
            ..Default::default()
        },
    };
    let requests = BTreeMap::from([("storage".to_owned(), bytes(disk))]);
    VirtualMachineDataVolumeTemplates {
        metadata: Some(Some(BTreeMap::from([(
            "name".to_owned(),
            json!(root_volume(id)),
        )]))),
        spec: VirtualMachineDataVolumeTemplatesSpec {
            source: Some(source),
            // `storage` instead of `pvc`: CDI then chooses the access modes and adds the file
            // system overhead.
            storage: Some(PersistentVolumeClaimSpec {
                resources: Some(VolumeResourceRequirements {
                    requests: Some(requests),
                    ..Default::default()
                }),
                storage_class_name: options.storage_class.clone(),
                ..Default::default()
            }),
            ..Default::default()
        },
        ..Default::default()
    }
}

fn instance_spec(id: &str, resources: &Resources, options: &Options) -> VirtualMachineInstanceSpec {
    let grace = i64::try_from(options.grace.as_secs()).unwrap_or(i64::MAX);
    VirtualMachineInstanceSpec {
        domain: VirtualMachineInstanceDomain {
            cpu: Some(VirtualMachineInstanceCpu {
                cores: Some(cores(resources.cpus)),
                sockets: Some(1),
                threads: Some(1),
                ..Default::default()
            }),
            memory: Some(VirtualMachineInstanceMemory {
                guest: Some(bytes(resources.memory)),
                ..Default::default()
            }),
            devices: VirtualMachineInstanceDevices {
                disks: Some(vec![VirtualMachineInstanceDisks {
                    name: ROOT.to_owned(),
                    disk: Some(VirtualMachineDiskDisk {
                        bus: Some("virtio".to_owned()),
                        ..Default::default()
                    }),
                    ..Default::default()
                }]),
                ..Default::default()
            },
            ..Default::default()
        },
        volumes: Some(vec![VirtualMachineInstanceVolumes {
            name: ROOT.to_owned(),
            data_volume: Some(VirtualMachineInstanceDataVolume {
                name: root_volume(id),
                ..Default::default()
            }),
            ..Default::default()
        }]),
        termination_grace_period_seconds: Some(grace),
        ..Default::default()
    }
}

/// Builds the merge patch of `spec` that resizes a server. A merge patch replaces the list of data
/// volumes as a whole, so it is built from the current list.
///
/// # Errors
///
/// If the root disk is no longer in the list.
pub(super) fn resize(
    server: &ServerRef,
    vm: &Vm,
    wanted: &Resources,
) -> Result<Value, DriverError> {
    let root = root_volume(&server.id());
    let mut volumes = serde_json::to_value(&vm.spec.data_volume_templates)
        .map_err(|error| DriverError::failed("data volumes", error))?;
    let request = volumes
        .as_array_mut()
        .into_iter()
        .flatten()
        .find(|volume| volume.pointer("/metadata/name") == Some(&json!(root)))
        .and_then(|volume| volume.pointer_mut("/spec/storage/resources/requests/storage"));
    let Some(request) = request else {
        let message = format!("server {server} no longer has the data volume {root}");
        return Err(DriverError::Refused(message));
    };
    *request = json!(bytes(wanted.disk));
    Ok(json!({
        "dataVolumeTemplates": volumes,
        "template": {"spec": {"domain": {
            "cpu": {"cores": cores(wanted.cpus), "sockets": 1, "threads": 1},
            "memory": {"guest": bytes(wanted.memory)},
        }}},
    }))
}

/// Returns the size of a claim for a disk of `disk` bytes. On a file system CDI reserves an
/// overhead, 6 % by default, and enlarges the claims it creates accordingly; a resize does the same
/// by adding a fifteenth.
pub(super) fn claim(claim: &PersistentVolumeClaim, disk: u64) -> u64 {
    let mode = claim
        .spec
        .as_ref()
        .and_then(|spec| spec.volume_mode.as_deref());
    if mode == Some("Block") {
        disk
    } else {
        disk.saturating_add(disk.div_ceil(15))
    }
}

fn cores(cpus: u32) -> i32 {
    i32::try_from(cpus).unwrap_or(i32::MAX)
}

/// Formats bytes with the suffix that leaves the shorter number: `4G`, `512Mi`.
pub(super) fn bytes(bytes: u64) -> Quantity {
    let amount = Amount::from_units(i64::try_from(bytes).unwrap_or(i64::MAX));
    let (binary, decimal) = (amount.to_binary(), amount.to_decimal());
    let shorter = if binary.as_str().len() <= decimal.as_str().len() {
        binary
    } else {
        decimal
    };
    Quantity(shorter.as_str().to_owned())
}
