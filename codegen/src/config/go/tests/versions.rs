//! The packages of an API: the version of each, and aliases and markers that Go's own tools accept.

use super::{World, module, object};
use crate::{Generated, Manifests, Options, Sources, config::layout::shown, diag::Style};

impl World {
    /// Generates from the packages; errors show file paths below `$`.
    pub(super) fn generated(
        &self,
        patterns: &[&str],
        options: &Options,
    ) -> Result<Generated, String> {
        let sources = Sources {
            go: vec![self.load(patterns)?],
            ..Sources::default()
        };
        let root = shown(self.folder.path());
        crate::generate(&sources, options)
            .map_err(|errors| errors.render(Style::Plain).replace(&root, "$"))
    }

    /// The kinds and types of the only version, and the warnings.
    #[track_caller]
    fn version(&self, patterns: &[&str]) -> (Vec<String>, Vec<String>, String) {
        let generated = self
            .generated(patterns, &Options::default())
            .unwrap_or_else(|errors| panic!("{errors}"));
        let mut api = generated.api;
        assert_eq!(api.groups.len(), 1);
        assert_eq!(api.groups[0].versions.len(), 1);
        let version = api.groups.remove(0).versions.remove(0);
        let kinds = version.resources.into_iter().map(|one| one.kind);
        let types = version.types.into_iter().map(|one| one.name);
        let warnings = generated.warnings.render(Style::Plain);
        (kinds.collect(), types.collect(), warnings)
    }
}

/// A package with another kind of the group.
fn other(kind: &str, import: &str, ty: &str) -> String {
    object(import, ty).replace("type Kind", &format!("type {kind}"))
}

#[test]
fn packages_of_one_version_are_one() {
    let shared = "type Shared struct {\n\tName string `json:\"name\"`\n}\n";
    let api = object("_ \"embed\"", "Shared") + shared;
    let import = "api \"example.com/main/api/v1\"";
    let world = module(&[
        ("main/api/v1/types.go", &api),
        ("main/exp/v1/types.go", &other("Pool", import, "api.Shared")),
    ]);
    let (kinds, types, warnings) = world.version(&["./..."]);
    assert_eq!(kinds, ["Kind", "Pool"]);
    assert_eq!(types, ["Kind", "Shared", "Pool"]);
    assert_eq!(warnings, "");

    world.write(
        "main/exp/v1/more.go",
        format!("package v1\n{shared}type More struct {{\n\tOwn Shared `json:\"own\"`\n}}\n"),
    );
    world.write("main/exp/v1/types.go", other("Pool", import, "Shared"));
    let (_, types, warnings) = world.version(&["./..."]);
    assert_eq!(types, ["Kind", "Shared", "ExpShared", "Pool"]);
    for part in [
        "warning: `Shared` is named `ExpShared`",
        "$/main/exp/v1/more.go",
        "--type-path 'example.com/main/exp/v1.Shared=…'",
    ] {
        let warnings = warnings.replace(&shown(world.folder.path()), "$");
        assert!(warnings.contains(part), "{part} is not in:\n{warnings}");
    }
    let mut options = Options::default();
    let renamed_kind = ("example.com/main/api/v1.Shared", "Own");
    let renamed = ("example.com/main/exp/v1.Shared", "Own");
    options
        .type_paths
        .insert(renamed.0.to_owned(), renamed.1.to_owned());
    let renamed = world.generated(&["./..."], &options);
    let renamed = renamed.unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(renamed.warnings.render(Style::Plain), "");

    options
        .type_paths
        .insert(renamed_kind.0.to_owned(), renamed_kind.1.to_owned());
    let errors = world.generated(&["./..."], &options);
    let errors = errors.expect_err("two types of one name");
    let message = "two packages of the version v1 of example.com have a type `Own`";
    assert!(errors.contains(message), "{errors}");
}

#[test]
fn internal_types_beside_versions_need_no_group() {
    let without = object("_ \"embed\"", "string").replace("// +groupName=example.com\n", "");
    let internal = without.replace("package v1", "package unversioned");
    let world = module(&[
        ("main/v1/types.go", &object("_ \"embed\"", "string")),
        ("main/unversioned/types.go", &internal),
    ]);
    let (kinds, _, warnings) = world.version(&["./..."]);
    assert_eq!(kinds, ["Kind"]);
    let message = "warning: the package example.com/main/unversioned declares no API group";
    assert!(warnings.contains(message), "{warnings}");

    world.write("main/unversioned/types.go", without);
    world.check_error_of_groups(&["./..."]);
    world.check_error_of_groups(&["./unversioned"]);
}

impl World {
    /// Checks that the packages are rejected because one has no group.
    #[track_caller]
    fn check_error_of_groups(&self, patterns: &[&str]) {
        let errors = self.generated(patterns, &Options::default());
        let errors = errors.expect_err("no group");
        let message =
            "error[K0304]: the package example.com/main/unversioned declares no API group";
        assert!(errors.contains(message), "{errors}");
    }
}

#[test]
fn a_constant_names_the_group_where_no_marker_does() {
    let text = object("_ \"embed\"", "string").replace("// +groupName=example.com\n", "");
    let world = module(&[
        ("main/v1/types.go", &text),
        (
            "main/v1/register.go",
            "package v1\n\nconst GroupName = \"example\" + \".org\"\n",
        ),
    ]);
    let generated = world.generated(&["./v1"], &Options::default());
    let generated = generated.unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(generated.api.groups[0].name, "example.org");
}

