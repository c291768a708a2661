//! The command's own documentation: help, versions, completions and lists.

use crate::cli::sandbox::Sandbox;

#[track_caller]
fn check(name: &str, arguments: &[&str]) {
    let mut sandbox = Sandbox::new();
    sandbox.run(arguments);
    sandbox.check(name);
}

#[test]
fn the_command_explains_itself() {
    check("help", &["--help"]);
}

#[test]
fn every_subcommand_explains_itself() {
    for command in [
        "generate",
        "groups",
        "crd",
        "go",
        "crate",
        "manifests",
        "inspect",
        "diff",
        "lint",
        "markers",
        "schema",
        "completions",
    ] {
        check(&format!("help-{command}"), &[command, "--help"]);
    }
    check("help-init", &["init", "--help"]);
    check("help-migrate", &["migrate", "--help"]);
    check("help-package", &["package", "--help"]);
    check("help-create", &["create", "api", "--help"]);
    check("help-delete", &["delete", "api", "--help"]);
    check("help-create-metric", &["create", "metric", "--help"]);
    check("help-delete-metric", &["delete", "metric", "--help"]);
    check("help-create-policy", &["create", "policy", "--help"]);
    check("help-create-webhook", &["create", "webhook", "--help"]);
    check(
        "help-create-controller",
        &["create", "controller", "--help"],
    );
    check(
        "help-delete-controller",
        &["delete", "controller", "--help"],
    );
    check("help-delete-webhook", &["delete", "webhook", "--help"]);
}

#[test]
fn the_list_of_commands_says_what_each_says_of_itself() {
    let help = |arguments: &[&str]| Sandbox::new().quiet(arguments).stdout;
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let list = help(&["-h"]);
    let entries = list.split("Commands:\n").nth(1).unwrap();
    let entries = entries.split("\n\n").next().unwrap();
    let names = entries
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next());
    let names: Vec<&str> = names.filter(|name| *name != "help").collect();
    assert!(names.len() > 8, "{names:?}");
    for name in names {
        let own = help(&[name, "-h"]);
        let own = own.split("\n\n").next().unwrap();
        let entry = joined(&format!("{name} {own}"));
        assert!(joined(entries).contains(&entry), "`{entry}` in {entries}");
    }
}

#[test]
fn wrong_usage_exits_with_2() {
    let mut sandbox = Sandbox::new();
    sandbox.run(&[]);
    sandbox.run(&["genrate"]);
    sandbox.run(&["generate", "--check", "--dry-run"]);
    sandbox.run(&["generate", "--color", "sometimes"]);
    sandbox.run(&["groups", "all", "src/generated"]);
    sandbox.run(&["crd"]);
    sandbox.check("usage");
}

#[test]
fn the_version_is_the_packages_and_names_a_checkout() {
    let run = Sandbox::new().quiet(&["--version"]);
    let version = concat!(
        "kube-codegen ",
        env!("CARGO_PKG_VERSION"),
        " (from a checkout)\n"
    );
    assert_eq!((run.code, run.stdout.as_str()), (0, version));
}

#[test]
fn markers_are_listed_as_text_and_as_json() {
    let sandbox = Sandbox::new();
    let text = sandbox.quiet(&["markers"]).stdout;
    let json = sandbox.quiet(&["markers", "--json"]).stdout;
    let json: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    assert!(json.len() > 50, "{} markers", json.len());
    for marker in &json {
        let syntax = marker["syntax"].as_str().unwrap();
        assert!(text.contains(syntax), "{syntax} is missing in the text");
    }
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = Sandbox::new().quiet(&["completions", shell]);
        assert_eq!(run.code, 0);
        assert!(run.stdout.contains("kube-codegen"), "{shell}");
    }
}

#[test]
fn every_shown_command_has_a_man_page_with_its_options() {
    let sandbox = Sandbox::new();
    sandbox.write("man/other.1", "");
    sandbox.succeeds(&["man", "man"]);
    let text = |name: &str| sandbox.read(&format!("man/{name}.1"));
    assert!(text("kube-codegen").starts_with(".ie"), "roff");
    assert!(text("kube-codegen").contains("kube\\-codegen\\-generate(1)"));
    assert!(text("kube-codegen-diff").contains("suggest\\-version"));
    assert!(text("kube-codegen-create-api").contains("\\-\\-kind"));
    assert!(!sandbox.path("man/kube-codegen-man.1").exists(), "hidden");
}
