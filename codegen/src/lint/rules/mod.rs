//! The table of rules, from which `lint --list`, `lint --explain` and `docs/lint-rules.md` are
//! made. A new one is a row and a check.

mod fields;
mod versions;

use std::fmt::Write as _;

use serde_json::Value;

use super::{Fault, Level, walk::Field};

/// A convention.
#[derive(Debug)]
pub struct Rule {
    /// The name in output, in comments and in the book.
    pub id: &'static str,
    /// How a finding counts unless it is said otherwise.
    pub(crate) level: Level,
    /// What is checked.
    pub(super) check: Check,
    /// What goes wrong otherwise.
    why: &'static str,
    /// What to write instead.
    pub(crate) instead: &'static str,
    /// The change that `--fix` makes, for those that hurt nobody.
    pub(super) fix: Option<Fix>,
    /// Rust that deviates; see [`Rule::examples`].
    bad: &'static str,
    /// The same, as it should be.
    good: &'static str,
}

/// What a rule looks at.
#[derive(Clone, Copy, Debug)]
pub(super) enum Check {
    /// Every value of the schema.
    Field(fn(&Field<'_>) -> Option<String>),
    /// A CRD and one of its versions.
    Version(fn(&Value, &Value) -> Vec<Fault>),
}

/// A change of a field's markers or attributes after which its rule finds nothing, and the API
/// server treats every object as before.
#[derive(Debug)]
pub(super) struct Fix {
    /// The line that is added above a field in Rust.
    pub(super) rust: &'static str,
    /// The line that is added above a field in Go.
    pub(super) go: &'static str,
    /// The markers that go, since they say the opposite.
    pub(super) instead_of: &'static [&'static str],
    /// Whether the change helps, of what the rule finds.
    pub(super) applies: fn(&Field<'_>) -> bool,
}

/// All rules, in the order of the book.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    versions::RULES.iter().chain(fields::RULES)
}

/// The rule with the id.
pub(crate) fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

impl Rule {
    /// Whether `--fix` mends some of what the rule finds.
    #[must_use]
    pub const fn has_fix(&self) -> bool {
        self.fix.is_some()
    }

    /// The examples as files: one that deviates, and one that does not.
    #[must_use]
    pub fn examples(&self) -> [Example; 2] {
        [self.bad, self.good].map(Example::of)
    }

    /// What the rule is for, with its examples, in Markdown.
    #[must_use]
    pub fn explanation(&self) -> String {
        let Self { why, instead, .. } = self;
        let level = self.level.name();
        let fixed = match &self.fix {
            Some(Fix { rust, go, .. }) if rust == go => format!(" `--fix` adds `{rust}`."),
            Some(Fix { rust, go, .. }) => format!(" `--fix` adds `{rust}`, in Go `{go}`."),
            None => String::new(),
        };
        let [bad, good] = [self.bad, self.good].map(shown);
        format!(
            "{why} Instead, {instead}.\n\nBy default: {level}.{fixed}\n\nDeviates:\n\n{bad}\nConforms:\n\n{good}"
        )
    }
}

/// An example as readers see it: fields of the spec stand alone if nothing follows the spec.
fn shown(example: &str) -> String {
    let text = match example.contains("\n}\n") && example.starts_with(' ') {
        true => format!("pub struct MachineSpec {{\n{example}}}\n"),
        false => example.to_owned(),
    };
    let language = if is_yaml(example) { "yaml" } else { "rust" };
    format!("```{language}\n{text}```\n")
}

/// Whether an example is of a CRD: what it shows cannot be written in Rust.
fn is_yaml(example: &str) -> bool {
    example.starts_with(|first: char| first.is_ascii_lowercase())
}

/// A file with an example.
#[derive(Debug)]
pub struct Example {
    /// Its path.
    pub file: &'static str,
    /// Its contents.
    pub text: String,
    /// How the paths of fields start that belong to the example.
    pub below: &'static str,
}

impl Example {
    /// Puts an example into the file around it: keys of a CRD's version, markers of the kind,
    /// fields of its spec, or the type of its status.
    fn of(example: &str) -> Self {
        if is_yaml(example) {
            let lines = example.lines().map(|line| format!("    {line}\n"));
            return Self {
                file: "crds/machine.yaml",
                text: format!("{CRD}{}", lines.collect::<String>()),
                below: "",
            };
        }
        let (mut markers, mut spec, mut status) = (MARKERS, SPEC, STATUS);
        match example {
            it if it.starts_with("// ") => markers = it,
            it if it.starts_with(' ') => spec = it,
            "" => {}
            it => status = it,
        }
        Self {
            file: "src/apis/cloud/v1/mod.rs",
            text: format!("{IMPORTS}\n/// A machine.\n{markers}{KIND}{spec}}}\n\n{status}"),
            below: if example.starts_with(' ') {
                "spec."
            } else {
                ""
            },
        }
    }
}

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: machines.cloud.example.com
spec:
  group: cloud.example.com
  names: {kind: Machine, plural: machines}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {replicas: {type: integer, format: int32}}}
          status: {type: object, properties: {replicas: {type: integer, format: int32}}}
";

const IMPORTS: &str = "\
// +groupName=cloud.example.com

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use serde::{Deserialize, Serialize};
";

const MARKERS: &str = "\
// +genclient
// +kubebuilder:subresource:status
";

const KIND: &str = "\
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: MachineSpec,
    /// What is.
    pub status: Option<MachineStatus>,
}

/// What is wanted.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = \"camelCase\")]
pub struct MachineSpec {
";

const SPEC: &str = "    /// How many run.\n    pub replicas: i32,\n";

const STATUS: &str = "\
/// What is.
#[derive(Debug, Serialize, Deserialize)]
pub struct MachineStatus {
    /// How many run.
    #[serde(skip_serializing_if = \"Option::is_none\")]
    pub replicas: Option<i32>,
}
";

/// The reference page, in Markdown.
#[must_use]
pub fn page() -> String {
    let mut text = HEAD.to_owned();
    // Writing into a String cannot fail.
    for rule in all() {
        let (id, level, why) = (rule.id, rule.level.name(), rule.why);
        let fixed = if rule.has_fix() { "yes" } else { "" };
        let _ = writeln!(text, "| [`{id}`](#{id}) | {level} | {fixed} | {why} |");
    }
    let around = Example::of("").text;
    let _ = write!(
        text,
        "\nExamples in Rust are a part of this module: markers of the kind, fields of `MachineSpec`, or `MachineStatus`.\n\n{HELD}\n```rust\n{around}```\n"
    );
    for rule in all() {
        let explanation = rule.explanation();
        let explanation = explanation.replace("\n\n```", &format!("\n\n{HELD}\n```"));
        let _ = write!(text, "\n## {}\n\n{explanation}", rule.id);
    }
    text
}

/// Above each block of the page: tests of the book want to know what holds it.
const HELD: &str = "<!-- read by: codegen/tests/generator/cli/lint.rs -->";

const HEAD: &str = "\
# Rules of lint

<!-- Written by `UPDATE_GOLDEN=1 cargo test --test generator lint`; the table is codegen/src/lint/rules. -->

What [`kube-codegen lint`](lint.md) checks, and `kube-codegen lint --explain RULE` prints of a rule. Types in Rust and Go and CRDs are
checked by the same rules; examples are in Rust, or of a CRD's version if reading the types reports the same.

| Rule | Default | `--fix` | Why |
|---|---|---|---|
";

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn each_rule_has_its_own_id() {
        let mut ids: Vec<&str> = all().map(|rule| rule.id).collect();
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}
