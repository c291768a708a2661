//! `kube-codegen generate`.

use crate::sandbox::{Sandbox, copy, testdata};

#[test]
fn generate_finds_its_file_upwards() {
    let mut sandbox = Sandbox::with_apis("virtualmachine");
    sandbox.write("codegen.toml", "[[crate]]\n[crate.rust]\n");
    sandbox.run_in("src/apis", &["generate", "--dry-run"], "");
    sandbox.run_in("src/apis", &["generate"], "");
    sandbox.run(&["generate", "--check"]);
    sandbox.run(&["inspect"]);
    sandbox.check("generate");
}

#[test]
fn a_workspace_lists_its_members() {
    let mut sandbox = Sandbox::new();
    sandbox.write("codegen.toml", "[workspace]\nmembers = [\"crates/*\"]\n");
    for case in ["network", "podset"] {
        let folder = format!("crates/{case}");
        let from = testdata().join("apis").join(case).join("src");
        copy(&from, &sandbox.path(&folder).join("src"));
        sandbox.write(
            &format!("{folder}/src/lib.rs"),
            "pub mod apis;\npub mod generated;\n",
        );
        sandbox.write(
            &format!("{folder}/codegen.toml"),
            "[[crate]]\n[crate.rust]\n",
        );
    }
    sandbox.run(&["generate"]);
    sandbox.run_in("crates/network", &["generate", "--check"], "");
    sandbox.run(&["generate", "--check"]);
    sandbox.check("generate-workspace");
}

#[test]
fn an_error_in_one_crate_writes_no_other() {
    let mut sandbox = Sandbox::new();
    sandbox.write("codegen.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n");
    for (folder, case) in [("a", "network"), ("b", "podset")] {
        let from = testdata().join("apis").join(case).join("src");
        copy(&from, &sandbox.path(folder).join("src"));
        sandbox.write(
            &format!("{folder}/codegen.toml"),
            "[[crate]]\n[crate.rust]\n",
        );
    }
    let types = "b/src/apis/apps/v1alpha1/types.rs";
    let text = sandbox
        .read(types)
        .replacen("+genclient", "+genclient:nonNamespacd", 1);
    sandbox.write(types, &text);
    let before = sandbox.state();
    let run = sandbox.run(&["generate"]);
    assert_eq!(run.code, 1);
    assert!(before == sandbox.state());
    sandbox.check("generate-error");
}

#[test]
fn without_a_file_generate_says_what_to_do() {
    let mut sandbox = Sandbox::new();
    sandbox.run(&["generate"]);
    sandbox.run(&["generate", "--config", "nowhere.toml"]);
    sandbox.check("generate-no-file");
}

#[test]
fn a_group_that_goes_takes_its_files_along() {
    let mut sandbox = Sandbox::with_apis("multiversion");
    sandbox.write("codegen.toml", "[[crate]]\n[crate.rust]\n");
    sandbox.quiet("", &["generate"], "");
    sandbox.write(
        "codegen.toml",
        "[[crate]]\n[crate.rust]\ngroups = [\"shop:v1\"]\n",
    );
    sandbox.note("codegen.toml now names shop:v1 only");
    sandbox.run(&["generate", "--check"]);
    sandbox.run(&["generate"]);
    sandbox.run(&["generate", "--check"]);
    let left = "src/apis/shop/v1beta1/zz_generated_deepcopy.rs";
    assert!(!sandbox.path(left).exists());
    assert!(sandbox.path("src/apis/shop/v1beta1/types.rs").exists());
    sandbox.check("generate-orphans");
}

#[cfg(unix)]
#[test]
fn colors_are_for_terminals_or_on_request() {
    let sandbox = Sandbox::new();
    let colored = |arguments: &[&str]| sandbox.quiet("", arguments, "").stderr.contains('\u{1b}');
    assert!(!colored(&["generate"]));
    assert!(colored(&["generate", "--color", "always"]));
    assert!(!colored(&["generate", "--color", "never"]));
}
