use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

// +genclient
// +genclient:noStatus
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Machine {
    pub metadata: ObjectMeta,
    #[serde(skip)]
    pub cache: u8,
    #[serde(default)]
    pub cpus: i32,
    #[serde(skip_serializing_if = "Option::is_none", rename = "a")]
    pub host: Option<String>,
    #[serde(default = "three")]
    pub disks: i32,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub size: i32,
    #[serde(with = "hex")]
    pub key: i32,
    #[serde(skip_deserializing)]
    pub written: i32,
}

// +genclient
// +genclient:noStatus
#[derive(Debug, JsonSchema)]
pub struct Network {
    pub metadata: ObjectMeta,
    #[serde(default = "three")]
    pub ports: i32,
}

impl Serialize for Network {}
impl<'de> Deserialize<'de> for Network {}
