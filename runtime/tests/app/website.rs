//! The kind of docs/controllers.md, and an external system.

use std::collections::BTreeSet;
use std::sync::Arc;

use codegen_runtime::codec;
use codegen_runtime::fake;
use codegen_runtime::kube::api::ObjectMeta;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

/// The kind as a generator would emit it.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Website {
    #[serde(default)]
    kind: Kind,
    #[serde(rename = "apiVersion", default)]
    api_version: ApiVersion,
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: WebsiteSpec,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<WebsiteStatus>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) enum Kind {
    #[default]
    Website,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) enum ApiVersion {
    #[default]
    #[serde(rename = "example.com/v1")]
    V1,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct WebsiteSpec {
    pub(crate) html: String,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct WebsiteStatus {
    #[serde(default)]
    pub(crate) conditions: Vec<Condition>,
}

codec::kinds! {
    "example.com" / "v1";
    Website, "websites", NamespaceResourceScope;
}

pub(crate) const WEBSITES: fake::Resource = fake::Resource {
    group: "example.com",
    version: "v1",
    kind: "Website",
    plural: "websites",
    singular: "website",
    scope: fake::Scope::Namespaced,
    short_names: &[],
    status: true,
    scale: None,
};

/// An external system.
#[derive(Clone, Default)]
pub(crate) struct Dns(Arc<Mutex<BTreeSet<String>>>);

impl Dns {
    pub(crate) fn add(&self, name: &str) {
        self.0.lock().insert(name.to_owned());
    }

    pub(crate) fn remove(&self, name: &str) {
        self.0.lock().remove(name);
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.0.lock().iter().cloned().collect()
    }
}
