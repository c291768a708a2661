//! The types of `clinic.example.com/v1beta1`.

use std::collections::BTreeMap;

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:subresource:status
/// A clinic.
#[derive(Debug, Default, PartialEq)]
pub struct Clinic {
    /// Name, namespace, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// What the clinic is like.
    pub spec: ClinicSpec,
    /// What is going on there.
    pub status: Option<ClinicStatus>,
}

/// What a clinic is like.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClinicSpec {
    /// The name on the door.
    pub title: String,
    /// Who answers for it.
    pub owner: String,
    /// How long a visit takes.
    // +kubebuilder:validation:Maximum=1440
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visit_minutes: Option<u32>,
    /// Who may come.
    #[serde(default)]
    pub admits: Admission,
    /// The hour from which it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opens: Option<i32>,
    /// The rooms, each once.
    // +listType=map
    // +listMapKey=number
    #[serde(default)]
    pub rooms: Vec<Room>,
    /// Teams by specialty.
    #[serde(default)]
    pub teams: BTreeMap<String, Team>,
    /// The color of the sign, which nobody reads.
    // +codegen:lossy="signs are white since v1"
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign: Option<String>,
}

/// Who may come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Admission {
    /// Everybody.
    #[default]
    All,
    /// Those with an insurance.
    Insured,
}

/// A room.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Room {
    /// The number on its door.
    pub number: String,
    /// Its beds.
    #[serde(default)]
    pub bed_count: u32,
}

/// People who work together.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Team {
    /// Who belongs to it.
    #[serde(default)]
    pub members: Vec<String>,
}

/// What is going on in a clinic.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClinicStatus {
    /// Who waits.
    pub waiting: Vec<Patient>,
}

/// A patient.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Patient {
    /// What they are called.
    pub name: String,
}
