//! The types of `traffic-control.example.com/v1alpha2`.

use std::collections::BTreeMap;

use codegen_runtime::k8s_openapi::apimachinery::pkg::{
    apis::meta::v1::ObjectMeta, util::intstr::IntOrString,
};
use serde::{Deserialize, Serialize};

// +genclient
// +genclient:noStatus
// +k8s:deepcopy-gen:interfaces=runtime.Object
/// A route for HTTP.
#[derive(Debug, Default, PartialEq)]
pub struct HTTPRoute {
    /// Name, namespace, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// The desired state of the route.
    pub spec: HTTPRouteSpec,
}

/// The desired state of a route.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HTTPRouteSpec {
    /// The kind of match.
    pub r#type: MatchType,
    /// Where requests go, a port by number or name.
    #[serde(rename = "targetRef", skip_serializing_if = "Option::is_none")]
    pub target: Option<IntOrString>,
    /// The addresses that may ask.
    #[serde(rename = "allowedIPs", default)]
    pub allowed_ips: Vec<String>,
    /// What is done with requests on their way.
    // +kubebuilder:pruning:PreserveUnknownFields
    // +kubebuilder:validation:Schemaless
    #[serde(default)]
    pub filters: Vec<Filter>,
}

/// How a path is matched.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatchType {
    /// The whole path.
    #[default]
    Exact,
    /// The start of the path.
    PathPrefix,
}

/// What a build of its own adds to a route.
#[cfg(unix)]
#[cfg_attr(feature = "plain", derive(Clone))]
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteSocket {
    /// The path of the socket.
    pub path: String,
}

/// A value with a mark.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Marked<T: std::fmt::Display + Default> {
    /// The value.
    pub value: T,
    /// The mark.
    pub mark: Mark,
}

/// Nothing, which is written as an empty list.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark();

/// What is done with a request.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Filter {
    /// Nothing.
    Pass,
    /// It goes elsewhere.
    Redirect {
        /// The scheme, as it was if there is none.
        #[serde(skip_serializing_if = "Option::is_none")]
        scheme: Option<String>,
        /// The name of the other host.
        host_name: String,
    },
    /// It has another path.
    Rewrite(String),
    /// It is sent to another port too.
    Mirror(IntOrString),
}

// +genclient
// +genclient:noStatus
// +genclient:nonNamespaced
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:resource:scope=Cluster,shortName=vp;vmip
/// A pool of virtual IP addresses.
#[derive(Debug, Default, PartialEq)]
pub struct VMIPool {
    /// Name, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// The addresses.
    pub addresses: Vec<String>,
    /// Those of the addresses that nobody gets.
    pub held_back: Vec<String>,
    /// How addresses are shared.
    pub sharing: Option<Sharing>,
}

/// How addresses are shared.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sharing {
    /// How many addresses each team has.
    pub teams: BTreeMap<Team, Bounds<u32>>,
    /// How many addresses all teams have together; null for any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Option<i64>>,
    /// The names of addresses, between two of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Bounds<String>>,
}

/// The name of a team.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Team(pub String);

/// The least and the most of something.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounds<T> {
    /// The least.
    pub least: T,
    /// The most, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<T>,
}
