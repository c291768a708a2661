use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A machine.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(
    group = "cloud.example.com",
    version = "v1alpha1",
    kind = "Machine",
    validation = Rule::new("self.specs.cores > 1").message("more cores")
)]
#[x_kube(validation = ("self.core > 1", "more cores"))]
pub struct MachineSpec {
    /// How many cores.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub cores: i32,
    /// Its disks.
    #[x_kube(merge_strategy = ListMerge::Map(vec!["path".into()]))]
    #[schemars(length(max = 8), extend("x-kubernetes-validations" = [{"rule": "self.length() > 1"}]))]
    pub disks: Vec<Disk>,
}

/// A disk.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct Disk {
    /// Its path.
    pub path: String,
}
