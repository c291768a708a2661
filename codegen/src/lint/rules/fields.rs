//! Conventions of fields and their values.

use super::{
    Check::Field,
    Fix,
    Level::{Error, Off, Warning},
    Rule,
};
use crate::lint::{fields as f, sizes};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "list-type",
        level: Warning,
        check: Field(f::list_type),
        why: "Server-side apply replaces a list without a type as a whole; a set of objects merges them as a whole.",
        instead: "add `+listType=atomic`, `set` for distinct scalars, or `map` with `+listMapKey`",
        fix: Some(Fix {
            rust: "// +listType=atomic",
            go: "// +listType=atomic",
            instead_of: &[],
            applies: |field| !field.has("x-kubernetes-list-type"),
        }),
        bad: "    /// Names in DNS.
    pub names: Vec<String>,
",
        good: "    /// Names in DNS.
    // +listType=set
    pub names: Vec<String>,
",
    },
    Rule {
        id: "conditions",
        level: Error,
        check: Field(f::conditions),
        why: "`kubectl wait` and other clients expect `metav1.Condition`. In a list that is not a map, two controllers overwrite each other's conditions.",
        instead: "use metav1.Condition, with `+listType=map` and `+listMapKey=type`",
        fix: None,
        bad: "/// What is.
#[derive(Debug, Serialize, Deserialize)]
pub struct MachineStatus {
    /// What holds for it.
    #[serde(default)]
    pub conditions: Vec<Condition>,
}
",
        good: "/// What is.
#[derive(Debug, Serialize, Deserialize)]
pub struct MachineStatus {
    /// What holds for it.
    // +listType=map
    // +listMapKey=type
    #[serde(default)]
    pub conditions: Vec<Condition>,
}
",
    },
    Rule {
        id: "items",
        level: Warning,
        check: Field(f::items),
        why: "In YAML a `-` more or less makes another list, and nothing refuses it.",
        instead: "require a field of the items",
        fix: None,
        bad: "    /// The disks.
    // +listType=atomic
    pub disks: Vec<Disk>,
}

/// A disk.
#[derive(Debug, Serialize, Deserialize)]
pub struct Disk {
    /// Its name.
    #[serde(skip_serializing_if = \"Option::is_none\")]
    pub name: Option<String>,
",
        good: "    /// The disks.
    // +listType=atomic
    pub disks: Vec<Disk>,
}

/// A disk.
#[derive(Debug, Serialize, Deserialize)]
pub struct Disk {
    /// Its name.
    pub name: String,
",
    },
    Rule {
        id: "integers",
        level: Warning,
        check: Field(f::integers),
        why: "Clients do not know the width of an integer without a format, and Go has no type for other widths and unsigned ones in APIs.",
        instead: "use a 32-bit or 64-bit signed integer",
        fix: None,
        bad: "    /// How many.
    pub replicas: u16,
",
        good: "    /// How many.
    // +kubebuilder:validation:Minimum=0
    pub replicas: i32,
",
    },
    Rule {
        id: "floats",
        level: Warning,
        check: Field(f::floats),
        why: "Encoders of different languages round fractions differently, so that an unchanged object seems changed.",
        instead: "use an integer of a smaller unit, or a quantity",
        fix: None,
        bad: "    /// The share of a processor.
    pub cpus: f64,
",
        good: "    /// The share of a processor, in thousandths.
    pub milli_cpus: i32,
",
    },
    Rule {
        id: "maps",
        level: Warning,
        check: Field(f::maps),
        why: "The values of a map have no name of their own, and cannot get one later.",
        instead: "use a list of named objects: `+listType=map`, `+listMapKey=name`",
        fix: None,
        bad: "    /// Sizes of disks by name.
    pub disks: BTreeMap<String, i32>,
",
        good: "    /// The disks.
    // +listType=map
    // +listMapKey=name
    pub disks: Vec<Disk>,
}

