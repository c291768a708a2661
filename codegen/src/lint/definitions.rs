//! Checks of a version of a CRD: each returns where something is wrong, and what.

use kube_schema::json_path::{self, Brackets};
use serde_json::Value;

use super::{Fault, walk::required};

/// Short names of Kubernetes' own kinds.
const TAKEN: [&str; 25] = [
    "cm", "cj", "crd", "csr", "deploy", "ds", "ep", "ev", "hpa", "ing", "limits", "netpol", "no",
    "ns", "pc", "pdb", "po", "pv", "pvc", "quota", "rc", "rs", "sa", "sts", "svc",
];

/// The schema of a version.
fn schema(version: &Value) -> &Value {
    &version["schema"]["openAPIV3Schema"]
}

fn fault(pointer: Vec<String>, path: &str, message: impl Into<String>) -> Fault {
    Fault {
        pointer,
        path: path.to_owned(),
        message: message.into(),
        fix: None,
    }
}

fn keys(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|&key| key.to_owned()).collect()
}

/// The keys to the schema of the status.
fn status_keys(more: &[&str]) -> Vec<String> {
    let start = ["schema", "openAPIV3Schema", "properties", "status"];
    keys(&[&start, more].concat())
}

pub(super) fn status_subresource(_: &Value, version: &Value) -> Vec<Fault> {
    let has_status = !schema(version)["properties"]["status"].is_null();
    if !has_status || !version["subresources"]["status"].is_null() {
        return Vec::new();
    }
    let message = "there is a status without the subresource `status`: users can write it, and each write changes the generation";
    vec![fault(status_keys(&[]), "status", message)]
}

pub(super) fn status_optional(_: &Value, version: &Value) -> Vec<Fault> {
    let status = &schema(version)["properties"]["status"];
    let faults = required(status).map(|name| {
        let message = format!(
            "`{name}` is required: a controller that reports something else has to write it too"
        );
        let at = status_keys(&["properties", name]);
        fault(at, &format!("status.{name}"), message)
    });
    faults.collect()
}

pub(super) fn columns(_: &Value, version: &Value) -> Vec<Fault> {
    let columns = version["additionalPrinterColumns"].as_array();
    let columns = columns.into_iter().flatten().enumerate();
    let faults = columns.filter_map(|(index, column)| {
        let path = column["jsonPath"].as_str().unwrap_or_default();
        // Filters and indexes depend on the object.
        let plain = path.split(['[', '*']).next().unwrap_or_default();
        let is_own = !plain.starts_with(".metadata") && plain != "." && !path.contains('\\');
        let shows = !is_own || leads(version, plain.trim_end_matches('.'));
        let at = keys(&["additionalPrinterColumns", &index.to_string()]);
        let name = column["name"].as_str().unwrap_or_default();
        (!shows).then(|| {
            let message =
                format!("the column `{name}` is always empty: `{path}` leads to no field");
            fault(at, "", message)
        })
    });
    faults.collect()
}

pub(super) fn scale(_: &Value, version: &Value) -> Vec<Fault> {
    let scale = &version["subresources"]["scale"];
    let paths = [
        "specReplicasPath",
        "statusReplicasPath",
        "labelSelectorPath",
    ];
    let faults = paths.iter().filter_map(|&key| {
        let path = scale[key].as_str()?;
        let message =
            format!("`{key}` of the subresource `scale` is `{path}`, which leads to no field");
        let at = keys(&["subresources", "scale", key]);
        (!leads(version, path)).then(|| fault(at, "", message))
    });
    faults.collect()
}

/// Whether a path leads to a field of the schema, or to one that it does not name but keeps.
fn leads(version: &Value, path: &str) -> bool {
    let mut above = path;
    loop {
        if let Ok(found) = json_path::find(schema(version), above, Brackets::Allowed) {
            return above == path || is_open(found);
        }
        let Some((shorter, _)) = above.rsplit_once('.') else {
            return false;
        };
        above = shorter;
    }
}

fn is_open(schema: &Value) -> bool {
    schema["x-kubernetes-preserve-unknown-fields"] == true
}

pub(super) fn short_names(crd: &Value, _: &Value) -> Vec<Fault> {
    let names = crd.pointer("/spec/names/shortNames");
    let names = names.and_then(Value::as_array).into_iter().flatten();
    let faults = names
        .filter_map(Value::as_str)
        .filter(|name| TAKEN.contains(name))
        .map(|name| {
            let message = format!(
                "the short name `{name}` is one of Kubernetes' own kinds, which kubectl prefers"
            );
            fault(Vec::new(), "", message)
        });
    faults.collect()
}