#[test]
fn an_alias_is_embedded_as_the_type_that_it_names() {
    let text = object("_ \"embed\"", "Detailed")
        + "type Condition = metav1.Condition\n\
           type Mine metav1.Condition\n\
           type Detailed struct {\n\tCondition `json:\",inline\"`\n\tErrors []string `json:\"errors\"`\n}\n\
           type Other struct {\n\tMine `json:\",inline\"`\n}\n\
           type Last struct {\n\tOther Other `json:\"other\"`\n}\n";
    let text = text.replace(
        "Errors []string",
        "Last Last `json:\"last\"`\n\tErrors []string",
    );
    let world = module(&[("main/v1/types.go", &text)]);
    let generated = world.generated(&["./v1"], &Options::default());
    let generated = generated.unwrap_or_else(|errors| panic!("{errors}"));
    let types = &generated.api.groups[0].versions[0].types;
    for (name, last) in [("Detailed", "errors"), ("Other", "type")] {
        let def = types.iter().find(|def| def.name == name).expect(name);
        let crate::model::TypeKind::Struct(def) = &def.kind else {
            panic!("{name} is a struct");
        };
        let fields: Vec<&str> = def.fields.iter().map(|field| &*field.json_name).collect();
        assert!(fields.contains(&"lastTransitionTime"), "{fields:?}");
        assert!(fields.contains(&last), "{fields:?}");
    }
}

#[test]
fn a_rule_that_cannot_be_read_is_an_error_where_a_schema_is_written() {
    let rule =
        "// +kubebuilder:validation:XValidation:message=\"m\",rule=\"default(self, \"\") == ''\"\n";
    let text = object("_ \"embed\"", "string").replace("type Kind", &format!("{rule}type Kind"));
    let world = module(&[("main/v1/types.go", &text)]);
    let (_, _, warnings) = world.version(&["./v1"]);
    let message = "unexpected text after the value";
    assert!(
        warnings.contains(&format!("warning: {message}")),
        "{warnings}"
    );
    let options = Options {
        manifests: Some(Manifests::default()),
        ..Options::default()
    };
    let errors = world.generated(&["./v1"], &options).expect_err("a schema");
    assert!(
        errors.contains(&format!("error[K0101]: {message}")),
        "{errors}"
    );
}

#[test]
fn a_kubernetes_type_that_k8s_openapi_lacks_needs_its_source() {
    let world = module(&[(
        "main/v1/types.go",
        &object("_ \"embed\"", "metav1.GroupKind"),
    )]);
    let errors = world.generated(&["./v1"], &Options::default());
    let errors = errors.expect_err("no type of this name");
    for part in [
        "error[K0301]: package k8s.io/apimachinery/pkg/apis/meta/v1 not found",
        "run `go mod download k8s.io/apimachinery@v0.36.3`",
    ] {
        assert!(errors.contains(part), "{part} is not in:\n{errors}");
    }
}

#[test]
fn markers_of_two_tools_that_contradict_each_other_are_warned_of() {
    let markers = "// +genclient:nonNamespaced\n// +resourceName=kindes\n\
                   // +kubebuilder:resource:scope=Namespaced,path=kinds\n";
    let text = object("_ \"embed\"", "string").replace("type Kind", &format!("{markers}type Kind"));
    let world = module(&[("main/v1/types.go", &text)]);
    let generated = world.generated(&["./v1"], &Options::default());
    let generated = generated.unwrap_or_else(|errors| panic!("{errors}"));
    let kind = &generated.api.groups[0].versions[0].resources[0];
    assert_eq!(
        (kind.scope, kind.plural.as_str()),
        (crate::model::Scope::Namespaced, "kinds")
    );
    let warnings = generated.warnings.render(Style::Plain);
    for message in [
        "warning: the scope is both Cluster and Namespaced",
        "warning: two different plurals",
    ] {
        assert!(warnings.contains(message), "{warnings}");
    }
}

#[test]
fn mistakes_that_only_concern_crds_do_not_stop_the_generation_of_types() {
    let crds = Options {
        manifests: Some(Manifests::default()),
        ..Options::default()
    };
    for (marker, mistake) in [
        ("+default=plain", "the value is not JSON"),
        ("+kubebuilder:default={a", "expected"),
        (
            "",
            "Kind of example.com is stored in several versions: v2, v1",
        ),
    ] {
        let stored = "// +kubebuilder:storageversion\ntype Kind struct";
        let kind = object("_ \"embed\"", "Inner").replace("type Kind struct", stored);
        let inner =
            format!("type Inner struct {{\n\t// {marker}\n\tName string `json:\"name\"`\n}}\n");
        let first = kind + &inner;
        let second = first.replace("package v1", "package v2");
        let world = module(&[
            ("main/api/v1/types.go", &first),
            ("main/api/v2/types.go", &second),
        ]);
        let generated = world.generated(&["./..."], &Options::default()).unwrap();
        let warnings = generated.warnings.render(Style::Plain);
        let errors = world.generated(&["./..."], &crds).unwrap_err();
        assert!(
            warnings.contains(&format!("warning: {mistake}")),
            "{warnings}"
        );
        assert!(errors.contains(&format!("]: {mistake}")), "{errors}");
    }
}
