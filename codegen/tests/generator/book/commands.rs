//! Runs the shell blocks of the pages, in sandboxes.

/// Where a block may start.
pub(super) const FIXTURES: [&str; 11] = [
    "empty",
    "crds",
    "go",
    "rust",
    "derive",
    "manifests",
    "widget",
    "bare-widget",
    "two-versions",
    "deployment",
    "webhook",
];

/// The block goes on where the previous one of the page ended.
pub(super) const THEN: &str = "then";

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::THEN;
    use crate::book::pages;
    use crate::cli::sandbox::{Sandbox, copy, testdata};

    const OPERATOR: [&str; 4] = ["init", "my-operator", "--domain", "example.com"];
    const WIDGET: &str = "create api --group batch --version v1alpha1 --kind Widget";

    /// What has been done in the operator, besides `init`.
    const STEPS: [(&str, &[&str]); 5] = [
        ("widget", &[WIDGET]),
        (
            "bare-widget",
            &["create api --group batch --version v1alpha1 --kind Widget --no-controller"],
        ),
        (
            "two-versions",
            &[
                WIDGET,
                "create api --group batch --version v1beta1 --kind Widget",
            ],
        ),
        (
            "deployment",
            &["create controller --group apps --version v1 --kind Deployment"],
        ),
        (
            "webhook",
            &[
                WIDGET,
                "create webhook --group batch --version v1alpha1 --kind Widget --validation",
            ],
        ),
    ];

    const DERIVE: &str = r#"
#[derive(kube::CustomResource, Clone, Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Document", namespaced)]
pub struct DocumentSpec {
    pub text: String,
}
"#;

    /// Stands for what is not under test: a cluster with the CRDs of `crds/`, and builds.
    const STUBS: &str = r#"
kubectl() { [[ $* == "get crd"*"-o yaml" ]] && cat "$CRDS"/*.yaml; }
cargo() { :; }
"#;

    fn crds() -> std::path::PathBuf {
        testdata().join("buildscript/crds")
    }

    fn start(name: &str) -> Sandbox {
        let mut sandbox = match name {
            "rust" => Sandbox::with_apis("virtualmachine"),
            "manifests" => Sandbox::with_apis("podset"),
            _ => Sandbox::new(),
        };
        match name {
            "crds" => copy(&crds(), &sandbox.path("crds")),
            "manifests" => {
                copy(&crds(), &sandbox.path("crds"));
                sandbox.configure("[[crate]]\n[crate.rust]\n[crate.manifests]\n");
            }
            "go" => copy(&testdata().join("go/shapes"), &sandbox.path("")),
            "derive" => {
                sandbox.write("Cargo.toml", "[package]\nname = \"documents\"\n");
                sandbox.write("src/lib.rs", DERIVE);
            }
            _ => {}
        }
        if let Some((_, steps)) = STEPS.iter().find(|(it, _)| *it == name) {
            sandbox.succeeds(&OPERATOR);
            sandbox.enter("my-operator");
            for step in *steps {
                sandbox.succeeds(&step.split(' ').collect::<Vec<_>>());
            }
        }
        sandbox
    }

    /// Runs a block; returns what it printed if it failed.
    fn run(code: &str, folder: &Path) -> Result<(), String> {
        let program = Path::new(env!("CARGO_BIN_EXE_kube-codegen"));
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", program.parent().unwrap().display());
        let ran = Command::new("bash")
            .args(["-euo", "pipefail", "-c", &format!("{STUBS}{code}")])
            .current_dir(folder)
            .env("PATH", path)
            .env("CRDS", fs::canonicalize(crds()).unwrap())
            .output()
            .unwrap();
        match ran.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&ran.stderr).into_owned()),
        }
    }

    #[test]
    fn the_commands_of_the_pages_succeed() {
        let mut failed = Vec::new();
        for page in pages() {
            let mut sandbox = None;
            for block in page.blocks() {
                let comment = block.comment.unwrap_or_default();
                let Some(name) = comment.strip_prefix("run: ") else {
                    continue;
                };
                if name != THEN {
                    sandbox = Some(start(name));
                }
                let folder = sandbox.as_ref().expect("a block before").path("");
                if let Err(error) = run(&block.code, &folder) {
                    failed.push(format!("{}:{}: {error}", page.path, block.line));
                }
            }
        }
        assert!(failed.is_empty(), "{}", failed.join("\n"));
    }
}
