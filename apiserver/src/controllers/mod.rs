//! The cluster's controllers that run in the server.
//!
//! Each controller observes writes ([`Observer`](crate::core::Observer)) and acts through the
//! handlers in [`rest`](crate::rest) before the observed request is answered: a client sees the
//! outcome as soon as its own request returns.

mod aggregated_roles;
mod api_services;
mod background;
mod definitions;
mod garbage;
mod namespace_objects;
mod namespaces;
mod service_endpoints;
mod single_flight;

use std::sync::Arc;
use std::time::Duration;

use background::Retry;

use crate::core::{Controllers, Core, Observer, Options};
use crate::registry::Served;
use crate::rest::Requester;
use crate::rest::delete::delete_object;
use crate::rest::options::DeleteOptions;
use crate::status::ApiError;
use crate::store::{Key, Stored};

/// The maximum backoff of most controllers.
const LONGEST_WAIT: Duration = Duration::from_secs(1000);

/// Returns the enabled controllers, in the order in which they observe a write.
pub(crate) fn controllers(options: Options) -> Vec<Box<dyn Observer>> {
    let mut controllers: Vec<Box<dyn Observer>> = vec![
        Box::new(definitions::Definitions::default()),
        Box::new(service_endpoints::ServiceEndpoints),
    ];
    if options.bootstrap {
        controllers.push(Box::new(api_services::ApiServices));
    }
    if options.namespace_objects {
        controllers.push(Box::new(aggregated_roles::AggregatedRoles::default()));
    }
    if options.garbage_collector == Controllers::Full {
        controllers.push(Box::new(garbage::GarbageCollector));
    }
    if options.namespace_lifecycle == Controllers::Full {
        controllers.push(Box::new(namespaces::Namespaces::default()));
    }
    if options.namespace_objects {
        controllers.push(Box::new(namespace_objects::NamespaceObjects));
    }
    controllers
}

/// Deletes an object that belongs to a namespace or definition under deletion; the uid protects a
/// later object of the same name. On failure, the object remains and `retry` is scheduled.
fn delete_content(
    core: &Arc<Core>,
    served: &Served,
    stored: &Stored,
    options: DeleteOptions,
    retry: &Retry,
) {
    let options = DeleteOptions {
        uid: Some(stored.uid.to_string()),
        ..options
    };
    let (core, served, key) = (core.clone(), served.clone(), stored.key.clone());
    let retry = retry.clone();
    background::run(async move {
        let (controller, ..) = retry.task;
        if let Err(error) = delete(&core, &served, &key, &options, controller).await
            && error.code != 404
        {
            retry.schedule(&core);
        }
    });
}

/// Deletes an object on behalf of a controller.
async fn delete(
    core: &Arc<Core>,
    served: &Served,
    key: &Key,
    options: &DeleteOptions,
    controller: &'static str,
) -> Result<(), ApiError> {
    // The storage version needs no conversion.
    let served = served.in_storage().unwrap_or_else(|| served.clone());
    let by = Requester::controller(controller);
    let outcome = delete_object(core, &served, key, options, Some(&by)).await;
    if let Err(error) = &outcome
        && error.code != 404
    {
        tracing::debug!(name = &*key.name, %error, "cannot delete an object");
    }
    outcome.map(drop)
}