/// A disk.
#[derive(Debug, Serialize, Deserialize)]
pub struct Disk {
    /// Its name.
    pub name: String,
    /// Its size in GiB.
    pub size: i32,
",
    },
    Rule {
        id: "durations",
        level: Warning,
        check: Field(f::durations),
        why: "Every client has to parse Go's form, `1h30m`.",
        instead: "use an integer with the unit in the name, such as `timeoutSeconds`",
        fix: None,
        bad: "    /// How long it may take.
    // +kubebuilder:validation:Format=duration
    pub timeout: String,
",
        good: "    /// How long it may take.
    pub timeout_seconds: i32,
",
    },
    Rule {
        id: "names",
        level: Warning,
        check: Field(f::names),
        why: "Fields are in lower camel case in all APIs, and clients derive their own names from that.",
        instead: "name it like `fieldName`",
        fix: None,
        bad: "    /// The size.
    #[serde(rename = \"max_size\")]
    pub max_size: i32,
",
        good: "    /// The size.
    pub max_size: i32,
",
    },
    Rule {
        id: "phases",
        level: Warning,
        check: Field(f::phases),
        why: "A phase is the state of a machine: clients break when it gets another one.",
        instead: "use conditions",
        fix: None,
        bad: "    /// Where it is in its life.
    pub phase: String,
",
        good: "    /// What holds for it.
    // +listType=map
    // +listMapKey=type
    pub conditions: Vec<Condition>,
",
    },
    Rule {
        id: "references",
        level: Warning,
        check: Field(f::references),
        why: "Other APIs say `Ref`.",
        instead: "use the short form",
        fix: None,
        bad: "    /// The name of the Secret.
    pub secret_reference: String,
",
        good: "    /// The name of the Secret.
    pub secret_ref: String,
",
    },
    Rule {
        id: "timestamps",
        level: Warning,
        check: Field(f::timestamps),
        why: "Other APIs say `Time`.",
        instead: "use the short form, as in `startTime`",
        fix: None,
        bad: "    /// When it starts.
    pub start_timestamp: String,
",
        good: "    /// When it starts.
    pub start_time: String,
",
    },
    Rule {
        id: "nullable",
        level: Warning,
        check: Field(f::nullable),
        why: "Null and absent mean the same, and many clients drop one of them.",
        instead: "leave out `nullable`: absent says the same",
        fix: None,
        bad: "    /// Its zone.
    // +nullable
    pub zone: Option<String>,
",
        good: "    /// Its zone.
    #[serde(skip_serializing_if = \"Option::is_none\")]
    pub zone: Option<String>,
",
    },
    Rule {
        id: "defaults",
        level: Warning,
        check: Field(f::defaults),
        why: "A default is set before required fields are checked, so that nobody has to write the field.",
        instead: "make it optional",
        fix: Some(Fix {
            rust: "#[serde(default)]",
            go: "// +optional",
            instead_of: &[
                "+required",
                "+kubebuilder:validation:Required",
                "+k8s:required",
            ],
            applies: f::has_default,
        }),
        bad: "    /// Its zone.
    // +kubebuilder:default=\"a\"
    pub zone: String,
",
        good: "    /// Its zone.
    // +kubebuilder:default=\"a\"
    #[serde(default)]
    pub zone: String,
",
    },
    Rule {
        id: "descriptions",
        level: Warning,
        check: Field(f::descriptions),
        why: "`kubectl explain` shows an empty line.",
        instead: "document it",
        fix: None,
        bad: "    pub zone: String,\n",
        good: "    /// The zone that it runs in.
    pub zone: String,
",
    },
    Rule {
        id: "description-start",
        level: Off,
        check: Field(f::description_start),
        why: "In Kubernetes' own APIs a description starts with the field, as it is written in YAML.",
        instead: "start with the field's name",
        fix: None,
        bad: "    /// The zone that it runs in.
    pub zone: String,
",
        good: "    /// zone is where it runs.
    pub zone: String,
",
    },
    Rule {
        id: "untyped",
        level: Warning,
        check: Field(f::untyped),
        why: "Anything is stored, unchecked.",
        instead: "describe what may be there",
        fix: None,
        bad: "    /// Its settings.
    pub settings: serde_json::Value,
",
        good: "    /// Its settings.
    pub settings: BTreeMap<String, String>,
",
    },
    Rule {
        id: "enums",
        level: Warning,
        check: Field(f::enums),
        why: "Values are in upper camel case in all APIs.",
        instead: "name values like `RollingUpdate`",
        fix: None,
        bad: "    /// Whether it runs.
    // +kubebuilder:validation:Enum=powered-on;powered-off
    pub power: String,
",
        good: "    /// Whether it runs.
    // +kubebuilder:validation:Enum=PoweredOn;PoweredOff
    pub power: String,
",
    },
    Rule {
        id: "unions",
        level: Warning,
        check: Field(f::unions),
        why: "A client that does not know a new member sees none.",
        instead: "add a required enum that names the member, `+unionDiscriminator`",
        fix: None,
        bad: "    /// Where it boots from.
    pub boot: Boot,
}

/// Where a machine boots from.
// +kubebuilder:validation:ExactlyOneOf=disk;network
#[derive(Debug, Serialize, Deserialize)]
pub struct Boot {
    /// A disk.
    #[serde(skip_serializing_if = \"Option::is_none\")]
    pub disk: Option<String>,
    /// A network.
    #[serde(skip_serializing_if = \"Option::is_none\")]
    pub network: Option<String>,
",
        good: "    /// Where it boots from.
    pub boot: Boot,
}

