use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A machine.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "cloud.example.com", version = "v1alpha1", kind = "Machine")]
pub struct MachineSpec {
    /// Its disks.
    #[x_kube(merge_strategy = ListMerge::Map(vec!["path".into()]))]
    pub disks: Vec<Disk>,
    /// Its name.
    #[schemars(extend("minimum" = 1))]
    pub name: String,
}

/// A disk.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct Disk {
    /// Its path.
    pub path: Option<String>,
}
