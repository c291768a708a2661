//! `update`: what was written to an operator, merged with what this release writes.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    fs,
    path::{Path, PathBuf},
};

use kube_codegen::operator::{
    Operator,
    update::{Init, Outcome, Written, outcomes},
};
use proptest::{prelude::*, sample::Index};

use crate::cli::{
    operator::{about, about_what, create, create_webhook, files, operator, whole_sample},
    sandbox::Sandbox,
};

const RECORD: &str = ".kube-codegen.json";

/// The table of metrics, which is the user's, and what its tests write.
const OF_METRICS: [&str; 3] = [
    "config/dashboard/dashboard.yaml",
    "docs/metrics.md",
    "src/metrics.rs",
];

fn record(sandbox: &Sandbox) -> Written {
    Written::read(&sandbox.read(RECORD)).unwrap()
}

/// Asserts that the record has the contents of every file that it has.
#[track_caller]
fn check_recorded(sandbox: &Sandbox, without: &[&str]) {
    let written = record(sandbox);
    assert_eq!(*written.texts(), written.of_this_release());
    for (path, text) in written.texts() {
        let found = fs::read_to_string(sandbox.path(path.to_str().unwrap()));
        assert_eq!(found.as_ref().ok(), Some(text), "{}", path.display());
    }
    let is_recorded = |path: &Path| written.texts().contains_key(path);
    let unrecorded = files(&sandbox.path("")).into_keys().filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        let is_generated = name.starts_with("zz_generated") || path.starts_with("src/generated");
        !is_recorded(path) && !is_generated
    });
    let unrecorded: Vec<String> = unrecorded.map(|path| path.display().to_string()).collect();
    let generated = [
        RECORD,
        "config/crd.yaml",
        "config/role.yaml",
        "config/webhooks.yaml",
    ];
    let expected = generated.iter().chain(without);
    let is_expected = |path: &String| expected.clone().any(|it| it == path);
    assert!(unrecorded.iter().all(is_expected), "{unrecorded:?}");
}

#[test]
fn everything_that_is_written_is_recorded() {
    check_recorded(&operator(), &[]);
    for more in [&["--self-signed"][..], &[]] {
        check_recorded(&whole_sample(more), &OF_METRICS);
    }
}

#[test]
fn what_comes_from_elsewhere_is_not_recorded() {
    let sandbox = operator();
    create(&sandbox, "batch/v1/Widget", &[]);
    create(&sandbox, "batch/v2/Widget", &["--from", "v1"]);
    let types = "src/apis/batch/v2/widget.rs";
    let rule = "    // +kubebuilder:validation:XValidation:rule=\"self % 2 == 0\"\n";
    let field = "    pub size: i32,";
    sandbox.edit(types, field, &format!("{rule}{field}"));
    sandbox.succeeds(&about_what(["create", "policy"], "batch/v2/Widget", &[]));
    create_webhook(&sandbox, "batch/v1/Widget", &["--conversion"]);
    let named = ["--name", "widget_backup"];
    let controller = about_what(["create", "controller"], "batch/v1/Widget", &named);
    sandbox.succeeds(&controller);
    check_recorded(
        &sandbox,
        &[
            "config/policies/widget.yaml",
            "config/samples/widget_v2.yaml",
            types,
        ],
    );
}

#[test]
fn deletions_in_any_order_leave_the_record_of_what_is_there() {
    let sandbox = whole_sample(&["--self-signed"]);
    let webhook = ["delete", "webhook"];
    sandbox.succeeds(&about_what(
        webhook,
        "batch/v1alpha1/Widget",
        &["--validation"],
    ));
    check_recorded(&sandbox, &OF_METRICS);
    let controller = ["delete", "controller"];
    sandbox.succeeds(&about_what(controller, "apps/v1/Deployment", &[]));
    sandbox.succeeds(&about_what(webhook, "batch/v1alpha1/Widget", &[]));
    check_recorded(&sandbox, &OF_METRICS);
    sandbox.succeeds(&about_what(webhook, "apps/v1/Deployment", &[]));
    sandbox.succeeds(&about("delete", "batch/v1beta1/Widget", &[]));
    sandbox.succeeds(&about("delete", "batch/v1alpha1/Widget", &[]));
    check_recorded(&sandbox, &OF_METRICS);
}

