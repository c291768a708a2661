// +groupName=parity.example.com
// +versionName=v1

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

/// DiskQuota bounds disks.
// +kubebuilder:object:root=true
#[derive(Debug)]
pub struct DiskQuota {
    pub metadata: ObjectMeta,
    // +optional
    pub spec: DiskQuotaSpec,
}

/// WithIndex has an index. What its markers of client-gen say is nothing to controller-gen.
// +kubebuilder:object:root=true
// +genclient
// +genclient:nonNamespaced
// +resourceName=indexed
#[derive(Debug)]
pub struct WithIndex {
    pub metadata: ObjectMeta,
    // +optional
    pub spec: WithIndexSpec,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiskQuotaSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WithIndexSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}
