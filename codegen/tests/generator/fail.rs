//! Invalid input: each folder of `testdata/fail` contains its rendered errors.
//!
//! A folder with `.rs` files is the version folder `cloud/v1alpha1`; one with `.yaml` files is
//! CRDs; one with `.go` files is the Go package `example.com/cloud/v1`; one named `crate-…`
//! contains the crate `operator`. Errors of `manifests-…` are found only if manifests are written.

use std::{fs, path::Path};

use rayon::prelude::*;

use crate::support::{crd_sources, folders, names, rust_files, testdata};
use kube_codegen::diag::Style;
use kube_codegen::{
    Config, Manifests, Options, RustPackage, Source, Sources,
    read::go::{GoPackage, GoSources},
};

#[test]
fn bad_input_is_explained() {
    let fail = testdata().join("fail");
    let cases = folders(&fail);
    assert!(cases.len() >= 40, "{} cases", cases.len());
    cases
        .par_iter()
        .for_each(|case| check(&fail.join(case), case));
}

#[test]
fn what_is_not_known_of_a_schema_matters_where_one_is_written() {
    for case in ["code", "wire", "misplaced"] {
        let folder = testdata().join(format!("fail/manifests-schemars-{case}"));
        kube_codegen::generate(&sources(&folder), &Options::default()).unwrap();
    }
}

fn check(folder: &Path, case: &str) {
    let options = Options {
        manifests: case.starts_with("manifests-").then(Manifests::default),
        ..Options::default()
    };
    let result = match case.starts_with("crate-") {
        true => of_crate(&folder.join("operator/src")),
        false => kube_codegen::generate(&sources(folder), &options)
            .map_err(|errors| errors.render(Style::Plain)),
    };
    let Err(errors) = result else {
        panic!("{case} has no error");
    };
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("error", errors));
}

/// Writes the manifests of a crate; places are relative to the folder of the tests.
fn of_crate(root: &Path) -> Result<kube_codegen::Generated, String> {
    let root = root.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap();
    let config = Config::new()
        .apis(root)
        .manifests(".", Manifests::default());
    let result = config.manifests_only().generated(&());
    result.map_err(|error| error.to_string())
}

fn sources(folder: &Path) -> Sources {
    if names(folder).iter().any(|name| name.ends_with(".yaml")) {
        return crd_sources(folder);
    }
    let go: Vec<String> = names(folder)
        .into_iter()
        .filter(|name| name.ends_with(".go"))
        .collect();
    if !go.is_empty() {
        return go_sources(folder, &go);
    }
    Sources {
        rust: vec![RustPackage {
            group: "cloud".to_owned(),
            version: "v1alpha1".to_owned(),
            module_path: "crate::apis::cloud::v1alpha1".to_owned(),
            dir: "apis/cloud/v1alpha1".into(),
            files: rust_files(folder, "src/apis/cloud/v1alpha1"),
        }],
        ..Sources::default()
    }
}

fn go_sources(folder: &Path, files: &[String]) -> Sources {
    let file = |name: &String| {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        Source::new(format!("v1/{name}"), text)
    };
    let files = files.iter().map(file).collect();
    let package = GoPackage::requested("example.com/cloud/v1", "example.com/cloud", "v1", files);
    Sources {
        go: vec![GoSources::from(package)],
        ..Sources::default()
    }
}

