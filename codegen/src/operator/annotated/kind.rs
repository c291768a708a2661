//! The markers of a kind.

use super::rules::quoted;
use crate::model::{PrinterColumn, Resource, Scope, TypeDef, TypeKind, Version};

/// The annotation that says which controller-gen made a CRD.
const GENERATOR: &str = "controller-gen.kubebuilder.io/version";

/// The markers of a kind, in the order in which `create api` writes them.
pub(super) fn markers(version: &Version, resource: &Resource, storage: bool) -> Vec<String> {
    let mut markers = vec!["genclient".to_owned()];
    if resource.scope == Scope::Cluster {
        markers.push("genclient:nonNamespaced".to_owned());
    }
    let root = version.type_def(&resource.root);
    if !resource.status_subresource && root.is_some_and(has_status) {
        markers.push("genclient:noStatus".to_owned());
    }
    markers.push("k8s:deepcopy-gen:interfaces=runtime.Object".to_owned());
    markers.push(names(resource));
    if storage {
        markers.push("kubebuilder:storageversion".to_owned());
    }
    if !resource.served {
        markers.push("kubebuilder:unservedversion".to_owned());
    }
    match resource.deprecation.as_deref() {
        None => {}
        Some("") => markers.push("kubebuilder:deprecatedversion".to_owned()),
        Some(warning) => markers.push(format!(
            "kubebuilder:deprecatedversion:warning={}",
            quoted(warning)
        )),
    }
    if resource.status_subresource {
        markers.push("kubebuilder:subresource:status".to_owned());
    }
    if let Some(scale) = &resource.scale_subresource {
        let mut marker = format!(
            "kubebuilder:subresource:scale:specpath={},statuspath={}",
            quoted(&scale.spec_replicas_path),
            quoted(&scale.status_replicas_path)
        );
        if let Some(path) = &scale.label_selector_path {
            marker.push_str(&format!(",selectorpath={}", quoted(path)));
        }
        markers.push(marker);
    }
    markers.extend(resource.printer_columns.iter().map(column));
    markers.extend(resource.selectable_fields.iter().map(|field| {
        format!(
            "kubebuilder:selectablefield:JSONPath={}",
            quoted(&field.json_path)
        )
    }));
    for (what, entries) in [
        ("annotations", &resource.annotations),
        ("labels", &resource.labels),
    ] {
        // controller-gen did not make this CRD.
        let entries = entries.iter().filter(|(key, _)| *key != GENERATOR);
        markers.extend(entries.map(|(key, value)| {
            let entry = quoted(&format!("{key}={value}"));
            format!("kubebuilder:metadata:{what}={entry}")
        }));
    }
    markers
}

fn has_status(def: &TypeDef) -> bool {
    match &def.kind {
        TypeKind::Struct(body) => body.fields.iter().any(|field| field.json_name == "status"),
        _ => false,
    }
}

fn names(resource: &Resource) -> String {
    let mut marker = format!("kubebuilder:resource:path={}", resource.plural);
    if resource.singular != resource.kind.to_lowercase() {
        marker.push_str(&format!(",singular={}", resource.singular));
    }
    for (what, names) in [
        ("shortName", &resource.short_names),
        ("categories", &resource.categories),
    ] {
        if !names.is_empty() {
            marker.push_str(&format!(",{what}={}", names.join(";")));
        }
    }
    if resource.scope == Scope::Cluster {
        marker.push_str(",scope=Cluster");
    }
    marker
}

fn column(column: &PrinterColumn) -> String {
    let mut marker = format!(
        "kubebuilder:printcolumn:name={},type={},JSONPath={}",
        quoted(&column.name),
        column.type_,
        quoted(&column.json_path)
    );
    for (what, text) in [
        ("description", &column.description),
        ("format", &column.format),
    ] {
        if let Some(text) = text {
            marker.push_str(&format!(",{what}={}", quoted(text)));
        }
    }
    if column.priority != 0 {
        marker.push_str(&format!(",priority={}", column.priority));
    }
    marker
}
