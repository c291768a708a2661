//! What CustomResourceDefinitions must be: defaults, and the rules that the API server checks.

use serde_json::{Value, json};

use crate::core::Core;
use crate::names;
use crate::object::{self, text};
use crate::registry::crd::read_crd;
use crate::schema::{FieldError, FieldErrorKind};

/// Fills in defaults, and the stored versions.
pub(crate) fn prepare(_core: &Core, old: Option<&Value>, crd: &mut Value) {
    let kind = text(crd, &["spec", "names", "kind"]).to_owned();
    let storage = storage_version(crd);
    let spec = object::child(object::fields(crd), "spec");
    let names = object::child(spec, "names");
    let default = |names: &mut serde_json::Map<String, Value>, key: &str, value: String| {
        if names
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .is_empty()
        {
            names.insert(key.to_owned(), json!(value));
        }
    };
    default(names, "singular", kind.to_lowercase());
    default(names, "listKind", format!("{kind}List"));
    spec.entry("conversion")
        .or_insert_with(|| json!({"strategy": "None"}));
    if spec.get("preserveUnknownFields") == Some(&json!(false)) {
        spec.remove("preserveUnknownFields");
    }
    let mut stored: Vec<Value> = old
        .and_then(|old| old["status"]["storedVersions"].as_array().cloned())
        .unwrap_or_default();
    if let Some(storage) = storage.filter(|s| !stored.iter().any(|v| v == s)) {
        stored.push(json!(storage));
    }
    let status = object::child(object::fields(crd), "status");
    status
        .entry("acceptedNames")
        .or_insert_with(|| json!({"kind": "", "plural": ""}));
    status.entry("conditions").or_insert(Value::Null);
    status.insert("storedVersions".into(), json!(stored));
}

fn versions(crd: &Value) -> &[Value] {
    crd["spec"]["versions"]
        .as_array()
        .map_or(&[], Vec::as_slice)
}

fn storage_version(crd: &Value) -> Option<String> {
    versions(crd)
        .iter()
        .find(|v| v["storage"] == json!(true))
        .map(|v| text(v, &["name"]).to_owned())
}

/// What is wrong with a CRD.
pub(crate) fn validate(core: &Core, old: Option<&Value>, crd: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let group = text(crd, &["spec", "group"]);
    let plural = text(crd, &["spec", "names", "plural"]);
    let wanted = format!("{plural}.{group}");
    if object::name(crd) != wanted {
        let detail = "must be spec.names.plural+\".\"+spec.group";
        let name = json!(object::name(crd));
        errors.push(FieldError::with_value(
            "metadata.name",
            FieldErrorKind::Invalid,
            name,
            detail,
        ));
    }
    for (path, keys) in [
        ("spec.group", &["spec", "group"][..]),
        ("spec.names.plural", &["spec", "names", "plural"]),
        ("spec.names.kind", &["spec", "names", "kind"]),
        ("spec.scope", &["spec", "scope"]),
    ] {
        if text(crd, keys).is_empty() {
            errors.push(FieldError::new(path, FieldErrorKind::Required, ""));
        }
    }
    let scope = text(crd, &["spec", "scope"]);
    if !matches!(scope, "" | "Cluster" | "Namespaced") {
        errors.push(FieldError::with_value(
            "spec.scope",
            FieldErrorKind::NotSupported,
            json!(scope),
            "supported values: \"Cluster\", \"Namespaced\"",
        ));
    }
    validate_group(crd, &mut errors);
    validate_names(crd, &mut errors);
    validate_versions(crd, &mut errors);
    for (index, version) in versions(crd).iter().enumerate() {
        // What all versions share is reported at the top of the spec.
        let shared = |field: &str| {
            versions(crd)
                .iter()
                .all(|v| v.get(field) == version.get(field))
        };
        let path = |field: &str| {
            if shared(field) {
                "spec".to_owned()
            } else {
                format!("spec.versions[{index}]")
            }
        };
        if index == 0 || !shared("subresources") {
            validate_scale(&path("subresources"), version, &mut errors);
        }
        if index == 0 || !shared("additionalPrinterColumns") {
            validate_columns(&path("additionalPrinterColumns"), version, &mut errors);
        }
    }
    if crd["status"]["storedVersions"]
        .as_array()
        .is_none_or(Vec::is_empty)
    {
        let detail = "must have at least one stored version";
        errors.push(FieldError::with_value(
            "status.storedVersions",
            FieldErrorKind::Invalid,
            Value::Null,
            detail,
        ));
    }
    if let Some(old) = old {
        validate_update(old, crd, &mut errors);
    }
    if errors.is_empty()
        && let Err(found) = read_crd(&core.registry, crd)
    {
        errors.extend(found);
    }
    errors
}

fn invalid(path: impl Into<String>, value: &str, detail: impl Into<String>) -> FieldError {
    FieldError::with_value(path, FieldErrorKind::Invalid, json!(value), detail)
}

/// Groups have a dot, and those of Kubernetes itself need an approval.
fn validate_group(crd: &Value, errors: &mut Vec<FieldError>) {
    const APPROVAL: &str = "api-approved.kubernetes.io";
    let group = text(crd, &["spec", "group"]);
    if group.is_empty() {
        return;
    }
    if let Some(fault) = names::subdomain_fault(group) {
        errors.push(invalid("spec.group", group, fault));
    } else if !group.contains('.') {
        errors.push(invalid(
            "spec.group",
            group,
            "should be a domain with at least one dot",
        ));
    }
    let is_protected = ["k8s.io", "kubernetes.io"].iter().any(|domain| {
        group
            .strip_suffix(domain)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    });
    if is_protected && text(crd, &["metadata", "annotations", APPROVAL]).is_empty() {
        errors.push(FieldError::new(
            format!("metadata.annotations[{APPROVAL}]"),
            FieldErrorKind::Required,
            format!("protected groups must have approval annotation \"{APPROVAL}\", see https://github.com/kubernetes/enhancements/pull/1111"),
        ));
    }
}

