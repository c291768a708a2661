// +groupName=parity.example.com
// +versionName=v1

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Limited has bounds of every sort.
// +kubebuilder:object:root=true
#[derive(Debug)]
pub struct Limited {
    pub metadata: ObjectMeta,
    // +optional
    pub spec: LimitedSpec,
}
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LimitedSpec {
    // +kubebuilder:validation:Minimum=-1
    // +kubebuilder:validation:Maximum=100
    // +kubebuilder:validation:ExclusiveMinimum=true
    // +kubebuilder:validation:ExclusiveMaximum=false
    // +kubebuilder:validation:MultipleOf=5
    pub number: i32,
    // +kubebuilder:validation:MinLength=1
    // +kubebuilder:validation:MaxLength=63
    // +kubebuilder:validation:Pattern=`^[a-z]([-a-z0-9]*[a-z0-9])?$`
    // +kubebuilder:validation:Format=hostname
    pub text: String,
    // +kubebuilder:validation:MinItems=1
    // +kubebuilder:validation:MaxItems=3
    // +kubebuilder:validation:UniqueItems=false
    // +kubebuilder:validation:items:MinLength=2
    // +kubebuilder:validation:items:MaxLength=9
    // +kubebuilder:validation:items:Pattern=^[a-z]+$
    pub list: Vec<String>,
    // +kubebuilder:validation:items:Minimum=1
    // +kubebuilder:validation:items:Maximum=65535
    // +kubebuilder:validation:items:MultipleOf=1
    #[serde(default)]
    pub ports: Vec<i64>,
    // +kubebuilder:validation:MinProperties=1
    // +kubebuilder:validation:MaxProperties=4
    #[serde(default)]
    pub map: BTreeMap<String, String>,
    // +kubebuilder:validation:XValidation:rule="self > 0",message="above 0",reason=FieldValueInvalid
    // +kubebuilder:validation:XValidation:rule="self < 10",messageExpression="'below 10'"
    // +kubebuilder:validation:XValidation:rule="!oldSelf.hasValue() || self >= oldSelf.value()",message="never less",optionalOldSelf=true
    #[serde(default)]
    pub ruled: i64,
    // +kubebuilder:validation:XValidation:rule="self.low <= self.high",fieldPath=".low"
    #[serde(default)]
    pub range: Range,
    // +nullable
    #[serde(skip_serializing_if = "Option::is_none")]
    pub null: Option<String>,
    // +kubebuilder:validation:Optional
    #[serde(default)]
    pub perhaps: String,
    // +kubebuilder:validation:Required
    #[serde(default)]
    pub surely: String,
    // +required
    pub needed: String,
    // +k8s:optional
    #[serde(default)]
    pub spared: String,
    // +k8s:required
    #[serde(default)]
    pub wanted: String,
    /// A word of the type.
    pub word: Word,
    // +kubebuilder:validation:MaxLength=10
    pub short: Word,
    #[serde(default)]
    pub bag: Bag,
    #[serde(default)]
    pub names: Names,
}

/// Range is two numbers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Range {
    pub low: i32,
    pub high: i32,
}

/// Word is a text with bounds.
// +kubebuilder:validation:MinLength=2
// +kubebuilder:validation:XValidation:rule="self != 'xx'",message="xx is no word"
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Word(pub String);

/// Bag has few properties.
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=2
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Bag {
    #[serde(default)]
    pub a: String,
    #[serde(default)]
    pub b: String,
}

/// Names is a list of texts.
// +kubebuilder:validation:MinItems=1
// +kubebuilder:validation:items:MaxLength=8
// +listType=set
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Names(pub Vec<String>);
