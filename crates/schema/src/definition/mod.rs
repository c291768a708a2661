//! What a CustomResourceDefinition may contain, besides what its schemas may: names, versions,
//! columns, subresources, selectable fields, conversion.
//!
//! The checks are `ValidateCustomResourceDefinition` of k8s.io/apiextensions-apiserver. They
//! report, as it does, what all versions share at its place in the internal type
//! (`spec.validation`, `spec.subresources`); [`v1_path`] translates to the place in
//! `apiextensions.k8s.io/v1`. Start at [`check`].

mod conversion;
mod formats;
mod paths;
#[cfg(test)]
mod tests;
mod version;

use serde_json::{Value, json};

use self::conversion::check_conversion;
pub use self::formats::unknown_formats;
pub use self::paths::v1_path;
use self::version::{check_columns, check_deprecation, check_root, check_scale, check_selectable};
use crate::field::FieldError;
use crate::metadata::DecodeMetadata;
use crate::structural::Structural;
use kube_names as names;

/// The annotation that kinds in Kubernetes' own groups need.
pub const APPROVAL: &str = "api-approved.kubernetes.io";

/// Fills in the defaults of a definition's `spec`.
pub fn set_defaults(crd: &mut Value) {
    let kind = text(crd, &["spec", "names", "kind"]).to_owned();
    let Some(spec) = crd.get_mut("spec").and_then(Value::as_object_mut) else {
        return;
    };
    if let Value::Object(names) = spec.entry("names").or_insert_with(|| json!({})) {
        for (key, value) in [
            ("singular", kind.to_lowercase()),
            ("listKind", format!("{kind}List")),
        ] {
            let given = names.get(key).and_then(Value::as_str);
            if given.unwrap_or_default().is_empty() {
                names.insert(key.to_owned(), json!(value));
            }
        }
    }
    let conversion = spec
        .entry("conversion")
        .or_insert_with(|| json!({"strategy": "None"}));
    let service = conversion.pointer_mut("/webhook/clientConfig/service");
    if let Some(Value::Object(service)) = service {
        service.entry("port").or_insert(json!(443));
    }
    if spec.get("preserveUnknownFields") == Some(&json!(false)) {
        spec.remove("preserveUnknownFields");
    }
}

/// Returns the reasons to refuse a new definition, whose defaults are set and whose status is not
/// looked at, in the words of kube-apiserver. `decode` decodes object metadata in defaults.
#[must_use]
pub fn check(crd: &Value, decode: DecodeMetadata) -> Vec<FieldError> {
    check_but(crd, decode, |path, schema| {
        #[cfg(feature = "cel")]
        return Structural::check_rules(path, schema);
        #[cfg(not(feature = "cel"))]
        {
            let _ = (path, schema);
            Vec::new()
        }
    })
}

/// Like [`check`], for a definition whose CEL rules were examined already.
#[must_use]
pub fn check_without_rules(crd: &Value, decode: DecodeMetadata) -> Vec<FieldError> {
    check_but(crd, decode, |_, _| Vec::new())
}

