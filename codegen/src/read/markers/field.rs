//! Field markers other than value rules: presence, defaults, documentation, merging.

use serde_json::Value;

use super::{
    At,
    define::{Json, SchemaMarker, markers, rule, words},
};
use crate::model::{ExternalDocs, ListType, MapType, Validation, WireType};

words! {
    ListType: Choice { "atomic" => Self::Atomic, "set" => Self::Set, "map" => Self::Map }
    MapType: Choice { "granular" => Self::Granular, "atomic" => Self::Atomic }
}

markers! { MARKERS;
    /// The field is required; on a package or type, the default for fields without their own
    /// marker.
    ValidationRequired = "kubebuilder:validation:Required", on [Package, Type, Field] {
        default: "determined by the Rust type",
    };

    /// The field is optional; on a package or type, the default for fields without their own
    /// marker.
    ValidationOptional = "kubebuilder:validation:Optional", on [Package, Type, Field] {
        default: "determined by the Rust type",
    };

    /// The field is required.
    Required = "required", on [Field] {
        aliases: &["k8s:required"],
        default: "a field is required unless it is an Option or has a serde default",
    };

    /// The field is optional.
    Optional = "optional", on [Field] {
        aliases: &["k8s:optional"],
        default: "a field is required unless it is an Option or has a serde default",
    };

    /// The field may be null.
    Nullable = "nullable", on [Field] { default: "not null" };

    /// The field never changes once it is set.
    Immutable = "k8s:immutable", on [Field] { default: "it may change" };

    /// The default that the API server fills in; lists are `{1,2}`, objects `{key: value}`. Takes
    /// precedence over `default`.
    KubebuilderDefault = "kubebuilder:default", on [Field] { default: "none", only_in_crds: true } (
        /// the value
        value: At<Value> = "" as "value",
    );

    /// The default that the API server fills in, as JSON.
    Default = "default", on [Field] { default: "none", only_in_crds: true } (
        /// the value
        value: At<Json> = "" as "json",
    );

    /// An example in the schema.
    Example = "kubebuilder:example", on [Field] { default: "none", schema: rule::<Self>(None) } (
        /// the example
        value: Value = "" as "value",
    );

    /// The value is an object with apiVersion, kind and metadata.
    EmbeddedResource = "kubebuilder:validation:EmbeddedResource", on [Field] {
        schema: rule::<Self>(None),
    };

    /// The schema contains only what other markers declare.
    Schemaless = "kubebuilder:validation:Schemaless", on [Field] { schema: rule::<Self>(None) };

    /// The API server keeps fields that the schema does not declare.
    PreserveUnknownFields = "kubebuilder:pruning:PreserveUnknownFields", on [Type, Field] {
        default: "they are pruned",
        schema: rule::<Self>(None),
    };

    /// How server-side apply merges the list.
    ListTypeMarker = "listType", on [Type, Field] {
        aliases: &["k8s:listType"],
        default: "atomic",
        schema: rule::<Self>(Some(WireType::List)),
    } (
        /// how it is merged
        value: ListType = "" as "type",
    );

    /// A key of a list of type map.
    ListMapKey = "listMapKey", on [Type, Field] {
        aliases: &["k8s:listMapKey"],
        default: "none",
        repeats: true,
        schema: rule::<Self>(Some(WireType::List)),
    } (
        /// the field, by its name on the wire
        field: At<String> = "" as "field",
    );

    /// How server-side apply merges the map.
    MapTypeMarker = "mapType", on [Type, Field] {
        default: "granular",
        schema: rule::<Self>(Some(WireType::Object)),
    } (
        /// how it is merged
        value: MapType = "" as "type",
    );

    /// How server-side apply merges the struct.
    StructTypeMarker = "structType", on [Type, Field] {
        default: "granular",
        schema: rule::<Self>(Some(WireType::Object)),
    } (
        /// how it is merged
        value: MapType = "" as "type",
    );

    /// The title in the schema.
    Title = "kubebuilder:title", on [Type, Field] { default: "none", schema: rule::<Self>(None) } (
        /// the title
        text: String = "" as "text",
    );

    /// External documentation.
    ExternalDocsMarker = "kubebuilder:externalDocs", on [Type, Field] {
        default: "none",
        schema: rule::<Self>(None),
    } (
        /// its address
        url: String = "url" as "url",
        /// what it is about
        description: Option<String> = "description" as "text",
    );

    /// The field's description is left out of the schema.
    SkipDescription = "kubebuilder:skip:description", on [Field] {
        default: "the field's documentation",
    };
}

/// Implements the effects of markers on a schema: `Type |marker, schema| effect;`.
macro_rules! effects {
    ($($type:ident |$marker:ident, $schema:ident| $effect:expr;)+) => {$(
        impl SchemaMarker for $type {
            fn apply(self, $schema: &mut Validation) {
                let $marker = self;
                $effect;
            }
        }
    )+};
}

effects! {
    Example |marker, schema| schema.example = Some(marker.value);
    EmbeddedResource |_marker, schema| schema.embedded_resource = true;
    Schemaless |_marker, schema| schema.schemaless = true;
    PreserveUnknownFields |_marker, schema| schema.preserve_unknown_fields = true;
    ListTypeMarker |marker, schema| schema.list_type = Some(marker.value);
    ListMapKey |marker, schema| {
        // k8s.io/api 0.37 also writes each key as `+k8s:listMapKey`, and the API server rejects
        // duplicates.
        let key = marker.field.value;
        if !schema.list_map_keys.contains(&key) {
            schema.list_map_keys.push(key);
        }
    };
    MapTypeMarker |marker, schema| schema.map_type = Some(marker.value);
    StructTypeMarker |marker, schema| schema.map_type = Some(marker.value);
    Title |marker, schema| schema.title = Some(marker.text);
    ExternalDocsMarker |marker, schema| schema.external_docs = Some(ExternalDocs {
        url: marker.url,
        description: marker.description,
    });
}
