use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

// +genclient
// +genclient:noStatus
// +k8s:deepcopy-gen=false
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
}

// +genclient
// +genclient:noStatus
// +k8s:deepcopy-gen=false
#[derive(Clone, Debug)]
pub struct Network {
    pub metadata: ObjectMeta,
}

// +genclient
// +genclient:noStatus
// +k8s:deepcopy-gen=false
#[derive(Debug)]
#[cfg_attr(unix, derive(Clone))]
pub struct Disk {
    pub metadata: ObjectMeta,
}
