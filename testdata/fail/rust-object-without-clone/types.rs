use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

// +genclient
// +genclient:noStatus
// +k8s:deepcopy-gen=false
pub struct Machine {
    pub metadata: ObjectMeta,
}

// +genclient
// +genclient:noStatus
// +k8s:deepcopy-gen=false
#[derive(Clone)]
pub struct Network {
    pub metadata: ObjectMeta,
}

// +genclient
// +genclient:noStatus
// +k8s:deepcopy-gen=false
#[cfg_attr(unix, derive(Clone))]
pub struct Disk {
    pub metadata: ObjectMeta,
}
