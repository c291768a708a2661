mod attributes;
mod methods;
mod modules;
mod objects;
mod types;

use serde_json::Value;

use crate::diag::Style;
use crate::{
    Options, RustPackage, Source, Sources,
    model::{ApiSet, Field, TypeDef, TypeKind, Version},
};

const HEAD: &str = "\
use std::collections::*;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{self as metav1, ObjectMeta};
use serde::{Deserialize, Serialize};
";

fn sources(files: &[(&str, &str)]) -> Sources {
    let files = files
        .iter()
        .map(|(name, text)| Source::new(*name, *text))
        .collect();
    Sources {
        rust: vec![RustPackage {
            group: "cloud".to_owned(),
            version: "v1".to_owned(),
            module_path: "crate::apis::cloud::v1".to_owned(),
            dir: "apis/cloud/v1".into(),
            files,
        }],
        ..Sources::default()
    }
}

fn options() -> Options {
    Options {
        emit: std::collections::BTreeSet::new(),
        ..Options::default()
    }
}

/// Returns the only version in the files.
#[track_caller]
fn version(files: &[(&str, &str)]) -> Version {
    api(files).groups[0].versions[0].clone()
}

/// Returns the API in the files.
#[track_caller]
fn api(files: &[(&str, &str)]) -> ApiSet {
    crate::load(&sources(files), &options())
        .unwrap_or_else(|errors| panic!("{}", errors.render(Style::Plain)))
}

/// Returns the version in a single `mod.rs`, after the usual imports.
#[track_caller]
fn single(text: &str) -> Version {
    version(&[("mod.rs", &format!("{HEAD}{text}"))])
}

#[track_caller]
fn errors(text: &str) -> String {
    crate::load(
        &sources(&[("mod.rs", &format!("{HEAD}{text}"))]),
        &options(),
    )
    .expect_err("no error")
    .to_string()
}

#[track_caller]
fn def<'a>(version: &'a Version, name: &str) -> &'a TypeDef {
    version.type_def(name).expect(name)
}

fn fields(def: &TypeDef) -> &[Field] {
    match &def.kind {
        TypeKind::Struct(def) => &def.fields,
        other => panic!("no struct: {other:?}"),
    }
}

fn json_of(value: impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}
