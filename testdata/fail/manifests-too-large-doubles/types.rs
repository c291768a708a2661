use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
/// A machine.
#[derive(Debug)]
pub struct Machine {
    /// Its name.
    pub metadata: ObjectMeta,
    /// What it should be.
    pub spec: MachineSpec,
    /// What it is.
    pub status: Option<MachineStatus>,
}

/// What a machine should be.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineSpec {
    /// The disk.
    pub disk: Disk,
}

/// What a machine is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineStatus {
    /// How far it is.
    #[serde(default)]
    pub ready_replicas: i32,
}

/// A disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Disk {
    /// Its parts.
    pub parts: Level0,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level0 {
    /// The one.
    pub a: Level1,
    /// The other.
    pub b: Level1,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level1 {
    /// The one.
    pub a: Level2,
    /// The other.
    pub b: Level2,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level2 {
    /// The one.
    pub a: Level3,
    /// The other.
    pub b: Level3,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level3 {
    /// The one.
    pub a: Level4,
    /// The other.
    pub b: Level4,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level4 {
    /// The one.
    pub a: Level5,
    /// The other.
    pub b: Level5,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level5 {
    /// The one.
    pub a: Level6,
    /// The other.
    pub b: Level6,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level6 {
    /// The one.
    pub a: Level7,
    /// The other.
    pub b: Level7,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level7 {
    /// The one.
    pub a: Level8,
    /// The other.
    pub b: Level8,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level8 {
    /// The one.
    pub a: Level9,
    /// The other.
    pub b: Level9,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level9 {
    /// The one.
    pub a: Level10,
    /// The other.
    pub b: Level10,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level10 {
    /// The one.
    pub a: Level11,
    /// The other.
    pub b: Level11,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level11 {
    /// The one.
    pub a: Level12,
    /// The other.
    pub b: Level12,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level12 {
    /// The one.
    pub a: Level13,
    /// The other.
    pub b: Level13,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level13 {
    /// The one.
    pub a: Level14,
    /// The other.
    pub b: Level14,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level14 {
    /// The one.
    pub a: Level15,
    /// The other.
    pub b: Level15,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level15 {
    /// The one.
    pub a: Level16,
    /// The other.
    pub b: Level16,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level16 {
    /// The one.
    pub a: Level17,
    /// The other.
    pub b: Level17,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level17 {
    /// The one.
    pub a: Level18,
    /// The other.
    pub b: Level18,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level18 {
    /// The one.
    pub a: Level19,
    /// The other.
    pub b: Level19,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level19 {
    /// The one.
    pub a: Level20,
    /// The other.
    pub b: Level20,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level20 {
    /// The one.
    pub a: Level21,
    /// The other.
    pub b: Level21,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level21 {
    /// The one.
    pub a: Level22,
    /// The other.
    pub b: Level22,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level22 {
    /// The one.
    pub a: Level23,
    /// The other.
    pub b: Level23,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level23 {
    /// The one.
    pub a: Level24,
    /// The other.
    pub b: Level24,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level24 {
    /// The one.
    pub a: Level25,
    /// The other.
    pub b: Level25,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level25 {
    /// The one.
    pub a: Level26,
    /// The other.
    pub b: Level26,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level26 {
    /// The one.
    pub a: Level27,
    /// The other.
    pub b: Level27,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level27 {
    /// The one.
    pub a: Level28,
    /// The other.
    pub b: Level28,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level28 {
    /// The one.
    pub a: Level29,
    /// The other.
    pub b: Level29,
}

/// A level, with the next one twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level29 {
    /// The one.
    pub a: String,
    /// The other.
    pub b: String,
}
