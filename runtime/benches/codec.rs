//! Decoding of objects whose types have defaults: `cargo bench -p codegen-runtime --bench codec`.
//!
//! `eager` builds every default before it reads, as structs that only use `Default` do; `lazy`
//! builds those of missing properties. Each result is for [`ITEMS`] objects.

#![allow(
    clippy::unwrap_used,
    reason = "a benchmark that cannot run has no figure"
)]
#![allow(missing_docs, reason = "a binary exports nothing")]

use std::collections::BTreeMap;

use codegen_runtime::codec;
use divan::{Bencher, black_box, counter::ItemsCount};
use serde::de::DeserializeOwned;

const ITEMS: usize = 10_000;

fn main() {
    divan::main();
}

/// Declares a spec with a string, a list and an object as defaults, in an object that always has
/// it.
macro_rules! types {
    ($($from:ident $blank:ident, $or:ident)?) => {
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(crate) struct Machine {
            name: String,
            spec: Spec,
        }

        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct Spec {
            image: String,
            labels: BTreeMap<String, String>,
            zones: Vec<String>,
            note: Option<String>,
            replicas: i32,
        }

        impl Spec {
            fn default_image() -> String {
                String::from("registry.example.com/debian:13")
            }
            fn default_labels() -> BTreeMap<String, String> {
                codec::from_json(r#"{"team":"platform","tier":"backend"}"#)
            }
            fn default_zones() -> Vec<String> {
                codec::from_json(r#"["a","b"]"#)
            }
        }

        impl Default for Spec {
            fn default() -> Self {
                Self {
                    image: Self::default_image(),
                    labels: Self::default_labels(),
                    zones: Self::default_zones(),
                    note: None,
                    replicas: 0,
                }
            }
        }

        codec::object! { Machine $($from $blank)?; required name, spec }
        codec::object! {
            Spec $($from $blank)?;
            defaulted image $($or default_image)?, labels $($or default_labels)?, zones $($or default_zones)?;
            optional note; required replicas
        }
    };
}

mod eager {
    use super::*;

    types!();
}

mod lazy {
    use super::*;

    types!(from blank, or);

    impl Machine {
        fn blank() -> Self {
            Self {
                name: Default::default(),
                spec: <Spec as codec::Object>::blank(),
            }
        }
    }

    impl Spec {
        fn blank() -> Self {
            Self {
                image: Default::default(),
                labels: Default::default(),
                zones: Default::default(),
                note: Default::default(),
                replicas: Default::default(),
            }
        }
    }
}

const FULL: &str =
    r#"{"name":"a","spec":{"image":"i","labels":{"a":"b"},"zones":["z"],"note":"n","replicas":1}}"#;
const SPARSE: &str = r#"{"name":"a","spec":{"replicas":1}}"#;

fn read<T: DeserializeOwned>(bencher: Bencher, json: &str) {
    bencher.counter(ItemsCount::new(ITEMS)).bench(|| {
        for _ in 0..ITEMS {
            black_box(serde_json::from_str::<T>(black_box(json)).unwrap());
        }
    });
}

#[divan::bench]
fn eager_all_present(bencher: Bencher) {
    read::<eager::Machine>(bencher, FULL);
}

#[divan::bench]
fn lazy_all_present(bencher: Bencher) {
    read::<lazy::Machine>(bencher, FULL);
}

#[divan::bench]
fn eager_defaults_missing(bencher: Bencher) {
    read::<eager::Machine>(bencher, SPARSE);
}

#[divan::bench]
fn lazy_defaults_missing(bencher: Bencher) {
    read::<lazy::Machine>(bencher, SPARSE);
}
