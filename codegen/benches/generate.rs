//! Where generation spends its time: reading, lowering, emitting and formatting of one annotated
//! API and of one large CRD.
//!
//! `cargo bench -p kube-codegen`

use std::{fs, path::Path};

use divan::{Bencher, black_box};
use kube_codegen::{
    Generator, Options, RustPackage, Source, Sources, diag::Diagnostics, lower, model::ApiSet, read,
};

fn main() {
    divan::main();
}

const INPUTS: [&str; 2] = ["virtualmachine", "crds"];

fn testdata(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../testdata")
        .join(path)
}

fn source(path: &Path) -> Source {
    Source::new(
        path.display().to_string(),
        fs::read_to_string(path).unwrap_or_default(),
    )
}

fn sources(input: &str) -> Sources {
    if input == "crds" {
        let mut crds: Vec<Source> = Vec::new();
        for project in ["cert-manager", "gateway-api"] {
            let files = fs::read_dir(testdata("crds").join(project))
                .into_iter()
                .flatten()
                .flatten();
            crds.extend(
                files
                    .map(|file| file.path())
                    .filter(|path| path.extension().is_some_and(|e| e == "yaml"))
                    .map(|path| source(&path)),
            );
        }
        return Sources {
            crds,
            ..Sources::default()
        };
    }
    let folder = testdata("apis/virtualmachine/src/apis/cloudnative/v1alpha1");
    let files = ["mod.rs", "types.rs"]
        .map(|name| source(&folder.join(name)))
        .into();
    let package = RustPackage {
        group: "cloudnative".to_owned(),
        version: "v1alpha1".to_owned(),
        module_path: "crate::apis::cloudnative::v1alpha1".to_owned(),
        dir: "apis/cloudnative/v1alpha1".into(),
        files,
    };
    Sources {
        rust: vec![package],
        ..Sources::default()
    }
}

fn options() -> Options {
    Options {
        emit: Generator::ALL.into(),
        ..Options::default()
    }
}

fn model(input: &str) -> ApiSet {
    let generated = kube_codegen::generate(&sources(input), &options());
    generated.unwrap_or_default().api
}

/// Text to syntax, docs and markers, or to schemas.
#[divan::bench(args = INPUTS)]
fn reading(bencher: Bencher<'_, '_>, input: &str) {
    let (sources, options) = (sources(input), options());
    bencher.bench(|| read::read(black_box(&sources), &options));
}

/// From sources to the model.
#[divan::bench(args = INPUTS)]
fn lowering(bencher: Bencher<'_, '_>, input: &str) {
    let (sources, options) = (sources(input), options());
    bencher
        .with_inputs(|| read::read(&sources, &options))
        .bench_values(|read| -> Result<(ApiSet, Diagnostics), Diagnostics> {
            lower::lower(read, &options)
        });
}

/// The model to formatted files; printing tokens is most of it.
#[divan::bench(args = INPUTS)]
fn emitting_and_formatting(bencher: Bencher<'_, '_>, input: &str) {
    let (model, options) = (model(input), options());
    bencher.bench(|| kube_codegen::emit::emit(black_box(&model), &options).is_ok());
}

/// All of it.
#[divan::bench(args = INPUTS)]
fn generating(bencher: Bencher<'_, '_>, input: &str) {
    let (sources, options) = (sources(input), options());
    bencher.bench(|| kube_codegen::generate(black_box(&sources), &options).is_ok());
}
