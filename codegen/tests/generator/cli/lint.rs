//! `kube-codegen lint`.

use super::sandbox::Sandbox;

/// A CRD whose version has these keys beside the schema, and whose schema has these properties.
fn crd(keys: &str, properties: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{kind: Widget, plural: widgets}}
  versions:
  - name: v1
    served: true
    storage: true{keys}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          {properties}
"
    )
}

/// For each rule, a field of the spec that deviates from it, and one that does not.
#[rustfmt::skip]
const FIELDS: &[(&str, &str, &str)] = &[
    ("list-type", "a: {type: array, items: {type: string}}", "a: {type: array, x-kubernetes-list-type: set, items: {type: string}}"),
    ("list-type", "a: {type: array, x-kubernetes-list-type: set, items: {type: object}}", "a: {type: array, x-kubernetes-list-type: atomic, items: {type: object}}"),
    ("integers", "a: {type: integer}", "a: {type: integer, format: int32}"),
    ("integers", "a: {type: integer, format: uint8}", "a: {x-kubernetes-int-or-string: true}"),
    ("floats", "a: {type: number}", "a: {type: integer}"),
    ("maps", "a: {type: object, additionalProperties: {type: integer}}", "a: {type: object, additionalProperties: {type: string}}"),
    ("durations", "timeout: {type: string, format: duration}", "timeoutSeconds: {type: integer}"),
    ("names", "max_size: {type: string}", "maxSize: {type: string}"),
    ("phases", "phase: {type: string}", "ready: {type: string}"),
    ("references", "secretReference: {type: string}", "secretRef: {type: string}"),
    ("timestamps", "startTimestamp: {type: string}", "startTime: {type: string}"),
    ("nullable", "a: {type: string, nullable: true}", "a: {type: string}"),
    ("defaults", "a: {type: object, required: [b], properties: {b: {type: string, default: c}}}", "a: {type: object, properties: {b: {type: string, default: c}}}"),
    ("descriptions", "a: {type: string}", "a: {type: string, description: A word.}"),
    ("untyped", "a: {type: object, x-kubernetes-preserve-unknown-fields: true}", "a: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}"),
    ("enums", "a: {type: string, enum: [in-order]}", "a: {type: string, enum: [InOrder, '']}"),
    ("unions", "a: {type: object, properties: {b: {type: string}, c: {type: string}}, oneOf: [{required: [b]}, {required: [c]}]}",
        "a: {type: object, required: [type], properties: {type: {type: string, enum: [B, C]}, b: {type: string}, c: {type: string}}, oneOf: [{required: [b]}, {required: [c]}]}"),
    ("unbounded-rules", "a: {type: array, items: {type: string, x-kubernetes-validations: [{rule: 'self.size() < 9'}]}}",
        "a: {type: array, maxItems: 9, items: {type: string, x-kubernetes-validations: [{rule: 'self.size() < 9'}]}}"),
    ("secrets", "adminPassword: {type: string}", "adminPasswordSecretName: {type: string}"),
    ("unreached-defaults", "a: {type: object, properties: {b: {type: string, default: c}}}", "a: {type: object, default: {}, properties: {b: {type: string, default: c}}}"),
    ("bools", "a: {type: boolean}", "a: {type: string}"),
    ("bounds", "a: {type: string}", "a: {type: string, maxLength: 9}"),
    ("bounds", "a: {type: array, items: {type: integer}}", "a: {type: array, maxItems: 9, items: {type: integer}}"),
];

/// A spec with a size, and a status with one.
const SIZES: &str = "{spec: {type: object, properties: {size: {type: integer}}}, status: {type: object, properties: {size: {type: integer}}}}";

const CONDITION: &str = "items: {type: object, properties: {type: {type: string}, status: {type: string}, reason: {type: string}, message: {type: string}, lastTransitionTime: {type: string}}}";

