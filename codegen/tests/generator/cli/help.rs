//! The command's own documentation: help, versions, completions and lists.

use crate::cli::sandbox::{Sandbox, testdata};

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

/// The commands that the help of a command lists, with their entries.
fn commands(of: &[&str]) -> (Vec<String>, String) {
    let help = Sandbox::new().quiet(&[of, &["-h"]].concat()).stdout;
    let list = help.split("Commands:\n").nth(1).unwrap_or_default();
    let list = list.split("\n\n").next().unwrap_or_default();
    let names = list
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next());
    let names = names.filter(|name| *name != "help").map(str::to_owned);
    (names.collect(), list.to_owned())
}

#[test]
fn every_command_explains_itself_and_is_in_the_book() {
    let page = std::fs::read_to_string(testdata().join("../docs/cli.md")).unwrap();
    let (names, _) = commands(&[]);
    assert!(names.len() > 8, "{names:?}");
    for name in names {
        let row = page.lines().find(|line| {
            let cell = line
                .strip_prefix("| ")
                .and_then(|it| it.split(" | ").next());
            cell.is_some_and(|cell| cell.split(['`', ' ', '\\']).any(|word| word == name))
        });
        let row = row.unwrap_or_else(|| panic!("docs/cli.md has no row for {name}"));
        let (below, _) = commands(&[&name]);
        if below.is_empty() {
            check(&format!("help-{name}"), &[&name, "--help"]);
        }
        for sub in below {
            assert!(row.contains(&sub), "docs/cli.md lacks {name} {sub}");
            check(&format!("help-{name}-{sub}"), &[&name, &sub, "--help"]);
        }
    }
}

#[test]
fn the_list_of_commands_says_what_each_says_of_itself() {
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (names, entries) = commands(&[]);
    for name in names {
        let own = Sandbox::new().quiet(&[&name, "-h"]).stdout;
        let own = own.split("\n\n").next().unwrap();
        let entry = joined(&format!("{name} {own}"));
        assert!(joined(&entries).contains(&entry), "`{entry}` in {entries}");
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
