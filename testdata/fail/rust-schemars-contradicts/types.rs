use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A machine.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "cloud.example.com", version = "v1alpha1", kind = "Machine")]
pub struct MachineSpec {
    /// Two bounds.
    #[schemars(range(max = 8))]
    // +kubebuilder:validation:Maximum=9
    pub cores: i32,
    /// The same bound twice.
    #[schemars(range(max = 8))]
    // +kubebuilder:validation:Maximum=8
    pub threads: i32,
    /// Required and optional.
    #[schemars(required)]
    // +optional
    pub name: Option<String>,
    /// Two keys.
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    // +listType=map
    // +listMapKey=path
    pub disks: Vec<Disk>,
    /// No value.
    #[schemars(length(min = 5, max = 3))]
    pub word: String,
    /// Not a pattern.
    #[schemars(regex(pattern = "(?=a)"))]
    pub pattern: String,
}

/// A disk.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct Disk {
    /// Its name.
    pub name: String,
    /// Its path.
    pub path: String,
}
