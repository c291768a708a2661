//! Errors in `codegen.toml`: `testdata/cli/codegen-toml` has one case for each, next to its
//! rendered error.

use std::fs;

use crate::cli::sandbox::{Sandbox, testdata};

#[test]
fn every_mistake_is_told_with_its_place() {
    let folder = testdata().join("cli/codegen-toml");
    let mut cases: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    cases.sort();
    assert!(cases.len() >= 10, "{} cases", cases.len());
    for case in cases {
        let sandbox = Sandbox::with_apis("virtualmachine");
        sandbox.configure(&fs::read_to_string(&case).unwrap());
        sandbox.write("member/codegen.toml", "[workspace]\nmembers = [\"x\"]\n");
        let before = sandbox.state();
        let run = sandbox.quiet(&["generate"]);
        let name = case.file_stem().unwrap().to_str().unwrap();
        assert_eq!(run.code, 2, "{name}: {}{}", run.stdout, run.stderr);
        assert!(before == sandbox.state(), "{name} wrote something");
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../../../../testdata/cli/codegen-toml");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, run.stderr));
    }
}

#[test]
fn flags_and_header_are_checked_before_anything_is_read() {
    let mut sandbox = Sandbox::new();
    sandbox.write("open.txt", "/* Copyright.\n");
    sandbox.write("mixed.txt", "// Copyright.\nAll of it.\n");
    let crd = ["crd", "nowhere.yaml", "--output", "out"];
    for flags in [
        ["--header-file", "open.txt"],
        ["--header-file", "mixed.txt"],
        ["--base-path", "crate::a b"],
        ["--runtime-path", "foo--bar"],
        ["--runtime-path", "super::runtime"],
        ["--k8s-openapi-path", ""],
    ] {
        let run = sandbox.run(&[&crd[..], &flags].concat());
        assert_eq!(run.code, 2, "{flags:?}");
    }
    sandbox.check("flags");
}

#[test]
fn the_mistakes_of_all_files_come_in_one_run() {
    let mut sandbox = Sandbox::new();
    sandbox.configure(
        "[workspace]\nmembers = [\"a\", \"b\"]\n[[crate]]\nouput = \"x\"\n[crate.rust]\n",
    );
    sandbox.write("a/codegen.toml", "[[crate]\n");
    sandbox.write(
        "b/codegen.toml",
        "[[crate]]\nruntime-path = \"a b\"\nbase-path = \"kube\"\n[crate.rust]\n",
    );
    assert_eq!(sandbox.run(&["generate"]).code, 2);
    sandbox.check("codegen-toml-all");
}
