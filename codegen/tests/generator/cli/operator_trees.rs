//! The trees of operators with eight combinations of options, as listings: new files with their
//! lines and a hash, and what changes in those of `init`, unless that is long.

use std::{fmt::Write as _, path::Path};

use similar::{ChangeTag, TextDiff};

use super::{
    operator::{Files, about, about_what, create, differing, files, operator},
    operator_restricted::restricted,
};
use crate::cli::sandbox::{Sandbox, snapshot, testdata};

const WIDGET: &str = "batch/v1alpha1/Widget";

/// 64-bit FNV-1a, which is the same in all releases of Rust.
fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The number of changed lines above which a file has a hash instead.
const LONG: usize = 30;

fn summarize(out: &mut String, what: &str, text: &str) {
    let lines = text.lines().count();
    writeln!(out, "{what}: {lines} lines, {:016x}", hash(text)).unwrap();
}

/// What `after` has that `before` has not. The record of what was written repeats the files.
fn listing(before: &Files, after: &Files) -> String {
    let mut out = String::new();
    let paths = differing(before, after).into_iter();
    for path in paths.filter(|path| *path != Path::new(".kube-codegen.json")) {
        let name = path.display();
        match (before.get(path), after.get(path)) {
            (None, Some(text)) => summarize(&mut out, &format!("+ {name}"), text),
            (Some(_), None) => writeln!(out, "- {name}").unwrap(),
            (old, new) => {
                let texts = [old, new].map(|text| text.cloned().unwrap_or_default());
                let diff = TextDiff::from_lines(&texts[0], &texts[1]);
                let changes = diff.iter_all_changes();
                let changes: Vec<_> = changes.filter(|it| it.tag() != ChangeTag::Equal).collect();
                if changes.len() > LONG {
                    summarize(&mut out, &format!("~ {name}"), &texts[1]);
                    continue;
                }
                writeln!(out, "~ {name}").unwrap();
                for change in changes {
                    write!(out, "    {}{change}", change.tag()).unwrap();
                }
            }
        }
    }
    out
}

/// Compares what the options add to a new operator with `testdata/cli/operator-tree-NAME.snap`.
fn check(name: &str, sandbox: &Sandbox) {
    let before = files(&operator().path(""));
    let after = files(&sandbox.path(""));
    let listed = listing(&before, &after);
    snapshot(&format!("operator-tree-{name}"), &listed);
}

/// An operator with a kind, after further commands.
fn with(commands: &[Vec<&str>]) -> Sandbox {
    let sandbox = operator();
    create(&sandbox, WIDGET, &[]);
    for command in commands {
        sandbox.succeeds(command);
    }
    sandbox
}

fn webhook<'a>(api: &'a str, flags: &[&'a str]) -> Vec<&'a str> {
    about_what(["create", "webhook"], api, flags)
}

#[test]
fn a_kind() {
    check("plain", &with(&[]));
}

#[test]
fn a_kind_of_the_cluster() {
    let sandbox = operator();
    create(&sandbox, "cache/v1/Region", &["--cluster"]);
    check("cluster-scoped", &sandbox);
}

#[test]
fn two_groups() {
    let other = about("create", "cache/v1/Image", &[]);
    check("groups", &with(&[other]));
}

#[test]
fn webhooks() {
    let handlers = webhook(WIDGET, &["--defaulting", "--validation"]);
    check("webhooks", &with(&[handlers]));
}

#[test]
fn two_versions_with_a_conversion() {
    let other = about("create", "batch/v1beta1/Widget", &["--from", "v1alpha1"]);
    let conversion = webhook(WIDGET, &["--conversion", "--self-signed"]);
    check("versions", &with(&[other, conversion]));
}

#[test]
fn a_kind_from_a_crd() {
    let sandbox = operator();
    let path = testdata().join("crds/kubevirt/migrationpolicies.migrations.kubevirt.io.yaml");
    sandbox.succeeds(&["create", "api", "--from-crd", path.to_str().unwrap()]);
    check("from-crd", &sandbox);
}

#[test]
fn kinds_of_kubernetes() {
    let sandbox = operator();
    sandbox.succeeds(&about_what(
        ["create", "controller"],
        "apps/v1/Deployment",
        &[],
    ));
    sandbox.succeeds(&webhook("core/v1/Pod", &["--defaulting", "--validation"]));
    check("kubernetes", &sandbox);
}

#[test]
fn a_kind_in_two_namespaces() {
    check("restricted", &restricted());
}
