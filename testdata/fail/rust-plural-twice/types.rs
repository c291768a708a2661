use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

// +genclient
/// A box.
#[derive(Debug)]
pub struct Box {
    pub metadata: ObjectMeta,
}

// +genclient
/// A boxe.
#[derive(Debug)]
pub struct Boxe {
    pub metadata: ObjectMeta,
}
