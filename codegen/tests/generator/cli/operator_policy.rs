//! `create policy`: the CEL rules of a kind as a ValidatingAdmissionPolicy.

use super::operator::{about_what, create, differing, files, operator};
use crate::cli::sandbox::Sandbox;

const TYPES: &str = "src/apis/batch/v1/widget.rs";

/// An operator whose kind has these markers at its example field.
fn with_rules(rules: &[&str]) -> Sandbox {
    let sandbox = operator();
    create(&sandbox, "batch/v1/Widget", &[]);
    let markers: String = rules
        .iter()
        .map(|rule| format!("    // +kubebuilder:validation:XValidation:rule=\"{rule}\"\n"))
        .collect();
    let field = "    pub size: i32,";
    sandbox.edit(TYPES, field, &format!("{markers}{field}"));
    sandbox.succeeds(&["generate"]);
    sandbox
}

#[test]
fn a_policy_has_the_rules_of_a_kind_and_is_deployed_and_packaged() {
    let sandbox = with_rules(&["self % 2 == 0", "self >= oldSelf"]);
    let arguments = about_what(["create", "policy"], "batch/v1/Widget", &[]);
    sandbox.succeeds(&arguments);
    // Long expressions are folded.
    let policy = sandbox.read("config/policies/widget.yaml");
    let policy = policy.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "kind: ValidatingAdmissionPolicyBinding",
        "!(has(object.spec) && has(object.spec.size)) || (object.spec.size % 2 == 0)",
        "oldObject.spec.size",
        "spec.size: failed rule: self % 2 == 0",
        "- widgets/status",
    ] {
        assert!(policy.contains(part), "{part}: {policy}");
    }
    let kustomization = sandbox.read("config/kustomization.yaml");
    assert!(
        kustomization.contains("- policies/widget.yaml"),
        "{kustomization}"
    );
    let app = sandbox.read("src/app.rs");
    let demo = "demo.objects(include_str!(\"../config/policies/widget.yaml\"))";
    assert!(app.contains(demo), "{app}");
    sandbox.succeeds(&["package", "--image", "example.com/sample:v1"]);
    let again = sandbox.quiet(&arguments);
    assert_eq!(again.code, 1);
    again.says("config/policies/widget.yaml already exists");
}

#[test]
fn a_kind_without_rules_gets_no_policy() {
    let sandbox = with_rules(&[]);
    let run = sandbox.quiet(&about_what(["create", "policy"], "batch/v1/Widget", &[]));
    assert_eq!(run.code, 1);
    run.says("Widget has no rule that a policy can say");
}

#[test]
fn a_policy_goes_with_its_kind_unless_it_was_changed() {
    let sandbox = operator();
    let before = files(&sandbox.path(""));
    let sandbox = with_rules(&["self % 2 == 0"]);
    sandbox.succeeds(&about_what(["create", "policy"], "batch/v1/Widget", &[]));
    let path = "config/policies/widget.yaml";
    let policy = sandbox.read(path);
    sandbox.write(path, &policy.replace("- Deny", "- Warn"));
    let delete = about_what(["delete", "api"], "batch/v1/Widget", &[]);
    let run = sandbox.quiet(&delete);
    assert_eq!(run.code, 1);
    run.says("config/policies/widget.yaml differs from what `create policy` writes");
    // A policy of another version stays.
    sandbox.write(path, &policy.replace("- v1\n", "- v2\n"));
    let run = sandbox.quiet(&[&delete[..], &["--force", "--dry-run"]].concat());
    assert!(
        run.code == 0 && !run.stdout.contains(path),
        "{}",
        run.stdout
    );
    sandbox.write(path, &policy);
    sandbox.succeeds(&[&delete[..], &["--force"]].concat());
    let after = files(&sandbox.path(""));
    assert!(after == before, "{:?}", differing(&before, &after));
}
