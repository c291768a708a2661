//! Errors of `codegen.toml`, of inputs and outputs, and of commands.

use super::class::{Class, Code, Example, command, project};

/// The classes of this stage.
pub(super) const CLASSES: &[Class] = &[
    Class {
        code: Code(1),
        title: "invalid codegen.toml",
        from: &[
            "config/table.rs",
            "config/file.rs",
            "config/mod.rs",
            "config/load.rs",
        ],
        what: r#"A key, a section or a value of `codegen.toml` is not one that is read. Unknown keys are errors, since a mistyped one
would otherwise be ignored."#,
        example: project(
            r#"[[crate]]

[crate.crd]
files = "crds"
"#,
        ),
        mend: r#"Compare with the [keys of codegen.toml](codegen-toml.md); the message suggests a key of a similar name. Editors complete
and check the file with the schema that `kube-codegen schema` prints."#,
    },
    Class {
        code: Code(2),
        title: "input that is missing or cannot be read",
        from: &[
            "config/inputs.rs",
            "config/crd_files.rs",
            "config/place.rs",
            "config/disk.rs",
        ],
        what: "A folder or file that is named as input is not there, contains nothing of its kind, or is not UTF-8.",
        example: command("crd src"),
        mend: r#"Correct the path, which is relative to `codegen.toml`, or create what it names: annotated Rust is in
`<group>/<version>/mod.rs`, and CRDs in `.yaml`, `.yml` or `.json` files."#,
    },
    Class {
        code: Code(3),
        title: "an output folder that cannot be used",
        from: &["config/target.rs", "config/partial.rs"],
        what: "Generated files would be in a folder from which their code cannot be compiled, or would miss others that they use.",
        example: project(
            r#"[[crate]]
generated = "apis"

[crate.rust]
apis = "src/apis"
"#,
        ),
        mend: r#"Name a folder whose name is a legal Rust module, which is only for generated files and lies below the `src` of one
crate. If a generator was left out, name the generators that others need as well."#,
    },
    Class {
        code: Code(4),
        title: "features that do not fit",
        from: &["config/features.rs", "emit/features.rs"],
        what: "The configuration asks for Cargo features that the crate does not declare, or that cannot exist together.",
        example: project(
            r#"[[crate]]
kind-features = true

[crate.rust]
apis = "src/apis"
"#,
        ),
        mend: "Declare the feature in `Cargo.toml`, correct its name, or write `group-features` in place of `kind-features`.",
    },
    Class {
        code: Code(5),
        title: "modules or libraries that the configuration does not match",
        from: &["config/modules.rs", "config/evaluate.rs"],
        what: r#"A `mod` line declares a generated module that no generator of this configuration writes, or the types of a library
cannot be evaluated."#,
        example: Example {
            file: "src/apis/cloud/v1/mod.rs",
            prelude: "",
            text: r##"// +groupName=cloud.example.com

mod zz_generated_deepcopy;
mod zz_generated_defaults;
"##,
            command: "generate",
        },
        mend: r#"Remove the line, or generate what it declares. For `evaluate`, build the crate first, and name types by the path of
their library."#,
    },
    Class {
        code: Code(6),
        title: "a commit that cannot be compared with",
        from: &["config/history.rs"],
        what: r#"The API of an earlier commit is to be compared with today's, and git has no such commit, or the commit has no such
input."#,
        example: Example {
            file: "codegen.toml",
            prelude: "",
            text: r##"[[crate]]

[crate.crd]
files = ["crds"]

[crate.compatibility]
base = "git:v0"
"##,
            command: "diff",
        },
        mend: "Name a commit that the clone has; in CI, fetch the history (`fetch-depth: 0`).",
    },
    Class {
        code: Code(7),
        title: "an option with an invalid value",
        from: &["options.rs"],
        what: r#"An option names something that the input does not have, or its value is not of the required form. Filters that match
nothing are errors, since the output would lack what they were to choose."#,
        example: command("crd crds --kind Machin"),
        mend: "Correct the name; the message lists what there is, or suggests the nearest.",
    },
    Class {
        code: Code(8),
        title: "an input without an API",
        from: &["lib.rs", "lower/rust/kinds.rs"],
        what: "The input was read, and there is no kind in it to generate for.",
        example: project(
            r#"[[crate]]

[crate.crd]
files = ["crds"]
versions = ["v3"]
"#,
        ),
        mend: r#"Mark the type of a kind with `+genclient` or `+kubebuilder:object:root=true`, or derive kube's `CustomResource`; for
CRDs, pass the files that declare them."#,
    },
    Class {
        code: Code(9),
        title: "a command that the operator does not allow",
        from: &["cli/operator.rs", "cli/leftovers.rs"],
        what: r#"`create`, `delete`, `migrate` or `package` cannot change this operator: a name is invalid or taken, something that the
command changes is missing, or what it would delete is still used."#,
        example: command("create api --group cloud --version V1 --kind Machine"),
        mend: r#"Follow the message: choose another name, run the command in the folder of the operator, or first remove the uses that it
lists."#,
    },
    Class {
        code: Code(10),
        title: "an invalid record of names",
        from: &["record.rs"],
        what: r#"The file with the names of modules and types from CRDs is generated, and has a line that no version of the generator
writes."#,
        example: Example {
            file: "src/apis/names.toml",
            prelude: "",
            text: r##"[modules]
"cloud.example.com" = "a-b"
"##,
            command: "generate",
        },
        mend: "Restore the last committed version of the file, or delete the line: its name is then derived anew.",
    },
    Class {
        code: Code(11),
        title: "definitions that cannot be compared",
        from: &["compat/"],
        what: r#"`diff` and the compatibility check need one definition of each kind on either side, and accepted changes that still
exist."#,
        example: Example {
            file: "crds/copy.yaml",
            prelude: "",
            text: r##"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: machines.cloud.example.com
spec:
  group: cloud.example.com
  scope: Namespaced
  names:
    kind: Server
    plural: machines
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object}
"##,
            command: "diff crds crds",
        },
        mend: "Name files instead of the folder that has several definitions, and remove accepted changes that nothing needs any more.",
    },
    Class {
        code: Code(12),
        title: "a rule that is not there is allowed",
        from: &["lint/allow.rs"],
        what: "A comment `lint: allow(RULE) reason` names no rule of `lint`, or gives no reason.",
        example: Example {
            file: "crd.yaml",
            prelude: "",
            text: r##"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: machines.cloud.example.com
spec:
  group: cloud.example.com
  scope: Namespaced
  names:
    kind: Machine
    plural: machines
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          # lint: allow(nmaes) Users have it in their files.
          spec: {type: object}
"##,
            command: "lint crd.yaml",
        },
        mend: "Write a rule of `kube-codegen lint --list` into the parentheses, and the reason behind them.",
    },
];
