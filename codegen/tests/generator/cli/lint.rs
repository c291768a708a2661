//! `kube-codegen lint`.

use kube_codegen::lint::rules::{self, Example};

use super::sandbox::{Sandbox, testdata};

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
    ("list-type", "a: {type: array, items: {type: string}}", "a: {type: object, additionalProperties: {type: array, items: {type: string}}}"),
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
    ("items", "a: {type: array, items: {type: object, properties: {b: {type: string}}}}", "a: {type: array, items: {type: object, required: [b], properties: {b: {type: string}}}}"),
    ("items", "a: {type: array, items: {type: object, properties: {b: {type: string}}}}", "a: {type: array, items: {type: string}}"),
    ("description-start", "a: {type: string, description: The text.}", "a: {type: string, description: a is the text.}"),
    ("least-sizes", "a: {type: string}", "a: {type: string, minLength: 1}"),
    ("least-sizes", "a: {type: array, items: {type: integer}}", "a: {type: array, minItems: 1, items: {type: integer}}"),
    ("least-sizes", "a: {type: object, properties: {b: {type: integer}}}", "a: {type: object, required: [b], properties: {b: {type: integer}}}"),
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
    let status = |fields: &str| [String::new(), format!("{{status: {{type: object, properties: {{{fields}}}}}}}")];
    let conditions = |list: &str| status(&format!("conditions: {{type: array, {list}}}"));
    let nested = |list: &str| status(&format!("old: {{type: object, properties: {{conditions: {{type: array, {list}}}}}}}"));
    let good = format!("x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type], {CONDITION}");
    let atomic = format!("x-kubernetes-list-type: atomic, {CONDITION}");
    vec![
        keys("status-subresource", "", "\n    subresources: {status: {}}"),
        keys("columns", "\n    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.sizes}]",
            "\n    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}, {name: Age, type: date, jsonPath: .metadata.creationTimestamp}]"),
        keys("scale", "\n    subresources: {scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.sizes}}",
            "\n    subresources: {scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}"),
        ("status-optional", [String::new(), "{status: {type: object, required: [size], properties: {size: {type: integer}}}}".to_owned()], [String::new(), SIZES.to_owned()]),
        ("conditions", conditions(&atomic), conditions(&good)),
        ("conditions", nested(&atomic), nested("items: {type: string}")),
        ("conditions", conditions("items: {type: object, properties: {type: {type: string}}}"), conditions(&good)),
    ]
}

/// The rules that report something about a CRD, with the field.
fn reported(crd: &str) -> Vec<(String, String)> {
    let sandbox = Sandbox::new();
    let all = "bools,bounds,unreached-defaults,description-start,least-sizes,status-optional";
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
    for line in Sandbox::new().quiet(&["lint", "--list"]).stdout.lines() {
        let id = line.split_whitespace().next().unwrap();
        assert!(checked.contains(&id), "{id} has no case");
    }
}

/// Whether a rule finds something in an example, after `--fix` if that is wanted.
fn finds(sandbox: &Sandbox, rule: &str, example: &Example, more: &[&str]) -> bool {
    let folder = if example.file == MODULE {
        "src/apis"
    } else {
        "crds"
    };
    let start = [
        "lint", folder, "--off", "all", "--warn", rule, "--format", "json",
    ];
    let run = sandbox.quiet(&[&start[..], more].concat());
    let found: serde_json::Value = serde_json::from_str(&run.stdout)
        .unwrap_or_else(|_| panic!("{rule}: {}{}", run.stdout, run.stderr));
    let mut found = found.as_array().unwrap().iter();
    found.any(|it| {
        let path = it["path"].as_str().unwrap();
        it["rule"] == rule && path.starts_with(example.below)
    })
}

const MODULE: &str = "src/apis/cloud/v1/mod.rs";

#[test]
fn the_examples_of_a_rule_are_found_and_not_found() {
    for rule in rules::all() {
        let id = rule.id;
        for (example, wanted) in rule.examples().iter().zip([true, false]) {
            let sandbox = Sandbox::new();
            sandbox.write(example.file, &example.text);
            let found = finds(&sandbox, id, example, &[]);
            assert_eq!(found, wanted, "{id}:\n{}", example.text);
        }
        let explained = Sandbox::new().quiet(&["lint", "--explain", id]).stdout;
        assert_eq!(explained, format!("{id}\n\n{}", rule.explanation()));
    }
}

/// What is fixed is found no more, a second time changes nothing, nobody is hurt by it, and all
/// lines but those of markers and attributes stay.
#[test]
fn a_fix_mends_what_its_rule_finds_and_hurts_nobody() {
    let is_added = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("// +") || line.starts_with("#[serde(default)]")
    };
    for rule in rules::all() {
        let id = rule.id;
        let [bad, _] = rule.examples();
        let sandbox = Sandbox::new();
        sandbox.write(bad.file, &bad.text);
        let remains = finds(&sandbox, id, &bad, &["--fix"]);
        assert_eq!(remains, !rule.has_fix(), "{id}");
        let fixed = sandbox.read(bad.file);
        assert_eq!(fixed != bad.text, rule.has_fix(), "{id}");
        let [before, after] = [&bad.text, &fixed].map(|text| -> Vec<&str> {
            let lines = text.split_inclusive('\n');
            lines.filter(|line| !is_added(line)).collect()
        });
        assert_eq!(before, after, "{id}");
        finds(&sandbox, id, &bad, &["--fix"]);
        assert_eq!(sandbox.read(bad.file), fixed, "{id}: a second time");
        if rule.has_fix() {
            sandbox.write("old/cloud/v1/mod.rs", &bad.text);
            let run = sandbox.quiet(&["diff", "old", "src/apis", "--strict"]);
            assert_eq!(run.code, 0, "{id}: {}{}", run.stdout, run.stderr);
        }
    }
}

