use serde::{Deserialize, Serialize};

/** A spec.

 +kubebuilder:validation:XValidation:rule="has(self.name)"
 */
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    /* +optional */
    pub name: Option<String>,
}
