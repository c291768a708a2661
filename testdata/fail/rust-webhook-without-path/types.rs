// +kubebuilder:webhook:mutating=true,failurePolicy=fail,groups=a,resources=b,verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=v1,webhookVersions=v1beta1

use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    pub name: String,
}
