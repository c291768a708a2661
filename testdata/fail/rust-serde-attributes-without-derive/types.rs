use codegen_runtime::ApiObject;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

// +genclient
// +genclient:noStatus
#[derive(Debug, PartialEq)]
pub struct Machine {
    pub metadata: ObjectMeta,
    #[serde(rename = "spec")]
    pub wanted: i32,
}

// +genclient
// +genclient:noStatus
#[derive(Debug, ApiObject)]
#[serde(default)]
pub struct Network {
    pub metadata: ObjectMeta,
    #[serde(rename(serialize = "a", deserialize = "b"))]
    pub ports: i32,
}

impl Default for Network {}
