use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

// +genclient
// +genclient:noStatus
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, Default))]
pub struct Machine {
    pub metadata: ObjectMeta,
}
