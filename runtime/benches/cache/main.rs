//! In-process benchmarks of the caches: store, selectors, informer, decoding.
//!
//! `cargo bench -p codegen-runtime --bench cache`. Objects have the size of those served by
//! `hack/bench/informer.sh`.

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
