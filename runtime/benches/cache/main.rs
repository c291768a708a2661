//! In-process figures of the caches: store, selectors, informer, decoding.
//!
//! `cargo bench -p codegen-runtime --bench cache`. Objects are of the size that `hack/bench/informer.sh` serves.

#![allow(
    clippy::unwrap_used,
    reason = "a benchmark stops where it cannot go on"
)]

mod decode;
mod informer;
mod objects;
mod store;

fn main() {
    divan::main();
}
