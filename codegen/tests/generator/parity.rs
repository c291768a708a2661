//! Parity with controller-gen: for each package of `testdata/parity`, the generator writes the same
//! bytes as the pinned controller-gen, whose output is in `crds` (`hack/parity/testdata.sh`).
//! Packages with a `mod.rs` declare the same API in annotated Rust.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use crate::support::{folders, names, rust_files, testdata};
use kube_codegen::diag::Style;
use kube_codegen::{
    Manifests, Options, RustPackage, Source, Sources,
    options::Compat,
    read::go::{GoFile, GoPackage, GoSources},
};

/// The declarations of Go's standard library that the packages use.
const STANDARD: [(&str, &str); 1] = [(
    "net/url",
    "package url\ntype URL struct {\n\tScheme string\n\tHost string\n}\n",
)];

#[test]
fn crds_of_go_are_those_of_controller_gen() {
    let parity = testdata().join("parity");
    let cases = folders(&parity);
    assert!(cases.len() >= 12, "{} cases", cases.len());
    let differences = cases.iter().map(|case| {
        let folder = parity.join(case);
        difference(&folder, case, &go_sources(&parity, case))
    });
    assert_eq!(differences.collect::<String>(), "");
}

#[test]
fn crds_of_annotated_rust_are_those_of_controller_gen() {
    let parity = testdata().join("parity");
    let twins = |case: &String| parity.join(case).join("mod.rs").exists();
    let cases: Vec<String> = folders(&parity).into_iter().filter(twins).collect();
    assert!(cases.len() >= 6, "{} cases", cases.len());
    let differences = cases.iter().map(|case| {
        let folder = parity.join(case);
        difference(&folder, case, &rust_sources(&folder, case))
    });
    assert_eq!(differences.collect::<String>(), "");
}

/// Returns the differences between the CRDs of the sources and the files below `crds`, including
/// files that only one side has.
fn difference(folder: &Path, case: &str, sources: &Sources) -> String {
    let options = Options {
        emit: [].into(),
        compat: Compat::ControllerGen,
        manifests: Some(Manifests {
            crds: Some("crds".to_owned()),
            floats: true,
            ..Manifests::default()
        }),
        ..Options::default()
    };
    let generated = match kube_codegen::generate(sources, &options) {
        Ok(generated) => generated,
        Err(found) => return format!("{case}: {}", found.render(Style::Colored)),
    };
    let ours: BTreeMap<String, String> = generated
        .manifests
        .iter()
        .map(|(path, text)| (path.display().to_string(), text.clone()))
        .collect();
    let written = folder.join("crds");
    let theirs: BTreeMap<String, String> = names(&written)
        .into_iter()
        .map(|name| {
            let text = fs::read_to_string(written.join(&name)).unwrap();
            (format!("crds/{name}"), text)
        })
        .collect();
    let paths: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    let text = |of: &BTreeMap<String, String>, path: &String| of.get(path).cloned();
    let differences = paths.into_iter().map(|path| {
        let theirs = text(&theirs, path).unwrap_or_default();
        let ours = text(&ours, path).unwrap_or_default();
        let difference = similar::TextDiff::from_lines(theirs.as_str(), ours.as_str());
        let difference = difference.unified_diff().to_string();
        if difference.is_empty() {
            return difference;
        }
        format!("{case}/{path}:\n{difference}")
    });
    differences.collect()
}

/// Reads the Go packages at and one level below the folder, as if discovered on disk.
fn go_sources(parity: &Path, case: &str) -> Sources {
    let mut packages = Vec::new();
    let below = folders(&parity.join(case));
    let below = below.iter().map(|name| format!("{case}/{name}"));
    for dir in [case.to_owned()].into_iter().chain(below) {
        let files: Vec<Source> = names(&parity.join(&dir))
            .into_iter()
            .filter(|name| name.ends_with(".go"))
            .map(|name| {
                let text = fs::read_to_string(parity.join(&dir).join(&name)).unwrap();
                Source::new(format!("{dir}/{name}"), text)
            })
            .collect();
        if !files.is_empty() {
            let module = "parity.example.com/parity";
            let path = format!("{module}/{dir}");
            packages.push(GoPackage::requested(&path, module, &dir, files));
        }
    }
    packages.extend(STANDARD.map(|(path, text)| GoPackage {
        path: path.to_owned(),
        module: "std".to_owned(),
        version: None,
        main: false,
        dir: path.into(),
        matched: false,
        requested: false,
        files: vec![GoFile::new(Source::new(format!("{path}/types.go"), text))],
    }));
    Sources {
        go: vec![GoSources {
            packages,
            ..GoSources::default()
        }],
        ..Sources::default()
    }
}

fn rust_sources(folder: &Path, case: &str) -> Sources {
    let files = rust_files(folder, &format!("src/apis/parity/{case}"));
    Sources {
        rust: vec![RustPackage {
            group: "parity".to_owned(),
            version: case.to_owned(),
            module_path: format!("crate::apis::parity::{case}"),
            dir: format!("apis/parity/{case}").into(),
            files,
        }],
        ..Sources::default()
    }
}
