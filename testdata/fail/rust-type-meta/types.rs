use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ListMeta, ObjectMeta};
use kube::core::TypeMeta;

// +genclient
// +genclient:noStatus
/// A machine.
#[derive(Debug)]
pub struct Machine {
    pub type_meta: TypeMeta,
    pub metadata: ObjectMeta,
}

// +k8s:deepcopy-gen:interfaces=runtime.Object
/// Machines.
#[derive(Debug)]
pub struct MachineList {
    pub types: Option<Box<TypeMeta>>,
    pub metadata: ListMeta,
    pub items: Vec<Machine>,
}
