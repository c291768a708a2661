//! The types of `samplecrd.k8s.io/v1`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +genclient
// +genclient:noStatus
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=unapproved, experimental-only"

/// A network.
#[derive(Debug, Default, PartialEq)]
pub struct Network {
    /// Name, namespace, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// The desired state of the network.
    pub spec: NetworkSpec,
}

/// The desired state of a network.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkSpec {
    /// The address range, such as `192.168.0.0/16`.
    pub cidr: String,
    /// The address of the gateway, such as `192.168.0.1`.
    pub gateway: String,
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=unapproved, experimental-only"

/// A route. Its serde attributes are followed by the serde that is generated for it.
#[derive(Debug, Default, PartialEq, codegen_runtime::ApiObject)]
#[serde(rename_all = "kebab-case")]
pub struct Route {
    /// Name, namespace, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// The name on the wire is another.
    #[serde(rename = "destinationCIDR")]
    pub destination: String,
    /// The name on the wire is in kebab case.
    #[serde(default)]
    pub route_priority: i32,
    /// Left out when none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_hop: Option<String>,
    /// Its fields are those of the route.
    #[serde(flatten)]
    pub network: NetworkSpec,
    /// Not on the wire.
    #[serde(skip)]
    pub hits: u64,
}
