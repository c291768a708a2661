//! The types of `fleet.example.com/v1`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +genclient
// +genclient:nonNamespaced
// +genclient:onlyVerbs=create,get,list,watch,updateStatus
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:subresource:status
/// A region, which the cluster holds and nobody changes.
#[derive(Debug, Default, PartialEq)]
pub struct Region {
    /// Name, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// The observed state of the region.
    pub spec: RegionSpec,
    /// How the region does.
    pub status: Option<RegionStatus>,
}

/// The observed state of a region.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionSpec {
    /// The country's two letters.
    pub country: String,
}

/// How a region does.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionStatus {
    /// Whether machines can be had.
    pub open: bool,
}

// +genclient
// +genclient:skipVerbs=patch,deleteCollection
// +genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale
// +genclient:method=UpdateScale,verb=update,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale
// +genclient:method=Restart,verb=create,subresource=restart,input=RestartOptions,result=RestartResult
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.size,selectorpath=.status.selector
/// Machines of one kind.
#[derive(Debug, Default, PartialEq)]
pub struct Fleet {
    /// Name, namespace, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// The desired state of the fleet.
    pub spec: FleetSpec,
    /// The observed state of the fleet.
    pub status: Option<FleetStatus>,
}

/// The desired state of a fleet.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetSpec {
    /// How many machines there should be.
    pub size: i32,
}

/// The observed state of a fleet.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FleetStatus {
    /// How many machines there are.
    pub size: i32,
    /// Selects the machines.
    pub selector: String,
}

/// How to restart a fleet.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RestartOptions {
    /// How long each machine has to stop, in seconds.
    pub grace_seconds: i64,
}

/// What a restart came to.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestartResult {
    /// How many machines were restarted.
    pub restarted: i32,
}

// +genclient
// +genclient:readonly
// +genclient:noStatus
// +resourceName=catalogue
// +k8s:deepcopy-gen:interfaces=runtime.Object
/// What machines there are to be had, by a plural of its own.
#[derive(Debug, Default, PartialEq)]
pub struct Catalog {
    /// Name, namespace, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// The sizes.
    pub sizes: Vec<String>,
}

// +genclient
// +genclient:noVerbs
// +genclient:method=Create,verb=create,result=CheckResult
// +genclient:method=Probe,verb=create,subresource=probe
// +genclient:method=Start,verb=create
// +genclient:method=Follow,verb=watch
// +genclient:method=Cancel,verb=delete
// +k8s:deepcopy-gen:interfaces=runtime.Object
/// A check that exists only while it runs.
#[derive(Debug, Default, PartialEq)]
pub struct Check {
    /// Name, namespace, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// What is checked.
    pub target: String,
}

/// What a check came to.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    /// Whether the target is well.
    pub passed: bool,
}
