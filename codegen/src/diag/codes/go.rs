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
        title: "an invalid group, kind or field in Go",
        from: &["lower/go/"],
        what: "A package with kinds declares no group, two kinds or fields have the same name, or a method decides the JSON of a type.",
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
        mend: r#"Write `+groupName` above the package clause; give kinds and fields different names; declare the JSON of types with their
own marshalers with `+kubebuilder:validation:Type`."#,
    },
];
