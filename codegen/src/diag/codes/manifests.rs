//! Errors of CRDs that are written.

use super::class::{Class, Code, Example, rust};

/// The classes of this stage.
pub(super) const CLASSES: &[Class] = &[
    Class {
        code: Code(601),
        title: "a column, selectable field or scale that is not in the schema",
        from: &["emit/manifests/check.rs"],
        what: r#"A JSON path of the CRD leads to no field, or to one of another type; the API server refuses such a CRD, or shows an
empty column."#,
        example: rust(
            r#"// +kubebuilder:printcolumn:name=CPUs,type=integer,JSONPath=.spec.cpu
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
        mend: "Write the path by the names in JSON, and the type of its field.",
    },
    Class {
        code: Code(602),
        title: "versions of a CRD that do not fit",
        from: &["emit/manifests/crd.rs"],
        what: "A CRD stores exactly one version, serves at least one, and has one set of names.",
        example: rust(
            r#"// +kubebuilder:unservedversion
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
        mend: "Mark one version with `+kubebuilder:storageversion`, and write the same `+kubebuilder:resource` above each.",
    },
    Class {
        code: Code(603),
        title: "a CRD that the API server would refuse",
        from: &["emit/manifests/refusal.rs"],
        what: "The CRD that would be written breaks a rule of the API server: here, its group is no domain.",
        example: Example {
            file: "src/apis/cloud/v1/mod.rs",
            prelude: "",
            text: r"// +groupName=cloud

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

mod zz_generated_deepcopy;
pub mod zz_generated_register;

// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
}
",
            command: "manifests src/apis",
        },
        mend: "Follow the message; the path shows the place in the schema.",
    },
    Class {
        code: Code(604),
        title: "a CEL rule that the API server would refuse",
        from: &["emit/manifests/rules.rs"],
        what: r#"A rule does not parse, has operands of the wrong types, reads a field that is not there, or costs too much in the worst
case."#,
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

// +kubebuilder:validation:XValidation:rule="self.cpu > 0"
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    pub cpus: i32,
}
"#,
        ),
        mend: r#"Read fields by their names in JSON. For cost, bound lists, maps and texts with `MaxItems`, `MaxProperties` and
`MaxLength`."#,
    },
    Class {
        code: Code(605),
        title: "an enum without a schema",
        from: &["emit/manifests/schema/union.rs"],
        what: "The variants of an enum are written in forms which no structural schema can distinguish, or disagree about a field.",
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    pub origin: Origin,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Origin {
    Image { name: String },
    Empty,
}
"#,
        ),
        mend: "Give variants without data `{}`, name the values of others, and give a field of several variants the same type.",
    },
    Class {
        code: Code(606),
        title: "a field without a schema",
        from: &["emit/manifests/schema/"],
        what: r#"The schema of a field is not known or not portable: a type of another crate, a type that contains itself, or a
floating-point number."#,
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    pub ratio: f64,
}
"#,
        ),
        mend: r#"Use an integer in a smaller unit, a `Quantity` or a `String`; declare types of other crates with
`+kubebuilder:validation:Type` or `+kubebuilder:validation:Schemaless`."#,
    },
    Class {
        code: Code(607),
        title: "a schema that is too large",
        from: &["emit/manifests/schema/bounds.rs"],
        what: "Types that contain each other make a schema larger than a CRD can be.",
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    pub next: Level1,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level1 {
    pub a: Level2,
    pub b: Level2,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level2 {
    pub a: Level3,
    pub b: Level3,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level3 {
    pub a: Level4,
    pub b: Level4,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level4 {
    pub a: Level5,
    pub b: Level5,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level5 {
    pub a: Level6,
    pub b: Level6,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level6 {
    pub a: Level7,
    pub b: Level7,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level7 {
    pub a: Level8,
    pub b: Level8,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level8 {
    pub a: Level9,
    pub b: Level9,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level9 {
    pub a: Level10,
    pub b: Level10,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level10 {
    pub a: Level11,
    pub b: Level11,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level11 {
    pub a: Level12,
    pub b: Level12,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level12 {
    pub a: Level13,
    pub b: Level13,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level13 {
    pub a: Level14,
    pub b: Level14,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level14 {
    pub a: Level15,
    pub b: Level15,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level15 {
    pub a: Level16,
    pub b: Level16,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level16 {
    pub a: Level17,
    pub b: Level17,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level17 {
    pub a: Level18,
    pub b: Level18,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level18 {
    pub a: Level19,
    pub b: Level19,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level19 {
    pub a: Level20,
    pub b: Level20,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level20 {
    pub a: Level21,
    pub b: Level21,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level21 {
    pub a: Level22,
    pub b: Level22,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level22 {
    pub a: Level23,
    pub b: Level23,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level23 {
    pub a: Level24,
    pub b: Level24,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Level24 {
    pub a: i32,
    pub b: i32,
}
"#,
        ),
        mend: r#"Cut the circle with `+kubebuilder:pruning:PreserveUnknownFields` and `+kubebuilder:validation:Schemaless`, or use
smaller types."#,
    },
    Class {
        code: Code(608),
        title: "a default or enum value that does not match its schema",
        from: &["emit/manifests/values.rs"],
        what: r"The API server refuses a default that is not a value of its own field; a value of an enum that breaks the other
constraints of its field is in no object.",
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    // +kubebuilder:validation:Enum=a;long
    // +kubebuilder:validation:MaxLength=2
    pub mode: String,
}
"#,
        ),
        mend: "Write a value that an object may have, or change the constraint.",
    },
];
