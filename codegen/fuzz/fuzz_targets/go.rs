//! Generation of types and CRDs from a Go package of any text: `cargo +nightly fuzz run go seeds/go`.
#![no_main]

use codegen::diag::Style;
use codegen::{
    Manifests, Options, Source, Sources,
    read::go::{GoFile, GoPackage, GoSources},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let module = GoSources {
        packages: vec![GoPackage {
            path: "example.com/api/v1".to_owned(),
            module: "example.com".to_owned(),
            version: None,
            main: true,
            dir: "api/v1".to_owned(),
            requested: true,
            files: vec![GoFile::new(Source::new("api/v1/types.go", text))],
        }],
        ..GoSources::default()
    };
    let sources = Sources {
        go: vec![module],
        ..Sources::default()
    };
    let options = Options {
        manifests: Some(Manifests::default()),
        ..Options::default()
    };
    let found = match codegen::generate(&sources, &options) {
        Ok(generated) => generated.warnings,
        Err(errors) => errors,
    };
    // A panic of the generator is caught and reported as an error.
    assert!(!found.render(Style::Plain).contains("panicked"));
});
