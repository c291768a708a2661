//! `kube-codegen diff`.

use std::{env, fs};

use kube_crd_diff::RULES;

use super::sandbox::{Sandbox, testdata};

/// A CRD with one version, whose `spec` has these lines.
fn crd(version: &str, spec: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{kind: Widget, plural: widgets}}
  versions:
  - name: {version}
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
{spec}"
    )
}

const OLD: &str = "            required: [mode]
            properties:
              mode: {type: string, enum: [Fast, Safe]}
              size:
                type: integer
                maximum: 10
              label: {type: string, pattern: '^[a-z0-9]+$'}
              note: {type: string}
";

const NEW: &str = "            required: [mode]
            x-kubernetes-validations:
            - rule: \"self.mode != 'Fast' || !has(self.size) || self.size < 3\"
              message: fast widgets are small
            properties:
              mode: {type: string, enum: [Fast, Safe, Slow]}
              size:
                type: integer
                maximum: 5
                default: 1
              label: {type: string, pattern: '^[a-z]+$'}
              owner: {type: string}
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("old.yaml", &crd("v1", OLD));
    sandbox.write("new.yaml", &crd("v1", NEW));
    sandbox
}

#[test]
fn a_diff_says_who_is_hurt_and_shows_a_witness() {
    let mut sandbox = sandbox();
    sandbox.run(&["diff", "old.yaml", "new.yaml", "--all", "--suggest-version"]);
    sandbox.run(&["diff", "new.yaml", "new.yaml"]);
    sandbox.check("diff");
}

#[test]
fn a_diff_has_forms_for_programs() {
    let mut sandbox = sandbox();
    sandbox.write(
        "new.yaml",
        &crd("v1", &OLD.replace("maximum: 10", "maximum: 5")),
    );
    sandbox.run(&["diff", "old.yaml", "new.yaml", "--json"]);
    sandbox.run(&["diff", "old.yaml", "new.yaml", "--format", "github"]);
    sandbox.check("diff-forms");
    let run = {
        let sandbox = self::sandbox();
        sandbox.quiet(&["diff", "old.yaml", "new.yaml", "--format", "sarif"])
    };
    let sarif: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(run.code, 1);
    let result = &sarif["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "new.yaml");
    assert!(place["region"]["startLine"].as_u64() > Some(1), "{result}");
}

#[test]
fn the_exit_code_tells_incompatible_changes_from_wrong_input() {
    let sandbox = sandbox();
    let code = |arguments: &[&str]| sandbox.quiet(arguments).code;
    let wider = OLD.replace("maximum: 10", "maximum: 11");
    sandbox.write("wider.yaml", &crd("v1", &wider));
    sandbox.write(
        "risk.yaml",
        &crd("v1", &OLD.replace("Safe]", "Safe, Slow]")),
    );
    sandbox.write("broken.yaml", "a: [");
    sandbox.write("empty.yaml", "kind: Pod\napiVersion: v1\n");
    assert_eq!(code(&["diff", "old.yaml", "wider.yaml"]), 0);
    assert_eq!(code(&["diff", "old.yaml", "risk.yaml"]), 0);
    assert_eq!(code(&["diff", "old.yaml", "risk.yaml", "--strict"]), 1);
    assert_eq!(code(&["diff", "old.yaml", "new.yaml"]), 1);
    for wrong in ["broken.yaml", "empty.yaml", "missing.yaml", "-"] {
        assert_eq!(code(&["diff", "old.yaml", wrong]), 2, "{wrong}");
    }
    assert_eq!(code(&["diff", "-", "-"]), 2);
    let run = sandbox.quiet_with(&["diff", "old.yaml", "-"], &crd("v1", &wider));
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn a_crd_that_two_files_declare_otherwise_is_refused() {
    let sandbox = sandbox();
    sandbox.write("crds/a.yaml", &crd("v1", OLD));
    sandbox.write("crds/b.yaml", &crd("v1", NEW));
    let run = sandbox.quiet(&["diff", "old.yaml", "crds"]);
    assert_eq!(run.code, 2);
    run.says("two CRDs are named widgets.example.com: crds/a.yaml and crds/b.yaml");
}

#[test]
fn types_are_compared_like_crds() {
    let sandbox = Sandbox::with_apis("podset");
    let old = sandbox.quiet(&["diff", "src/apis", "src/apis"]);
    assert_eq!(
        (old.code, old.stdout.as_str()),
        (0, "no changes\n"),
        "{}",
        old.stderr
    );
}

#[test]
fn the_page_lists_every_finding() {
    let path = testdata().join("../docs/diff.md");
    let page = fs::read_to_string(&path).unwrap();
    let (start, end) = ("<!-- findings -->\n", "<!-- end of findings -->");
    let (before, rest) = page.split_once(start).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    let mut table = "| Finding | Change | Who can be hurt |\n|---|---|---|\n".to_owned();
    for rule in RULES {
        table += &format!("| `{}` | {} | {} |\n", rule.id, rule.summary, rule.hurts);
    }
    let expected = format!("{before}{start}{table}{end}{after}");
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    assert!(
        page == expected,
        "run UPDATE_GOLDEN=1 cargo test --test generator cli::diff"
    );
}