#[test]
fn a_group_in_two_folders_is_told_apart() {
    let package = |folder: &str| RustPackage {
        group: folder.to_owned(),
        version: "v1".to_owned(),
        module_path: format!("crate::apis::{folder}::v1"),
        dir: format!("apis/{folder}/v1").into(),
        files: vec![Source::new(
            format!("src/apis/{folder}/v1/mod.rs"),
            "// +groupName=cloud.example.com\n",
        )],
    };
    let sources = Sources {
        rust: vec![package("a"), package("b")],
        ..Sources::default()
    };
    let errors = crate::support::load(&sources).unwrap_err();
    insta::assert_snapshot!(errors.render(Style::Plain), @r"
    error[K0202]: two directories declare cloud.example.com/v1
     --> src/apis/b/v1/mod.rs:1:1
      |
    1 | // +groupName=cloud.example.com
      | ^ this one
      |
     ::: src/apis/a/v1/mod.rs:1:1
      |
    1 | // +groupName=cloud.example.com
      | - and this one
      |
      = help: give them different groups with `+groupName`
    ");
}

#[test]
fn versions_that_disagree_are_told_apart_by_their_places() {
    let package = |version: &str, scope: &str| RustPackage {
        group: "cloud".to_owned(),
        version: version.to_owned(),
        module_path: format!("crate::apis::cloud::{version}"),
        dir: format!("apis/cloud/{version}").into(),
        files: vec![Source::new(
            format!("src/apis/cloud/{version}/mod.rs"),
            format!(
                "// +groupName=cloud.example.com\n\
                 use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;\n\
                 mod zz_generated_deepcopy;\npub mod zz_generated_register;\n\n\
                 // +genclient\n// +kubebuilder:resource:scope={scope}\n// +kubebuilder:storageversion\n\
                 #[derive(Debug)]\npub struct Vm {{\n    pub metadata: ObjectMeta,\n}}\n"
            ),
        )],
    };
    let sources = Sources {
        rust: vec![package("v1", "Namespaced"), package("v2", "Cluster")],
        ..Sources::default()
    };
    let errors = crate::support::load(&sources).unwrap_err();
    insta::assert_snapshot!(errors.render(Style::Plain), @r"
    error[K0501]: Vm has a different scope in v1 than in v2 of cloud.example.com
      --> src/apis/cloud/v1/mod.rs:10:12
       |
    10 | pub struct Vm {
       |            ^^
       |
      ::: src/apis/cloud/v2/mod.rs:10:12
       |
    10 | pub struct Vm {
       |            --
       |
       = help: versions of a kind share names and scope

    error[K0501]: Vm of cloud.example.com is stored in several versions: v2, v1
      --> src/apis/cloud/v2/mod.rs:10:12
       |
    10 | pub struct Vm {
       |            ^^
       |
      ::: src/apis/cloud/v1/mod.rs:10:12
       |
    10 | pub struct Vm {
       |            --
       |
       = help: exactly one version is stored, in annotated Rust and Go with `+kubebuilder:storageversion`
    ");
}

#[test]
fn a_folder_whose_name_is_no_group_or_version_needs_a_marker() {
    let sources = |text: &str| Sources {
        rust: vec![RustPackage {
            group: "my_group".to_owned(),
            version: "V1_x".to_owned(),
            module_path: "crate::apis::my_group::V1_x".to_owned(),
            dir: "apis/my_group/V1_x".into(),
            files: vec![Source::new("src/apis/my_group/V1_x/mod.rs", text)],
        }],
        ..Sources::default()
    };
    let kind = "use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;\n\
                mod zz_generated_deepcopy;\npub mod zz_generated_register;\n\
                // +genclient\n// +genclient:noStatus\n// +k8s:deepcopy-gen:interfaces=runtime.Object\n\
                #[derive(Debug)]\npub struct Vm {\n    pub metadata: ObjectMeta,\n}\n";
    let load = |text: &str| crate::support::load(&sources(text));
    let errors = load(kind).unwrap_err();
    insta::assert_snapshot!(errors.render(Style::Plain), @r"
    error[K0202]: invalid group name `my_group`
     --> src/apis/my_group/V1_x/mod.rs:1:1
      |
    1 | use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
      | ^ in a directory of that name
      |
      = help: a group is a DNS name in lower case: write one here, such as `// +groupName=cloudnative.czs`

    error[K0202]: invalid version name `V1_x`
     --> src/apis/my_group/V1_x/mod.rs:1:1
      |
    1 | use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
      | ^ in a directory of that name
      |
      = help: a version is a DNS label in lower case: write one here, such as `// +versionName=v1alpha1`
    ");
    load("pub struct Shared;\n").unwrap();
    load(&format!(
        "// +groupName=my-group.example.com\n// +versionName=v1x\n\n{kind}"
    ))
    .unwrap();
}
