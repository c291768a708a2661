//! The crates that a build links, by feature.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    collections::BTreeMap,
    process::Command,
    sync::{Arc, OnceLock},
};

use parking_lot::Mutex;

/// Returns the crates that a build of `package` links, from `cargo tree`: one per line, with its
/// features. Downloads crates of features that no other build here uses, as a fresh machine lacks
/// them. Tests with the same arguments share the result.
fn linked(package: &str, features: &[&str]) -> String {
    static ANSWERS: Mutex<BTreeMap<String, Arc<OnceLock<String>>>> = Mutex::new(BTreeMap::new());
    let question = format!("{package} {features:?}");
    let answer = ANSWERS.lock().entry(question).or_default().clone();
    answer.get_or_init(|| tree(package, features)).clone()
}

fn tree(package: &str, features: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--edges", "normal"])
        .args(["--prefix", "none", "--format", "{p} {f}"])
        .args(["--package", package])
        .args(features)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the lines of `linked` that name `krate`, each with its features.
fn features_of<'a>(linked: &'a str, krate: &str) -> Vec<&'a str> {
    let name = format!("{krate} v");
    linked
        .lines()
        .filter(|line| line.starts_with(&name))
        .collect()
}

#[test]
fn only_fakes_and_demos_link_the_embedded_server() {
    for package in ["codegen-runtime", "golden-virtualmachine", "golden-foo"] {
        let production = linked(package, &[]);
        assert!(production.contains("codegen-runtime v"), "{production}");
        assert!(!production.contains("embedded-apiserver"), "{production}");
        let fake = linked(package, &["--features", "fake"]);
        assert!(fake.contains("embedded-apiserver v"), "{fake}");
    }
    let app = linked("codegen-runtime", &["--features", "app"]);
    assert!(!app.contains("embedded-apiserver"), "{app}");
    let demo = linked("codegen-runtime", &["--features", "demo"]);
    assert!(demo.contains("embedded-apiserver v"), "{demo}");
}

#[test]
fn validation_is_linked_by_its_feature_alone() {
    for package in ["codegen-runtime", "golden-virtualmachine"] {
        let production = linked(package, &[]);
        assert_eq!(features_of(&production, "kube-schema"), [""; 0]);
        assert_eq!(features_of(&production, "cel"), [""; 0]);
        let validating = linked(package, &["--features", "validate"]);
        assert_ne!(features_of(&validating, "kube-schema"), [""; 0]);
    }
}

#[test]
fn defaults_are_linked_without_rules_in_cel() {
    let defaulting = linked("codegen-runtime", &["--features", "defaults"]);
    assert_ne!(features_of(&defaulting, "kube-schema"), [""; 0]);
    assert_eq!(features_of(&defaulting, "cel"), [""; 0]);
}

#[test]
fn tls_endpoints_and_prometheus_are_linked_by_their_features_alone() {
    let optional = [
        ("rustls-tls", "rustls"),
        ("openssl-tls", "openssl"),
        ("prometheus", "prometheus-client"),
        ("derive", "kube-derive"),
        ("runtime", "kube-runtime"),
        ("app", "clap"),
        ("app", "tracing-subscriber"),
        ("webhooks", "tokio-rustls"),
        ("self-signed", "rcgen"),
        ("packed", "lz4_flex"),
    ];
    let bare = linked("codegen-runtime", &["--no-default-features"]);
    for (feature, krate) in optional {
        assert_eq!(features_of(&bare, krate), [""; 0], "without {feature}");
        let with = linked(
            "codegen-runtime",
            &["--no-default-features", "--features", feature],
        );
        assert_ne!(features_of(&with, krate), [""; 0], "with {feature}");
    }
    let server = |linked: &str| {
        let hyper = features_of(linked, "hyper");
        hyper.iter().any(|line| line.contains("server"))
    };
    assert!(!server(&bare), "{bare}");
    assert!(server(&linked(
        "codegen-runtime",
        &["--no-default-features", "--features", "endpoints"]
    )));
}

#[test]
fn the_libraries_choose_no_kubernetes_version_and_pass_on_each() {
    let none = [
        ("codegen-runtime", &[][..]),
        ("codegen-runtime", &["--features", "fake"]),
        ("embedded-apiserver", &["--no-default-features"]),
    ];
    for (package, features) in none {
        let linked = linked(package, features);
        for line in features_of(&linked, "k8s-openapi") {
            assert!(!line.contains("v1_"), "{package} {features:?}: {line}");
        }
    }
    let versions = kubernetes_versions();
    assert!(versions.len() >= 5, "{versions:?}");
    for version in versions {
        let linked = linked("codegen-runtime", &["--features", &version]);
        let chosen = features_of(&linked, "k8s-openapi");
        assert!(
            chosen.iter().all(|line| line.contains(&version)),
            "{chosen:?}"
        );
    }
}

/// Returns the versions that `k8s-openapi` supports: its features called `v1_…`.
fn kubernetes_versions() -> Vec<String> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let openapi = packages.iter().find(|it| it["name"] == "k8s-openapi");
    let features = openapi.unwrap()["features"].as_object().unwrap();
    let versions = features.keys().filter(|name| name.starts_with("v1_"));
    versions.cloned().collect()
}
