//! Kinds that are not structs of their own package, types that only look like kinds, and kinds in
//! nested modules.

use super::{World, module, object};
use crate::{Manifests, Options, diag::Style, options::Compat};

/// A package for a version with the declarations, which may refer to `v3`.
fn version(name: &str, text: &str) -> String {
    format!(
        "// +groupName=example.com\npackage {name}\nimport \"example.com/main/v3\"\nvar _ v3.Kind\n{text}\n"
    )
}

/// A module whose package `v3` declares the kind `Kind`.
fn with_kind(files: &[(&str, &str)]) -> World {
    let world = module(files);
    let text = object("_ \"embed\"", "string").replace("package v1", "package v3");
    let marked = text.replace("type Kind", "// +kubebuilder:storageversion\ntype Kind");
    world.write("main/v3/types.go", marked);
    world
}

fn options(compat: Compat) -> Options {
    Options {
        emit: [].into(),
        compat,
        manifests: Some(Manifests::default()),
        ..Options::default()
    }
}

impl World {
    /// The versions of each kind, sorted, and the warnings; the errors if there are any.
    fn kinds(&self, patterns: &[&str], compat: Compat) -> (Vec<String>, String) {
        match self.generated(patterns, &options(compat)) {
            Err(errors) => (Vec::new(), errors),
            Ok(generated) => {
                let groups = generated.api.groups.iter();
                let versions = groups.flat_map(|group| &group.versions);
                let kinds = versions.flat_map(|version| {
                    let kinds = version.resources.iter();
                    kinds.map(|found| format!("{} {}", version.name, found.kind))
                });
                let mut kinds: Vec<String> = kinds.collect();
                kinds.sort();
                (kinds, generated.warnings.render(Style::Plain))
            }
        }
    }
}

#[test]
fn another_name_of_a_kind_is_a_version_of_it() {
    let both = [Compat::Strict, Compat::ControllerGen];
    for declared in [
        "type Kind = v3.Kind",
        "type Kind v3.Kind",
        "type Kind = own\ntype own v3.Kind",
        "type Kind = v3.Kind\ntype KindList struct {}",
    ] {
        let world = with_kind(&[("main/v2/types.go", &version("v2", declared))]);
        for compat in both {
            let (kinds, found) = world.kinds(&["./..."], compat);
            assert_eq!(kinds, ["v2 Kind", "v3 Kind"], "{declared}\n{found}");
        }
    }
    // controller-gen knows nothing about structs of packages that were not requested.
    let listed = "type Kind = v3.Kind\ntype KindList = v3.KindList";
    let world = with_kind(&[("main/v2/types.go", &version("v2", listed))]);
    let (kinds, _) = world.kinds(&["./v2"], Compat::Strict);
    assert_eq!(kinds, ["v2 Kind"]);
    let (kinds, warnings) = world.kinds(&["./v2"], Compat::ControllerGen);
    assert_eq!(kinds, <[&str; 0]>::default());
    let message = "warning: controller-gen creates no CRD for `Kind`";
    assert!(warnings.contains(message), "{warnings}");
    assert!(warnings.contains("add example.com/main/v3"), "{warnings}");
}

#[test]
fn what_only_has_the_name_of_a_kind_is_reported() {
    let message = "`Kind` has the name of a kind of example.com but is not an object";
    for declared in [
        "type Kind = map[string]string",
        "type Kind struct { A string `json:\"a\"` }",
        "type Kind *v3.Kind",
        "type Kind = Generic[string]\ntype Generic[T any] struct { A T `json:\"a\"` }",
    ] {
        let world = with_kind(&[("main/v2/types.go", &version("v2", declared))]);
        let (kinds, warnings) = world.kinds(&["./..."], Compat::Strict);
        assert_eq!(kinds, ["v3 Kind"], "{declared}");
        let warning = format!("warning: {message}");
        assert!(warnings.contains(&warning), "{declared}\n{warnings}");
        let (_, errors) = world.kinds(&["./..."], Compat::ControllerGen);
        let error = format!("error[K0304]: {message}");
        assert!(errors.contains(&error), "{declared}\n{errors}");

        let skipped = format!("// +kubebuilder:skipversion\n{declared}");
        world.write("main/v2/types.go", version("v2", &skipped));
        for compat in [Compat::Strict, Compat::ControllerGen] {
            let (_, found) = world.kinds(&["./..."], compat);
            assert!(!found.contains(message), "{declared}\n{found}");
        }
    }
    let generic = object("_ \"embed\"", "T").replace("type Kind", "type Other[T any]");
    let world = with_kind(&[("main/v1/types.go", &generic)]);
    let (_, errors) = world.kinds(&["./..."], Compat::Strict);
    let message = "error[K0303]: `Other` is generic, but API types cannot be generic";
    assert!(errors.contains(message), "{errors}");
    assert_eq!(errors.matches("error").count(), 1, "{errors}");
}

#[test]
fn a_kind_of_a_package_without_a_version_is_warned_of() {
    let other = object("_ \"embed\"", "string").replace("package v1", "package internal");
    let world = with_kind(&[("main/internal/types.go", &other)]);
    let (kinds, warnings) = world.kinds(&["./..."], Compat::Strict);
    assert_eq!(kinds, ["v3 Kind"]);
    assert_eq!(warnings, "");
    world.write(
        "main/internal/types.go",
        other.replace("type Kind", "type Other"),
    );
    let (kinds, warnings) = world.kinds(&["./..."], Compat::Strict);
    assert_eq!(kinds, ["v3 Kind"]);
    let message = "warning: `Other` is left out: `internal` is not a version name";
    assert!(warnings.contains(message), "{warnings}");
}

#[test]
fn kinds_of_modules_below_are_warned_of_or_of_the_workspace() {
    let kind = object("_ \"embed\"", "string");
    let world = with_kind(&[
        ("main/below/go.mod", "module example.com/below\ngo 1.24\n"),
        (
            "main/below/v1/types.go",
            &kind.replace("example.com\n", "below.com\n"),
        ),
        ("main/tools/go.mod", "module example.com/tools\ngo 1.24\n"),
        ("main/tools/tool.go", "package main\n"),
    ]);
    let (kinds, warnings) = world.kinds(&["./..."], Compat::Strict);
    assert_eq!(kinds, ["v3 Kind"]);
    let message = "warning: the kinds of the module example.com/below are left out";
    assert!(warnings.contains(message), "{warnings}");
    assert!(!warnings.contains("example.com/tools"), "{warnings}");
    let (_, warnings) = world.kinds(&["./v3"], Compat::Strict);
    assert_eq!(warnings, "");

    world.write("main/go.work", "go 1.24\nuse (\n\t.\n\t./below\n)\n");
    let (kinds, warnings) = world.kinds(&["./..."], Compat::Strict);
    assert_eq!(kinds, ["v1 Kind", "v3 Kind"]);
    assert_eq!(warnings, "");

    world.write("main/go.work", "go 1.24\nuse (\n\t.\n\t./nowhere\n)\n");
    world.check_error(&["./..."], &["nowhere/go.mod", "go.work uses ./nowhere"]);
}
