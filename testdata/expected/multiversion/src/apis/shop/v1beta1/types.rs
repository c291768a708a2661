//! The types of `shop.example.com/v1beta1`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:deprecatedversion:warning="shop.example.com/v1beta1 Order is deprecated; use v1"
// +kubebuilder:subresource:status
/// An order of one article.
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
    /// The article's number.
    pub article: String,
    /// How many of it.
    pub count: u32,
}

/// How far an order is.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderStatus {
    /// Whether the order has left.
    pub shipped: bool,
}
