//! Missing packages: an error where one of their types is needed, and nowhere else.

use std::fs;

use super::{World, module, object};
use crate::{Options, Sources, config::layout::shown, diag::Style};

impl World {
    /// Generates from `./v1`; returns the errors.
    fn generate(&self, type_path: Option<(&str, &str)>) -> Result<(), String> {
        let sources = Sources {
            go: vec![self.load(&["./v1"])?],
            ..Sources::default()
        };
        let mut options = Options::default();
        if let Some((go, rust)) = type_path {
            options.type_paths.insert(go.to_owned(), rust.to_owned());
        }
        let generated = crate::generate(&sources, &options).map(drop);
        let root = shown(self.folder.path());
        generated.map_err(|errors| errors.render(Style::Plain).replace(&root, "$"))
    }

    /// Checks that a type of a missing package is an error with these parts, and that `--type-path`
    /// resolves it.
    #[track_caller]
    pub(super) fn check_missing(&self, ty: &str, expected: &[&str]) {
        let errors = self.generate(None).expect_err("a package is missing");
        for part in expected {
            assert!(errors.contains(part), "{part} is not in:\n{errors}");
        }
        let count = errors.matches(" not found").count();
        assert_eq!(count, 1, "{errors}");
        self.generate(Some((ty, "mine::Spec"))).expect("replaced");
    }
}

#[test]
fn what_is_missing_is_named_where_a_type_of_it_is_needed() {
    let world = module(&[(
        "main/v1/types.go",
        &object("lib \"example.com/Lib/api\"", "lib.Spec"),
    )]);
    let spec = "example.com/Lib/api.Spec";
    world.check_missing(
        spec,
        &[
            "error[K0301]: package example.com/Lib/api not found",
            "main/v1/types.go:4:2",
            "its module example.com/Lib v1.2.0 is not in the module cache",
            "run `go mod download example.com/Lib@v1.2.0`",
            "--type-path 'example.com/Lib/api.Spec=my_crate::Spec'",
        ],
    );
    fs::create_dir_all(world.path("mod/example.com/!lib@v1.2.0")).expect("a folder");
    world.check_missing(spec, &["its module example.com/Lib has no Go files in"]);
    world.write("main/v1/types.go", object("x \"example.org/x\"", "x.Spec"));
    world.check_missing(
        "example.org/x.Spec",
        &[
            "no module that go.mod requires provides it",
            "run `go mod tidy`",
        ],
    );
}

#[test]
fn what_is_missing_is_no_error_where_nothing_of_it_is_needed() {
    let text = object("lib \"example.com/Lib/api\"", "string");
    let unused = "type Unused struct {\n\tSpec lib.Spec `json:\"spec\"`\n}\n";
    let world = module(&[("main/v1/types.go", &format!("{text}{unused}"))]);
    world.generate(None).expect("nothing of it is needed");
}

#[test]
fn a_struct_that_is_embedded_has_to_be_there() {
    let text = object("lib \"example.com/Lib/api\"", "Spec");
    let spec = "type Spec struct {\n\tlib.Spec `json:\",inline\"`\n}\n";
    let world = module(&[("main/v1/types.go", &format!("{text}{spec}"))]);
    let replaced = Some(("example.com/Lib/api.Spec", "mine::Spec"));
    for type_path in [None, replaced] {
        let errors = world.generate(type_path).expect_err("embedded");
        assert!(
            errors.contains("package example.com/Lib/api not found"),
            "{errors}"
        );
        for part in [
            "run `go mod download example.com/Lib@v1.2.0`",
            "provide the sources of example.com/Lib/api in the module cache",
            "`Spec` is embedded, and `--type-path` does not specify its fields",
        ] {
            assert!(errors.contains(part), "{part} is not in:\n{errors}");
        }
    }
}
