//! What is read of packages without kinds, and which packages and files a build has.

use std::path::Path;

use super::{World, module, object};
use crate::{Manifests, Options, options::Compat, read::go::Build};

const RULE: &str = "+kubebuilder:rbac:urls=/a,verbs=get";
const WEBHOOK: &str = "+kubebuilder:webhook:path=/a,mutating=true,failurePolicy=fail,sideEffects=None,groups=a.b,\
    resources=c,verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=v1";

/// The rules and webhooks of a module whose only marked package is a controller's, and the
/// warnings.
fn policy(files: &[(&str, &str)], compat: Compat, crds: Option<String>) -> (usize, usize, String) {
    let options = Options {
        emit: [].into(),
        compat,
        manifests: Some(Manifests {
            crds,
            ..Manifests::default()
        }),
        ..Options::default()
    };
    let generated = module(files)
        .generated(&["./..."], &options)
        .unwrap_or_else(|errors| panic!("{errors}"));
    let role = Path::new("config/rbac/role.yaml");
    let is_written = generated.manifests.contains_key(role);
    assert_eq!(is_written, !generated.api.rules.is_empty());
    let warnings = generated.warnings.render(crate::diag::Style::Plain);
    (
        generated.api.rules.len(),
        generated.api.webhooks.len(),
        warnings,
    )
}

#[test]
fn rules_and_webhooks_of_packages_without_kinds_are_written() {
    let controller = format!("package controller\n\n// {RULE}\n\n// {WEBHOOK}\n\nfunc A() {{}}\n");
    let kind = object("_ \"embed\"", "string");
    let crds = Some("crds".to_owned());
    for kinds in [&[][..], &[("main/api/v1/types.go", kind.as_str())]] {
        let controller = ("main/internal/controller/c.go", controller.as_str());
        let excluded = ("main/internal/controller/c_windows.go", controller.1);
        let files = [&[controller, excluded], kinds].concat();
        for compat in [Compat::Strict, Compat::ControllerGen] {
            let (rules, webhooks, warnings) = policy(&files, compat, crds.clone());
            assert_eq!((rules, webhooks, warnings.as_str()), (1, 1, ""));
        }
    }
}

#[test]
fn a_rule_above_a_function_counts_and_controller_gen_is_said_to_ignore_it() {
    let text = format!("package controller\n\n// {RULE}\nfunc A() {{}}\n");
    let files = [("main/controller/c.go", text.as_str())];
    assert_eq!(policy(&files, Compat::Strict, None).0, 1);
    let (rules, _, warnings) = policy(&files, Compat::ControllerGen, None);
    assert_eq!(rules, 0);
    assert!(
        warnings.contains("controller-gen does not read this marker"),
        "{warnings}"
    );
}

#[test]
fn roles_alone_need_no_types() {
    let kind = object("missing \"example.com/missing\"", "missing.Type");
    let kind = format!("{kind}\n// {RULE}\n");
    let files = [("main/api/v1/types.go", kind.as_str())];
    assert_eq!(policy(&files, Compat::Strict, None).0, 1);
}

#[test]
fn patterns_pass_over_the_folders_that_go_mod_ignores() {
    let world = World::new(&[
        (
            "main/go.mod",
            "module example.com/main\ngo 1.25\nignore ./docs\nignore (\n\tnode_modules/go\n)\n",
        ),
        ("main/a/a.go", "package a\n"),
        ("main/docs/docs.go", "package docs\n"),
        ("main/a/docs/docs.go", "package docs\n"),
        ("main/a/node_modules/go/b/b.go", "package b\n"),
        ("main/a/node_modules/c/c.go", "package c\n"),
    ]);
    let loaded = world.load(&["./..."]).expect("packages");
    let paths = loaded.packages.iter().map(|package| package.path.as_str());
    let below = ["a", "a/docs", "a/node_modules/c"];
    assert_eq!(
        paths.collect::<Vec<_>>(),
        below.map(|path| format!("example.com/main/{path}"))
    );
    // A package that is named is read nevertheless.
    assert_eq!(
        world.load(&["./docs"]).expect("a package").packages.len(),
        1
    );
}

#[test]
fn files_are_those_of_the_build() {
    let of = |build: Build| {
        let mut world = module(&[
            ("main/a/a.go", "package a\ntype A string\n"),
            ("main/a/b_windows.go", "package a\ntype B string\n"),
            ("main/a/c.go", "package a\nimport \"C\"\ntype C string\n"),
            (
                "main/a/d.go",
                "//go:build extra\n\npackage a\ntype D string\n",
            ),
        ]);
        world.environment.build = build;
        let loaded = world.load(&["./a"]).expect("a package");
        let module = super::read(
            &loaded,
            super::IgnoredMarkers(&[]),
            Compat::Strict,
            &mut super::Diagnostics::new(),
        );
        let types = module.packages[0].types.iter();
        types.map(|decl| decl.name.clone()).collect::<String>()
    };
    assert_eq!(of(Build::default()), "AC");
    let windows = Build {
        os: "windows".to_owned(),
        cgo: false,
        tags: vec!["extra".to_owned()],
        ..Build::default()
    };
    assert_eq!(of(windows), "ABD");
}

#[test]
fn a_go_input_without_a_folder_is_that_of_codegen_toml() {
    let file = Path::new("codegen.toml");
    let text = "[[crate]]\n[[crate.go]]\n";
    let workspace = crate::config::Workspace::parse(file, text).expect("a valid file");
    assert_eq!(workspace.crates[0].go[0].dir, Path::new("."));
}
