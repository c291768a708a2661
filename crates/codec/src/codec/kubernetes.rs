//! Types of k8s-openapi that hold quantities or int-or-strings.

use k8s_openapi::api;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Codec, exact_reader::ExactReader, exact_writer::ExactWriter};

macro_rules! exact {
    ($($group:ident::$version:ident { $($name:ident)+ })+) => {
        $($(impl Codec for api::$group::$version::$name {
            fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::deserialize(ExactReader::new(deserializer))
            }

            fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.serialize(ExactWriter::new(serializer))
            }
        })+)+
    };
}

exact! {
    apps::v1 {
        DaemonSetSpec DaemonSetUpdateStrategy DeploymentSpec DeploymentStrategy ReplicaSetSpec RollingUpdateDaemonSet
        RollingUpdateDeployment RollingUpdateStatefulSetStrategy StatefulSetSpec StatefulSetUpdateStrategy
    }
    autoscaling::v2 {
        ContainerResourceMetricSource ContainerResourceMetricStatus ExternalMetricSource ExternalMetricStatus
        HPAScalingRules HorizontalPodAutoscalerBehavior HorizontalPodAutoscalerSpec HorizontalPodAutoscalerStatus
        MetricSpec MetricStatus MetricTarget MetricValueStatus ObjectMetricSource ObjectMetricStatus PodsMetricSource
        PodsMetricStatus ResourceMetricSource ResourceMetricStatus
    }
    batch::v1 { CronJobSpec JobSpec JobTemplateSpec }
    core::v1 {
        Container ContainerStatus DownwardAPIProjection DownwardAPIVolumeFile DownwardAPIVolumeSource
        EmptyDirVolumeSource EnvVar EnvVarSource EphemeralContainer EphemeralVolumeSource HTTPGetAction Lifecycle
        LifecycleHandler LimitRangeItem LimitRangeSpec NodeStatus PersistentVolumeClaimSpec
        PersistentVolumeClaimStatus PersistentVolumeClaimTemplate PersistentVolumeSpec PodSpec PodStatus
        PodTemplateSpec Probe ProjectedVolumeSource ReplicationControllerSpec ResourceFieldSelector ResourceQuotaSpec
        ResourceQuotaStatus ResourceRequirements ServicePort ServiceSpec TCPSocketAction Volume VolumeProjection
        VolumeResourceRequirements
    }
    networking::v1 {
        NetworkPolicyEgressRule NetworkPolicyIngressRule NetworkPolicyPort NetworkPolicySpec
    }
    node::v1 { Overhead }
    policy::v1 { PodDisruptionBudgetSpec }
    storage::v1 { VolumeAttachmentSource VolumeAttachmentSpec }
}

k8s_openapi::k8s_if_ge_1_34! {
    exact! {
        resource::v1 {
            AllocationResult CapacityRequestPolicy CapacityRequestPolicyRange CapacityRequirements Counter CounterSet Device
            DeviceAllocationResult DeviceCapacity DeviceClaim DeviceCounterConsumption DeviceRequest
            DeviceRequestAllocationResult DeviceSubRequest ExactDeviceRequest ResourceClaimSpec ResourceClaimStatus
            ResourceClaimTemplateSpec ResourceSliceSpec
        }
    }
}

k8s_openapi::k8s_if_ge_1_36! {
    exact! {
        core::v1 { NodeAllocatableResourceClaimStatus }
    }
}

k8s_openapi::k8s_if_ge_1_37! {
    exact! {
        core::v1 { NodeAllocatableMappedResources NodeAllocatableOverheadResources }
        resource::v1 { NodeAllocatableMapping NodeAllocatableOverhead NodeAllocatableResource }
    }
}