/// Where a machine boots from.
// +kubebuilder:validation:ExactlyOneOf=disk;network
#[derive(Debug, Serialize, Deserialize)]
pub struct Boot {
    /// What it is.
    // +kubebuilder:validation:Enum=Disk;Network
    #[serde(rename = \"type\")]
    pub kind: String,
    /// A disk.
    #[serde(skip_serializing_if = \"Option::is_none\")]
    pub disk: Option<String>,
    /// A network.
    #[serde(skip_serializing_if = \"Option::is_none\")]
    pub network: Option<String>,
",
    },
    Rule {
        id: "unbounded-rules",
        level: Warning,
        check: Field(f::unbounded_rules),
        why: "The API server counts the cost of a rule for as many items as a request can hold, and refuses the CRD if that is too much.",
        instead: "add `maxItems` or `maxProperties` to the list or map",
        fix: None,
        bad: "    /// The disks.
    // +listType=atomic
    pub disks: Vec<Disk>,
}

/// A disk.
// +kubebuilder:validation:XValidation:rule=\"self.size > 0\"
#[derive(Debug, Serialize, Deserialize)]
pub struct Disk {
    /// Its size in GiB.
    pub size: i32,
",
        good: "    /// The disks.
    // +listType=atomic
    // +kubebuilder:validation:MaxItems=16
    pub disks: Vec<Disk>,
}

/// A disk.
// +kubebuilder:validation:XValidation:rule=\"self.size > 0\"
#[derive(Debug, Serialize, Deserialize)]
pub struct Disk {
    /// Its size in GiB.
    pub size: i32,
",
    },
    Rule {
        id: "secrets",
        level: Warning,
        check: Field(f::secrets),
        why: "Who may read the object can read the secret.",
        instead: "refer to a Secret: `passwordSecretRef` with name and key",
        fix: None,
        bad: "    /// The password of the console.
    pub console_password: String,
",
        good: "    /// The name of the Secret with the password of the console.
    pub console_password_secret_name: String,
",
    },
    Rule {
        id: "unreached-defaults",
        level: Off,
        check: Field(f::unreached_defaults),
        why: "A default in an optional object is only set if the object is there.",
        instead: "give the object the default `{}`, or drop the inner one",
        fix: None,
        bad: "    /// How it boots.
    #[serde(skip_serializing_if = \"Option::is_none\")]
    pub boot: Option<Boot>,
}

/// How a machine boots.
#[derive(Debug, Serialize, Deserialize)]
pub struct Boot {
    /// The seconds until it boots.
    // +kubebuilder:default=5
    #[serde(skip_serializing_if = \"Option::is_none\")]
    pub delay: Option<i32>,
",
        good: "    /// How it boots.
    // +kubebuilder:default={}
    #[serde(skip_serializing_if = \"Option::is_none\")]
    pub boot: Option<Boot>,
}

/// How a machine boots.
#[derive(Debug, Serialize, Deserialize)]
pub struct Boot {
    /// The seconds until it boots.
    // +kubebuilder:default=5
    #[serde(skip_serializing_if = \"Option::is_none\")]
    pub delay: Option<i32>,
",
    },
    Rule {
        id: "bools",
        level: Off,
        check: Field(f::bools),
        why: "A boolean cannot get a third value in a later release.",
        instead: "use an enum",
        fix: None,
        bad: "    /// Whether it runs.
    pub running: bool,
",
        good: "    /// Whether it runs.
    // +kubebuilder:validation:Enum=Running;Stopped
    pub power: String,
",
    },
    Rule {
        id: "bounds",
        level: Off,
        check: Field(sizes::bounds),
        why: "Nothing but the size of a request limits texts, lists and maps.",
        instead: "add `maxLength`, `maxItems` or `maxProperties`",
        fix: None,
        bad: "    /// Its zone.
    pub zone: String,
",
        good: "    /// Its zone.
    // +kubebuilder:validation:MaxLength=63
    pub zone: String,
",
    },
    Rule {
        id: "least-sizes",
        level: Off,
        check: Field(sizes::least_sizes),
        why: "Whether empty texts, lists and objects are valid is not said, and clients cannot tell them from absent ones.",
        instead: "add `minLength`, `minItems` or `minProperties`",
        fix: None,
        bad: "    /// Its zone.
    pub zone: String,
",
        good: "    /// Its zone.
    // +kubebuilder:validation:MinLength=1
    pub zone: String,
",
    },
];
