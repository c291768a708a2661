//! Input that cannot be read, in the forms of `lint` and `diff` that programs read: each carries
//! the code.

use serde_json::{Value, json};

use super::sandbox::{Run, Sandbox};

/// Runs a command on a folder with a file that is no YAML.
fn run(arguments: &[&str]) -> Run {
    let sandbox = Sandbox::new();
    sandbox.write("broken.yaml", "spec:\n  a: [\n");
    sandbox.quiet(arguments)
}

/// The commands that have forms.
const COMMANDS: &[&[&str]] = &[
    &["lint", "broken.yaml"],
    &["diff", "broken.yaml", "broken.yaml"],
];

fn each(format: &str, check: impl Fn(&str, &Run)) {
    for command in COMMANDS {
        let text = run(command);
        let code = text.stderr.split(['[', ']']).nth(1).unwrap();
        assert!(code.starts_with("K0"), "{}", text.stderr);
        assert_eq!(text.stdout, "");
        let other = run(&[command, &["--format", format][..]].concat());
        assert_eq!((other.code, &other.stderr), (text.code, &text.stderr));
        check(code, &other);
    }
}

#[test]
fn json_of_unreadable_input_carries_code_and_place() {
    each("json", |code, run| {
        let printed: Value = serde_json::from_str(&run.stdout).unwrap();
        let error = &printed["errors"][0];
        assert_eq!(error["code"], code);
        assert_eq!(error["file"], "broken.yaml");
        assert!(error["line"].as_u64() > Some(1), "{error}");
        assert!(run.stderr.contains(error["message"].as_str().unwrap()));
    });
}

#[test]
fn sarif_of_unreadable_input_carries_code_place_and_explanation() {
    each("sarif", |code, run| {
        let log: Value = serde_json::from_str(&run.stdout).unwrap();
        let of_run = &log["runs"][0];
        let failed = json!([{"executionSuccessful": false}]);
        assert_eq!(of_run["invocations"], failed);
        let result = &of_run["results"][0];
        assert_eq!(result["ruleId"], code);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "broken.yaml");
        let rule = &of_run["tool"]["driver"]["rules"][0];
        assert_eq!(rule["id"], code);
        let explained = Sandbox::new().quiet(&["explain", code]);
        let help = rule["help"]["text"].as_str().unwrap();
        assert!(explained.stdout.ends_with(help), "{help}");
    });
}

#[test]
fn annotations_of_unreadable_input_carry_code_and_place() {
    each("github", |code, run| {
        let start = "::error file=broken.yaml,line=";
        assert!(run.stdout.starts_with(start), "{}", run.stdout);
        assert!(run.stdout.contains(&format!("title={code}::")));
    });
}
