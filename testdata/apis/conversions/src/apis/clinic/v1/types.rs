//! The types of `clinic.example.com/v1`.

use std::collections::BTreeMap;

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:conversion:webhook
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
    // +codegen:renamed-from=title
    pub name: String,
    /// Who answers for it.
    pub owner: String,
    /// How long a visit takes.
    // +codegen:renamed-from=visitMinutes
    // +codegen:scaled-from=60
    // +kubebuilder:validation:Maximum=86400
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visit_seconds: Option<u32>,
    /// Who may come.
    // +codegen:value-from:value=Anyone,old=all
    // +codegen:value-from:value=Insured,old=insured
    #[serde(default)]
    pub admits: Admission,
    /// The rooms, each once.
    // +listType=map
    // +listMapKey=number
    #[serde(default)]
    pub rooms: Vec<Room>,
    /// Teams by specialty.
    #[serde(default)]
    pub teams: BTreeMap<String, Team>,
    /// When it is open.
    #[serde(default)]
    pub hours: Hours,
    /// The most patients at a time.
    // +kubebuilder:default=10
    pub capacity: i32,
}

/// Who may come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Admission {
    /// Everybody.
    #[default]
    Anyone,
    /// Those with an insurance.
    Insured,
}

/// A room.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Room {
    /// The number on its door.
    pub number: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Its beds.
    // +codegen:renamed-from=bedCount
    #[serde(default)]
    pub beds: u32,
}

/// People who work together.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Team {
    /// Who leads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead: Option<String>,
    /// Who belongs to it.
    #[serde(default)]
    pub members: Vec<String>,
}

/// When a clinic is open.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hours {
    /// The hour from which it is open.
    // +codegen:moved-from=spec.opens
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<i32>,
    /// The days on which it is closed.
    #[serde(default)]
    pub closed: Vec<String>,
}

/// What is going on in a clinic.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClinicStatus {
    /// Who waits.
    pub waiting: Vec<Patient>,
    /// What is known, by type.
    // +listType=map
    // +listMapKey=type
    pub conditions: Vec<Condition>,
}

/// A patient.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Patient {
    /// What they are called.
    pub name: String,
    /// Why they come.
    pub reason: String,
}
