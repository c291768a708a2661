//! Errors of Go types.

use super::class::{Class, Code, Example, command, go};

/// The classes of this stage.
pub(super) const CLASSES: &[Class] = &[
    Class {
        code: Code(301),
        title: "Go packages that cannot be found",
        from: &["config/go/"],
        what: "A pattern names no package, the folder is in no module, or a package that types refer to cannot be read.",
        example: command("go ./nowhere"),
        mend: "Write `./folder`, `./...` or an import path of a module that `go.mod` requires; `go mod download` fetches modules.",
    },
    Class {
        code: Code(302),
        title: "Go that cannot be read",
        from: &["read/go/"],
        what: "A file is not valid Go, declares something twice, or its folder contains several packages.",
        example: go(r#"// Machine of the cloud.
// +kubebuilder:object:root=true
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec MachineSpec `json:"spec"`
}

// MachineSpec is desired.
type MachineSpec struct {
	CPUs int32 `json:"cpus"
}
"#),
        mend: "Let `go vet` read the package first; it shows the same place.",
    },
    Class {
        code: Code(303),
        title: "a Go type that has no form in an API",
        from: &["lower/go/refs.rs", "lower/go/types.rs"],
        what: r#"A field has a type that JSON or Rust cannot express, such as a channel, an interface or a generic type, or one that is
not declared."#,
        example: go(r#"// Machine of the cloud.
// +kubebuilder:object:root=true
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec MachineSpec `json:"spec"`
}

// MachineSpec is desired.
type MachineSpec struct {
	Events chan string `json:"events"`
}
"#),
        mend: r#"Use a struct, `runtime.RawExtension` or `apiextensionsv1.JSON`, or leave the field out with `json:"-"`."#,
    },
    Class {
        code: Code(304),
        title: "a Go type or package that has no place in the API",
        from: &["lower/go/"],
        what: "A package with kinds declares no group, or a type has the name of a kind of its group without being an object.",
        example: Example {
            file: "v1/types.go",
            prelude: "",
            text: r##"package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Machine of the cloud.
// +kubebuilder:object:root=true
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
"##,
            command: "go ./v1",
        },
        mend: r#"Write `+groupName` above the package clause. A version of a kind embeds `metav1.TypeMeta` and `metav1.ObjectMeta`; another
type has another name, or is marked `+kubebuilder:skipversion`."#,
    },
    Class {
        code: Code(305),
        title: "two Go types or kinds of one name",
        from: &["lower/go/mod.rs", "lower/go/checks.rs"],
        what: r#"Two kinds of a version have one plural, which is their URL and the name of their CRD, or two packages of a version declare a
type of one name, which becomes one Rust module."#,
        example: go(r#"// Machine of the cloud.
// +kubebuilder:object:root=true
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// Engine of the cloud.
// +kubebuilder:object:root=true
// +resourceName=machines
type Engine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
"#),
        mend: r#"Give one of the kinds another plural with `+resourceName`, or one of the types another Rust name with `--type-path`, or generate
the packages into separate crates."#,
    },
    Class {
        code: Code(306),
        title: "a struct tag that Go cannot parse",
        from: &["lower/go/json_tag.rs"],
        what: "Go ignores a struct tag from the first fault on, so that the field has another name in JSON than it seems to have.",
        example: go(r#"// Machine of the cloud.
// +kubebuilder:object:root=true
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec MachineSpec `json:"spec"`
}

// MachineSpec is desired.
type MachineSpec struct {
	CPUs int32 `json: "cpus"`
}
"#),
        mend: "Write the tag as key, colon and quoted value without spaces between them, in backticks; `go vet` names the same place.",
    },
];
