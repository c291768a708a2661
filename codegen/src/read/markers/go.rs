//! Markers that matter only to Go's generators, accepted so that sources carry over.

use super::define::{Raw, markers};

markers! { MARKERS;
    /// Accepted for sources that come from Go; CRDs carry the schema here.
    OpenApiGen = "k8s:openapi-gen", on [Package, Type, Field] (
        /// the value
        value: bool = "" as "bool",
    );

    /// Accepted for sources that come from Go; k8s-openapi has its own.
    OpenApiModelPackage = "k8s:openapi-model-package", on [Package] (
        /// the value
        value: Raw = "" as "package",
    );

    /// Accepted for sources that come from Go; defaulting functions are written by hand and
    /// registered with the scheme.
    DefaulterGen = "k8s:defaulter-gen", on [Package, Type] { repeats: true } (
        /// the value
        value: Raw = "" as "value",
    );

    /// Accepted for sources that come from Go.
    DefaulterGenInput = "k8s:defaulter-gen-input", on [Package] (
        /// the value
        value: Raw = "" as "package",
    );

    /// Above a field, or the type of fields, `false` makes the conversion a function that the user
    /// writes, for the generator `conversion`; above a kind, all of its conversion. Other values
    /// are those of Go's generator, and accepted for sources that come from Go.
    ConversionGen = "k8s:conversion-gen", on [Package, Type, Field] { repeats: true } (
        /// the value
        value: Raw = "" as "value",
    );

    /// Accepted for sources that come from Go.
    ConversionGenExternalTypes = "k8s:conversion-gen-external-types", on [Package] (
        /// the value
        value: Raw = "" as "package",
    );

    /// Accepted for sources that come from Go.
    ConversionGenExplicitFrom = "k8s:conversion-gen:explicit-from", on [Type] { repeats: true } (
        /// the value
        value: Raw = "" as "type",
    );

    /// Accepted for sources that come from Go; rules of `kubebuilder:validation` go into the
    /// schema.
    ValidationGen = "k8s:validation-gen", on [Package, Type, Field] { repeats: true } (
        /// the value
        value: Raw = "" as "value",
    );

    /// Accepted for sources that come from Go.
    ValidationGenInput = "k8s:validation-gen-input", on [Package] (
        /// the value
        value: Raw = "" as "package",
    );

    /// Accepted for sources that come from Go.
    ValidationGenSchemeRegistry = "k8s:validation-gen-scheme-registry", on [Package] (
        /// the value
        value: Raw = "" as "type",
    );

    /// Accepted for sources that come from Go.
    ValidationGenNoLint = "k8s:validation-gen-nolint", on [Package, Type, Field];

    /// Accepted for sources that come from Go; request the generator `apply` by name.
    ApplyConfigurationGen = "k8s:applyconfiguration-gen", on [Package, Type] { repeats: true } (
        /// the value
        value: Raw = "" as "value",
    );

    /// Whether a type has an apply configuration; with `false`, fields use the type itself, and a
    /// kind has none.
    AcGenerate = "kubebuilder:ac:generate", on [Package, Type] { default: "true" } (
        /// whether there is an apply configuration
        value: bool = "" as "bool",
    );

    /// Accepted for sources that come from Go; apply configurations are next to the clientset and
    /// listers.
    AcOutputPackage = "kubebuilder:ac:output:package", on [Package] (
        /// the value
        value: Raw = "" as "folder",
    );

    /// Accepted for sources that come from Go; `genclient` requests clients.
    ClientGen = "k8s:client-gen", on [Package, Type] { repeats: true } (
        /// the value
        value: Raw = "" as "value",
    );

    /// Accepted for sources that come from Go; `genclient` requests listers.
    ListerGen = "k8s:lister-gen", on [Package, Type] { repeats: true } (
        /// the value
        value: Raw = "" as "value",
    );

    /// Accepted for sources that come from Go; `genclient` requests informers.
    InformerGen = "k8s:informer-gen", on [Package, Type] { repeats: true } (
        /// the value
        value: Raw = "" as "value",
    );

    /// Accepted for sources that come from Go; custom resources have no protobuf.
    ProtobufGen = "k8s:protobuf-gen", on [Package, Type] { repeats: true } (
        /// the value
        value: Raw = "" as "value",
    );

    /// Accepted for sources that come from Go; custom resources have no protobuf.
    Protobuf = "protobuf", on [Package, Type] { repeats: true } (
        /// the value
        value: Raw = "" as "value",
    );

    /// Accepted for sources that come from Go; `kubebuilder:deprecatedversion` deprecates a version
    /// here.
    PrereleaseLifecycleGen = "k8s:prerelease-lifecycle-gen", on [Package] (
        /// the value
        value: bool = "" as "bool",
    );

    /// Accepted for sources that come from Go.
    LifecycleIntroduced = "k8s:prerelease-lifecycle-gen:introduced", on [Type] (
        /// the value
        value: Raw = "" as "release",
    );

    /// Accepted for sources that come from Go.
    LifecycleDeprecated = "k8s:prerelease-lifecycle-gen:deprecated", on [Type] (
        /// the value
        value: Raw = "" as "release",
    );

    /// Accepted for sources that come from Go.
    LifecycleRemoved = "k8s:prerelease-lifecycle-gen:removed", on [Type] (
        /// the value
        value: Raw = "" as "release",
    );

    /// Accepted for sources that come from Go; custom resources have no strategic merge patches.
    PatchStrategy = "patchStrategy", on [Field] (
        /// the value
        value: Raw = "" as "strategy",
    );

    /// Accepted for sources that come from Go; `listMapKey` names the keys of a list here.
    PatchMergeKey = "patchMergeKey", on [Field] (
        /// the value
        value: Raw = "" as "field",
    );

    /// Accepted for sources that come from Go; use `kubebuilder:validation:ExactlyOneOf`.
    Union = "union", on [Type];

    /// Accepted for sources that come from Go; list the fields of a union in
    /// `kubebuilder:validation:ExactlyOneOf`.
    UnionDiscriminator = "unionDiscriminator", on [Field];

    /// Accepted for sources that come from Go; Rust enums are enums in the schema anyway.
    EnumMarker = "enum", on [Type] { aliases: &["k8s:enum"] };

    /// Accepted for sources that come from Go; manifests have no feature gates here.
    FeatureGate = "kubebuilder:feature-gate", on [Type, Field] (
        /// the value
        value: Raw = "" as "name",
    );
}
