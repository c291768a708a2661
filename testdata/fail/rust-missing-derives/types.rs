use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +genclient
/// A machine.
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
    pub status: Option<MachineStatus>,
}

/// The desired state of a machine.
#[derive(Debug, Serialize)]
pub struct MachineSpec {
    // +listType=map
    // +listMapKey=name
    pub disks: Vec<Disk>,
    #[serde(with = "elsewhere")]
    pub port: Port,
    #[serde(skip)]
    pub cache: Cache,
}

/// The observed state of a machine.
#[derive(Debug, Serialize, Deserialize)]
pub struct MachineStatus {
    pub by_key: BTreeMap<String, State>,
}

/// A disk.
#[derive(Debug)]
pub struct Disk;

/// A port.
#[derive(Debug)]
pub struct Port;

// +k8s:deepcopy-gen=false
/// What is remembered.
#[derive(Debug)]
pub struct Cache;

/// A state.
#[derive(Debug, Deserialize)]
pub enum State {
    On,
    Off,
}

impl Serialize for State {}