/// As [`FIELDS`], with keys of the version and properties of its schema.
#[rustfmt::skip]
fn versions() -> Vec<(&'static str, [String; 2], [String; 2])> {
    let keys = |rule, bad: &str, good: &str| (rule, [bad, SIZES].map(str::to_owned), [good, SIZES].map(str::to_owned));
    let conditions = |list: &str| {
        let properties = format!("{{status: {{type: object, properties: {{conditions: {{type: array, {list}}}}}}}}}");
        [String::new(), properties]
    };
    let good = format!("x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type], {CONDITION}");
    let atomic = format!("x-kubernetes-list-type: atomic, {CONDITION}");
    vec![
        keys("status-subresource", "", "\n    subresources: {status: {}}"),
        keys("columns", "\n    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.sizes}]",
            "\n    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}, {name: Age, type: date, jsonPath: .metadata.creationTimestamp}]"),
        keys("scale", "\n    subresources: {scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.sizes}}",
            "\n    subresources: {scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}"),
        ("conditions", conditions(&atomic), conditions(&good)),
        ("conditions", conditions("items: {type: object, properties: {type: {type: string}}}"), conditions(&good)),
    ]
}

/// The rules that report something about a CRD, with the field.
fn reported(crd: &str) -> Vec<(String, String)> {
    let sandbox = Sandbox::new();
    let all = "bools,bounds,unreached-defaults";
    let arguments = ["lint", "-", "--warn", all, "--format", "json"];
    let run = sandbox.quiet_with(&arguments, crd);
    let findings: serde_json::Value = serde_json::from_str(&run.stdout).expect(&run.stderr);
    let findings = findings.as_array().unwrap().iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    findings
        .map(|it| (text(&it["rule"]), text(&it["path"])))
        .collect()
}

#[test]
fn each_rule_reports_what_deviates_and_nothing_else() {
    let field = |field: &str| {
        let spec = format!("{{spec: {{type: object, description: d, properties: {{{field}}}}}}}");
        [String::new(), spec]
    };
    let fields = FIELDS
        .iter()
        .map(|(rule, bad, good)| (*rule, field(bad), field(good)));
    let mut checked: Vec<&str> = vec!["short-names"];
    for (rule, bad, good) in fields.chain(versions()) {
        let has = |[keys, properties]: &[String; 2]| {
            let text = crd(keys, "").replace(
                "properties:\n          \n",
                &format!("properties: {properties}\n"),
            );
            // Checks of fields also see the spec around the field.
            let is_field = properties.starts_with("{spec: {type: object, description");
            let found = reported(&text).into_iter();
            let mut found = found.filter(|(_, path)| !is_field || path.starts_with("spec."));
            found.any(|(it, _)| it == rule)
        };
        assert!(has(&bad), "{rule} does not report {bad:?}");
        assert!(!has(&good), "{rule} reports {good:?}");
        checked.push(rule);
    }
    let taken = crd("", "spec: {type: object}")
        .replace("plural: widgets", "plural: widgets, shortNames: [po]");
    assert!(reported(&taken).iter().any(|(it, _)| it == "short-names"));
    let page = include_str!("../../../../docs/lint.md");
    for line in Sandbox::new().quiet(&["lint", "--list"]).stdout.lines() {
        let id = line.split_whitespace().next().unwrap();
        assert!(checked.contains(&id), "{id} has no case");
        assert!(
            page.contains(&format!("| `{id}` |")),
            "docs/lint.md lacks {id}"
        );
    }
}

const WIDGET: &str = "spec:
            type: object
            description: The spec.
            properties:
              # lint: allow(names) Users have it in their files.
              max_size: {type: integer, format: int32, description: The size.}
              min_size: {type: integer, format: int32, description: The size.}
          status: {type: object, description: The status.}";

