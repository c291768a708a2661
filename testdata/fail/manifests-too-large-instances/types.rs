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
    pub parts: Level0<String>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level0<T> {
    /// The one.
    pub a: Level1<Vec<T>>,
    /// The other.
    pub b: Level1<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level1<T> {
    /// The one.
    pub a: Level2<Vec<T>>,
    /// The other.
    pub b: Level2<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level2<T> {
    /// The one.
    pub a: Level3<Vec<T>>,
    /// The other.
    pub b: Level3<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level3<T> {
    /// The one.
    pub a: Level4<Vec<T>>,
    /// The other.
    pub b: Level4<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level4<T> {
    /// The one.
    pub a: Level5<Vec<T>>,
    /// The other.
    pub b: Level5<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level5<T> {
    /// The one.
    pub a: Level6<Vec<T>>,
    /// The other.
    pub b: Level6<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level6<T> {
    /// The one.
    pub a: Level7<Vec<T>>,
    /// The other.
    pub b: Level7<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level7<T> {
    /// The one.
    pub a: Level8<Vec<T>>,
    /// The other.
    pub b: Level8<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level8<T> {
    /// The one.
    pub a: Level9<Vec<T>>,
    /// The other.
    pub b: Level9<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level9<T> {
    /// The one.
    pub a: Level10<Vec<T>>,
    /// The other.
    pub b: Level10<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level10<T> {
    /// The one.
    pub a: Level11<Vec<T>>,
    /// The other.
    pub b: Level11<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level11<T> {
    /// The one.
    pub a: Level12<Vec<T>>,
    /// The other.
    pub b: Level12<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level12<T> {
    /// The one.
    pub a: Level13<Vec<T>>,
    /// The other.
    pub b: Level13<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level13<T> {
    /// The one.
    pub a: Level14<Vec<T>>,
    /// The other.
    pub b: Level14<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level14<T> {
    /// The one.
    pub a: Level15<Vec<T>>,
    /// The other.
    pub b: Level15<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level15<T> {
    /// The one.
    pub a: Level16<Vec<T>>,
    /// The other.
    pub b: Level16<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level16<T> {
    /// The one.
    pub a: Level17<Vec<T>>,
    /// The other.
    pub b: Level17<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level17<T> {
    /// The one.
    pub a: Level18<Vec<T>>,
    /// The other.
    pub b: Level18<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level18<T> {
    /// The one.
    pub a: Level19<Vec<T>>,
    /// The other.
    pub b: Level19<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level19<T> {
    /// The one.
    pub a: Level20<Vec<T>>,
    /// The other.
    pub b: Level20<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level20<T> {
    /// The one.
    pub a: Level21<Vec<T>>,
    /// The other.
    pub b: Level21<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level21<T> {
    /// The one.
    pub a: Level22<Vec<T>>,
    /// The other.
    pub b: Level22<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level22<T> {
    /// The one.
    pub a: Level23<Vec<T>>,
    /// The other.
    pub b: Level23<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level23<T> {
    /// The one.
    pub a: Level24<Vec<T>>,
    /// The other.
    pub b: Level24<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level24<T> {
    /// The one.
    pub a: Level25<Vec<T>>,
    /// The other.
    pub b: Level25<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level25<T> {
    /// The one.
    pub a: Level26<Vec<T>>,
    /// The other.
    pub b: Level26<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level26<T> {
    /// The one.
    pub a: Level27<Vec<T>>,
    /// The other.
    pub b: Level27<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level27<T> {
    /// The one.
    pub a: Level28<Vec<T>>,
    /// The other.
    pub b: Level28<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level28<T> {
    /// The one.
    pub a: Level29<Vec<T>>,
    /// The other.
    pub b: Level29<Box<Pair<T>>>,
}

/// A level, with two instances of the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level29<T> {
    /// The one.
    pub a: T,
    /// The other.
    pub b: T,
}

/// Two values.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pair<T> {
    /// The one.
    pub a: T,
    /// The other.
    pub b: T,
}
