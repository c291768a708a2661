//! Tests of the caches: reflector, event queue, store, lister, informer and factory, on a scripted
//! API server. The suite runs twice: on ordinary stores, and as `packed_cache` on packed ones.
//!
//! Long sleeps take no time: tests that wait for more than milliseconds use a paused clock
//! (`start_paused`).

mod example;
mod factory;
mod fifo;
mod hammer;
mod handlers;
mod indexer;
mod informer;
mod namespaces;
mod properties;
mod reflector_deadlines;
mod reflector_list;
mod reflector_objects;
mod reflector_versions;
mod reflector_watch;
mod resync;
mod support;
mod typed_client;
mod watch_list;
