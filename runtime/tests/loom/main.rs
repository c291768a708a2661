//! The hand-overs of informer and work queue, under every interleaving that loom can generate.
//!
//! The files of the hand-overs are compiled here with loom's locks in place of the crate's. The
//! informer's store, whose locks are held only briefly, is the real one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    unreachable_pub,
    dead_code,
    unused_imports,
    reason = "helpers of tests fail as tests do, and the crate uses more of these files"
)]

#[path = "../../src/clock.rs"]
mod clock;
mod hand_over;
mod informer;
#[path = "../../src/object.rs"]
mod object;
mod reflector;
#[path = "../../src/store/mod.rs"]
mod store;
mod sync;
mod witness;
mod work_queue;
