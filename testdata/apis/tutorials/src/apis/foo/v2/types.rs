//! The types of `foo.example.com/v2`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +kubebuilder:object:root=true
// +kubebuilder:conversion:webhook
// +kubebuilder:storageversion
/// A foo.
#[derive(Debug, Default, PartialEq)]
pub struct Foo {
    /// Name, namespace, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// What it is.
    pub spec: FooSpec,
}

/// What a foo is.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FooSpec {
    /// A number.
    // +codegen:renamed-from=bar
    // +codegen:renamed-from=gau
    pub deprecated_bar: u32,
    /// A choice.
    pub baz: bool,
}
