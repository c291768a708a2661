//! The cluster's controllers that run inside the server.
//!
//! Each one observes writes ([`Observer`](crate::core::Observer)) and acts through the requests of [`rest`](crate::rest),
//! before the request that it observed is answered: a client sees the outcome as soon as its own request returns.

mod background;
mod definitions;
mod garbage;
mod namespace_objects;
mod namespaces;
mod single_flight;

use std::sync::Arc;
use std::time::Duration;

use background::Retry;

use crate::core::{Core, Observer, Options};
use crate::registry::Served;
use crate::rest::Requester;
use crate::rest::delete::delete_object;
use crate::rest::options::DeleteOptions;
use crate::status::ApiError;
use crate::store::{Key, Stored};

/// The longest wait before most controllers try again what failed.
const LONGEST_WAIT: Duration = Duration::from_secs(1000);

/// The controllers that run, in the order in which they see a write.
pub(crate) fn controllers(options: Options) -> Vec<Box<dyn Observer>> {
    let mut controllers: Vec<Box<dyn Observer>> =
        vec![Box::new(definitions::Definitions::default())];
    if options.garbage_collector {
        controllers.push(Box::new(garbage::GarbageCollector));
    }
    if options.namespace_lifecycle {
        controllers.push(Box::new(namespaces::Namespaces::default()));
    }
    if options.namespace_objects {
        controllers.push(Box::new(namespace_objects::NamespaceObjects));
    }
    controllers
}

/// Deletes an object of the content that goes with another, and no later one of its name. A failure leaves the object, and has the
/// whole content looked at again.
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

/// Deletes an object in the name of a controller.
async fn delete(
    core: &Arc<Core>,
    served: &Served,
    key: &Key,
    options: &DeleteOptions,
    controller: &'static str,
) -> Result<(), ApiError> {
    // In the version that is stored nothing needs to be converted.
    let served = served.in_storage().unwrap_or_else(|| served.clone());
    let by = Requester::controller(controller);
    let outcome = delete_object(core, &served, key, options, Some(&by)).await;
    if let Err(error) = &outcome
        && error.code != 404
    {
        tracing::debug!(name = &*key.name, %error, "not deleted");
    }
    outcome.map(drop)
}
