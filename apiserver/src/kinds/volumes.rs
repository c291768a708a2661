//! Persistent volumes and persistent volume claims.

use serde_json::{Value, json};

use super::claims;
use super::defaults::set;
use super::pods::default_source;
use crate::field::FieldError;
use crate::metadata::object::{child, fields, is_deleting, text};
use crate::registry::{Cluster, Strategy};
use crate::table::cells::{age, items, name, text_or};
use crate::table::{Printer, col, wide};
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
        static PRINTER: Printer = Printer::new(
            &[
                col("Name"),
                col("Capacity"),
                col("Access Modes"),
                col("Reclaim Policy"),
                col("Status"),
                col("Claim"),
                col("StorageClass"),
                col("VolumeAttributesClass"),
                col("Reason"),
                col("Age"),
                wide("VolumeMode"),
            ],
            volume_cells,
        );
        &PRINTER
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

    fn prepare_update(
        &self,
        _cluster: &dyn Cluster,
        subresource: &str,
        old: &Value,
        new: &mut Value,
    ) {
        if subresource.is_empty() {
            claims::settle_sources(&old["spec"], new);
        }
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        claims::validate(object)
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        claims::validate_update(old, new)
    }

    fn printer(&self) -> &'static Printer {
        static PRINTER: Printer = Printer::new(
            &[
                col("Name"),
                col("Status"),
                col("Volume"),
                col("Capacity"),
                col("Access Modes"),
                col("StorageClass"),
                col("VolumeAttributesClass"),
                col("Age"),
                wide("VolumeMode"),
            ],
            claim_cells,
        );
        &PRINTER
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

fn volume_cells(o: &Value) -> Vec<Value> {
    let claim = match text(o, &["spec", "claimRef", "name"]) {
        "" => String::new(),
        name => format!("{}/{name}", text(o, &["spec", "claimRef", "namespace"])),
    };
    vec![
        name(o),
        json!(text(o, &["spec", "capacity", "storage"])),
        access_modes(o, &["spec", "accessModes"]),
        json!(text(o, &["spec", "persistentVolumeReclaimPolicy"])),
        phase(o),
        json!(claim),
        json!(text(o, &["spec", "storageClassName"])),
        text_or(o, &["spec", "volumeAttributesClassName"], "<unset>"),
        json!(text(o, &["status", "reason"])),
        age(o),
        text_or(o, &["spec", "volumeMode"], "<unset>"),
    ]
}

fn claim_cells(o: &Value) -> Vec<Value> {
    let bound = !text(o, &["spec", "volumeName"]).is_empty();
    vec![
        name(o),
        phase(o),
        json!(text(o, &["spec", "volumeName"])),
        json!(if bound {
            text(o, &["status", "capacity", "storage"])
        } else {
            ""
        }),
        if bound {
            access_modes(o, &["status", "accessModes"])
        } else {
            json!("")
        },
        json!(text(o, &["spec", "storageClassName"])),
        text_or(o, &["spec", "volumeAttributesClassName"], "<unset>"),
        age(o),
        text_or(o, &["spec", "volumeMode"], "<unset>"),
    ]
}
