//! Errors of annotated Rust.

use super::class::{Class, Code, Example, RUST_PRELUDE, rust};

/// An attribute asks for what no schema of a CRD has.
pub(crate) const UNSUPPORTED_ATTRIBUTE: Code = Code(212);
/// A value of an attribute has the wrong form.
pub(crate) const INVALID_ATTRIBUTE: Code = Code(213);

/// The classes of this stage.
pub(super) const CLASSES: &[Class] = &[
    Class {
        code: Code(201),
        title: "source or an attribute that cannot be parsed",
        from: &["read/rust/file.rs", "read/rust/delimiters.rs"],
        what: "A source file or an attribute of serde, schemars or kube cannot be parsed, so that its types are not known.",
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,


#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    pub cpus: i32,
}
"#,
        ),
        mend: "Let rustc compile the file first; its error shows the same place.",
    },
    Class {
        code: Code(202),
        title: "modules that do not fit the folder",
        from: &["read/rust/mod.rs", "lower/rust/checks.rs"],
        what: r#"A version is a folder with `mod.rs`, which declares its modules and the generated ones. A module is missing or private,
or the name of a group, a version or a folder cannot be used."#,
        example: rust(
            r#"mod sizes;

// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    pub cpus: i32,
}
"#,
        ),
        mend: "Add the file, declare the module that the message names, or correct the name.",
    },
    Class {
        code: Code(203),
        title: "a schema that is not known without compiling",
        from: &["read/rust/members.rs", "lower/rust/attributes/"],
        what: r#"Code decides what a type is on the wire: a function, a hand-written impl, or a constant of another crate. Source is read
and not run, so its schema cannot be known."#,
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    pub level: Level,
}

#[derive(Clone, Debug)]
pub struct Level(u8);

impl JsonSchema for Level {}
"#,
        ),
        mend: r#"Declare what is on the wire, with `#[schemars(with = "…")]` or `+kubebuilder:validation:Type`, or write the value as a
