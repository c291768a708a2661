//! Keeps an API service for every version of a definition
//! (`k8s.io/kube-aggregator/pkg/controllers/autoregister`).

use std::sync::Arc;

use serde_json::Value;

use crate::bootstrap::api_service;
use crate::core::{Change, Core, Observer};
use crate::metadata::object::text;
use crate::registry::{Origin, Served};
use crate::rest::write;
use crate::seed;
use crate::store::Key;

/// The part of the aggregator that registers custom resources. Observes definitions after they are
/// served.
#[derive(Debug)]
pub(super) struct ApiServices;

impl Observer for ApiServices {
    fn observe(&self, core: &Arc<Core>, served: &Served, change: &Change<'_>) {
        if !served.is("apiextensions.k8s.io", "customresourcedefinitions") {
            return;
        }
        match change {
            Change::Written { new, .. } | Change::Stored(new) => settle(core, new),
            Change::Removed(last) => settle(core, &last.decode()),
        }
    }
}

/// Creates and deletes the API services of a definition's versions.
fn settle(core: &Arc<Core>, crd: &Value) {
    let Some(services) = core.builtin("apiregistration.k8s.io", "apiservices") else {
        return;
    };
    let group = text(crd, &["spec", "group"]);
    let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
    for version in versions.map(|version| text(version, &["name"])) {
        let key = Key::new("", &format!("{version}.{group}"));
        let exists = core.find(&services, &key).is_some();
        match core.registry.serves(group, version) {
            true if !exists => {
                let service = api_service(core, group, version, Origin::Custom);
                if let Err(error) = seed::put(core, service) {
                    tracing::debug!(%error, "cannot register an API service");
                }
            }
            false if exists => drop(write::remove(core, &services, &key)),
            _ => {}
        }
    }
}
