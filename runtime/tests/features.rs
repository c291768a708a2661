//! What a production build carries: without the feature `fake`, nothing of the embedded API server.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::Command;

/// The crates that a build of `package` links, by `cargo tree`.
fn linked(package: &str, features: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--edges", "normal"])
        .args(["--prefix", "none", "--package", package])
        .args(features)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn only_the_fake_feature_links_the_embedded_server() {
    for package in ["codegen-runtime", "golden-virtualmachine", "golden-foo"] {
        let production = linked(package, &[]);
        assert!(production.contains("codegen-runtime v"), "{production}");
        assert!(!production.contains("embedded-apiserver"), "{production}");
        let fake = linked(package, &["--features", "fake"]);
        assert!(fake.contains("embedded-apiserver v"), "{fake}");
    }
}
