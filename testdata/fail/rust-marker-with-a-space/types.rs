use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

// + genclient
// +  genclient:noStatus
// + one more, which is prose
/// A machine.
#[derive(Debug)]
pub struct Machine {
    // + kubebuilder:validation:Maximum=3
    pub metadata: ObjectMeta,
}
