//! Creates the objects that every namespace of a cluster has: a service account and the certificate
//! of the API server.

use std::sync::Arc;

use serde_json::{Value, json};

use super::background;
use crate::core::{Change, Core, Observer};
use crate::metadata::object;
use crate::registry::Served;
use crate::rest::Requester;
use crate::rest::create::create_object;
use crate::rest::options::WriteOptions;

/// The controllers of service accounts and of root certificates
/// (`k8s.io/kubernetes/pkg/controller`).
#[derive(Debug)]
pub(super) struct NamespaceObjects;

impl Observer for NamespaceObjects {
    fn observe(&self, core: &Arc<Core>, served: &Served, change: &Change<'_>) {
        let namespace = match change {
            Change::Written { new, .. } if !object::is_deleting(new) => new,
            Change::Stored(new) => new,
            _ => return,
        };
        if served.is("", "namespaces") {
            fill(core, object::name(namespace));
        }
    }
}

/// Creates the missing objects.
fn fill(core: &Arc<Core>, namespace: &str) {
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount",
        "metadata": {"name": "default", "namespace": namespace}});
    // The server has no TLS certificate.
    let certificate = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"ca.crt": ""},
        "metadata": {"name": "kube-root-ca.crt", "namespace": namespace}});
    put(core, "serviceaccounts", account);
    put(core, "configmaps", certificate);
}

fn put(core: &Arc<Core>, plural: &str, object: Value) {
    let options = WriteOptions {
        manager: "kube-controller-manager".to_owned(),
        ..WriteOptions::default()
    };
    if let Some(served) = core.builtin("", plural) {
        let core = core.clone();
        background::run(async move {
            let by = Requester::controller("root-ca-cert-publisher");
            // An existing object is kept.
            drop(create_object(&core, &served, object, &options, &by).await);
        });
    }
}
