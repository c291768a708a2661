//! The types of `people.example.com/v1alpha1`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +kubebuilder:object:root=true
// +kubebuilder:resource:path=people
// +kubebuilder:subresource:status
/// A person.
#[derive(Debug, Default, PartialEq)]
pub struct Person {
    /// Name, namespace, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// Who it is.
    pub spec: PersonSpec,
    /// How it is.
    pub status: Option<PersonStatus>,
}

/// Who a person is.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PersonSpec {
    /// The name of the account.
    pub username: String,
    /// Where else to find it.
    pub socials: Socials,
}

/// Accounts elsewhere.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Socials {
    /// The address.
    pub email: String,
}

/// How a person is.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonStatus {
    /// Whether it lives.
    pub alive: bool,
}
