//! Output that cannot be written is an error; a closed pipe is not.
#![cfg(unix)]

use std::{
    fs::File,
    process::{Command, Output, Stdio},
};

use crate::cli::sandbox::{Sandbox, testdata};

fn command(arguments: &[&str], sandbox: &Sandbox) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kube-codegen"));
    command.args(arguments).current_dir(sandbox.path(""));
    command
}

/// Runs a command whose standard output is a full disk.
fn run_full(arguments: &[&str], sandbox: &Sandbox) -> Output {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut command = command(arguments, sandbox);
    command.stdout(full).output().unwrap()
}

/// Runs a command whose standard output is a closed pipe.
fn run_closed(arguments: &[&str], sandbox: &Sandbox) -> Output {
    let mut command = command(arguments, sandbox);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    child.wait_with_output().unwrap()
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_apis("virtualmachine");
    let crd = testdata().join("buildscript/crds/virtualmachine.yaml");
    sandbox.write("crd.yaml", &std::fs::read_to_string(crd).unwrap());
    sandbox.configure("[[crate]]\n[crate.rust]\n");
    sandbox
}

/// Every command that prints to standard output.
const COMMANDS: [&[&str]; 11] = [
    &["crd", "crd.yaml"],
    &["crd", "crd.yaml", "--output", "out"],
    &["crd", "crd.yaml", "--output", "other", "--dry-run"],
    &["inspect", "crd.yaml"],
    &["inspect", "--json"],
    &["generate"],
    &["markers"],
    &["markers", "--json"],
    &["completions", "bash"],
    &["generate", "--help"],
    &["--version"],
];

#[test]
fn a_full_disk_is_an_error() {
    let sandbox = sandbox();
    for arguments in COMMANDS {
        let output = run_full(arguments, &sandbox);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(
            stderr.contains("error: cannot write to standard output: "),
            "{arguments:?}: {stderr}"
        );
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let sandbox = sandbox();
    for arguments in COMMANDS {
        let output = run_closed(arguments, &sandbox);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            (output.status.code(), &*stderr),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

#[test]
fn a_failed_check_fails_whoever_reads() {
    let sandbox = sandbox();
    let output = run_closed(&["generate", "--check"], &sandbox);
    assert_eq!(output.status.code(), Some(1));
    let output = run_full(&["generate", "--check"], &sandbox);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn manifests_keep_going_without_crds_that_have_errors() {
    let sandbox = Sandbox::new();
    let crd = |kind, plural| {
        let spec = "          spec: {type: object}\n";
        super::crd::crd_text(kind, plural, spec)
    };
    sandbox.write("crds/routes.yaml", &crd("Route", "routes"));
    sandbox.write(
        "crds/gates.yaml",
        &crd("Gate", "gates").replace("type: object", "type: text"),
    );
    let written = "config/crd/bases/example.com_routes.yaml";
    let arguments = ["manifests", "--from-crd", "crds"];
    assert_eq!(sandbox.quiet(&arguments).code, 1);
    assert!(!sandbox.path(written).exists());
    let run = sandbox.quiet(&[&arguments[..], &["--keep-going"]].concat());
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("gates.yaml"), "{}", run.stderr);
    assert!(sandbox.path(written).exists());
    sandbox.configure(
        "[[crate]]\nemit = [\"types\"]\n[crate.crd]\nfiles = [\"crds\"]\nkeep-going = true\n",
    );
    assert_eq!(sandbox.quiet(&["generate"]).code, 1);
    assert!(sandbox.path("src/apis/example/v1/route.rs").exists());
}
