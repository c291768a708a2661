//! Persistent volumes and persistent volume claims.

use serde_json::{Value, json};

use super::claims;
use super::defaults::set;
use super::pods::default_source;
use crate::field::FieldError;
use crate::metadata::object::{child, fields, is_deleting, text};
use crate::registry::{Cluster, Strategy};
use crate::table::cells::{age, items, name, text_or};
use crate::table::{Printer, col, columns, wide};
use crate::types::scalars::rfc3339;

#[derive(Debug)]
pub(super) struct PersistentVolume;

impl Strategy for PersistentVolume {
    fn set_defaults(&self, object: &mut Value) {
        let spec = child(fields(object), "spec");
        set(spec, "persistentVolumeReclaimPolicy", "Retain");
        set(spec, "volumeMode", "Filesystem");
        default_source(spec);
    }

    fn prepare_create(&self, cluster: &dyn Cluster, object: &mut Value) {
        let status = json!({"phase": "Pending", "lastPhaseTransitionTime": rfc3339(cluster.now())});
        fields(object).insert("status".into(), status);
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let claim = match text(o, &["spec", "claimRef", "name"]) {
                "" => String::new(),
                name => format!("{}/{name}", text(o, &["spec", "claimRef", "namespace"])),
            };
        }
            col("Name") => name(o),
            col("Capacity") => text(o, &["spec", "capacity", "storage"]),
            col("Access Modes") => access_modes(o, &["spec", "accessModes"]),
            col("Reclaim Policy") => text(o, &["spec", "persistentVolumeReclaimPolicy"]),
            col("Status") => phase(o),
            col("Claim") => claim,
            col("StorageClass") => text(o, &["spec", "storageClassName"]),
            col("VolumeAttributesClass") => text_or(o, &["spec", "volumeAttributesClassName"], "<unset>"),
            col("Reason") => text(o, &["status", "reason"]),
            col("Age") => age(o),
            wide("VolumeMode") => text_or(o, &["spec", "volumeMode"], "<unset>"),
        }
    }
}

#[derive(Debug)]
pub(super) struct PersistentVolumeClaim;

impl Strategy for PersistentVolumeClaim {
    fn set_defaults(&self, object: &mut Value) {
        set(child(fields(object), "spec"), "volumeMode", "Filesystem");
    }

    fn prepare_create(&self, _cluster: &dyn Cluster, object: &mut Value) {
        fields(object).insert("status".into(), json!({"phase": "Pending"}));
        claims::settle_sources(&Value::Null, object);
    }

    fn prepare_update(&self, old: &Value, new: &mut Value) {
        claims::settle_sources(&old["spec"], new);
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        claims::validate(object)
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        claims::validate_update(old, new)
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let bound = !text(o, &["spec", "volumeName"]).is_empty();
        }
            col("Name") => name(o),
            col("Status") => phase(o),
            col("Volume") => text(o, &["spec", "volumeName"]),
            col("Capacity") => if bound { text(o, &["status", "capacity", "storage"]) } else { "" },
            col("Access Modes") => if bound { access_modes(o, &["status", "accessModes"]) } else { json!("") },
            col("StorageClass") => text(o, &["spec", "storageClassName"]),
            col("VolumeAttributesClass") => text_or(o, &["spec", "volumeAttributesClassName"], "<unset>"),
            col("Age") => age(o),
            wide("VolumeMode") => text_or(o, &["spec", "volumeMode"], "<unset>"),
        }
    }
}

fn access_modes(o: &Value, path: &[&str]) -> Value {
    let short = |mode: &Value| {
        match mode.as_str() {
            Some("ReadWriteOnce") => "RWO",
            Some("ReadOnlyMany") => "ROX",
            Some("ReadWriteMany") => "RWX",
            Some("ReadWriteOncePod") => "RWOP",
            _ => "",
        }
        .to_owned()
    };
    json!(
        items(o, path)
            .iter()
            .map(short)
            .collect::<Vec<_>>()
            .join(",")
    )
}

fn phase(o: &Value) -> Value {
    if is_deleting(o) {
        return json!("Terminating");
    }
    json!(text(o, &["status", "phase"]))
}
