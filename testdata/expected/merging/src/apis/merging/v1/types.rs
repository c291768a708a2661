//! The types of `merging.example.com/v1`.

use std::collections::BTreeMap;

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:subresource:status
/// A sample.
#[derive(Debug, Default, PartialEq)]
pub struct Sample {
    /// Name, namespace, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// Fields that are merged in every way.
    pub spec: Option<SampleSpec>,
    /// What was seen of it.
    pub status: Option<SampleStatus>,
}

/// Fields that are merged in every way.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SampleSpec {
    /// Values that several may add to.
    // +listType=set
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<Vec<String>>,
    /// Entries that several may add to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<BTreeMap<String, String>>,
    /// Values of one owner.
    // +listType=atomic
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atomic_list: Option<Vec<String>>,
    /// Entries of one owner.
    // +mapType=atomic
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atomic_map: Option<BTreeMap<String, String>>,
    /// The disks. Their sizes may have several owners.
    // +listType=map
    // +listMapKey=name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disks: Option<Vec<Disk>>,
    /// The ports, of which one key has a default.
    // +listType=map
    // +listMapKey=port
    // +listMapKey=protocol
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ports: Option<Vec<Port>>,
    /// A limit, or null for none.
    // +nullable
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// One by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named: Option<BTreeMap<String, Part>>,
    /// One on the heap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<Box<Part>>,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// What it shares with others.
    #[serde(flatten)]
    pub common: Common,
}

/// A disk.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Disk {
    /// Its name.
    pub name: String,
    /// Its size in GB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
    /// Whether it is encrypted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encrypted: Option<bool>,
}

/// A port.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Port {
    /// Its number.
    pub port: i32,
    /// Its protocol.
    // +default="TCP"
    // +optional
    #[serde(default)]
    pub protocol: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
}

/// A part of a sample.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// How many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    /// What is known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<String>>,
}

/// Where a sample comes from.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// A place on the network.
    Url(String),
    /// Another sample.
    Sample(String),
}

// +kubebuilder:ac:generate=false
/// A place, which is given as a whole.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The room.
    pub room: String,
    /// The shelf.
    pub shelf: i32,
}

/// What samples share with others.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Common {
    /// Whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

/// What was seen of a sample.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SampleStatus {
    /// The last result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

// +genclient
// +genclient:nonNamespaced
// +genclient:noStatus
// +genclient:skipVerbs=apply
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:resource:scope=Cluster
/// A kind that nobody may apply, which has no configuration.
#[derive(Debug, Default, PartialEq)]
pub struct Archive {
    /// Name, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// What is in it.
    pub spec: Part,
}
