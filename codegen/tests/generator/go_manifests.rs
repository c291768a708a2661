//! CRDs of Go types, where controller-gen's schema disagrees with the generated Rust types.

mod marshals;

use std::path::Path;

use kube_codegen::{
    Compat, Diagnostics, Generated, Manifests, Options, Source, diag::Style, read::go::GoPackage,
};

use crate::support::go;

/// Generates the CRDs of a Go file, or returns the errors.
fn read(text: &str, manifests: Option<Manifests>) -> Result<Generated, Diagnostics> {
    let header = "// +groupName=example.com\npackage v1\nimport (\n\tcorev1 \"k8s.io/api/core/v1\"\n\
        \tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n)\n";
    let sources = go::sources(&format!("{header}{text}"));
    let options = Options {
        emit: [].into(),
        manifests,
        ..Options::default()
    };
    kube_codegen::generate(&sources, &options)
}

fn crds(text: &str, manifests: Option<Manifests>) -> Generated {
    read(text, manifests).unwrap_or_else(|found| panic!("{}", found.render(Style::Colored)))
}

/// Returns the CRD of the kind `Widget` that a Go file declares.
fn crd(text: &str) -> String {
    let path = Path::new("config/crd/bases/example.com_widgets.yaml");
    crds(text, Some(Manifests::default())).manifests[path].clone()
}

fn widget(metadata: &str, spec: &str) -> String {
    crd(&format!(
        "// +kubebuilder:object:root=true\ntype Widget struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n{metadata}\n\
         \tSpec WidgetSpec `json:\"spec,omitempty\"`\n}}\ntype WidgetSpec struct {{\n{spec}\n}}\n"
    ))
}

#[test]
fn the_metadata_of_a_root_is_required_as_its_tag_and_markers_say() {
    let spec = "\tSize int32 `json:\"size\"`";
    let required = "        required:\n        - metadata\n";
    let omitted = widget("\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`", spec);
    assert!(!omitted.contains(required), "{omitted}");
    let marked = widget(
        "\t// +optional\n\tmetav1.ObjectMeta `json:\"metadata\"`",
        spec,
    );
    assert!(!marked.contains(required), "{marked}");
    let plain = widget("\tmetav1.ObjectMeta `json:\"metadata\"`", spec);
    assert!(plain.contains(required), "{plain}");
}

