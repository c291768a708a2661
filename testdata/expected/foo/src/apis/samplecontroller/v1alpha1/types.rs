//! The types of `samplecontroller.k8s.io/v1alpha1`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::{ListMeta, ObjectMeta};
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=unapproved, experimental-only"

/// A deployment by another name.
#[derive(Debug, Default, PartialEq)]
pub struct Foo {
    /// Name, namespace, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// The desired state of the deployment.
    pub spec: FooSpec,
    /// The observed state of the deployment.
    pub status: Option<FooStatus>,
}

/// The desired state of a `Foo`.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FooSpec {
    /// The name of the deployment.
    pub deployment_name: String,
    /// How many pods it has; the server decides where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
}

/// The observed state of a `Foo`.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FooStatus {
    /// How many pods are ready.
    pub available_replicas: i32,
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

/// A list of `Foo`s.
#[derive(Debug, Default, PartialEq)]
pub struct FooList {
    /// The version of the collection, and where to go on.
    pub metadata: ListMeta,
    /// The objects.
    pub items: Vec<Foo>,
}
