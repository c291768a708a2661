//! Errors of markers, which are the same in Rust and Go.

use super::class::{Class, Code, rust};

/// Two markers, or an attribute and a marker, say different things.
pub(crate) const CONTRADICTION: Code = Code(102);

/// The classes of this stage.
pub(super) const CLASSES: &[Class] = &[
    Class {
        code: Code(101),
        title: "a marker that cannot be read",
        from: &["read/markers/parse.rs"],
        what: r#"A marker is not known, has an unknown or missing argument or a value of the wrong form, or stands where it is not
allowed. Unknown markers with a known prefix are errors, since a mistyped one would change the API unnoticed."#,
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    // +kubebuilder:validation:Minimun=1
    pub cpus: i32,
}
"#,
        ),
        mend: "The message gives the syntax or the nearest name; [all markers](markers.md) lists them, as does `kube-codegen markers`.",
    },
    Class {
        code: CONTRADICTION,
        title: "markers that contradict each other",
        from: &["read/markers/set.rs"],
        what: r#"Two markers of one type or field say different things, or one that may be given once is given twice. An attribute of
schemars or kube counts as the marker of the same meaning."#,
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    // +kubebuilder:validation:Minimum=1
    // +kubebuilder:validation:Minimum=2
    pub cpus: i32,
}
"#,
        ),
        mend: "Keep one of the two places that the message shows.",
    },
    Class {
        code: Code(103),
        title: "a marker without effect",
        from: &["read/rust/comments.rs", "read/crate_markers/mod.rs"],
        what: "A marker stands where none is read: behind code, in a block comment, above nothing, or with a space after its `+`.",
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    pub cpus: i32, // +kubebuilder:validation:Minimum=1
}
"#,
        ),
        mend: "Put the marker into a line comment of its own, directly above the type or field that it applies to.",
    },
    Class {
        code: Code(104),
        title: "an invalid name or scope of a resource",
        from: &["lower/object.rs"],
        what: r#"A plural, a short name or a category is not a DNS label, or markers give a kind two plurals or two scopes. Names of
resources become parts of URLs."#,
        example: rust(
            r#"// +kubebuilder:resource:path=Machines
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
        mend: "Write lower-case letters, digits and hyphens, beginning with a letter; state plural and scope once.",
    },
    Class {
        code: Code(105),
        title: "an invalid client verb",
        from: &["lower/verbs.rs"],
        what: r#"`+genclient` markers name a verb that clients do not have, name one twice, or ask for the update of a status that the
kind does not have."#,
        example: rust(
            r#"// +genclient:onlyVerbs=gte
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
        mend: "Correct the verb, or remove it.",
    },
    Class {
        code: Code(106),
        title: "an invalid method of a client",
        from: &["lower/methods.rs", "lower/rust/methods.rs"],
        what: "A marker `+genclient:method` declares a method whose name, verb, input or result cannot be.",
        example: rust(
            r#"// +genclient:method=Get,verb=get
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
        mend: r#"Give the method a name in camel case that the client does not have yet, and name types of this version or Rust paths;
only create, update and apply take an input."#,
    },
    Class {
        code: Code(107),
        title: "validation that does not apply to the type",
        from: &["lower/validation.rs"],
        what: r#"A marker constrains values of another type than the field has, or one of several markers that belong together is
missing."#,
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    // +kubebuilder:validation:MaxLength=3
    pub cpus: i32,
}
"#,
        ),
        mend: "Use the marker for the type of the field, or change the type; a list of type map needs `+listMapKey`.",
    },
    Class {
        code: Code(108),
        title: "bounds or patterns that nothing fulfils",
        from: &["lower/bounds.rs"],
        what: r#"No value is between the bounds of a field, or its pattern is not a regular expression of Go's regexp package, so that
the API server would refuse the CRD or every object."#,
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    // +kubebuilder:validation:Minimum=3
    // +kubebuilder:validation:Maximum=2
    pub cpus: i32,
}
"#,
        ),
        mend: "Correct the bounds. Go's regular expressions have no look-around and no back references: express those with a CEL rule.",
    },
    Class {
        code: Code(109),
        title: "an invalid choice of fields",
        from: &["lower/one_of.rs"],
        what: "`ExactlyOneOf`, `AtMostOneOf` or `AtLeastOneOf` names something that is not an optional field of its type.",
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

// +kubebuilder:validation:ExactlyOneOf=cpus;sise
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    pub cpus: Option<i32>,
    pub size: Option<i32>,
}
"#,
        ),
        mend: "Name optional fields of the same type, as they are called in JSON.",
    },
    Class {
        code: Code(110),
        title: "an invalid default, enum value or list key",
        from: &["lower/rust/values.rs"],
        what: r#"A default or an enum value is not a value of its field, or the items of a list do not have what its type demands. The
API server would refuse the CRD."#,
        example: rust(
            r#"// +genclient
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    pub spec: MachineSpec,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSpec {
    // +kubebuilder:default="many"
    pub cpus: i32,
}
"#,
        ),
        mend: r#"Write the value as the field has it in JSON; keys of a list of type map are scalar fields of its items that are required
or have a default."#,
    },
    Class {
        code: Code(111),
        title: "an invalid RBAC rule",
        from: &["lower/crate_markers/rules.rs"],
        what: "A marker `+kubebuilder:rbac` makes a rule that the API server refuses or that allows nothing.",
        example: rust(
            r#"// +kubebuilder:rbac:resources=machines,verbs=get
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
        mend: r#"A rule has verbs, and either groups and resources or URLs; the core group is `groups=""`."#,
    },
    Class {
        code: Code(112),
        title: "an invalid webhook",
        from: &[
            "lower/crate_markers/webhooks.rs",
            "lower/crate_markers/endpoint.rs", "lower/crate_markers/conversion.rs",
        ],
        what: "A marker `+kubebuilder:webhook` makes a configuration that the API server refuses, or a webhook that is never
called; or versions of a kind have different conversion webhooks.",
        example: rust(
            r#"// +kubebuilder:webhook:mutating=false,failurePolicy=fail,sideEffects=None,groups=cloud.example.com,resources=machines,verbs=create,versions=v1,name=machines,path=/validate,admissionReviewVersions=v1
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
        mend: r#"Follow the message: names of webhooks are domains of at least three parts and unique, a path begins with `/`, and a URL
with `https://`."#,
    },
];
