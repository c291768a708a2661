//! The cluster's controllers that run inside the server.
//!
//! Each one observes writes ([`Observer`](crate::core::Observer)) and acts through the requests of [`rest`](crate::rest),
//! before the request that it observed is answered: a client sees the outcome as soon as its own request returns.

mod definitions;
mod garbage;
mod namespace_objects;
mod namespaces;
mod single_flight;

use crate::core::{Observer, Options};

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
