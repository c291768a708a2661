//! The types of `people.example.com/v3`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +kubebuilder:object:root=true
// +kubebuilder:resource:path=people
// +kubebuilder:subresource:status
// +kubebuilder:conversion:webhook
// +kubebuilder:storageversion
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
    /// The first name.
    // +kubebuilder:default=""
    #[serde(default)]
    pub first_name: String,
    /// The last name.
    // +kubebuilder:default=""
    #[serde(default)]
    pub last_name: String,
    /// What a person says of themselves.
    // +kubebuilder:default="Unknown"
    #[serde(default)]
    pub gender: String,
    /// Where else to find it.
    pub socials: Socials,
}

/// Accounts elsewhere.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Socials {
    /// The address.
    pub email: String,
    /// The account at Mastodon.
    // +kubebuilder:default=""
    #[serde(default)]
    pub mastodon: String,
}

/// How a person is.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonStatus {
    /// Whether it lives.
    pub alive: bool,
}
