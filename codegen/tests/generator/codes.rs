//! Codes of errors: each has an example that fails with it, all errors about input have one, and
//! `docs/errors.md` is the table.

use std::{collections::BTreeSet, env, fs, path::Path};

use kube_codegen::diag::codes::{self, Class, Example};
use rayon::prelude::*;

use crate::cli::sandbox::{Sandbox, testdata};

/// Files whose errors are not about input, with the reason.
const WITHOUT_CODE: &[(&str, &str)] = &[
    (
        "config/error.rs",
        "joins errors of files that cannot be written",
    ),
    ("emit/mod.rs", "the generator's own fault"),
    ("lint/print.rs", "findings have the name of their rule"),
    ("threads.rs", "the system's or the generator's own fault"),
];

/// A CRD of three versions, the last of which is stored.
fn crd() -> String {
    let mut text = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: machines.cloud.example.com\nspec:\n  group: cloud.example.com\n  scope: Namespaced\n  names: {kind: Machine, plural: machines}\n  versions:\n".to_owned();
    for (version, is_stored) in [("v1alpha1", false), ("v1beta1", false), ("v1", true)] {
        text += &format!(
            "  - name: {version}\n    served: true\n    storage: {is_stored}\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec: {{type: object, properties: {{size: {{type: integer}}}}}}\n"
        );
    }
    text
}

/// A kind of annotated Rust.
const MACHINE: &str = "// +genclient
// +kubebuilder:storageversion
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
}
";

/// A project that has no errors, with the file of an example.
fn project(example: &Example) -> Sandbox {
    let sandbox = Sandbox::new();
    let is_rust = example.file.ends_with(".rs") || example.text.contains("[crate.rust]");
    let rust = if is_rust {
        "[crate.rust]\napis = \"src/apis\"\n"
    } else {
        "[crate.crd]\nfiles = [\"crds\"]\n"
    };
    sandbox.write("codegen.toml", &format!("[[crate]]\n\n{rust}"));
    sandbox.write("crds/machine.yaml", &crd());
    sandbox.write(
        "Cargo.toml",
        "[package]\nname = \"sample\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\ncodegen-runtime = \"0.1\"\n",
    );
    sandbox.write("src/lib.rs", "pub mod apis;\n");
    sandbox.write("go.mod", "module example.com/cloud\n\ngo 1.24\n");
    let has_kinds = example.file.contains("/v1/") || example.file == "src/lib.rs";
    if is_rust && !has_kinds {
        sandbox.write(
            "src/apis/cloud/v1/mod.rs",
            &format!("{}{MACHINE}", codes::RUST_PRELUDE),
        );
    }
    if !example.file.is_empty() {
        let text = format!("{}{}", example.prelude, example.text);
        sandbox.write(example.file, &text);
    }
    sandbox
}

/// The words behind `error`, one an error: `[K0101]`, or nothing.
fn codes_of(text: &str) -> BTreeSet<&str> {
    let starts = |line: &&str| line.starts_with("error:") || line.starts_with("error[");
    let errors = text.lines().filter(starts);
    errors
        .map(|line| line.split(':').next().unwrap_or_default())
        .collect()
}

fn fault(class: &Class) -> Option<String> {
    let sandbox = project(&class.example);
    let arguments: Vec<&str> = class.example.command.split(' ').collect();
    let run = sandbox.quiet(&arguments);
    let wanted = format!("error[{}]", class.code);
    let found = codes_of(&run.stderr);
    // Errors of the configuration end with 2.
    let is_right = run.code != 0 && found == BTreeSet::from([wanted.as_str()]);
    (!is_right).then(|| {
        format!(
            "{}: exit {}\n{}\n{}",
            class.code, run.code, run.stdout, run.stderr
        )
    })
}

#[test]
fn each_code_has_an_example_with_this_code_alone() {
    let all: Vec<&Class> = codes::classes().collect();
    let mut faults: Vec<String> = all.par_iter().filter_map(|class| fault(class)).collect();
    faults.sort();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn codes_ascend_by_stage_and_explain_themselves() {
    let mut last = String::new();
    for (index, (_, classes)) in codes::STAGES.iter().enumerate() {
        for class in *classes {
            let code = class.code.to_string();
            assert!(code > last, "{code} follows {last}");
            let stage = format!("K0{index}");
            assert!(code.starts_with(&stage), "{code} is not of {stage}");
            let run = Sandbox::new().quiet(&["explain", &code.to_lowercase()]);
            let explained = format!("{code}: {}\n\n{}", class.title, class.explanation());
            assert_eq!(run.stdout, explained);
            last = code;
        }
    }
}

#[test]
fn every_file_that_creates_errors_has_a_code_or_a_reason() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let from: Vec<&str> = codes::classes()
        .flat_map(|class| class.from)
        .copied()
        .collect();
    let unique: BTreeSet<&&str> = from.iter().collect();
    assert_eq!(unique.len(), from.len(), "a file has two codes");
    for path in &from {
        assert!(source.join(path).exists(), "there is no {path}");
    }
    let covered = |file: &str| {
        from.iter()
            .any(|path| file == *path || path.ends_with('/') && file.starts_with(path))
    };
    for (file, text) in files(&source) {
        let creates = text.contains("Diagnostic::error");
        let called = text.matches("Diagnostic::error(").count();
        let named = text.matches("Diagnostic::error").count();
        assert_eq!(
            called, named,
            "{file}: a path to it does not know its caller"
        );
        let exempt = WITHOUT_CODE.iter().any(|(path, _)| *path == file);
        let own = file.starts_with("diag/") || file == "config/build_script.rs";
        assert!(
            !creates || own || exempt != covered(&file),
            "{file} needs a row in codegen/src/diag/codes"
        );
    }
}

/// The Rust files of a folder, by their paths below it.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
                found.push((name.to_owned(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

#[test]
fn errors_of_goldens_have_codes() {
    let mut without = Vec::new();
    for entry in fs::read_dir(testdata().join("fail")).unwrap() {
        let path = entry.unwrap().path().join("error.snap");
        if codes_of(&fs::read_to_string(&path).unwrap()).contains("error") {
            without.push(path);
        }
    }
    for entry in fs::read_dir(testdata().join("cli")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && has_plain_input_error(&fs::read_to_string(&path).unwrap()) {
            without.push(path);
        }
    }
    assert!(without.is_empty(), "{without:#?}");
}

/// Whether a command of a transcript ends with exit code 1 and has an error without code.
fn has_plain_input_error(transcript: &str) -> bool {
    let commands = transcript.split("\n$ ");
    let failed = commands.filter(|text| text.contains("\n[exit 1]"));
    let mut failed = failed.filter(|text| codes_of(text).contains("error"));
    failed.any(|text| !text.starts_with("kube-codegen lint"))
}

#[test]
fn the_page_of_errors_is_the_table() {
    let path = testdata().join("../docs/errors.md");
    let page = codes::page();
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "docs/errors.md: UPDATE_GOLDEN=1 cargo test --test generator codes"
    );
}
