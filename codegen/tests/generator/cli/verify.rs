//! `hack/verify-codegen.sh` detects outdated code, and never changes the tree.

use std::{fs, path::Path, process::Command};

use crate::cli::sandbox::{Sandbox, copy};

fn script(sandbox: &Sandbox, name: &str) -> (i32, String) {
    let output = Command::new("bash")
        .arg(sandbox.path("hack").join(name))
        .env("KUBE_CODEGEN", env!("CARGO_BIN_EXE_kube-codegen"))
        .current_dir("/")
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code().unwrap(),
        String::from_utf8(text).unwrap(),
    )
}

/// Creates a repository like this one: its scripts, a workspace file and one member.
fn repository() -> Sandbox {
    let sandbox = Sandbox::with_apis("virtualmachine");
    let hack = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hack");
    fs::create_dir_all(sandbox.path("hack")).unwrap();
    for name in [
        "lib.sh",
        "update-codegen.sh",
        "verify-codegen.sh",
        "generate-groups.sh",
    ] {
        fs::copy(hack.join(name), sandbox.path("hack").join(name)).unwrap();
    }
    copy(&sandbox.path("src"), &sandbox.path("member/src"));
    sandbox.write("member/codegen.toml", "[[crate]]\n[crate.rust]\n");
    sandbox.configure("[workspace]\nmembers = [\"member\"]\n");
    sandbox
}

#[test]
fn verify_fails_on_an_edit_and_leaves_it() {
    let sandbox = repository();
    assert_eq!(
        script(&sandbox, "verify-codegen.sh").0,
        1,
        "nothing is generated yet"
    );
    assert_eq!(script(&sandbox, "update-codegen.sh").0, 0);
    let clean = sandbox.state();
    assert_eq!(script(&sandbox, "verify-codegen.sh").0, 0);
    let edited = "member/src/generated/clientset/mod.rs";
    let text = sandbox
        .read(edited)
        .replace("Cloning is cheap", "Cloning is dear");
    sandbox.write(edited, &text);
    let dirty = sandbox.state();
    let (code, output) = script(&sandbox, "verify-codegen.sh");
    assert_eq!(code, 1);
    assert!(output.contains("Cloning is dear"), "{output}");
    assert!(output.contains("hack/update-codegen.sh"), "{output}");
    assert!(dirty == sandbox.state(), "verify changed the tree");
    assert_eq!(script(&sandbox, "update-codegen.sh").0, 0);
    let texts = |state: Vec<(_, String, _)>| {
        state
            .into_iter()
            .map(|(_, text, _)| text)
            .collect::<Vec<_>>()
    };
    assert_eq!(texts(clean), texts(sandbox.state()));
}

#[test]
fn verify_tells_trouble_from_difference() {
    let sandbox = repository();
    sandbox.configure("[workspac]\n");
    assert_eq!(script(&sandbox, "verify-codegen.sh").0, 2);
}

#[test]
fn generate_groups_takes_the_callers_folder() {
    let sandbox = repository();
    let line = "pub mod zz_generated_register;\n";
    sandbox.edit("src/apis/cloudnative/v1alpha1/mod.rs", line, "");
    let status = Command::new("bash")
        .arg(sandbox.path("hack/generate-groups.sh"))
        .args([
            "deepcopy,client,informer,lister",
            "src/generated",
            "src/apis",
            "cloudnative:v1alpha1",
        ])
        .env("KUBE_CODEGEN", env!("CARGO_BIN_EXE_kube-codegen"))
        .current_dir(sandbox.path(""))
        .output()
        .unwrap();
    assert!(status.status.success());
    assert!(sandbox.path("src/generated/clientset/mod.rs").exists());
}
