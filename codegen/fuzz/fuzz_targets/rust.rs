//! Fuzzes the reader of annotated Rust: `cargo +nightly fuzz run --no-cfg-fuzzing rust seeds/rust`.
//!
//! Without `--no-cfg-fuzzing`, proc-macro2 returns no source locations, so markers cannot be attached to items.
#![no_main]

use kube_codegen::diag::Style;
use kube_codegen::{Options, RustPackage, Source, Sources};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let sources = Sources {
        rust: vec![RustPackage {
            group: "cloud".to_owned(),
            version: "v1alpha1".to_owned(),
            module_path: "crate::apis::cloud::v1alpha1".to_owned(),
            dir: "apis/cloud/v1alpha1".into(),
            files: vec![Source::new("mod.rs", text)],
        }],
        ..Sources::default()
    };
    if let Err(errors) = kube_codegen::generate(&sources, &Options::default()) {
        let _ = errors.render(Style::Plain);
    }
});
