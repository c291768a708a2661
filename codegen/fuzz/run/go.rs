//! Generation of types and CRDs from any text as the only file of a Go package: what the fuzzer and the tests run.

use codegen::{
    Manifests, Options, Source, Sources,
    diag::Style,
    read::go::{GoPackage, GoSources},
};

/// A Go package with one file, in the main module and asked for.
pub fn sources(text: &str) -> Sources {
    let files = vec![Source::new("api/v1/types.go", text)];
    let package = GoPackage::requested("example.com/api/v1", "example.com", "api/v1", files);
    Sources {
        go: vec![GoSources::from(package)],
        ..Sources::default()
    }
}

/// Generates from the text, and renders what is found.
///
/// # Panics
///
/// If the generator does, whose panics are caught and reported as an error.
pub fn run(text: &str) -> String {
    let options = Options {
        manifests: Some(Manifests::default()),
        ..Options::default()
    };
    let found = match codegen::generate(&sources(text), &options) {
        Ok(generated) => generated.warnings,
        Err(errors) => errors,
    };
    let rendered = found.render(Style::Colored);
    assert!(!rendered.contains("panicked"), "{text}");
    rendered
}
