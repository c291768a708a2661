//! Tests of the caches: reflector, event queue, store, lister, informer and factory, on a scripted API server.

#![allow(unreachable_pub, reason = "a test binary exports nothing")]

mod factory;
mod fifo;
mod handlers;
mod indexer;
mod informer;
mod reflector_list;
mod reflector_objects;
mod reflector_watch;
mod resync;
mod support;
mod watch_list;
