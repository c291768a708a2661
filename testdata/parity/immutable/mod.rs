// +groupName=parity.example.com
// +versionName=v1

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Immutable has fields that are set once.
// +kubebuilder:object:root=true
#[derive(Debug)]
pub struct Immutable {
    pub metadata: ObjectMeta,
    // +optional
    pub spec: ImmutableSpec,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImmutableSpec {
    // +k8s:immutable
    pub name: String,
    // +k8s:immutable
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    // +k8s:immutable
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    // +k8s:immutable
    pub disk: Disk,
    // +k8s:immutable
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<Disk>,
    // +k8s:immutable
    #[serde(skip_serializing_if = "Disk::is_empty", default)]
    pub swap: Disk,
    // +k8s:immutable
    pub zones: Vec<String>,
    // +k8s:immutable
    #[serde(default)]
    pub hosts: Vec<String>,
    // +k8s:immutable
    pub tags: BTreeMap<String, String>,
    // +k8s:immutable
    #[serde(default)]
    pub hints: BTreeMap<String, String>,
    pub size: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Disk {
    pub class: String,
    pub size: String,
}
