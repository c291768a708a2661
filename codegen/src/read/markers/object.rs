//! Markers of deepcopy-gen, register-gen and controller-gen's object generator.

use super::define::{Raw, Words, markers, words};

/// The values of `+k8s:register-gen`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registered;

words! {
    Registered: Choice { "package" => Self, "true" => Self }
}

markers! { MARKERS;
    /// Every type of the package (`package`), or this type (`true`, `false`), gets `Clone` where it
    /// does not derive it.
    DeepCopyGen = "k8s:deepcopy-gen", on [Package, Type] {
        default: "only types with their own marker",
    } (
        /// `package`, `true` or `false`; `package,register` of older sources is `package`
        scope: super::At<DeepCopy> = "" as "scope",
    );

    /// The type is an API object: it gets the object traits, and serde that writes and checks
    /// apiVersion and kind.
    DeepCopyInterfaces = "k8s:deepcopy-gen:interfaces", on [Type] {
        default: "not an API object",
        repeats: true,
        in_kube_attribute: true,
    } (
        /// Go's interfaces; `runtime.Object` has a meaning here
        interfaces: Words = "" as "interface",
    );

    /// Accepted for sources that come from Go; Rust has no such difference.
    NonPointerInterfaces = "k8s:deepcopy-gen:nonpointer-interfaces", on [Type] { default: "false" } (
        /// whether methods have value receivers
        value: bool = "" as "bool",
    );

    /// controller-gen's equivalent of `k8s:deepcopy-gen`.
    ObjectGenerate = "kubebuilder:object:generate", on [Package, Type] {
        default: "as set by `k8s:deepcopy-gen`",
    } (
        /// whether `Clone` is generated
        value: bool = "" as "bool",
    );

    /// controller-gen's equivalent of `k8s:deepcopy-gen:interfaces=runtime.Object`.
    ObjectRoot = "kubebuilder:object:root", on [Type] { default: "false", in_kube_attribute: true } (
        /// whether the type is an API object
        value: bool = "" as "bool",
    );

    /// The package's kinds are registered with the scheme.
    RegisterGen = "k8s:register-gen", on [Package] { default: "they are registered anyway" } (
        /// what is registered
        value: Registered = "" as "scope",
    );
}

/// The values of `+k8s:deepcopy-gen`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeepCopy {
    /// Every type of the package.
    Package,
    /// This type.
    Type,
    /// Not this type.
    Off,
}

words! {
    DeepCopy: Choice {
        "package" => Self::Package,
        "true" => Self::Type,
        "false" => Self::Off,
        "package,register" => Self::Package,
    }
}

impl Raw {
    /// Returns the value as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
