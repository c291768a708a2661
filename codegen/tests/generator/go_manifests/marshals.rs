//! Schemas of Go types with custom marshalling, and of structs that embed such types.

use super::*;

/// As in open-cluster-management.io's `Manifest`: `MarshalJSON` is promoted from the embedded type.
#[test]
fn a_struct_that_embeds_a_raw_extension_is_one() {
    let manifest = "// A manifest.\ntype Manifest struct {\n\t// +kubebuilder:validation:EmbeddedResource\n\
        \t// +kubebuilder:pruning:PreserveUnknownFields\n\truntime.RawExtension `json:\",inline\"`\n}\n";
    for compat in [Compat::Strict, Compat::ControllerGen] {
        let schema = spec_schema(compat, "\tA []Manifest `json:\"a\"`", manifest);
        let expected = "items:\ndescription: A manifest.\ntype: object\nx-kubernetes-embedded-resource: true\n\
            x-kubernetes-preserve-unknown-fields: true\ntype: array\n";
        assert!(schema.contains(expected), "{schema}");
    }
}

/// As in Camel K's `Flow`.
#[test]
fn a_struct_that_embeds_bytes_that_write_themselves_is_these() {
    let raw = "// Flow is any.\ntype Flow struct {\n\tRaw `json:\",inline\"`\n}\n// +kubebuilder:validation:Type=\"\"\n\
        // +kubebuilder:validation:Format=\"\"\n// +kubebuilder:pruning:PreserveUnknownFields\ntype Raw []byte\n\
        func (r Raw) MarshalJSON() ([]byte, error) { return r, nil }\n";
    let schema = spec_schema(Compat::ControllerGen, "\tA Flow `json:\"a\"`", raw);
    let expected = "a:\ndescription: Flow is any.\ntype: object\nx-kubernetes-preserve-unknown-fields: true\nrequired:\n";
    assert!(schema.contains(expected), "{schema}");
    let schema = spec_schema(Compat::Strict, "\tA Flow `json:\"a\"`", raw);
    assert!(!schema.contains("Raw:"), "{schema}");
}

/// As in Camel K's `RawMessage`: fields and items have the description of the type.
#[test]
fn a_type_that_writes_itself_without_a_type_of_its_marker_is_described() {
    let raw = |ty: &str| {
        format!(
            "// Raw is any.\n// +kubebuilder:validation:Type={ty:?}\n// +kubebuilder:validation:Format=\"\"\n\
            // +kubebuilder:pruning:PreserveUnknownFields\ntype Raw []byte\n\
            func (r Raw) MarshalJSON() ([]byte, error) {{ return r, nil }}\n"
        )
    };
    let spec = "\tA Raw `json:\"a\"`\n\tB []Raw `json:\"b\"`";
    let schema = spec_schema(Compat::ControllerGen, spec, &raw(""));
    let expected = "a:\ndescription: Raw is any.\nx-kubernetes-preserve-unknown-fields: true\nb:\nitems:\n\
        description: Raw is any.\nx-kubernetes-preserve-unknown-fields: true\ntype: array\n";
    assert!(schema.contains(expected), "{schema}");
    let schema = spec_schema(Compat::ControllerGen, spec, &raw("object"));
    assert!(!schema.contains("Raw is any."), "{schema}");
}

/// Go writes such a struct as its embedded type, ignoring its fields. Where the schema cannot be
/// that of the embedded type, this is a warning.
#[test]
fn a_struct_that_is_written_by_what_it_embeds_is_warned_of() {
    let raw = "type Raw struct {\n\truntime.RawExtension `json:\",inline\"`\n}\n";
    let count = |embedded: &str, others: &str| {
        let a = format!("type A struct {{\n{embedded}\n}}\n{raw}{others}");
        let generated = generate(Compat::Strict, "\tA A `json:\"a\"`", &a);
        let generated = generated.unwrap_or_else(|found| panic!("{found}"));
        let warned = generated.warnings.render(Style::Plain);
        warned.matches("is embedded and marshals itself").count()
    };
    for embedded in [
        "\tmetav1.Time `json:\",inline\"`",
        "\truntime.RawExtension `json:\",inline\"`\n\tB string `json:\"b\"`",
        "\tRaw `json:\",inline\"`",
    ] {
        assert_eq!(count(embedded, ""), 1, "{embedded}");
    }
    for embedded in [
        "\tRaw `json:\"raw\"`",
        "\truntime.RawExtension",
        "\tnetip.Addr",
    ] {
        assert_eq!(count(embedded, ""), 0, "{embedded}");
    }
    let own = "func (A) MarshalJSON() ([]byte, error) { return nil, nil }\n";
    assert_eq!(count("\tmetav1.Time", own), 0);
}

#[test]
fn raw_messages_are_bytes_to_controller_gen_and_json_in_truth() {
    let spec = "\t// Raw.\n\tA json.RawMessage `json:\"a\"`\n\tB []json.RawMessage `json:\"b\"`";
    let schema = spec_schema(Compat::ControllerGen, spec, "");
    let expected = "a:\ndescription: Raw.\nformat: byte\ntype: string\nb:\nitems:\ndescription: |-\n\
        RawMessage is a raw encoded JSON value.\nIt implements [Marshaler] and [Unmarshaler] and can\n\
        be used to delay JSON decoding or precompute a JSON encoding.\nformat: byte\ntype: string\n";
    assert!(schema.contains(expected), "{schema}");
    let schema = spec_schema(Compat::Strict, spec, "");
    assert!(
        schema.contains("a:\ndescription: Raw.\nx-kubernetes-preserve-unknown-fields: true\n"),
        "{schema}"
    );
}

#[test]
fn numbers_of_any_size_are_texts_to_controller_gen() {
    let spec = "\tA json.Number `json:\"a\"`";
    let schema = spec_schema(Compat::ControllerGen, spec, "");
    let expected = "a:\ndescription: A Number represents a JSON number literal.\ntype: string\n";
    assert!(schema.contains(expected), "{schema}");
}
