//! The types of `shop.example.com/v1`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
/// An order.
#[derive(Debug, Default, PartialEq)]
pub struct Order {
    /// Name, namespace, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// What is ordered.
    pub spec: OrderSpec,
    /// How far the order is.
    pub status: Option<OrderStatus>,
}

/// What is ordered.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderSpec {
    /// The articles, each once.
    // +listType=map
    // +listMapKey=article
    pub lines: Vec<OrderLine>,
}

/// An article of an order.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderLine {
    /// The article's number.
    pub article: String,
    /// How many of it.
    // +kubebuilder:default=1
    #[serde(default = "one")]
    pub count: u32,
}

/// An order without a count is for one.
fn one() -> u32 {
    1
}

/// How far an order is.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OrderStatus {
    /// What is known, by type.
    // +listType=map
    // +listMapKey=type
    pub conditions: Vec<Condition>,
}