#[test]
fn elements_are_described_by_their_own_type() {
    let text = widget(
        "\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`",
        "\t// Names of resources.\n\tNames []corev1.ResourceName `json:\"names\"`",
    );
    let wanted = "                description: Names of resources.\n                items:\n                  description: ResourceName is the name";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn rules_of_an_embedded_field_hold_for_the_struct() {
    let text = widget(
        "\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`",
        "\t// +kubebuilder:validation:XValidation:rule=\"self.name != 'a'\"\n\tcorev1.LocalObjectReference `json:\",inline\"`",
    );
    assert!(text.contains("- rule: self.name != 'a'"), "{text}");
}

#[test]
fn names_are_escaped_in_the_rules_that_markers_stand_for() {
    let text = widget(
        "\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`",
        "\t// +k8s:immutable\n\t// +optional\n\tHost string `json:\"host-name,omitempty\"`\n\tUnion `json:\",inline\"`\n}\n\
         // +kubebuilder:validation:AtMostOneOf=a-b;in\ntype Union struct {\n\t// +optional\n\tA string `json:\"a-b,omitempty\"`\n\
         \t// +optional\n\tB string `json:\"in,omitempty\"`",
    );
    for rule in [
        "!has(oldSelf.host__dash__name) || has(self.host__dash__name)",
        "[has(self.a__dash__b),has(self.__in__)].filter",
    ] {
        assert!(text.contains(rule), "{rule}:\n{text}");
    }
}

#[test]
fn a_field_with_a_name_is_a_property_whatever_its_tag_says_of_inlining() {
    let generated = crds(
        "// +kubebuilder:object:root=true\ntype Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\
         \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tSpec WidgetSpec `json:\",inline\"`\n}\n\
         type WidgetSpec struct {\n\tSize int32 `json:\"size\"`\n}\n",
        Some(Manifests::default()),
    );
    let (_, version) = generated.api.versions().next().unwrap();
    assert!(version.types[0].name == "Widget", "{:?}", version.types);
    let found = generated.warnings.render(Style::Plain);
    assert!(found.contains("`Spec` is not inlined"), "{found}");
    assert!(found.contains("it is the property `Spec`"), "{found}");
}

#[test]
fn the_plural_is_controller_gens_whatever_is_written_and_warned_of_where_client_gen_differs() {
    let kind = |marker: &str| {
        format!(
            "// +kubebuilder:object:root=true\n{marker}type WithTriggers struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\
             \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}}\n"
        )
    };
    let plural = |marker: &str, manifests| {
        let generated = crds(&kind(marker), manifests);
        let (_, version) = generated.api.versions().next().unwrap();
        let warnings = generated.warnings.as_slice().iter();
        let warned = warnings.filter(|it| it.message.contains("the plural of WithTriggers"));
        (version.resources[0].plural.clone(), warned.count())
    };
    let expected = ("withtriggers".to_owned(), 1);
    assert_eq!(plural("", Some(Manifests::default())), expected);
    assert_eq!(plural("", None), expected);
    let pinned = plural("// +kubebuilder:resource:path=triggers\n", None);
    assert_eq!(pinned, ("triggers".to_owned(), 0));
}

#[test]
fn a_rule_about_values_of_another_type_is_left_out() {
    let text = widget(
        "\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`",
        "\t// +kubebuilder:validation:MaxLength=5\n\t// +kubebuilder:validation:Maximum=9\n\tSize int32 `json:\"size\"`\n\
         \t// +kubebuilder:validation:Maximum=1.5\n\tWhole int32 `json:\"whole\"`\n\
         \t// +kubebuilder:validation:items:MinLength=3\n\t// +kubebuilder:validation:items:Minimum=4\n\tNames []string `json:\"names\"`\n\
         \t// +listType=set\n\t// +listMapKey=name\n\tKeys []string `json:\"keys\"`",
    );
    for kept in ["maximum: 9", "minLength: 3", "x-kubernetes-list-type: set"] {
        assert!(text.contains(kept), "{kept}:\n{text}");
    }
    for dropped in ["maxLength", "maximum: 1", "minimum", "list-map-keys"] {
        assert!(!text.contains(dropped), "{dropped}:\n{text}");
    }
}

#[test]
fn an_embedded_struct_of_kubernetes_has_texts_where_it_names_types_that_rust_lacks() {
    let text = "// +kubebuilder:object:root=true\ntype Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\
        \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tSpec WidgetSpec `json:\"spec\"`\n}\n\
        type WidgetSpec struct {\n\tcorev1.ContainerPort `json:\",inline\"`\n}\n";
    let header = "// +groupName=example.com\npackage v1\nimport (\n\tcorev1 \"k8s.io/api/core/v1\"\n\
        \tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n)\n";
    let sources = go::sources(&format!("{header}{text}"));
    let generated = kube_codegen::generate(&sources, &Options::default());
    let generated = generated.unwrap_or_else(|found| panic!("{}", found.render(Style::Colored)));
    let types: String = generated.files.values().map(String::as_str).collect();
    assert!(types.contains("pub protocol: Option<String>"), "{types}");
}

/// Generates manifests for a kind with these Go fields in its spec, and these other types.
fn generate(compat: Compat, spec: &str, others: &str) -> Result<kube_codegen::Generated, String> {
    let text = format!(
        "// +groupName=example.com\npackage v1\nimport (\n\t\"encoding/json\"\n\t\"net/netip\"\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\
         \t\"k8s.io/apimachinery/pkg/runtime\"\n)\n\
         // +kubebuilder:object:root=true\ntype Widget struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\
         \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}}\n\
         type WidgetSpec struct {{\n{spec}\n}}\n{others}\n"
    );
    let options = Options {
        emit: [].into(),
        manifests: Some(Manifests::default()),
        compat,
        ..Options::default()
    };
    kube_codegen::generate(&go::sources(&text), &options)
        .map_err(|found| found.render(Style::Plain))
}

/// Returns the fields of the spec with their types, and the warnings about JSON and duplicates.
fn properties(compat: Compat, spec: &str, others: &str) -> (String, Vec<String>) {
    let generated = generate(compat, spec, others).unwrap_or_else(|found| panic!("{found}"));
    let (_, version) = generated.api.versions().next().unwrap();
    let spec = version.types.iter().find(|def| def.name == "WidgetSpec");
    let kube_codegen::model::TypeKind::Struct(spec) = &spec.unwrap().kind else {
        panic!("no struct");
    };
    let fields = spec.fields.iter();
    let fields: Vec<String> = fields
        .map(|field| format!("{}: {:?}", field.json_name, field.ty))
        .collect();
    let warnings = generated.warnings.as_slice().iter();
    let warnings = warnings.map(|it| it.message.clone());
    (
        fields.join(", "),
        warnings
            .filter(|it| it.contains("JSON") || it.contains("twice"))
            .collect(),
    )
}

#[track_caller]
fn check_names(spec: &str, others: &str, strict: &str, compatible: &str) {
    for (compat, expected) in [
        (Compat::Strict, strict),
        (Compat::ControllerGen, compatible),
    ] {
        let (found, warnings) = properties(compat, spec, others);
        assert_eq!(found, expected, "{compat:?}");
        assert_eq!(warnings.is_empty(), strict == compatible, "{warnings:?}");
    }
}

#[test]
fn of_fields_with_one_json_name_gos_encoder_decides() {
    let one_level = "\tA string `json:\"a\"`\n\tB int32 `json:\"a\"`\n\tC bool `json:\"c\"`";
    check_names(one_level, "", "c: Bool", "a: Int32, c: Bool");
    let tagged = "\tA string `json:\"B\"`\n\tB int32\n\tC bool `json:\"c\"`";
    check_names(tagged, "", "B: String, c: Bool", "B: String, c: Bool");
    let inner = "type Inner struct {\n\tA int32 `json:\"a\"`\n\tD bool `json:\"d\"`\n}";
    let deeper = "\tInner `json:\",inline\"`\n\tA string `json:\"a\"`";
    check_names(deeper, inner, "d: Bool, a: String", "d: Bool, a: String");
    let two = format!("{inner}\ntype Other struct {{\n\tA string `json:\"a\"`\n}}");
    let both = "\tInner `json:\",inline\"`\n\tOther `json:\",inline\"`";
    check_names(both, &two, "d: Bool", "a: Int32, d: Bool");
    let twice = format!(
        "{inner}\ntype Left struct {{\n\tInner `json:\",inline\"`\n\tL bool `json:\"l\"`\n}}\n\
         type Right struct {{\n\tInner `json:\",inline\"`\n\tR bool `json:\"r\"`\n}}"
    );
    let diamond = "\tLeft `json:\",inline\"`\n\tRight `json:\",inline\"`";
    let compatible = "a: Int32, d: Bool, l: Bool, r: Bool";
    check_names(diamond, &twice, "l: Bool, r: Bool", compatible);
}

#[test]
fn a_number_that_go_writes_as_text_is_text() {
    let spec = "\tA int64 `json:\"a,string\"`\n\tB *bool `json:\"b,omitempty,string\"`\n\tC string `json:\"c,string\"`\n\
        \tD []int32 `json:\"d,string\"`\n\tE *Port `json:\"e,string\"`\n\tF Level `json:\"f,string\"`\n\
        \tG Own `json:\"g,string\"`\n\tH Name `json:\"h,string\"`";
    let others = "// +kubebuilder:validation:Minimum=3\ntype Port int32\ntype Level Port\ntype Name string\n\
        // +kubebuilder:validation:Type=string\ntype Own int32\nfunc (o Own) MarshalJSON() ([]byte, error) { return nil, nil }\n";
    let same = "c: String, d: List(Int32)";
    let strict = format!("a: String, b: String, {same}, e: String, f: String, g: ");
    let compatible =
        format!("a: Int64, b: Bool, {same}, e: Local(\"Port\"), f: Local(\"Level\"), g: ");
    for (compat, expected) in [
        (Compat::Strict, strict),
        (Compat::ControllerGen, compatible),
    ] {
        let (found, warnings) = properties(compat, spec, others);
        assert!(found.starts_with(&expected), "{found}");
        assert_eq!(warnings.len(), 4, "{warnings:?}");
    }
}

#[test]
fn a_malformed_tag_is_an_error_where_the_field_is_of_the_api() {
    let (malformed, fine) = ("B int32 `json: \"b\"`", "B int32 `json:\"b\"`");
    let unused = format!("type unused struct {{\n{malformed}\n}}");
    let (found, warnings) = properties(Compat::Strict, fine, &unused);
    assert_eq!((found.as_str(), warnings.len()), ("b: Int32", 0));

    let found = generate(Compat::Strict, malformed, "")
        .map(drop)
        .unwrap_err();
    assert!(
        found.contains("error[K0306]: the value in the struct tag is not in double quotes"),
        "{found}"
    );
    assert_eq!(found.matches("error").count(), 1, "{found}");

    let generated =
        generate(Compat::ControllerGen, malformed, "").unwrap_or_else(|found| panic!("{found}"));
    let warned = generated.warnings.render(Style::Plain);
    assert!(
        warned.contains("Go ignores the rest of the tag"),
        "{warned}"
    );
}

/// Returns the schema of the spec in the CRD, without indentation, for these Go fields and these
/// other types.
fn spec_schema(compat: Compat, spec: &str, others: &str) -> String {
    let generated = generate(compat, spec, others).unwrap_or_else(|found| panic!("{found}"));
    let path = Path::new("config/crd/bases/example.com_widgets.yaml");
    let (_, schema) = generated.manifests[path]
        .split_once("          spec:\n")
        .unwrap();
    schema
        .lines()
        .map(|line| line.trim_start().to_owned() + "\n")
        .collect()
}

#[test]
fn controller_gen_leaves_the_format_of_a_number_with_a_text() {
    let spec = "\t// +kubebuilder:validation:Type=string\n\tA int64 `json:\"a,string\"`";
    let schema = spec_schema(Compat::ControllerGen, spec, "");
    assert!(
        schema.contains("a:\nformat: int64\ntype: string\n"),
        "{schema}"
    );
    let schema = spec_schema(Compat::Strict, spec, "");
    assert!(schema.contains("a:\ntype: string\n"), "{schema}");
}

#[test]
fn an_argument_without_a_name_may_be_called_value() {
    for compat in [Compat::Strict, Compat::ControllerGen] {
        let schema = spec_schema(
            compat,
            "\t// +default:value=1000\n\tA int64 `json:\"a,omitempty\"`",
            "",
        );
        assert!(
            schema.contains("a:\ndefault: 1000\nformat: int64\n"),
            "{schema}"
        );
    }
}

#[test]
fn a_kind_within_another_has_its_type() {
    let spec = "\tA *Gadget `json:\"a,omitempty\"`";
    let gadget = "// +kubebuilder:object:root=true\ntype Gadget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\
        \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n";
    for compat in [Compat::Strict, Compat::ControllerGen] {
        let schema = spec_schema(compat, spec, gadget);
        assert!(
            schema.starts_with("properties:\na:\nproperties:\napiVersion:\n"),
            "{schema}"
        );
        assert!(schema.contains("type: string\nkind:\n"), "{schema}");
    }
}

/// As in OpenKruise's `SidecarContainer`.
#[test]
fn what_is_embedded_without_a_schema_adds_no_properties() {
    let spec = "\tA Side `json:\"a\"`";
    let side = "type Side struct {\n\t// +kubebuilder:pruning:PreserveUnknownFields\n\
        \t// +kubebuilder:validation:Schemaless\n\tInner `json:\",inline\"`\n\tOwn string `json:\"own\"`\n}\n\
        // +kubebuilder:validation:MinProperties=1\ntype Inner struct {\n\tB string `json:\"b\"`\n}\n";
    for compat in [Compat::Strict, Compat::ControllerGen] {
        let schema = spec_schema(compat, spec, side);
        let expected = "properties:\na:\nproperties:\nown:\ntype: string\nrequired:\n- own\ntype: object\n\
            x-kubernetes-preserve-unknown-fields: true\n";
        assert!(schema.starts_with(expected), "{schema}");
    }
    let (fields, _) = properties(Compat::Strict, "\tSide `json:\",inline\"`", side);
    assert_eq!(fields, "b: String, own: String");
}

#[test]
fn presence_above_the_documentation_of_a_type_is_of_the_package() {
    let spec = "\tA string `json:\"a\"`";
    let apart = "// +kubebuilder:validation:Optional\n\n// Other is another.\ntype Other struct {\n\tB string `json:\"b\"`\n}\n";
    for (others, required) in [(apart, false), (&apart.replace("\n\n//", "\n//"), true)] {
        for compat in [Compat::Strict, Compat::ControllerGen] {
            let schema = spec_schema(compat, spec, others);
            assert_eq!(schema.contains("required:\n- a\n"), required, "{schema}");
        }
    }
}

/// As in Cilium's `Addr`: `MarshalText` is promoted from the embedded type.
#[test]
fn a_struct_that_embeds_an_address_is_text() {
    let addr = "// An address.\ntype Addr struct {\n\tnetip.Addr `json:\"-\"`\n}\n";
    for compat in [Compat::Strict, Compat::ControllerGen] {
        let schema = spec_schema(compat, "\tA Addr `json:\"a\"`", addr);
        assert!(
            schema.contains("type: string\nrequired:\n- a\n"),
            "{schema}"
        );
        assert!(!schema.contains("Addr:"), "{schema}");
        assert_eq!(schema.contains("An address."), compat == Compat::Strict);
    }
}

#[test]
fn an_empty_type_permits_all() {
    let spec = "\t// +kubebuilder:validation:Type=\"\"\n\t// +kubebuilder:pruning:PreserveUnknownFields\n\tA map[string]string `json:\"a\"`";
    let schema = spec_schema(Compat::Strict, spec, "");
    assert!(
        schema.starts_with("properties:\na:\nx-kubernetes-preserve-unknown-fields: true\n"),
        "{schema}"
    );
}

#[test]
fn omitzero_makes_no_field_optional_to_controller_gen() {
    let spec = "\tA string `json:\"a,omitzero\"`\n\tB string `json:\"b,omitempty,omitzero\"`";
    let schema = spec_schema(Compat::Strict, spec, "");
    assert!(!schema.contains("required"), "{schema}");
    let schema = spec_schema(Compat::ControllerGen, spec, "");
    assert!(schema.contains("required:\n- a\ntype"), "{schema}");
}

/// As in Azure Service Operator.
#[test]
fn a_version_that_a_marker_names_is_one() {
    let header = "import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n";
    let kind = "// +kubebuilder:object:root=true\ntype Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\
        \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n";
    let package = |name: &str, stored: &str| {
        format!(
            "// +groupName=example.com\n// +versionName={name}\npackage {name}\n{header}{stored}{kind}"
        )
    };
    let (old, new) = (
        package("v1api2023", ""),
        package("v2023", "// +kubebuilder:storageversion\n"),
    );
    let options = Options {
        emit: [].into(),
        manifests: Some(Manifests::default()),
        ..Options::default()
    };
    let mut sources = go::sources(&new);
    let files = vec![Source::new("api/old/types.go", old)];
    let old = GoPackage::requested("example.com/api/old", "example.com", "api/old", files);
    sources.go[0].packages.push(old);
    let generated = kube_codegen::generate(&sources, &options);
    let generated = generated.unwrap_or_else(|found| panic!("{}", found.render(Style::Plain)));
    let crd = &generated.manifests[Path::new("config/crd/bases/example.com_widgets.yaml")];
    for name in ["v1api2023", "v2023"] {
        assert!(crd.contains(&format!("name: {name}\n")), "{crd}");
    }
}

/// As in KServe: a `+kubebuilder:webhook` lacks an argument, but the CRDs can still be generated.
#[test]
fn faulty_markers_of_webhooks_are_errors_where_these_are_written() {
    let text = "// +kubebuilder:webhook:path=/a,mutating=false,failurePolicy=fail,groups=g,resources=r,verbs=create,versions=v1,name=a.b.c\n";
    let found = generate(Compat::Strict, "", text).map(drop).unwrap_err();
    assert!(
        found.contains("error[K0101]: `+kubebuilder:webhook` needs the argument"),
        "{found}"
    );
    let sources = go::sources(&format!(
        "// +groupName=example.com\npackage v1\n{text}\n// +kubebuilder:object:root=true\ntype A struct {{\n\tB string\n}}\n"
    ));
    let options = Options {
        emit: [].into(),
        ..Options::default()
    };
    let warned = kube_codegen::generate(&sources, &options)
        .map(|generated| generated.warnings.render(Style::Plain));
    let warned = warned.unwrap_or_else(|found| panic!("{}", found.render(Style::Plain)));
    assert!(
        warned.contains("warning: `+kubebuilder:webhook` needs the argument"),
        "{warned}"
    );
}

/// Returns the places of the errors about a `Widget` whose spec has the fields, beside other types.
fn places(spec: &str, types: &str) -> Vec<String> {
    let errors = read(&format!(
        "// +kubebuilder:object:root=true\ntype Widget struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\
         \tSpec WidgetSpec `json:\"spec,omitempty\"`\n}}\ntype WidgetSpec struct {{\n{spec}\n}}\n{types}\n"
    ), Some(Manifests::default())).unwrap_err();
    let labels = errors
        .as_slice()
        .iter()
        .filter_map(|error| error.labels.first());
    labels
        .map(|label| label.place.written().to_owned())
        .collect()
}

#[test]
fn errors_about_list_map_keys_point_at_the_key() {
    let bulb = "type Bulb struct {\n\t// +optional\n\tName string `json:\"name,omitempty\"`\n}";
    let keys = |key: &str| format!("// +listType=map\n// +listMapKey={key}\n");
    let own = format!("{}\tBulbs []Bulb `json:\"bulbs\"`", keys("kind"));
    assert_eq!(places(&own, bulb), ["+listMapKey=kind"]);
    let named = format!("{}type Bulbs []Bulb\n{bulb}", keys("kind"));
    let used = "\tBulbs Bulbs `json:\"bulbs\"`\n\tMore Bulbs `json:\"more\"`";
    let found = places(used, &named);
    assert!(
        !found.is_empty() && found.iter().all(|it| it == "+listMapKey=kind"),
        "{found:?}"
    );
    // A key that may be absent.
    let named = format!("{}type Bulbs []Bulb\n{bulb}", keys("name"));
    assert_eq!(places("\tBulbs Bulbs `json:\"bulbs\"`", &named), ["Name"]);
}
