// +groupName=parity.example.com
// +versionName=v1

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Immutable has fields that are set once.
// +kubebuilder:object:root=true
// +kubebuilder:validation:XValidation:rule="self.metadata.name != 'none'",message="name is none"
#[derive(Debug, codegen_runtime::ApiObject)]
pub struct Immutable {
    pub metadata: ObjectMeta,
    // +optional
    pub spec: ImmutableSpec,
    #[serde(flatten)]
    pub owned: Owned,
}

// +kubebuilder:validation:XValidation:rule="self.size != 'none'",message="size is none"
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImmutableSpec {
    #[serde(flatten)]
    pub labeled: Labeled,
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

/// Owned has rules that stand before those of the kind that embeds it.
// +kubebuilder:validation:XValidation:rule="!has(self.owner) || self.owner != 'none'",message="owner is none"
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Owned {
    // +k8s:immutable
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

/// Labeled has rules that stand behind those of what embeds it.
// +kubebuilder:validation:XValidation:rule="!has(self.label) || self.label != ''",message="label is empty"
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Labeled {
    // +k8s:immutable
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Disk {
    pub class: String,
    pub size: String,
}