/// Makes the operator one that an older release has written, with `from` in place of `to`.
fn age(sandbox: &Sandbox, changes: &[(&str, &str, &str)]) {
    let mut written = record(sandbox);
    let texts = changes.iter().map(|(path, to, from)| {
        let text = &written.texts()[Path::new(path)];
        assert!(text.contains(to), "{path}");
        sandbox.edit(path, to, from);
        (PathBuf::from(path), text.replace(to, from))
    });
    let texts: Vec<_> = texts.collect();
    written.pretend("0.0.9", texts);
    sandbox.write(RECORD, &written.text());
}

#[test]
fn an_update_merges_what_this_release_writes_into_what_became_of_it() {
    let mut sandbox = operator();
    create(&sandbox, "batch/v1/Widget", &[]);
    let new = files(&sandbox.path(""));
    let main = "fn main";
    age(
        &sandbox,
        &[
            (
                "config/deployment.yaml",
                "readOnlyRootFilesystem",
                "readOnly",
            ),
            ("config/namespace.yaml", "kind: Namespace", "kind: Space"),
            ("src/main.rs", main, "fn start"),
            (
                "src/controllers/widget.rs",
                "async fn reconcile",
                "async fn run",
            ),
            (".gitignore", "/target", "/build"),
        ],
    );
    sandbox.edit(
        "config/deployment.yaml",
        "replicas:",
        "# Ours.\n  replicas:",
    );
    sandbox.edit("src/main.rs", "fn start", "fn ours");
    fs::remove_file(sandbox.path("config/namespace.yaml")).unwrap();
    let before = sandbox.state();
    sandbox.run(&["update", "--dry-run"]);
    assert!(sandbox.state() == before, "nothing is written");
    sandbox.run(&["update", "--no-check"]);
    let deployment = sandbox.read("config/deployment.yaml");
    let merged =
        new[Path::new("config/deployment.yaml")].replace("replicas:", "# Ours.\n  replicas:");
    assert_eq!(deployment, merged);
    assert!(sandbox.read("src/main.rs").contains("fn ours"));
    let conflict = sandbox.read("src/main.rs.conflict");
    for part in ["<<<<<<<", "fn ours", "fn start", main, ">>>>>>>"] {
        assert!(conflict.contains(part), "{part}: {conflict}");
    }
    for same in ["src/controllers/widget.rs", ".gitignore"] {
        assert_eq!(sandbox.read(same), new[Path::new(same)]);
    }
    assert_eq!(record(&sandbox).text(), new[Path::new(RECORD)]);
    sandbox.run(&["update", "--no-check"]);
    fs::remove_file(sandbox.path("src/main.rs.conflict")).unwrap();
    sandbox.run(&["update", "--no-check"]);
    sandbox.check("operator-update");
}

#[test]
fn files_that_a_release_adds_or_leaves_out_are_told() {
    let mut sandbox = operator();
    let mut written = record(&sandbox);
    written.pretend("0.0.9", [("old.txt".into(), "old\n".to_owned())]);
    let text = written.text();
    // A record of a release that did not write these two.
    let lines = text.lines().filter(|line| {
        !line.contains("\"Dockerfile\"") && !line.contains("\"config/metrics.yaml\"")
    });
    sandbox.write(RECORD, &(lines.collect::<Vec<_>>().join("\n") + "\n"));
    sandbox.write("old.txt", "old\n");
    sandbox.write("Dockerfile", "FROM scratch\n");
    fs::remove_file(sandbox.path("config/metrics.yaml")).unwrap();
    sandbox.run(&["update", "--no-check"]);
    assert!(sandbox.path("config/metrics.yaml").exists());
    sandbox.check("operator-update-files");
}

#[test]
fn an_update_needs_a_record_of_its_own_release_or_an_older_one() {
    let mut sandbox = operator();
    let text = sandbox.read(RECORD);
    let mut written = record(&sandbox);
    written.pretend("99.0.0", []);
    sandbox.write(RECORD, &written.text());
    sandbox.run(&["update"]);
    let line = text
        .lines()
        .find(|line| line.contains("src/main.rs"))
        .unwrap();
    sandbox.write(RECORD, &text.replace(line, "\"src/main.rs\": \"!\","));
    sandbox.run(&["update"]);
    fs::remove_file(sandbox.path(RECORD)).unwrap();
    sandbox.run(&["update"]);
    // Without a record, other commands do without.
    sandbox.run(&about("create", "batch/v1/Widget", &["--dry-run"]));
    sandbox.check("operator-update-record");
}

#[test]
fn files_that_init_kept_are_not_updated() {
    let sandbox = Sandbox::new();
    sandbox.write("README.md", "# Ours\n");
    let init = ["init", "a", "--domain", "example.com", "--output", "."];
    sandbox.succeeds(&init);
    let written = record(&sandbox);
    assert!(!written.texts().contains_key(Path::new("README.md")));
    sandbox.succeeds(&["update", "--no-check"]);
    assert_eq!(sandbox.read("README.md"), "# Ours\n");
}