#[test]
fn the_page_of_rules_is_the_table() {
    let path = testdata().join("../docs/lint-rules.md");
    let page = rules::page();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "docs/lint-rules.md: UPDATE_GOLDEN=1 cargo test --test generator lint"
    );
}

#[test]
fn a_fix_keeps_every_other_byte_of_rust_and_go() {
    let mut sandbox = Sandbox::new();
    sandbox.write("go.mod", "module example.com/demo\n\ngo 1.24\n");
    sandbox.write("apis/v1/types.go", GO);
    sandbox.run(&[
        "lint",
        "apis",
        "--off",
        "all",
        "--warn",
        "list-type,defaults",
        "--fix",
    ]);
    let mended = GO
        .replace("\tNames ", "\t// +listType=atomic\n\tNames ")
        .replace("\t// +required\n\tZone ", "\t// +optional\n\tZone ");
    assert_eq!(sandbox.read("apis/v1/types.go"), mended);
    sandbox.write(
        "crd.yaml",
        &crd(
            "",
            "spec: {type: object, properties: {a: {type: array, items: {type: string}}}}",
        ),
    );
    // A CRD in YAML is made by a tool, or has other users: it stays as it is.
    sandbox.run(&[
        "lint",
        "crd.yaml",
        "--off",
        "all",
        "--warn",
        "list-type",
        "--fix",
        "--format",
        "github",
    ]);
    sandbox.check("lint-fix");
}

const GO: &str = "// +groupName=demo.example.com
package v1

import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"

// +kubebuilder:object:root=true

// Widget is a widget.
type Widget struct {
\tmetav1.TypeMeta   `json:\",inline\"`
\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`

\tSpec WidgetSpec `json:\"spec\"`
}

// WidgetSpec is what is wanted.
type WidgetSpec struct {
\t// Names are names.  Größe
\tNames   []string   `json:\"names\"`
\t// Zone is the zone.
\t// +kubebuilder:default=a
\t// +required
\tZone    string   `json:\"zone\"`
\t/* two on a line */ A, B []string
\t// lint: allow(list-type) The order counts.
\tAllowed []string `json:\"allowed\"`
}
";

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

/// Types of other versions of the input and behind names of lists are its own, those of structs
/// from elsewhere are not, and a CRD need not be one that the API server takes.
#[test]
fn types_in_go_are_followed_where_they_are_of_the_input() {
    let sandbox = Sandbox::new();
    sandbox.write("go.mod", "module example.com/demo\n\ngo 1.24\n");
    let kind = |group: &str, imports: &str, types: &str| {
        format!(
            "// +groupName={group}\npackage v1\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n{imports})\n\n\
             // +kubebuilder:object:root=true\n\ntype Widget struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\
             \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec Spec `json:\"spec\"`\n}}\n\n{types}"
        )
    };
    sandbox.write(
        "common/types.go",
        "package common\n\ntype Common struct {\n\tElsewhere string `json:\"elsewhere\"`\n}\n",
    );
    let types = "type Spec struct {\n\tOfParts string `json:\"ofParts\"`\n}\n\ntype Part struct {\n\tOfPart string `json:\"ofPart\"`\n}\n";
    let parts = kind("parts.example.com", "", types);
    sandbox.write("apis/parts/v1/types.go", &parts);
    let imports = "\t\"example.com/demo/common\"\n\tparts \"example.com/demo/apis/parts/v1\"\n";
    let types = "// +listType=atomic\ntype Names []Name\n\ntype Name struct {\n\tOfName string `json:\"ofName\"`\n}\n\n\
         type Again common.Common\n\n\
         type Spec struct {\n\tcommon.Common `json:\",inline\"`\n\n\tAgain Again `json:\"again\"`\n\tNames Names `json:\"names\"`\n\
         \tPart parts.Part `json:\"part\"`\n}\n";
    let demo = kind("demo.k8s.io", imports, types);
    sandbox.write("apis/demo/v1/types.go", &demo);
    let run = sandbox.quiet(&[
        "lint",
        "apis",
        "--off",
        "all",
        "--warn",
        "descriptions",
        "--format",
        "json",
    ]);
    let found: serde_json::Value = serde_json::from_str(&run.stdout).expect(&run.stderr);
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let found = found.as_array().unwrap().iter();
    let mut found: Vec<_> = found
        .map(|it| (text(&it["file"]), text(&it["path"])))
        .collect();
    found.sort();
    let demo = [
        "spec",
        "spec.again",
        "spec.names",
        "spec.names[].ofName",
        "spec.part",
    ];
    let demo = demo.map(|path| ("apis/demo/v1/types.go", path));
    let parts = ["spec", "spec.ofParts", "spec.part.ofPart"];
    let parts = parts.map(|path| ("apis/parts/v1/types.go", path));
    let wanted = demo.into_iter().chain(parts);
    let wanted: Vec<_> = wanted
        .map(|(file, path)| (file.to_owned(), path.to_owned()))
        .collect();
    assert_eq!(found, wanted);
    let config = "[[crate]]\nemit = []\n[[crate.go]]\npackages = [\"./apis/...\"]\n[crate.manifests]\ncrds = \"config\"\n";
    sandbox.write("codegen.toml", config);
    let run = sandbox.quiet(&["manifests"]);
    assert!(
        run.stderr.contains("api-approved.kubernetes.io"),
        "{}",
        run.stderr
    );
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
