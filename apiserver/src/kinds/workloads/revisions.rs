//! Controller revisions and pod templates: what a workload was, and what one may be made of.

use serde_json::Value;

use super::workload_tail;
use crate::field::FieldError;
use crate::kinds::pods::{default_template, pod_template};
use crate::metadata::object::{fields, text};
use crate::registry::Strategy;
use crate::table::cells::{age, items, name, number, selector};
use crate::table::{Printer, col, columns};

#[derive(Debug)]
pub(in crate::kinds) struct PodTemplate;

impl Strategy for PodTemplate {
    fn set_defaults(&self, object: &mut Value) {
        default_template(fields(object));
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        pod_template(&object["template"]["spec"], "template.spec")
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let [names, images] = workload_tail(o, &["template", "spec"]);
        }
            col("Name") => name(o),
            col("Containers") => names,
            col("Images") => images,
            col("Pod Labels") => selector(&o["template"]["metadata"]["labels"]),
        }
    }
}

#[derive(Debug)]
pub(in crate::kinds) struct ControllerRevision;

impl Strategy for ControllerRevision {
    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let revision = number(object, &["revision"]);
        let detail = "must be greater than or equal to 0";
        let invalid = || FieldError::invalid("revision", revision, detail);
        (revision < 0).then(invalid).into_iter().collect()
    }

    fn validate_create(&self, object: &Value) -> Vec<FieldError> {
        let detail = match &object["data"] {
            Value::Object(_) => return Vec::new(),
            Value::Null => "data is mandatory",
            _ => "data must be a valid JSON object",
        };
        vec![FieldError::required("data", detail)]
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        let data = &new["data"];
        let changed = || FieldError::invalid("data", data.clone(), "field is immutable");
        (*data != old["data"]).then(changed).into_iter().collect()
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o|
            col("Name") => name(o),
            col("Controller") => controller(o),
            col("Revision") => number(o, &["revision"]),
            col("Age") => age(o),
        }
    }
}

/// Returns the controller of an object as `deployment.apps/name`.
fn controller(object: &Value) -> String {
    let mut owners = items(object, &["metadata", "ownerReferences"]).iter();
    let Some(owner) = owners.find(|owner| owner["controller"] == true) else {
        return "<none>".to_owned();
    };
    let kind = text(owner, &["kind"]).to_lowercase();
    match text(owner, &["apiVersion"]).split_once('/') {
        Some((group, _)) => format!("{kind}.{group}/{}", text(owner, &["name"])),
        None => format!("{kind}/{}", text(owner, &["name"])),
    }
}
