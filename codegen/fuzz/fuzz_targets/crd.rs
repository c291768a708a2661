//! Fuzzes the reader of CRD YAML: `cargo +nightly fuzz run crd seeds/crd`.
#![no_main]

use kube_codegen::diag::Style;
use kube_codegen::{Generator, Options, Source, Sources};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let sources = Sources {
        crds: vec![Source::new("crd.yaml", text)],
        ..Sources::default()
    };
    let options = Options {
        emit: [Generator::Types, Generator::Deepcopy].into(),
        ..Options::default()
    };
    if let Err(errors) = kube_codegen::generate(&sources, &options) {
        let _ = errors.render(Style::Plain);
    }
});
