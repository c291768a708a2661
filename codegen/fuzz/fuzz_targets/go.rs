//! The reader of Go packages, on any text: `cargo +nightly fuzz run go seeds/go`.
#![no_main]

use codegen::{
    Diagnostics, Source,
    read::{
        go::{GoFile, GoPackage, GoSources, read},
        markers::IgnoredMarkers,
    },
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let sources = GoSources {
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
    let mut found = Diagnostics::new();
    read(&sources, IgnoredMarkers(&[]), &mut found);
    let _ = found.render(false);
});
