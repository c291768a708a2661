//! Errors of what all inputs become: kinds, versions and conversions.

use super::class::{Class, Code, Example, RUST_PRELUDE};

/// The classes of this stage.
pub(super) const CLASSES: &[Class] = &[
    Class {
        code: Code(501),
        title: "kinds or versions that contradict each other",
        from: &["check.rs"],
        what: r#"Two groups, versions, kinds or types have the same name, or the versions of a kind disagree in something that a kind has
once, such as scope or plural: here,
the version v1 is namespaced."#,
        example: Example {
            file: "src/apis/cloud/v2/mod.rs",
            prelude: RUST_PRELUDE,
            text: r"// +genclient
// +kubebuilder:resource:scope=Cluster
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
}
",
            command: "generate",
        },
        mend: "Write the same in all versions, and mark exactly one as stored, with `+kubebuilder:storageversion`.",
    },
    Class {
        code: Code(502),
        title: "a conversion that cannot be generated",
        from: &["conversion/"],
        what: r#"Conversions lead from each version to the stored one, by rules that name fields. A kind has no stored version, belongs
to another crate, or a marker names nothing that is converted."#,
        example: Example {
            file: "codegen.toml",
            prelude: "",
            text: r##"[[crate]]
emit = ["conversion"]

[crate.crd]
files = ["crds"]
versions = ["v1alpha1", "v1beta1"]
"##,
            command: "generate",
        },
        mend: "Mark the stored version, generate conversions in the crate of the types, and remove markers that change nothing.",
    },
];
