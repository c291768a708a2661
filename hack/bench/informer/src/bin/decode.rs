//! What decoding one object costs, and which part of it is reading JSON: `decode`.
//!
//! Each way is run in turn, several times; the best time counts.

use std::time::Instant;

use informer_bench::objects::{self, Widget};
use serde::de::IgnoredAny;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const OBJECTS: usize = 20_000;
const ROUNDS: usize = 15;

type Decode = fn(&[u8]) -> Option<Widget>;

/// The ways of decoding.
const WAYS: [(&str, Decode); 4] = [
    ("syntax alone", |json| {
        serde_json::from_slice::<IgnoredAny>(json).expect("JSON");
        None
    }),
    ("serde_json", |json| {
        Some(serde_json::from_slice(json).expect("a widget"))
    }),
    ("sonic-rs", |json| {
        Some(sonic_rs::from_slice(json).expect("a widget"))
    }),
    ("simd-json", |json| {
        Some(simd_json::serde::from_slice(&mut json.to_vec()).expect("a widget"))
    }),
];

fn main() {
    // An informer skips managedFields without building them.
    let objects: Vec<Vec<u8>> = (0..OBJECTS)
        .map(|n| serde_json::to_vec(&objects::typed(n, n)).expect("JSON"))
        .collect();
    let mut best = [f64::MAX; WAYS.len()];
    for _ in 0..ROUNDS {
        for (best, (_, decode)) in best.iter_mut().zip(WAYS) {
            let began = Instant::now();
            let decoded: Vec<_> = objects.iter().filter_map(|json| decode(json)).collect();
            *best = best.min(began.elapsed().as_secs_f64());
            drop(decoded);
        }
    }
    let allocator = match cfg!(feature = "mimalloc") {
        true => "mimalloc",
        false => "system",
    };
    let ours = best[1];
    for ((way, _), seconds) in WAYS.iter().zip(best) {
        let microseconds = seconds * 1e6 / OBJECTS as f64;
        println!(
            "{way}\t{allocator}\t{microseconds:.2}\t{:.2}",
            ours / seconds
        );
    }
}
