//! What becomes of Go's types: modules of several inputs, objects within objects, defaults, values,
//! and what has no form in JSON.

use super::{MOD, World, module, object};
use crate::{Generated, Manifests, Options, Sources, diag::Style};

/// The source of an API object of Kubernetes.
const CORE: &str = "package v1\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\
    type Secret struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\
    \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tData map[string]string `json:\"data,omitempty\"`\n}\n";

/// Generates from a kind with the spec, and returns the code and the warnings.
fn generated(spec: &str, files: &[(&str, &str)]) -> Result<(String, String), String> {
    let kind = object("corev1 \"k8s.io/api/core/v1\"", "Spec");
    let text = format!("{kind}\nvar _ corev1.Secret\n{spec}");
    let world = module(files);
    world.write("main/go.mod", format!("{MOD}require k8s.io/api v0.36.3\n"));
    world.write("main/v1/types.go", text);
    let found = world.generated(&["./v1"], &Options::default())?;
    let Generated {
        files, warnings, ..
    } = found;
    let code: String = files.into_values().collect();
    Ok((code, warnings.render(Style::Plain)))
}

#[test]
fn an_object_within_another_has_a_type_of_its_own_if_its_source_is_there() {
    let spec = "type Spec struct {\n\tSecret corev1.Secret `json:\"secret\"`\n\tPod *corev1.PodSpec `json:\"pod,omitempty\"`\n}\n";
    let core = [("mod/k8s.io/api@v0.36.3/core/v1/types.go", CORE)];
    let (code, warnings) = generated(spec, &core).expect("code");
    assert!(code.contains("pub struct Secret {"), "{code}");
    assert!(!code.contains("PodSpec, Secret}"), "{code}");
    assert!(code.contains("core::v1::PodSpec;"), "{code}");
    assert_eq!(warnings, "");
    let (code, warnings) = generated(spec, &[]).expect("code");
    assert!(code.contains("PodSpec, Secret}"), "{code}");
    assert!(
        warnings.contains("`Secret` writes its `apiVersion` and `kind`, which Go omits"),
        "{warnings}"
    );
}

#[test]
fn a_missing_field_is_not_its_default_and_permitted_values_are_documented() {
    let spec = "type Spec struct {\n\t// +kubebuilder:default=x\n\t// +kubebuilder:validation:Enum=x;z\n\tA string `json:\"a\"`\n\
        \t// +kubebuilder:validation:items:Enum=u;v\n\tB []string `json:\"b\"`\n}\n";
    let (code, _) = generated(spec, &[]).expect("code");
    assert!(!code.contains("default_a"), "{code}");
    assert!(code.contains("One of `\"x\"`, `\"z\"`."), "{code}");
    assert!(
        code.contains("Each item is one of `\"u\"`, `\"v\"`."),
        "{code}"
    );
}

#[test]
fn a_type_that_writes_itself_is_warned_of_where_its_schema_counts() {
    let size = "type Size struct {\n\tA string `json:\"-\"`\n}\nfunc (s Size) MarshalJSON() ([]byte, error) { return nil, nil }\n";
    let warned = |marker: &str, field: &str| {
        let spec = format!("{marker}{size}type Spec struct {{\n{field}\n}}\n");
        let (_, warnings) = generated(&spec, &[]).expect("code");
        warnings.contains("`Size` has a `MarshalJSON`, and no marker says what it writes")
    };
    assert!(warned("", "\tSize Size `json:\"size\"`"));
    assert!(warned("", "\tSizes map[string][]Size `json:\"sizes\"`"));
    let marker = "// +kubebuilder:validation:Type=string\n";
    assert!(!warned(marker, "\tSize Size `json:\"size\"`"));
    assert!(!warned("", "\tSize Size `json:\"-\"`"));
    let schemaless =
        "\t// +kubebuilder:validation:Schemaless\n\t// +kubebuilder:validation:Type=string\n";
    assert!(!warned(
        "",
        &format!("{schemaless}\tSize Size `json:\"size\"`")
    ));
}

#[test]
fn what_has_no_form_in_json_is_named() {
    for (ty, message) in [
        (
            "Box[string]",
            "`Box` is generic, but API types cannot be generic",
        ),
        ("func()", "a function has no form in JSON"),
        ("chan int", "a channel has no form in JSON"),
    ] {
        let spec = format!(
            "type Box[T any] struct {{}}\ntype Spec struct {{\n\tA {ty} `json:\"a\"`\n}}\n"
        );
        let error = generated(&spec, &[]).expect_err(ty);
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn several_inputs_share_the_names_of_modules() {
    let input = |group: &str, name: &str| {
        let kind = object("meta \"example.com/main/meta\"", "meta.Spec");
        let kind = kind.replace("groupName=example.com", &format!("groupName={group}"));
        let spec = format!("package meta\ntype Spec struct {{\n\t{name} string `json:\"a\"`\n}}\n");
        let world = module(&[("main/v1/types.go", &kind), ("main/meta/meta.go", &spec)]);
        let go_mod = MOD.replace("example.com/main", &format!("{group}/main"));
        world.write("main/go.mod", go_mod);
        let kind = kind.replace("example.com/main", &format!("{group}/main"));
        world.write("main/v1/types.go", kind);
        world
    };
    let worlds: [World; 2] = [
        input("disk.example.com", "A"),
        input("disk.example.org", "B"),
    ];
    let go = worlds
        .iter()
        .map(|world| world.load(&["./v1"]).expect("packages"));
    let sources = Sources {
        go: go.collect(),
        ..Sources::default()
    };
    let found = crate::generate(&sources, &Options::default())
        .unwrap_or_else(|errors| panic!("{}", errors.render(Style::Plain)));
    let groups: Vec<&str> = found
        .api
        .groups
        .iter()
        .map(|it| it.module.as_str())
        .collect();
    assert_eq!(groups, ["disk_example_com", "disk_example_org"]);
    let packages = found.api.packages.iter().map(|it| it.module.as_str());
    assert_eq!(packages.collect::<Vec<_>>(), ["meta", "main_meta"]);
}

/// The errors, or else the warnings, of the CRD of a kind with the spec and markers.
fn found_in_crd(markers: &str, spec: &str) -> Result<String, String> {
    let kind = object("_ \"embed\"", "Spec");
    let kind = kind.replace("type Kind", &format!("{markers}type Kind"));
    let world = module(&[("main/v1/types.go", &format!("{kind}{spec}"))]);
    let options = Options {
        emit: [].into(),
        manifests: Some(Manifests::default()),
        ..Options::default()
    };
    let found = world.generated(&["./v1"], &options)?;
    Ok(found.warnings.render(Style::Plain))
}

#[test]
fn a_column_of_a_missing_field_is_a_warning() {
    let column = "// +kubebuilder:printcolumn:name=Gone,type=string,JSONPath=\".spec.gone\"\n";
    let spec = "type Spec struct {\n\tA string `json:\"a\"`\n}\n";
    let warnings = found_in_crd(column, spec).expect("no error");
    assert!(
        warnings.contains("the column `Gone` reads a field that is not there"),
        "{warnings}"
    );
}
