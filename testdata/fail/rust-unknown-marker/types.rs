use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +genclient
// +genclient:nonNamespacd
// +kubebuilder:conversion:webhok:serviceName=machines
/// A machine.
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
    pub status: Option<MachineStatus>,
}

/// The desired state of a machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    /// How many processors it has.
    pub cpus: i32,
}

/// The observed state of a machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineStatus {
    /// Whether it runs.
    pub running: bool,
}
