use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A machine.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "cloud.example.com", version = "v1alpha1", kind = "Machine", validation = rule())]
#[x_kube(validation = Rule::new(format!("self.cores < {MOST}")))]
pub struct MachineSpec {
    /// Bounded by what a function gives.
    #[schemars(range(min = LEAST, max = most()))]
    pub cores: i32,
    /// Matches a pattern that is made when the program runs.
    #[schemars(regex(pattern = *PATTERN))]
    pub name: String,
    /// The same, and a marker says it.
    #[schemars(regex(pattern = *PATTERN))]
    // +kubebuilder:validation:Pattern=`^[a-z]+$`
    pub known: String,
    /// A function makes the schema.
    #[schemars(schema_with = "preserve_arbitrary")]
    pub data: serde_json::Value,
    /// The same, and markers say it.
    #[schemars(schema_with = "preserve_arbitrary")]
    // +kubebuilder:pruning:PreserveUnknownFields
    pub known_data: serde_json::Value,
    /// A function changes the schema.
    #[schemars(transform = change)]
    pub changed: String,
    /// How a list is merged, a function says.
    #[x_kube(merge_strategy = strategy())]
    pub list: Vec<String>,
    /// Of a type whose schema is written by hand.
    pub size: Size,
    /// Written as a number.
    pub level: Level,
    /// The same, and markers say it.
    pub known_level: KnownLevel,
    /// Its default is computed.
    #[serde(default = "most")]
    pub threads: i32,
    /// With defaults written by hand.
    pub limits: Limits,
}

const LEAST: i32 = 1;

fn most() -> i32 {
    LEAST * 64
}

/// A size.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Size(pub String);

impl JsonSchema for Size {}

/// A level.
#[derive(Clone, Debug, Deserialize_repr, Serialize_repr, JsonSchema_repr)]
#[repr(u8)]
pub enum Level {
    /// Low.
    Low = 1,
    /// High.
    High = 2,
}

// +kubebuilder:validation:Type=integer
// +kubebuilder:validation:Enum=1;2
/// A level that markers describe.
#[derive(Clone, Debug, Deserialize_repr, Serialize_repr, JsonSchema_repr)]
#[repr(u8)]
pub enum KnownLevel {
    /// Low.
    Low = 1,
    /// High.
    High = 2,
}

/// Limits.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default)]
pub struct Limits {
    /// How much.
    pub amount: i32,
}

/// Of no kind, so that nothing is written of it.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct Unused {
    /// Anything.
    #[schemars(schema_with = "preserve_arbitrary")]
    pub data: serde_json::Value,
}
