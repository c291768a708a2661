//! Validation of CustomResourceDefinitions.

use serde_json::{Value, json};

use super::conversion::validate_conversion;
use super::version::{
    validate_columns, validate_deprecation, validate_root, validate_scale, validate_selectable,
};
use super::{check_rules, raw_schemas, schemas, versions};
use crate::field::FieldError;
use crate::metadata::object::{self, text};
use kube_names as names;

/// Validates a definition.
pub(crate) fn validate(crd: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let group = text(crd, &["spec", "group"]);
    let plural = text(crd, &["spec", "names", "plural"]);
    let wanted = format!("{plural}.{group}");
    if object::name(crd) != wanted {
        let detail = "must be spec.names.plural+\".\"+spec.group";
        let name = json!(object::name(crd));
        errors.push(FieldError::invalid("metadata.name", name, detail));
    }
    for (path, keys) in [
        ("spec.group", &["spec", "group"][..]),
        ("spec.names.plural", &["spec", "names", "plural"]),
        ("spec.names.kind", &["spec", "names", "kind"]),
        ("spec.scope", &["spec", "scope"]),
    ] {
        if text(crd, keys).is_empty() {
            errors.push(FieldError::required(path, ""));
        }
    }
    let scope = text(crd, &["spec", "scope"]);
    if !matches!(scope, "" | "Cluster" | "Namespaced") {
        errors.push(FieldError::unsupported(
            "spec.scope",
            scope,
            &["Cluster", "Namespaced"],
        ));
    }
    validate_group(crd, &mut errors);
    validate_names(crd, &mut errors);
    validate_versions(crd, &mut errors);
    validate_schemas(crd, &mut errors);
    for (index, version) in versions(crd).iter().enumerate() {
        validate_version(crd, index, version, &mut errors);
    }
    validate_conversion(crd, &mut errors);
    errors.extend(validate_stored(crd));
    if crd["spec"]["preserveUnknownFields"] == true {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        errors.push(FieldError::invalid(
            "spec.preserveUnknownFields",
            true,
            detail,
        ));
    }
    errors
}

/// Validates the parts of a version besides its schema. Errors in parts that all versions share are reported once, under `spec`.
fn validate_version(crd: &Value, index: usize, version: &Value, errors: &mut Vec<FieldError>) {
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
        validate_scale(&path("subresources"), version, errors);
    }
    if index == 0 || !shared("additionalPrinterColumns") {
        validate_columns(&path("additionalPrinterColumns"), version, errors);
    }
    if shared("selectableFields") && !shared("schema") {
        // Shared selectable fields are validated under `spec`, where the schema is missing if the versions' schemas differ.
        let given = version["selectableFields"].as_array();
        if index == 0 && given.is_some_and(|fields| !fields.is_empty()) {
            let why = "may only be set when validations.schema is included";
            errors.push(FieldError::invalid("spec.selectableFields", "", why));
        }
    } else if index == 0 || !shared("selectableFields") {
        validate_selectable(&path("selectableFields"), version, errors);
    }
    validate_deprecation(index, version, errors);
}

/// Validates the schemas of all versions, then, if they compile, their roots and rules.
fn validate_schemas(crd: &Value, errors: &mut Vec<FieldError>) {
    match schemas(crd) {
        Ok(_) => {
            validate_roots(crd, errors);
            errors.extend(check_rules(crd));
        }
        Err(found) => errors.extend(found),
    }
}

/// Validates the schema roots of the versions with a status subresource.
fn validate_roots(crd: &Value, errors: &mut Vec<FieldError>) {
    for (version, (path, schema)) in versions(crd).iter().zip(raw_schemas(crd)) {
        if let Some(schema) = schema
            && version["subresources"]["status"].is_object()
        {
            validate_root(&path, schema, errors);
        }
    }
}

