//! `kube-codegen diff`.

use std::{env, fs, process::Command};

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

/// Runs `git` in the sandbox.
fn git(sandbox: &Sandbox, arguments: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    let ran = Command::new("git")
        .current_dir(sandbox.path(""))
        .args(identity)
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

/// Commits everything, with a tag.
fn commit(sandbox: &Sandbox, tag: &str) {
    git(sandbox, &["add", "--all"]);
    git(sandbox, &["commit", "--quiet", "--message", tag]);
    git(sandbox, &["tag", tag]);
}

#[test]
fn inputs_are_taken_from_history() {
    let mut sandbox = Sandbox::new();
    git(&sandbox, &["init", "--quiet"]);
    sandbox.write("api/crds/widget.yaml", &crd("v1", OLD));
    sandbox.write("api/crds/values.yaml", "a: {{ template }}\n");
    commit(&sandbox, "v1");
    sandbox.edit("api/crds/widget.yaml", "maximum: 10", "maximum: 9");
    commit(&sandbox, "v2");
    sandbox.edit("api/crds/widget.yaml", "maximum: 9", "maximum: 8");
    sandbox.run(&["diff", "git:v1", "api/crds"]);
    sandbox.run(&[
        "diff",
        "git:v1:api/crds",
        "git:v2:api/crds/widget.yaml",
        "--json",
    ]);
    sandbox.run(&["diff", "git:v1:elsewhere", "api"]);
    sandbox.run(&["diff", "git:--all", "api"]);
    let missing = sandbox.quiet(&["diff", "git:v9", "api"]);
    assert_eq!(missing.code, 2);
    missing.says("git:v9: there is no such commit");
    sandbox.enter("api");
    sandbox.run(&["diff", "git:v2", "crds"]);
    sandbox.check("diff-history");
}

#[test]
fn types_are_taken_from_history() {
    let sandbox = Sandbox::with_apis("podset");
    git(&sandbox, &["init", "--quiet"]);
    commit(&sandbox, "v1");
    let same = sandbox.quiet(&["diff", "git:v1", "src/apis"]);
    assert_eq!(
        (same.code, same.stdout.as_str()),
        (0, "no changes\n"),
        "{}",
        same.stderr
    );
    sandbox.write(
        "codegen.toml",
        "[[crate]]\n[crate.rust]\n[crate.compatibility]\nbase = \"git:v1\"\n",
    );
    let same = sandbox.quiet(&["diff"]);
    assert_eq!(
        (same.code, same.stdout.as_str()),
        (0, "no changes\n"),
        "{}",
        same.stderr
    );
}

#[test]
fn go_packages_are_taken_from_history() {
    let mut sandbox = Sandbox::new();
    git(&sandbox, &["init", "--quiet"]);
    sandbox.write("go.mod", "module example.com/demo\n\ngo 1.24\n\nrequire example.com/units v1.0.0\n\nreplace example.com/units => ./units\n");
    sandbox.write("units/go.mod", "module example.com/units\n\ngo 1.24\n");
    sandbox.write(
        "units/units.go",
        "package units\n\n// +kubebuilder:validation:Maximum=10\ntype Power int32\n",
    );
    sandbox.write("api/v1/types.go", GO);
    sandbox.write("api/v1/types_test.go", "package broken {\n");
    commit(&sandbox, "v1");
    let same = sandbox.quiet(&["diff", "git:v1", "api"]);
    assert_eq!(
        (same.code, same.stdout.as_str()),
        (0, "no changes\n"),
        "{}",
        same.stderr
    );
    // A type of another module of the repository changes, then the package moves.
    sandbox.edit("units/units.go", "Maximum=10", "Maximum=9");
    sandbox.run(&["diff", "git:v1", "api"]);
    commit(&sandbox, "v2");
    git(&sandbox, &["mv", "api", "apis"]);
    sandbox.run(&["diff", "git:v1:api", "git:v2:api", "--format", "github"]);
    sandbox.run(&["diff", "git:v2:api", "apis"]);
    sandbox.configure("[[crate]]\nemit = []\n[[crate.go]]\npackages = [\"./apis/v1\"]\n[crate.compatibility]\nbase = \"git:v1\"\n");
    sandbox.run(&["diff"]);
    git(&sandbox, &["mv", "apis", "api"]);
    sandbox.configure("[[crate]]\nemit = []\n[[crate.go]]\npackages = [\"./api/v1\"]\n[crate.compatibility]\nbase = \"git:v1\"\n");
    sandbox.run(&["diff", "--format", "github"]);
    sandbox.check("diff-history-go");
}

/// A kind whose spec has a field of another module's type.
const GO: &str = "// +groupName=demo.example.com
package v1

import (
\t\"example.com/units\"
\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"
)

// +kubebuilder:object:root=true

// Widget is a widget.
type Widget struct {
\tmetav1.TypeMeta   `json:\",inline\"`
\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`

\tSpec WidgetSpec `json:\"spec\"`
}

// WidgetSpec is what is wanted.
type WidgetSpec struct {
\t// Power is the power.
\tPower units.Power `json:\"power\"`
}
";

#[test]
fn a_check_compares_with_the_base_that_codegen_toml_names() {
    let mut sandbox = Sandbox::new();
    let toml = |more: &str| {
        format!(
            "[[crate]]\nemit = []\n[crate.crd]\nfiles = [\"crds\"]\n[crate.compatibility]\nbase = \"released\"\n{more}"
        )
    };
    sandbox.write("released/widget.yaml", &crd("v1", OLD));
    sandbox.write("crds/widget.yaml", &crd("v1", OLD));
    sandbox.configure(&toml(""));
    sandbox.succeeds(&["generate"]);
    sandbox.run(&["generate", "--check"]);
    sandbox.edit("crds/widget.yaml", "maximum: 10", "maximum: 9");
    sandbox.run(&["generate", "--check"]);
    let accept = "[[crate.compatibility.accept]]\nid = \"bound-changed\"\npath = \"spec.size\"\nreason = \"nobody used 10\"\n";
    sandbox.note("accepted");
    sandbox.configure(&toml(accept));
    sandbox.run(&["generate", "--check"]);
    sandbox.run(&["diff", "--all"]);
    sandbox.note("expired");
    sandbox.configure(&toml(&format!("{accept}until = \"2020-01-31\"\n")));
    sandbox.run(&["generate", "--check"]);
    sandbox.note("unused");
    sandbox.edit("crds/widget.yaml", "maximum: 9", "maximum: 10");
    sandbox.run(&["generate", "--check"]);
    sandbox.note("wrong");
    sandbox.configure(&toml(
        "[[crate.compatibility.accept]]\nid = \"bound-change\"\nuntil = \"soon\"\n",
    ));
    sandbox.run(&["generate", "--check"]);
    sandbox.check("diff-accepted");
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
