//! Interrupted runs leave no files behind, or only files that the next run removes.
#![cfg(unix)]

use std::{
    fs::{self, File},
    os::unix::process::ExitStatusExt as _,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::cli::sandbox::Sandbox;

const STAGE: &str = "src/.kube-codegen";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_apis("virtualmachine");
    sandbox.configure("[[crate]]\n[crate.rust]\n");
    sandbox
}

fn start(sandbox: &Sandbox) -> Child {
    Command::new(env!("CARGO_BIN_EXE_kube-codegen"))
        .arg("generate")
        .current_dir(sandbox.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let status = Command::new("kill").args(["-s", name, &id]).status();
    assert!(status.unwrap().success());
}

fn paths(sandbox: &Sandbox) -> Vec<PathBuf> {
    let state = sandbox.state().into_iter();
    state.map(|(path, ..)| path).collect()
}

/// Locks the staging folder, as a run that writes does.
fn hold(sandbox: &Sandbox) -> File {
    sandbox.write(&format!("{STAGE}/lock"), "");
    let lock = File::open(sandbox.path(STAGE).join("lock")).unwrap();
    lock.lock().unwrap();
    lock
}

#[expect(clippy::disallowed_methods, reason = "waits for another process")]
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Whether the process handles SIGTERM. It starts to do so when it begins to write.
fn handles_signals(child: &Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Bit 14 is signal 15, SIGTERM.
    caught.is_some_and(|mask| mask & (1 << 14) != 0)
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_asked_to_stop_undoes_what_it_staged() {
    for signal in [("INT", 2), ("TERM", 15)] {
        // A run that has not begun to write when the signal arrives ends silently.
        let undone =
            (0..10).any(|_| interrupted(signal) == "error: interrupted: nothing was written\n");
        assert!(undone, "no run was interrupted while it wrote");
    }
}

/// Interrupts a run after it began to handle signals, asserts that it left no files, and returns
/// its stderr.
#[cfg(target_os = "linux")]
fn interrupted((name, number): (&str, i32)) -> String {
    let sandbox = sandbox();
    let before = paths(&sandbox);
    let held = hold(&sandbox);
    let mut child = start(&sandbox);
    wait_until("the run does not write", || handles_signals(&child));
    signal(&child, name);
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(number), "the shell sees the signal");
    let stderr = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    assert!(
        stderr.is_empty() || stderr.starts_with("error: interrupted:"),
        "{stderr}"
    );
    drop(held);
    fs::remove_dir_all(sandbox.path(STAGE)).unwrap();
    assert_eq!(paths(&sandbox), before);
    stderr
}

#[test]
fn runs_below_one_root_take_turns() {
    let sandbox = sandbox();
    let held = hold(&sandbox);
    let mut child = start(&sandbox);
    // Real time, since another process waits for the lock.
    thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it waits");
    let check = sandbox.quiet(&["generate", "--check"]);
    assert!(!check.stdout.contains("interrupted"), "{}", check.stdout);
    drop(held);
    assert!(child.wait().unwrap().success());
    assert!(!sandbox.path(STAGE).exists());
}

/// Starts a run that generates one of two kinds into a folder.
fn start_crd(sandbox: &Sandbox, kind: &str, more: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_kube-codegen"))
        .args(["crd", "crds", "--output", "out", "--kind", kind])
        .args(more)
        .current_dir(sandbox.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn with_two_kinds() -> Sandbox {
    let sandbox = Sandbox::new();
    for (kind, plural) in [("Route", "routes"), ("Gate", "gates")] {
        let spec = "          spec: {type: object, properties: {size: {type: string}}}\n";
        let text = super::crd::crd_text(kind, plural, spec);
        sandbox.write(&format!("crds/{plural}.yaml"), &text);
    }
    sandbox
}

#[test]
fn the_later_of_two_runs_over_one_folder_decides_what_it_holds() {
    for _ in 0..10 {
        let sandbox = with_two_kinds();
        let mut runs = ["Route", "Gate"].map(|kind| start_crd(&sandbox, kind, &[]));
        for run in &mut runs {
            let status = run.wait().unwrap();
            assert!(status.success(), "{status}");
        }
        let is_whole = |kind: &str| {
            let check = start_crd(&sandbox, kind, &["--check"]).wait();
            check.unwrap().success()
        };
        assert!(is_whole("Route") != is_whole("Gate"), "the runs are mixed");
    }
}

#[test]
fn of_two_edits_of_an_operator_the_second_sees_the_first() {
    for _ in 0..3 {
        let sandbox = super::operator::operator();
        let create = |kind: &str| {
            let api = [
                "create",
                "api",
                "--group",
                "batch",
                "--version",
                "v1",
                "--kind",
            ];
            Command::new(env!("CARGO_BIN_EXE_kube-codegen"))
                .args(api)
                .arg(kind)
                .current_dir(sandbox.path(""))
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        };
        for run in ["Widget", "Gadget", "Tool"].map(create) {
            let output = run.wait_with_output().unwrap();
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{error}");
        }
        let version = sandbox.read("src/apis/batch/v1/mod.rs");
        let app = sandbox.read("src/app.rs");
        for kind in ["widget", "gadget", "tool"] {
            assert!(version.contains(&format!("mod {kind};")), "{version}");
            assert!(app.contains(&format!("controllers::{kind}::add")), "{app}");
        }
        sandbox.succeeds(&["generate", "--check"]);
    }
}

#[test]
fn a_limit_on_files_is_an_error_that_leaves_no_files() {
    let sandbox = with_two_kinds();
    let before = paths(&sandbox);
    let run = Command::new("sh")
        .args(["-c", "ulimit -f 1; exec \"$0\" crd crds --output out"])
        .arg(env!("CARGO_BIN_EXE_kube-codegen"))
        .current_dir(sandbox.path(""))
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(2), "{run:?}");
    let stderr = String::from_utf8(run.stderr).unwrap();
    assert!(stderr.contains("File too large"), "{stderr}");
    assert_eq!(paths(&sandbox), before);
}

#[test]
fn what_a_killed_run_left_is_reported_and_removed() {
    let mut sandbox = sandbox();
    sandbox.quiet(&["generate"]);
    sandbox.write(&format!("{STAGE}/lock"), "");
    sandbox.write(&format!("{STAGE}/0"), "half a fi");
    sandbox.note("a run was killed while it wrote");
    assert_eq!(sandbox.run(&["generate", "--check"]).code, 1);
    sandbox.run(&["generate", "--dry-run"]);
    assert!(sandbox.path(STAGE).exists());
    sandbox.run(&["generate"]);
    assert!(!sandbox.path(STAGE).exists());
    assert_eq!(sandbox.run(&["generate", "--check"]).code, 0);
    sandbox.check("generate-leftover");
}

#[test]
fn a_folder_that_no_run_wrote_keeps_its_files() {
    let sandbox = sandbox();
    sandbox.write(&format!("{STAGE}/mine.txt"), "Mine.\n");
    sandbox.succeeds(&["generate"]);
    assert_eq!(sandbox.read(&format!("{STAGE}/mine.txt")), "Mine.\n");
    sandbox.succeeds(&["generate", "--check"]);
}

#[test]
fn a_run_that_is_killed_at_any_time_is_mended_by_the_next() {
    for milliseconds in [1, 3, 6, 10, 15, 25, 40, 60] {
        let sandbox = sandbox();
        let mut child = start(&sandbox);
        thread::sleep(Duration::from_millis(milliseconds));
        let _ = child.kill();
        child.wait().unwrap();
        sandbox.succeeds(&["generate"]);
        sandbox.succeeds(&["generate", "--check"]);
        let left = |path: &PathBuf| path.to_string_lossy().contains(".kube-codegen");
        assert!(!paths(&sandbox).iter().any(left));
    }
}
