use serde::{Deserialize, Serialize};

// +kubebuilder:webhook:path=/a,mutating=true,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=v1,patch=[]

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    pub name: String,
}
