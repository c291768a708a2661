//! The types of `clinic.example.com/v1alpha1`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
/// A clinic.
#[derive(Debug, Default, PartialEq)]
pub struct Clinic {
    /// Name, namespace, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// What the clinic is like.
    pub spec: ClinicSpec,
}

/// What a clinic is like.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClinicSpec {
    /// The name on the door.
    pub title: String,
    /// The numbers of the rooms.
    #[serde(default)]
    pub rooms: Vec<String>,
}