#[test]
fn a_command_of_this_release_keeps_what_an_older_one_wrote_of_other_files() {
    let sandbox = operator();
    age(
        &sandbox,
        &[("src/app.rs", "pub async fn setup", "pub  async fn setup")],
    );
    create(&sandbox, "batch/v1/Widget", &[]);
    let written = record(&sandbox);
    assert_eq!(written.release(), "0.0.9");
    let app = &written.texts()[Path::new("src/app.rs")];
    assert_eq!(*app, sandbox.read("src/app.rs"));
    assert!(
        app.contains("pub  async fn setup") && app.contains("widget::add"),
        "{app}"
    );
}

#[cfg(unix)]
#[test]
fn what_does_not_compile_after_an_update_is_told() {
    use std::os::unix::fs::PermissionsExt as _;

    for (code, said) in [(1, "the operator does not compile"), (0, "")] {
        let mut sandbox = operator();
        sandbox.write(
            "cargo",
            &format!("#!/bin/sh\necho \"$@\" >asked\nexit {code}\n"),
        );
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(sandbox.path("cargo"), executable).unwrap();
        sandbox.set("CARGO", "cargo");
        let run = sandbox.quiet(&["update"]);
        assert_eq!(run.code, code, "{}", run.stderr);
        run.says(said);
        assert_eq!(sandbox.read("asked"), "check --quiet --all-targets\n");
    }
}

/// An edit of one line of a text.
#[derive(Clone, Debug)]
enum Edit {
    Insert(Index),
    Remove(Index),
    Replace(Index),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let at = any::<Index>;
    let edit = prop_oneof![
        at().prop_map(Edit::Insert),
        at().prop_map(Edit::Remove),
        at().prop_map(Edit::Replace),
    ];
    proptest::collection::vec(edit, 0..5)
}

/// Edits a text; `mark` tells the lines apart that are new.
fn edited(text: &str, edits: &[Edit], mark: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (number, edit) in edits.iter().enumerate() {
        let line = format!("// {mark} {number}");
        match edit {
            Edit::Insert(at) => lines.insert(at.index(lines.len() + 1), line),
            Edit::Remove(at) if !lines.is_empty() => {
                lines.remove(at.index(lines.len()));
            }
            Edit::Replace(at) if !lines.is_empty() => {
                let at = at.index(lines.len());
                lines[at] = line;
            }
            _ => {}
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn marked<'t>(text: &'t str, mark: &str) -> Vec<&'t str> {
    let lines = text.lines();
    lines
        .filter(|line| line.starts_with(&format!("// {mark} ")))
        .collect()
}

proptest! {
    #[test]
    fn no_edit_of_a_user_is_lost_and_no_rust_breaks(
        file in any::<Index>(),
        (older, users) in (edits(), edits()),
    ) {
        let mut written = Written::new(Init {
            operator: Operator { name: "a".to_owned(), converts: true, ..Operator::default() },
            runtime: None,
            kept: Vec::new(),
        });
        let new = written.texts().clone();
        let paths: Vec<&PathBuf> = new.keys().filter(|path| path.extension().is_some_and(|it| it == "rs")).collect();
        let path = file.get(&paths);
        let old = edited(&new[*path], &older, "old");
        let ours = edited(&old, &users, "ours");
        written.pretend("0.0.9", [((*path).clone(), old.clone())]);
        let mut disk: BTreeMap<PathBuf, String> = new.clone();
        disk.insert((*path).clone(), ours.clone());
        let found = outcomes(&written, |path| Ok::<_, Infallible>(disk.get(path).cloned()));
        let found = found.unwrap();
        prop_assert!(found.keys().all(|it| it == *path), "{:?}", found);
        let after = match found.get(*path) {
            Some(Outcome::Write(text)) => text,
            Some(Outcome::Conflict(text)) => {
                prop_assert!(text.contains("<<<<<<<"));
                &ours
            }
            None => &ours,
            Some(other) => return Err(TestCaseError::fail(format!("{other:?}"))),
        };
        prop_assert_eq!(marked(after, "ours"), marked(&ours, "ours"));
        if syn::parse_file(&ours).is_ok() {
            prop_assert!(syn::parse_file(after).is_ok(), "{after}");
        }
        if ours == old {
            prop_assert_eq!(after, &new[*path]);
        }
        if old == new[*path] {
            prop_assert_eq!(after, &ours);
        }
    }
}