fn check_but(
    crd: &Value,
    decode: DecodeMetadata,
    check_rules: impl Fn(&str, &Value) -> Vec<FieldError>,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let group = text(crd, &["spec", "group"]);
    let plural = text(crd, &["spec", "names", "plural"]);
    let wanted = format!("{plural}.{group}");
    let generate_name = text(crd, &["metadata", "generateName"]);
    let is_generated = !generate_name.is_empty();
    let names = [("metadata.generateName", generate_name)]
        .into_iter()
        .filter(|_| is_generated);
    let name = text(crd, &["metadata", "name"]);
    for (path, name) in names.chain([("metadata.name", name)]) {
        if name != wanted {
            let detail = "must be spec.names.plural+\".\"+spec.group";
            errors.push(FieldError::invalid(path, name, detail));
        }
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
    check_group(crd, &mut errors);
    check_names(crd, &mut errors);
    check_versions(crd, &mut errors);
    let mut found = Vec::new();
    for (version, (path, schema)) in versions(crd).iter().zip(raw_schemas(crd)) {
        let Some(schema) = schema else { continue };
        match Structural::compile_with(&path, schema, decode) {
            Ok(_) => {
                if version["subresources"]["status"].is_object() {
                    add_new(&mut found, check_root(&path, schema));
                }
                add_new(&mut found, check_rules(&path, schema));
            }
            Err(refused) => add_new(&mut found, refused),
        }
    }
    errors.extend(found);
    for (index, version) in versions(crd).iter().enumerate() {
        check_version(crd, index, version, &mut errors);
    }
    check_conversion(crd, &mut errors);
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

/// Checks the parts of a version besides its schema. Errors in parts that all versions share are
/// reported once, under `spec`.
fn check_version(crd: &Value, index: usize, version: &Value, errors: &mut Vec<FieldError>) {
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
        check_scale(&path("subresources"), version, errors);
    }
    if index == 0 || !shared("additionalPrinterColumns") {
        check_columns(&path("additionalPrinterColumns"), version, errors);
    }
    if shared("selectableFields") && !shared("schema") {
        // Shared selectable fields are validated under `spec`, where the schema is missing if the
        // versions' schemas differ.
        let given = version["selectableFields"].as_array();
        if index == 0 && given.is_some_and(|fields| !fields.is_empty()) {
            let why = "may only be set when validations.schema is included";
            errors.push(FieldError::invalid("spec.selectableFields", "", why));
        }
    } else if shared("schema") && !shared("selectableFields") {
        // A shared schema is validated under `spec`, so that the version has none.
        let given = version["selectableFields"].as_array();
        if given.is_some_and(|fields| !fields.is_empty()) {
            let why = "may only be set when `version.schema.openAPIV3Schema` is not included";
            errors.push(FieldError::invalid(
                path("selectableFields") + ".selectableFields",
                "",
                why,
            ));
        }
    } else if index == 0 || !shared("selectableFields") {
        check_selectable(&path("selectableFields"), version, errors);
    }
    check_deprecation(index, version, errors);
}

/// Checks the group: it must have a dot, and groups of Kubernetes itself need an approval
/// annotation.
fn check_group(crd: &Value, errors: &mut Vec<FieldError>) {
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

/// Checks the names: all must be DNS labels; kinds may have upper case.
fn check_names(crd: &Value, errors: &mut Vec<FieldError>) {
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

fn check_versions(crd: &Value, errors: &mut Vec<FieldError>) {
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

/// Returns `spec.versions`.
fn versions(crd: &Value) -> &[Value] {
    crd["spec"]["versions"]
        .as_array()
        .map_or(&[], Vec::as_slice)
}

/// Returns the string at a path of keys, or an empty one.
fn text<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    let found = path.iter().try_fold(value, |value, key| value.get(*key));
    found.and_then(Value::as_str).unwrap_or_default()
}

/// Returns the schema of each version with the path to report its errors at; a schema shared by all
/// versions is reported under `spec.validation`.
fn raw_schemas(crd: &Value) -> impl Iterator<Item = (String, Option<&Value>)> {
    let versions = versions(crd);
    let is_shared = versions
        .windows(2)
        .all(|pair| pair[0].get("schema") == pair[1].get("schema"));
    versions.iter().enumerate().map(move |(index, version)| {
        let path = if is_shared {
            "spec.validation.openAPIV3Schema".to_owned()
        } else {
            format!("spec.versions[{index}].schema.openAPIV3Schema")
        };
        (path, version.pointer("/schema/openAPIV3Schema"))
    })
}

/// Compiles the schemas of a definition, one per version.
///
/// # Errors
/// Every violation of the rules of structural schemas; what several versions share is reported
/// once.
pub fn compile(
    crd: &Value,
    decode: DecodeMetadata,
) -> Result<Vec<Option<Structural>>, Vec<FieldError>> {
    let mut schemas = Vec::new();
    let mut errors = Vec::new();
    for (path, schema) in raw_schemas(crd) {
        let compiled = schema.map(|schema| Structural::compile_with(&path, schema, decode));
        match compiled.transpose() {
            Ok(schema) => schemas.push(schema),
            Err(found) => add_new(&mut errors, found),
        }
    }
    if errors.is_empty() {
        Ok(schemas)
    } else {
        Err(errors)
    }
}

/// Appends the errors that are not known yet.
fn add_new(errors: &mut Vec<FieldError>, found: Vec<FieldError>) {
    for error in found {
        if !errors.contains(&error) {
            errors.push(error);
        }
    }
}
