//! Storage classes and the kinds of CSI.

use serde_json::{Value, json};

use super::check::{immutable, one_of};
use super::defaults::set;
use crate::field::{FieldError, FieldErrorKind};
use crate::metadata::object::{child, fields, text};
use crate::registry::{ALL_FIXED_IN_STATUS, Strategy};
use crate::table::cells::{age, class_name, flag, items, joined, name, text_or};
use crate::table::{Printer, boolean, col, columns, num};
use kube_names::label_key_faults;

#[derive(Debug)]
pub(super) struct StorageClass;

impl Strategy for StorageClass {
    fn set_defaults(&self, object: &mut Value) {
        set(fields(object), "reclaimPolicy", "Delete");
        set(fields(object), "volumeBindingMode", "Immediate");
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let provisioner = text(object, &["provisioner"]);
        if provisioner.is_empty() {
            errors.push(FieldError::required("provisioner", ""));
        } else {
            let faults = label_key_faults(&provisioner.to_lowercase()).into_iter();
            errors.extend(faults.map(|f| FieldError::invalid("provisioner", provisioner, f)));
        }
        validate_parameters(&object["parameters"], &mut errors);
        for (field, supported) in [
            ("reclaimPolicy", ["Delete", "Retain"]),
            ("volumeBindingMode", ["Immediate", "WaitForFirstConsumer"]),
        ] {
            one_of(field.to_owned(), &object[field], &supported, &mut errors);
        }
        errors
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        for field in [
            "parameters",
            "provisioner",
            "reclaimPolicy",
            "volumeBindingMode",
        ] {
            immutable(field, old, new, &mut errors);
        }
        errors
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o|
            col("Name") => class_name(o, "storageclass.kubernetes.io/is-default-class"),
            col("Provisioner") => text(o, &["provisioner"]),
            col("ReclaimPolicy") => text_or(o, &["reclaimPolicy"], "Delete"),
            col("VolumeBindingMode") => text_or(o, &["volumeBindingMode"], "Immediate"),
            col("AllowVolumeExpansion") => flag(o, &["allowVolumeExpansion"]),
            col("Age") => age(o),
        }
    }
}

/// Checks the number and the total size of a storage class's parameters.
fn validate_parameters(parameters: &Value, errors: &mut Vec<FieldError>) {
    const MOST: usize = 512;
    const SIZE: usize = 256 << 10;
    let too_long = |detail: String| FieldError::new("parameters", FieldErrorKind::TooLong, detail);
    let Some(parameters) = parameters.as_object() else {
        return;
    };
    if parameters.len() > MOST {
        errors.push(too_long(format!("may not be more than {MOST} bytes")));
        return;
    }
    if parameters.contains_key("") {
        let detail = "field can not be empty.";
        errors.push(FieldError::invalid("parameters", "", detail));
    }
    let sizes = parameters.iter();
    let sizes = sizes.map(|(key, value)| key.len() + value.as_str().map_or(0, str::len));
    if sizes.sum::<usize>() > SIZE {
        errors.push(too_long(format!("may not be more than {SIZE} bytes")));
    }
}

#[derive(Debug)]
pub(super) struct CsiDriver;

impl Strategy for CsiDriver {
    fn set_defaults(&self, object: &mut Value) {
        let spec = child(fields(object), "spec");
        set(spec, "attachRequired", true);
        set(spec, "podInfoOnMount", false);
        set(spec, "storageCapacity", false);
        set(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
        set(spec, "requiresRepublish", false);
        set(spec, "seLinuxMount", false);
        set(spec, "volumeLifecycleModes", json!(["Persistent"]));
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let requests = match &o["spec"]["tokenRequests"] {
                Value::Array(list) => {
                    let audiences: Vec<&str> = list.iter().map(|r| text(r, &["audience"])).collect();
                    audiences.join(",")
                }
                _ => "<unset>".to_owned(),
            };
            let modes = items(o, &["spec", "volumeLifecycleModes"]).iter();
            let modes = modes.filter_map(Value::as_str).map(str::to_owned);
        }
            col("Name") => name(o),
            boolean("AttachRequired") => flag(o, &["spec", "attachRequired"]),
            boolean("PodInfoOnMount") => flag(o, &["spec", "podInfoOnMount"]),
            boolean("StorageCapacity") => flag(o, &["spec", "storageCapacity"]),
            col("TokenRequests") => requests,
            boolean("RequiresRepublish") => flag(o, &["spec", "requiresRepublish"]),
            col("Modes") => joined(modes),
            col("Age") => age(o),
        }
    }
}

#[derive(Debug)]
pub(super) struct CsiNode;

impl Strategy for CsiNode {
    fn printer(&self) -> &'static Printer {
        columns! { |o|
            col("Name") => name(o),
            num("Drivers") => items(o, &["spec", "drivers"]).len(),
            col("Age") => age(o),
        }
    }
}

#[derive(Debug)]
pub(super) struct VolumeAttachment;

impl Strategy for VolumeAttachment {
    fn fixed_in_status(&self) -> &'static [&'static str] {
        ALL_FIXED_IN_STATUS
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o|
            col("Name") => name(o),
            col("Attacher").named() => text(o, &["spec", "attacher"]),
            col("PV") => text(o, &["spec", "source", "persistentVolumeName"]),
            col("Node") => text(o, &["spec", "nodeName"]),
            boolean("Attached") => flag(o, &["status", "attached"]),
            col("Age") => age(o),
        }
    }
}

#[derive(Debug)]
pub(super) struct VolumeAttributesClass;

impl Strategy for VolumeAttributesClass {
    fn printer(&self) -> &'static Printer {
        columns! { |o|
            col("Name") => name(o),
            col("DriverName") => text(o, &["driverName"]),
            col("Age") => age(o),
        }
    }
}
