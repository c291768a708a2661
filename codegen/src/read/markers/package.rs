//! Markers of deepcopy-gen, register-gen and the other generators of `k8s.io/code-generator` and controller-gen's object
//! generator.

use super::{
    MarkerDef,
    Target::{Field, Package, Type},
    ValueKind::{Bool, Choice, String, Words},
    flag, repeated, value, with,
};

pub(super) const MARKERS: &[MarkerDef] = &[
    with(
        flag(
            "k8s:deepcopy-gen",
            "+k8s:deepcopy-gen=package|true|false",
            &[Package, Type],
            "Every type of the package (`package`), or this type (`true`, `false`), gets `Clone` where it does not derive it.",
            "only types with a marker of their own",
        ),
        &[value(Choice(&["package", "true", "false"]))],
    ),
    repeated(with(
        flag(
            "k8s:deepcopy-gen:interfaces",
            "+k8s:deepcopy-gen:interfaces=runtime.Object",
            &[Type],
            "The type is an API object: it gets the object traits, and serde that writes and checks apiVersion and kind.",
            "not an API object",
        ),
        &[value(Words)],
    )),
    with(
        flag(
            "k8s:deepcopy-gen:nonpointer-interfaces",
            "+k8s:deepcopy-gen:nonpointer-interfaces=true|false",
            &[Type],
            "Accepted for sources that come from Go; Rust has no such difference.",
            "false",
        ),
        &[value(Bool)],
    ),
    with(
        flag(
            "kubebuilder:object:generate",
            "+kubebuilder:object:generate=true|false",
            &[Package, Type],
            "controller-gen's word for `k8s:deepcopy-gen`.",
            "as `k8s:deepcopy-gen` says",
        ),
        &[value(Bool)],
    ),
    with(
        flag(
            "kubebuilder:object:root",
            "+kubebuilder:object:root=true|false",
            &[Type],
            "controller-gen's word for `k8s:deepcopy-gen:interfaces=runtime.Object`.",
            "false",
        ),
        &[value(Bool)],
    ),
    with(
        flag(
            "k8s:register-gen",
            "+k8s:register-gen=package|true",
            &[Package],
            "The package's kinds are registered with the scheme.",
            "they are registered anyway",
        ),
        &[value(Choice(&["package", "true"]))],
    ),
    with(
        flag(
            "k8s:openapi-gen",
            "+k8s:openapi-gen=true|false",
            &[Package, Type, Field],
            "Accepted for sources that come from Go; CRDs carry the schema here.",
            "",
        ),
        &[value(Bool)],
    ),
    repeated(with(
        flag(
            "k8s:defaulter-gen",
            "+k8s:defaulter-gen=<type>|true|false|covers",
            &[Package, Type],
            "Accepted for sources that come from Go; defaulting functions are written by hand and registered with the scheme.",
            "",
        ),
        &[value(String)],
    )),
    with(
        flag(
            "k8s:defaulter-gen-input",
            "+k8s:defaulter-gen-input=<package>",
            &[Package],
            "Accepted for sources that come from Go.",
            "",
        ),
        &[value(String)],
    ),
    repeated(with(
        flag(
            "k8s:conversion-gen",
            "+k8s:conversion-gen=<package>|true|false",
            &[Package, Type, Field],
            "Accepted for sources that come from Go; conversion functions are written by hand and registered with the scheme.",
            "",
        ),
        &[value(String)],
    )),
    with(
        flag(
            "k8s:conversion-gen-external-types",
            "+k8s:conversion-gen-external-types=<package>",
            &[Package],
            "Accepted for sources that come from Go.",
            "",
        ),
        &[value(String)],
    ),
    with(
        flag(
            "k8s:prerelease-lifecycle-gen",
            "+k8s:prerelease-lifecycle-gen=true",
            &[Package],
            "Accepted for sources that come from Go; `+kubebuilder:deprecatedversion` deprecates a version here.",
            "",
        ),
        &[value(Bool)],
    ),
    lifecycle(
        "k8s:prerelease-lifecycle-gen:introduced",
        "+k8s:prerelease-lifecycle-gen:introduced=<release>",
    ),
    lifecycle(
        "k8s:prerelease-lifecycle-gen:deprecated",
        "+k8s:prerelease-lifecycle-gen:deprecated=<release>",
    ),
    lifecycle(
        "k8s:prerelease-lifecycle-gen:removed",
        "+k8s:prerelease-lifecycle-gen:removed=<release>",
    ),
    with(
        flag(
            "patchStrategy",
            "+patchStrategy=<strategy>",
            &[Field],
            "Accepted for sources that come from Go; custom resources have no strategic merge patches.",
            "",
        ),
        &[value(String)],
    ),
    with(
        flag(
            "patchMergeKey",
            "+patchMergeKey=<field>",
            &[Field],
            "Accepted for sources that come from Go; `+listMapKey` names the keys of a list here.",
            "",
        ),
        &[value(String)],
    ),
    flag(
        "union",
        "+union",
        &[Type],
        "Accepted for sources that come from Go; `+kubebuilder:validation:ExactlyOneOf` holds it.",
        "",
    ),
    with(
        flag(
            "protobuf",
            "+protobuf=true|false",
            &[Package, Type],
            "Accepted for sources that come from Go; custom resources have no protobuf.",
            "",
        ),
        &[value(Bool)],
    ),
];

const fn lifecycle(name: &'static str, syntax: &'static str) -> MarkerDef {
    with(
        flag(
            name,
            syntax,
            &[Type],
            "Accepted for sources that come from Go.",
            "",
        ),
        const { &[value(String)] },
    )
}
