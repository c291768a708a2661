//! Removes the endpoints of a deleted service (`afterDelete` in
//! `k8s.io/kubernetes/pkg/registry/core/service/storage`), so that a later service of the same name
//! does not get them.

use std::sync::Arc;

use super::background;
use crate::core::{Change, Core, Observer};
use crate::registry::Served;
use crate::rest::delete::delete_object;
use crate::rest::options::DeleteOptions;

/// The part of the service's registry that deletes other objects.
#[derive(Debug)]
pub(super) struct ServiceEndpoints;

impl Observer for ServiceEndpoints {
    fn observe(&self, core: &Arc<Core>, served: &Served, change: &Change<'_>) {
        let Change::Removed(service) = change else {
            return;
        };
        if !served.is("", "services") {
            return;
        }
        if let Some(served) = core.builtin("", "endpoints") {
            let (core, key) = (core.clone(), service.key.clone());
            background::run(async move {
                // Most services have no endpoints of their own.
                drop(delete_object(&core, &served, &key, &DeleteOptions::default(), None).await);
            });
        }
    }
}
