//! The types of `foo.example.com/v1alpha1`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +kubebuilder:object:root=true
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
    pub gau: u32,
    /// A choice.
    pub baz: bool,
}