/// All names are DNS labels, kinds without regard to case.
fn validate_names(crd: &Value, errors: &mut Vec<FieldError>) {
    let names_of = &crd["spec"]["names"];
    for field in ["plural", "singular", "kind", "listKind"] {
        let name = text(names_of, &[field]);
        let checked = if field.to_lowercase().ends_with("kind") {
            name.to_lowercase()
        } else {
            name.to_owned()
        };
        if let Some(fault) = names::label_1035_fault(&checked).filter(|_| !name.is_empty()) {
            errors.push(invalid(format!("spec.names.{field}"), name, fault));
        }
    }
    for list in ["shortNames", "categories"] {
        for (index, name) in names_of[list].as_array().into_iter().flatten().enumerate() {
            let name = name.as_str().unwrap_or_default();
            if let Some(fault) = names::label_1035_fault(name) {
                errors.push(invalid(format!("spec.names.{list}[{index}]"), name, fault));
            }
        }
    }
    for (index, version) in versions(crd).iter().enumerate() {
        let name = text(version, &["name"]);
        if let Some(fault) = names::label_1035_fault(name) {
            errors.push(invalid(format!("spec.versions[{index}].name"), name, fault));
        }
    }
}

fn validate_scale(path: &str, version: &Value, errors: &mut Vec<FieldError>) {
    let Some(scale) = version["subresources"]
        .get("scale")
        .filter(|s| s.is_object())
    else {
        return;
    };
    for (field, roots) in [
        ("specReplicasPath", &[".spec."][..]),
        ("statusReplicasPath", &[".status."]),
        ("labelSelectorPath", &[".spec.", ".status."]),
    ] {
        let given = text(scale, &[field]);
        let here = format!("{path}.subresources.scale.{field}");
        if given.is_empty() {
            if field != "labelSelectorPath" {
                errors.push(FieldError::new(here, FieldErrorKind::Required, ""));
            }
        } else if !given.starts_with('.') || given.contains(['[', ']', '*']) {
            errors.push(invalid(
                here,
                given,
                "must be a simple json path starting with .",
            ));
        } else if !roots.iter().any(|root| given.starts_with(root)) {
            let roots: Vec<&str> = roots
                .iter()
                .map(|root| root.trim_end_matches('.'))
                .collect();
            errors.push(invalid(
                here,
                given,
                format!("should be a json path under {}", roots.join(" or ")),
            ));
        }
    }
}

fn validate_columns(path: &str, version: &Value, errors: &mut Vec<FieldError>) {
    const TYPES: &str = "boolean,date,integer,number,string";
    for (index, column) in version["additionalPrinterColumns"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let here = format!("{path}.additionalPrinterColumns[{index}]");
        for field in ["name", "type", "jsonPath"] {
            if text(column, &[field]).is_empty() {
                errors.push(FieldError::new(
                    format!("{here}.{field}"),
                    FieldErrorKind::Required,
                    "",
                ));
            }
        }
        let kind = text(column, &["type"]);
        if !(kind.is_empty() || TYPES.split(',').any(|t| t == kind)) {
            errors.push(invalid(
                format!("{here}.type"),
                kind,
                format!("must be one of {TYPES}"),
            ));
        }
    }
}

fn validate_versions(crd: &Value, errors: &mut Vec<FieldError>) {
    let list = versions(crd);
    let mut invalid = |detail: &str| {
        errors.push(FieldError::with_value(
            "spec.versions",
            FieldErrorKind::Invalid,
            json!(list),
            detail,
        ));
    };
    let storage = list.iter().filter(|v| v["storage"] == json!(true)).count();
    if storage != 1 {
        invalid("must have exactly one version marked as storage version");
    }
    let mut names: Vec<&str> = list.iter().map(|v| text(v, &["name"])).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        invalid("must contain unique version names");
    }
    for (index, version) in list.iter().enumerate() {
        if !version["schema"]["openAPIV3Schema"].is_object() {
            errors.push(FieldError::new(
                format!("spec.versions[{index}].schema.openAPIV3Schema"),
                FieldErrorKind::Required,
                "schemas are required",
            ));
        }
    }
}

fn validate_update(old: &Value, crd: &Value, errors: &mut Vec<FieldError>) {
    for (path, keys) in [
        ("spec.group", &["spec", "group"][..]),
        ("spec.scope", &["spec", "scope"]),
        ("spec.names.kind", &["spec", "names", "kind"]),
        ("spec.names.plural", &["spec", "names", "plural"]),
    ] {
        let (before, after) = (text(old, keys), text(crd, keys));
        if before != after {
            errors.push(FieldError::with_value(
                path,
                FieldErrorKind::Invalid,
                json!(after),
                "field is immutable",
            ));
        }
    }
    for (index, stored) in crd["status"]["storedVersions"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let present = versions(crd).iter().any(|v| v["name"] == *stored);
        if !present {
            errors.push(FieldError::with_value(
                format!("status.storedVersions[{index}]"),
                FieldErrorKind::Invalid,
                stored.clone(),
                format!("missing from spec.versions; {} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in {} and removes {} from status.storedVersions",
                    stored.as_str().unwrap_or_default(), stored.as_str().unwrap_or_default(), stored.as_str().unwrap_or_default()),
            ));
        }
    }
}
