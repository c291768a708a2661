//! Fuzzes generation from a Go package: `cargo +nightly fuzz run go seeds/go`.
//!
//! `codegen/tests/generator/hostile_go.rs` drives the same function with mutated seeds, without a fuzzer.
#![no_main]

#[path = "../run/go.rs"]
mod run;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    run::run(text);
});
