//! Features besides the API: sockets, faults, reactors, the record of requests, limits.

mod authorization;
mod bounds;
mod certificates;
mod controllers;
mod conversion;
mod envtest;
mod faults;
mod gates;
mod large;
mod listener;
mod rbac;
mod serving;
mod webhook_races;
mod webhooks;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;

/// An empty config map.
fn map(name: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        ..ConfigMap::default()
    }
}