/// Validates the group: it must have a dot, and groups of Kubernetes itself need an approval annotation.
fn validate_group(crd: &Value, errors: &mut Vec<FieldError>) {
    const APPROVAL: &str = "api-approved.kubernetes.io";
    let group = text(crd, &["spec", "group"]);
    if group.is_empty() {
        return;
    }
    if let Some(fault) = names::subdomain_fault(group) {
        errors.push(FieldError::invalid("spec.group", group, fault));
    } else if !group.contains('.') {
        errors.push(FieldError::invalid(
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
        errors.push(FieldError::required(format!("metadata.annotations[{APPROVAL}]"), format!("protected groups must have approval annotation \"{APPROVAL}\", see https://github.com/kubernetes/enhancements/pull/1111"),
        ));
    }
}

/// Validates the names: all must be DNS labels; kinds may have upper case.
fn validate_names(crd: &Value, errors: &mut Vec<FieldError>) {
    let names_of = &crd["spec"]["names"];
    for field in ["plural", "singular", "kind", "listKind"] {
        let name = text(names_of, &[field]);
        let (checked, prefix) = if field.to_lowercase().ends_with("kind") {
            let prefix = "may have mixed case, but should otherwise match: ";
            (name.to_lowercase(), prefix)
        } else {
            (name.to_owned(), "")
        };
        if let Some(fault) = names::label_1035_fault(&checked).filter(|_| !name.is_empty()) {
            let fault = format!("{prefix}{fault}");
            errors.push(FieldError::invalid(
                format!("spec.names.{field}"),
                name,
                fault,
            ));
        }
    }
    let kind = text(names_of, &["kind"]);
    if !kind.is_empty() && kind == text(names_of, &["listKind"]) {
        errors.push(FieldError::invalid(
            "spec.names.listKind",
            kind,
            "kind and listKind may not be the same",
        ));
    }
    for list in ["shortNames", "categories"] {
        for (index, name) in names_of[list].as_array().into_iter().flatten().enumerate() {
            let name = name.as_str().unwrap_or_default();
            if let Some(fault) = names::label_1035_fault(name) {
                errors.push(FieldError::invalid(
                    format!("spec.names.{list}[{index}]"),
                    name,
                    fault,
                ));
            }
        }
    }
    for (index, version) in versions(crd).iter().enumerate() {
        let name = text(version, &["name"]);
        if let Some(fault) = names::label_1035_fault(name) {
            errors.push(FieldError::invalid(
                format!("spec.versions[{index}].name"),
                name,
                fault,
            ));
        }
    }
}

fn validate_versions(crd: &Value, errors: &mut Vec<FieldError>) {
    let list = versions(crd);
    let mut invalid = |detail: &str| {
        errors.push(FieldError::invalid("spec.versions", json!(list), detail));
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
            errors.push(FieldError::required(
                format!("spec.versions[{index}].schema.openAPIV3Schema"),
                "schemas are required",
            ));
        }
    }
}

/// Validates the changes of an update.
pub(crate) fn validate_update(old: &Value, crd: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (path, keys) in [
        ("spec.group", &["spec", "group"][..]),
        ("spec.scope", &["spec", "scope"]),
        ("spec.names.kind", &["spec", "names", "kind"]),
        ("spec.names.plural", &["spec", "names", "plural"]),
    ] {
        let (before, after) = (text(old, keys), text(crd, keys));
        if before != after {
            errors.push(FieldError::invalid(path, after, "field is immutable"));
        }
    }
    errors
}

/// Validates `status.storedVersions`.
fn validate_stored(crd: &Value) -> Vec<FieldError> {
    let stored = crd["status"]["storedVersions"].as_array();
    let stored = stored.map_or(&[][..], Vec::as_slice);
    if stored.is_empty() {
        let detail = "must have at least one stored version";
        return vec![FieldError::invalid(
            "status.storedVersions",
            Value::Null,
            detail,
        )];
    }
    let mut errors = Vec::new();
    for version in versions(crd).iter().filter(|v| v["storage"] == true) {
        if !stored.contains(&version["name"]) {
            let name = text(version, &["name"]);
            errors.push(FieldError::invalid(
                "status.storedVersions",
                stored.to_vec(),
                format!("must have the storage version {name}"),
            ));
        }
    }
    for (index, stored) in stored.iter().enumerate() {
        if versions(crd).iter().any(|v| v["name"] == *stored) {
            continue;
        }
        let name = stored.as_str().unwrap_or_default();
        errors.push(FieldError::invalid(
            format!("status.storedVersions[{index}]"),
            name,
            format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until \
a storage migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
            ),
        ));
    }
    errors
}
