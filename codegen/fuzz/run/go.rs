//! Generates types and CRDs from an arbitrary single-file Go package. Shared by the fuzzer and the tests.

use kube_codegen::{
    Manifests, Options, Source, Sources,
    diag::Style,
    read::go::{GoPackage, GoSources},
};

/// Returns a requested Go package of the main module, with one file.
pub fn sources(text: &str) -> Sources {
    let files = vec![Source::new("api/v1/types.go", text)];
    let package = GoPackage::requested("example.com/api/v1", "example.com", "api/v1", files);
    Sources {
        go: vec![GoSources::from(package)],
        ..Sources::default()
    }
}

/// Generates from the file `text`, and returns the rendered diagnostics.
///
/// # Panics
///
/// If the generator panics. It catches panics and reports them as errors, which this function detects.
pub fn run(text: &str) -> String {
    let options = Options {
        manifests: Some(Manifests::default()),
        ..Options::default()
    };
    let found = match kube_codegen::generate(&sources(text), &options) {
        Ok(generated) => generated.warnings,
        Err(errors) => errors,
    };
    let rendered = found.render(Style::Colored);
    assert!(!rendered.contains("panicked"), "{text}");
    rendered
}
