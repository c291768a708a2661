use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A machine.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "cloud.example.com", version = "v1alpha1", kind = "Machine")]
#[x_kube(validations = "self.cores > 1")]
pub struct MachineSpec {
    /// How many cores.
    #[schemars(rang(max = 8))]
    pub cores: i32,
    /// Its name.
    #[schemars(length = 3)]
    pub name: String,
    /// Not schemars' own: its derive reports this.
    #[validate(lenght(max = 3))]
    pub word: String,
}
