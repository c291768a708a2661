//! Defaults of volumes.

use serde_json::{Map, Value, json};

use super::image::pull_policy;
use crate::kinds::defaults::{objects, set};
use crate::metadata::object::child;

/// The defaults of the fields of volume sources, and of the sources of persistent volumes.
const SOURCES: &[(&str, &str, &str)] = &[
    ("azureDisk", "cachingMode", "ReadWrite"),
    ("azureDisk", "fsType", "ext4"),
    ("azureDisk", "kind", "Shared"),
    ("hostPath", "type", ""),
    ("iscsi", "iscsiInterface", "default"),
    ("rbd", "keyring", "/etc/ceph/keyring"),
    ("rbd", "pool", "rbd"),
    ("rbd", "user", "admin"),
    ("scaleIO", "fsType", "xfs"),
    ("scaleIO", "storageMode", "ThinProvisioned"),
];

/// Sets the defaults of the source in a volume or in the spec of a persistent volume.
pub(in crate::kinds) fn default_source(holder: &mut Map<String, Value>) {
    for (source, field, value) in SOURCES {
        if let Some(Value::Object(source)) = holder.get_mut(*source) {
            set(source, field, *value);
        }
    }
    if let Some(Value::Object(disk)) = holder.get_mut("azureDisk") {
        set(disk, "readOnly", false);
    }
}

/// Sets the defaults of a pod's volume.
pub(super) fn default(volume: &mut Map<String, Value>) {
    if volume.keys().all(|key| key == "name") {
        volume.insert("emptyDir".into(), json!({}));
    }
    default_source(volume);
    for source in ["configMap", "secret", "projected", "downwardAPI"] {
        if let Some(Value::Object(source)) = volume.get_mut(source) {
            set(source, "defaultMode", 0o644);
        }
    }
    if let Some(Value::Object(image)) = volume.get_mut("image") {
        let policy = pull_policy(image.get("reference"));
        set(image, "pullPolicy", policy);
    }
    if let Some(Value::Object(claim)) = volume
        .get_mut("ephemeral")
        .and_then(|volume| volume.get_mut("volumeClaimTemplate"))
    {
        set(child(claim, "spec"), "volumeMode", "Filesystem");
    }
    if let Some(Value::Object(source)) = volume.get_mut("downwardAPI") {
        default_items(source);
    }
    if let Some(Value::Object(projected)) = volume.get_mut("projected") {
        for source in objects(projected, "sources") {
            if let Some(Value::Object(token)) = source.get_mut("serviceAccountToken") {
                set(token, "expirationSeconds", 3600);
            }
            if let Some(Value::Object(downward)) = source.get_mut("downwardAPI") {
                default_items(downward);
            }
        }
    }
}

fn default_items(downward: &mut Map<String, Value>) {
    for item in objects(downward, "items") {
        if let Some(Value::Object(field)) = item.get_mut("fieldRef") {
            set(field, "apiVersion", "v1");
        }
    }
}
