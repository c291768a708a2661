// +groupName=parity.example.com
// +versionName=v1beta1

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

/// Union has specs of which one is chosen.
// +kubebuilder:object:root=true
#[derive(Debug)]
pub struct Union {
    pub metadata: ObjectMeta,
    // +optional
    pub spec: UnionSpec,
}

/// UnionSpec has a struct for each kind of union.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnionSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<Most>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_twice: Option<MostTwice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<Exact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact_twice: Option<ExactTwice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<Least>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<All>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_limit: Option<Limit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_limit: Option<Limit>,
}

/// Most has rules of its own beside the union.
// +kubebuilder:validation:AtMostOneOf=disk;image
// +kubebuilder:validation:XValidation:rule="!has(self.disk) || self.disk != 'none'",message="none is no disk"
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Most {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
}

/// MostTwice has two unions.
// +kubebuilder:validation:AtMostOneOf=a;b
// +kubebuilder:validation:AtMostOneOf=c;d
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MostTwice {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub d: Option<String>,
}

// +kubebuilder:validation:ExactlyOneOf=disk;image
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Exact {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
}

// +kubebuilder:validation:ExactlyOneOf=a;b
// +kubebuilder:validation:ExactlyOneOf=c;d
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExactTwice {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub d: Option<String>,
}

// +kubebuilder:validation:AtLeastOneOf=a;b
// +kubebuilder:validation:AtLeastOneOf=c;d
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Least {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub d: Option<String>,
}

// +kubebuilder:validation:AtLeastOneOf=e;f
// +kubebuilder:validation:ExactlyOneOf=c;d
// +kubebuilder:validation:AtMostOneOf=a;b
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct All {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub d: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub e: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f: Option<String>,
}

/// Limit is a number with a rule.
// +kubebuilder:validation:XValidation:rule="self >= 10 && self <= 99",message="two digits"
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Limit(pub i32);