literal."#,
    },
    Class {
        code: Code(204),
        title: "schemars and serde disagree",
        from: &["lower/rust/attributes/wire.rs"],
        what: r#"An attribute of schemars changes names or shapes that serde does not change: the API server would refuse or drop what
the program sends."#,
        example: rust(
            r#"#[derive(kube::CustomResource, Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[kube(group = "cloud.example.com", version = "v1", kind = "Machine")]
pub struct MachineSpec {
    #[schemars(rename = "cores")]
    pub cpus: i32,
}
"#,
        ),
        mend: "Write the attribute as `#[serde(…)]`, which schemars reads too.",
    },
    Class {
        code: Code(205),
        title: "a type without the traits that generated code needs",
        from: &["lower/rust/", "read/rust/"],
        what: "Generated code clones, compares, prints or serializes a type that does not derive the trait for it.",
        example: Example {
            file: "src/apis/cloud/v1/mod.rs",
            prelude: RUST_PRELUDE,
            text: r"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

pub struct MachineSpec {
    pub cpus: i32,
}
",
            command: "generate",
        },
        mend: "Derive what the message names.",
    },
    Class {
        code: Code(206),
        title: "an API object of the wrong shape",
        from: &["lower/rust/root.rs", "lower/rust/resource.rs"],
        what: r#"Serialization of an API object is generated: its struct has `metadata: ObjectMeta`, an optional `status`, no
`apiVersion` or `kind`, and derives neither `Serialize` nor `Deserialize`."#,
        example: rust(
            r#"// +genclient
#[derive(Debug, Serialize)]
pub struct Machine {
    pub metadata: ObjectMeta,
}
"#,
        ),
        mend: "Remove what is generated, and put fields that need serde's attributes into the spec, which derives serde.",
    },
    Class {
        code: Code(207),
        title: "a kind of kube-derive that cannot be read",
        from: &["lower/rust/kube.rs"],
        what: "A kind that derives `CustomResource` has markers that say the same as `#[kube]`, a schema that code creates, or the
name of another type.",
        example: rust(
            r#"// +kubebuilder:resource:scope=Cluster
#[derive(kube::CustomResource, Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[kube(group = "cloud.example.com", version = "v1", kind = "Machine")]
pub struct MachineSpec {
    pub cpus: i32,
}
"#,
        ),
        mend: "Say it in `#[kube]` alone, return a literal schema from code, or rename what clashes.",
            },
    Class {
        code: Code(208),
        title: "a type that cannot be part of an API",
        from: &["lower/rust/refs.rs"],
        what: r#"A field has a type that is not declared or imported in this version, that does not own its data, or that cannot be
written as JSON, such as a map whose keys are not strings."#,
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    pub disk: Disc,
}
"#,
        ),
        mend: "Declare or import the type, and use types that own their data: `String`, `Vec`, `BTreeMap<String, _>`.",
    },
    Class {
        code: Code(209),
        title: "an invalid form of a type",
        from: &["lower/rust/types.rs"],
        what: r#"API types own their data, have no where clause, and no two fields of a name; an API object has no parameters, and an
optional field can be left out."#,
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine<T> {
    pub metadata: ObjectMeta,
    pub spec: T,
}
"#,
        ),
        mend: "Write a type without parameters or borrows, and give each field its own name on the wire.",
    },
    Class {
        code: Code(210),
        title: "a type, or a part of one, that generated code cannot see or repeat",
        from: &["lower/rust/visibility.rs", "lower/rust/type_paths.rs"],
        what: "Generated code names a type and its fields and repeats its bounds in another module: the type or a field is private or\nconditional, or a trait has no name there.",
        example: Example {
            file: "src/apis/cloud/v1/mod.rs",
            prelude: RUST_PRELUDE,
            text: r"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: near::Two<i32>,
}

pub mod near {
    use serde::{Deserialize, Serialize};

    trait Near {}
    impl Near for i32 {}

    #[derive(Debug, Serialize, Deserialize)]
    pub struct Two<T: Near> {
        pub value: T,
    }
}
",
            command: "generate",
        },
        mend: "Make types and fields `pub` or export them with `pub use`, put conditions above a whole module, and write the path of a\ntrait from `crate` or its own crate.",
    },
    Class {
        code: Code(211),
        title: "an unknown case of serde",
        from: &["lower/rust/wire_names.rs"],
        what: "`rename_all` names a case that serde does not have.",
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelcase")]
pub struct MachineSpec {
    pub cpu_count: i32,
}
"#,
        ),
        mend: "Write one of serde's, mostly `camelCase`.",
    },
    Class {
        code: UNSUPPORTED_ATTRIBUTE,
        title: "an attribute that no schema of a CRD can have",
        from: &[],
        what: r#"An attribute of schemars changes the structure of the schema, or says something of the items of items or of a whole
variant, which a structural schema has no place for."#,
        example: rust(
            r#"#[derive(kube::CustomResource, Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[kube(group = "cloud.example.com", version = "v1", kind = "Machine")]
pub struct MachineSpec {
    #[schemars(inner(inner(length(min = 1))))]
    pub disks: Vec<Vec<String>>,
}
"#,
        ),
        mend: r#"Change the Rust type: a struct or newtype of its own for the items or the variant's field can have the attribute. Otherwise
declare the type with `+kubebuilder:validation:Type`."#,
    },
    Class {
        code: INVALID_ATTRIBUTE,
        title: "a value of an attribute that has the wrong form",
        from: &[],
        what: "An attribute of schemars sets a keyword of the schema to a value that the keyword cannot have.",
        example: rust(
            r#"#[derive(kube::CustomResource, Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[kube(group = "cloud.example.com", version = "v1", kind = "Machine")]
pub struct MachineSpec {
    #[schemars(extend("x-kubernetes-list-type" = 3))]
    pub disks: Vec<String>,
}
"#,
        ),
        mend: "Write a value of the form that the message expects.",
    },
    Class {
        code: Code(214),
        title: "two kinds or types that cannot stand side by side",
        from: &["lower/rust/duplicates.rs"],
        what: r#"Two kinds of a version have one plural, which is their URL and the name of their CRD; or a kind or type is declared twice
in different forms: by two crates, or in a module under conditions that are not decided."#,
        example: Example {
            file: "src/lib.rs",
            prelude: "",
            text: r#"use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(kube::CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "cloud.example.com", version = "v1", kind = "Machine")]
pub struct MachineSpec {
    pub cpus: i32,
}

#[derive(kube::CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "cloud.example.com", version = "v1", kind = "Engine", plural = "machines")]
pub struct EngineSpec {
    pub cpus: i32,
}
"#,
            command: "manifests .",
        },
        mend: r#"Give one of the kinds another `plural`, remove a declaration, or give types under other conditions than features and
operating systems names of their own. Crates that share a type of another crate turn on the same features of it."#,
    },
];
