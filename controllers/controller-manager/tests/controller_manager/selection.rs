//! The controllers that flags select. An integration test, since a unit test would link all
//! controllers once more.

use codegen_runtime::manager::Selection;
use controller_manager::app::{Flags, app, enabled};
use controller_manager::table::{ALL, selected};
use controller_manager::{deployment, replicaset, simulator};

fn names(args: &[&str]) -> Vec<&'static str> {
    let invocation = app()
        .try_parse_from::<Flags>([&["controller-manager"], args].concat())
        .expect("flags");
    enabled(&invocation.own)
        .expect("known names")
        .into_iter()
        .map(|it| it.name)
        .collect()
}

#[test]
fn pods_are_simulated_only_when_asked_for() {
    assert!(!names(&[]).contains(&simulator::NAME));
    assert!(names(&["--simulate-pods"]).contains(&simulator::NAME));
    assert_eq!(
        names(&["--controllers=pod-simulator", "--simulate-pods"]),
        [simulator::NAME]
    );
}

#[test]
fn the_command_line_is_consistent_and_lists_the_controllers() {
    let mut command = app().command::<Flags>();
    command.clone().debug_assert();
    let help = command.render_long_help().to_string();
    assert!(ALL.iter().all(|it| help.contains(it.name)), "{help}");
}

fn check(selection: &str, expected: &[&str]) {
    let selection = selection.parse().unwrap_or_default();
    let names =
        selected(&selection).map(|found| found.into_iter().map(|it| it.name).collect::<Vec<_>>());
    assert_eq!(names.expect("known names"), expected, "{selection}");
}

#[test]
fn names_and_aliases_select() {
    check("replicaset", &[replicaset::NAME]);
    check(
        "replicaset-controller,deployment",
        &[deployment::NAME, replicaset::NAME],
    );
    check("pod-simulator", &[simulator::NAME]);
}

#[test]
fn the_simulator_is_never_on_by_default() {
    let all = selected(&Selection::default()).expect("no names");
    assert!(all.iter().all(|it| it.name != simulator::NAME));
    assert!(all.iter().any(|it| it.name == deployment::NAME));
    let most = selected(&"*,-deployment".parse().unwrap_or_default()).expect("known names");
    assert!(most.iter().all(|it| it.name != deployment::NAME));
}

#[test]
fn an_unknown_name_is_an_error() {
    let error = selected(&"*,-deploymnt".parse().unwrap_or_default()).expect_err("it is misspelt");
    assert!(error.to_string().starts_with(
        "\"deploymnt\" is not in the list of known controllers: deployment-controller"
    ));
}

#[test]
fn names_are_unique() {
    let mut names: Vec<_> = ALL
        .iter()
        .flat_map(|it| it.aliases.iter().copied().chain([it.name]))
        .collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}