#[test]
fn findings_are_shown_where_they_are_and_allowed_there() {
    let mut sandbox = Sandbox::new();
    sandbox.write("crd.yaml", &crd("", WIDGET));
    sandbox.run(&["lint", "crd.yaml"]);
    sandbox.run(&["lint", "crd.yaml", "--off", "all", "--warn", "names"]);
    sandbox.run(&[
        "lint",
        "crd.yaml",
        "--off",
        "status-subresource",
        "--format",
        "github",
    ]);
    let baseline = sandbox
        .run(&["lint", "crd.yaml", "--print-baseline"])
        .stdout;
    sandbox.write("old.txt", &baseline);
    sandbox.run(&["lint", "crd.yaml", "--baseline", "old.txt"]);
    sandbox.write(
        "crd.yaml",
        &crd(
            "",
            &WIDGET
                .replace("min_size", "minSize")
                .replace(" Users have it in their files.", ""),
        ),
    );
    sandbox.run(&["lint", "crd.yaml", "--baseline", "old.txt"]);
    sandbox.write(
        "crd.yaml",
        &crd(
            "",
            &WIDGET
                .replace("min_size", "minSize")
                .replace("(names)", "(nams)"),
        ),
    );
    sandbox.run(&["lint", "crd.yaml"]);
    sandbox.run(&["lint", "crd.yaml", "--off", "nams"]);
    sandbox.run(&["lint", "missing.yaml"]);
    sandbox.check("lint");
}

#[test]
fn types_in_rust_are_reported_where_they_are_declared() {
    let mut sandbox = Sandbox::new();
    sandbox.write(
        "src/apis/demo/v1/mod.rs",
        "//! Demo.\n// +groupName=demo.example.com\n\nmod types;\npub use types::*;\n",
    );
    sandbox.write(
        "src/apis/demo/v1/types.rs",
        "//! Demo.
use k8s_openapi::{api::core::v1::PodSpec, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use serde::{Deserialize, Serialize};

/// A widget.
// +genclient
// +kubebuilder:object:root=true
#[derive(Clone, Debug, Default)]
pub struct Widget {
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: WidgetSpec,
}

/// The spec.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = \"camelCase\")]
pub struct WidgetSpec {
    /// A pod, whose fields are not the project's own.
    pub pod: PodSpec,
    // lint: allow(phases) It is one.
    /// The phase of the moon.
    pub phase: String,
    /// Names.
    pub names: Vec<String>,
}
",
    );
    sandbox.run(&["lint", "src/apis"]);
    sandbox.check("lint-rust");
}

#[test]
fn a_configuration_says_what_is_checked() {
    let mut sandbox = Sandbox::new();
    let properties = "spec: {type: object, description: It., properties: {size: {type: integer, description: It.}, phase: {type: string, description: It.}}}";
    sandbox.write("crds/widget.yaml", &crd("", properties));
    let config =
        |lint: &str| format!("[[crate]]\nemit = []\n[crate.crd]\nfiles = [\"crds\"]\n{lint}");
    sandbox.write("codegen.toml", &config(""));
    sandbox.succeeds(&["generate", "--check"]);
    sandbox.run(&["lint"]);
    sandbox.write(
        "codegen.toml",
        &config("[crate.lint]\noff = [\"phases\"]\n"),
    );
    sandbox.run(&["lint"]);
    sandbox.run(&["generate", "--check"]);
    // What the command line says counts more.
    sandbox.run(&[
        "lint", "--off", "all", "--error", "phases", "--format", "github",
    ]);
    let baseline = sandbox.quiet(&["lint", "--print-baseline"]).stdout;
    sandbox.write("crds/baseline.txt", &format!("{baseline}phases gone\n"));
    sandbox.write(
        "codegen.toml",
        &config("[crate.lint]\noff = [\"phases\"]\nbaseline = \"crds/baseline.txt\"\n"),
    );
    sandbox.run(&["generate", "--check"]);
    sandbox.write(
        "codegen.toml",
        &config("[crate.lint]\noff = [\"phase\"]\nwarning = []\nbaseline = \"gone.txt\"\n"),
    );
    sandbox.run(&["lint"]);
    sandbox.check("lint-config");
}
