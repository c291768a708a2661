//! `init --namespaced`: an operator with roles in its namespaces, and none for the cluster.

use std::fs;

use serde_json::{Value, json};

use super::{
    helm,
    operator::{RUNTIME, about, about_what, create, files},
    operator_kinds::check_format,
};
use crate::cli::sandbox::Sandbox;

/// Creates an operator that is restricted to the namespaces `a` and `b`, with a kind.
pub(super) fn restricted() -> Sandbox {
    let mut sandbox = Sandbox::new();
    let init = ["init", "sample-operator", "--domain", "example.com"];
    let namespaced = ["--namespaced", "a,b", "--runtime", RUNTIME];
    sandbox.succeeds(&[&init[..], &namespaced].concat());
    sandbox.enter("sample-operator");
    create(&sandbox, "batch/v1alpha1/Widget", &[]);
    sandbox
}

/// Kind, namespace and name of the roles and bindings in a text.
fn roles(text: &str) -> Vec<[String; 3]> {
    let documents = serde_saphyr::from_multiple::<Value>(text).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let roles = documents
        .iter()
        .filter(|it| text(&it["kind"]).contains("Role"));
    let mut roles: Vec<_> = roles
        .map(|it| {
            let metadata = &it["metadata"];
            [&it["kind"], &metadata["namespace"], &metadata["name"]].map(text)
        })
        .collect();
    roles.sort();
    roles
}

fn expected(namespaces: &[&str]) -> Vec<[String; 3]> {
    let mut all: Vec<_> = ["Role", "RoleBinding"]
        .iter()
        .flat_map(|kind| {
            let namespaces = namespaces.iter();
            namespaces.map(|namespace| [*kind, namespace, "sample-operator"].map(str::to_owned))
        })
        .collect();
    all.sort();
    all
}

#[test]
fn a_restricted_operator_has_roles_in_its_namespaces_alone() {
    let sandbox = restricted();
    let expected = expected(&["a", "b", "sample-operator-system"]);
    assert_eq!(roles(&sandbox.read("config/role.yaml")), expected);
    for path in [
        "config/role-binding.yaml",
        "config/metrics.yaml",
        "config/monitor",
    ] {
        assert!(!sandbox.path(path).exists(), "{path}");
    }
    assert!(
        sandbox
            .read("config/samples/widget.yaml")
            .contains("namespace: a\n")
    );
    assert!(
        sandbox
            .read("config/deployment.yaml")
            .contains("- --namespaces=a,b\n")
    );
    check_format(&sandbox);
    sandbox.succeeds(&["generate", "--check"]);
    sandbox.succeeds(&["update", "--no-check"]);
    let before = files(&sandbox.path(""));
    let handlers = ["--defaulting", "--validation", "--self-signed"];
    sandbox.succeeds(&about_what(
        ["create", "webhook"],
        "batch/v1alpha1/Widget",
        &handlers,
    ));
    // The configurations of webhooks are cluster-scoped.
    let cluster = roles(&sandbox.read("config/role.yaml"));
    let cluster = cluster.iter().filter(|it| it[0].starts_with("Cluster"));
    assert_eq!(cluster.count(), 2);
    check_format(&sandbox);
    sandbox.succeeds(&about_what(
        ["delete", "webhook"],
        "batch/v1alpha1/Widget",
        &[],
    ));
    assert!(files(&sandbox.path("")) == before);
}

#[test]
fn controllers_of_cluster_scoped_kinds_are_refused() {
    let sandbox = restricted();
    let fault = "is cluster-scoped, and the roles of the operator are for the namespaces a, b";
    let run = sandbox.quiet(&about("create", "cache/v1/Region", &["--cluster"]));
    run.says(&format!("Region {fault}"));
    assert_eq!(run.code, 1);
    let run = sandbox.quiet(&about_what(["create", "controller"], "core/v1/Node", &[]));
    run.says(&format!("Node {fault}"));
    assert_eq!(run.code, 1);
    // What the error advises.
    create(
        &sandbox,
        "cache/v1/Region",
        &["--cluster", "--no-controller"],
    );
    sandbox.succeeds(&about_what(["create", "controller"], "core/v1/Pod", &[]));
    assert!(
        sandbox
            .read("tests/operator/pod.rs")
            .contains("\"events\", \"a\"")
    );
    check_format(&sandbox);
}

#[test]
fn invalid_namespaces_are_refused() {
    let run = Sandbox::new().quiet(&["init", "a", "--domain", "b.c", "--namespaced", "a,B"]);
    assert_eq!(run.code, 2);
    run.says("invalid value 'B' for '--namespaced <NAMESPACES>'");
}

#[test]
fn its_packages_are_restricted_too() {
    let sandbox = restricted();
    sandbox.succeeds(&["package"]);
    let install = fs::read_to_string(sandbox.path("dist/install.yaml")).unwrap();
    let all = expected(&["a", "b", "sample-operator-system"]);
    assert_eq!(roles(&install), all);
    let chart = files(&sandbox.path("dist/chart"));
    let render = |values| helm::render(&chart, "r", "sample-operator-system", &values);
    assert_eq!(roles(&render(json!({}))), all);
    // The setting says where the roles are, too.
    let other = render(json!({"watchNamespaces": ["x"]}));
    assert_eq!(roles(&other), expected(&["sample-operator-system", "x"]));
    assert!(other.contains("- --namespaces=x\n"), "{other}");
    let moved = helm::render(&chart, "r", "elsewhere", &json!({}));
    assert!(!moved.contains("sample-operator-system"), "{moved}");

    let bundle = files(&sandbox.path("dist/bundle/manifests"));
    let names: Vec<_> = bundle
        .keys()
        .map(|path| path.display().to_string())
        .collect();
    assert!(!names.iter().any(|name| name.contains("role")), "{names:?}");
    let csv = bundle.values().find(|text| text.contains("installModes:"));
    let csv: Value = serde_saphyr::from_str(csv.unwrap()).unwrap();
    let install = &csv["spec"]["install"]["spec"];
    assert!(install["clusterPermissions"].is_null(), "{install}");
    let rules = install["permissions"][0]["rules"].to_string();
    assert!(
        rules.contains("widgets") && rules.contains("leases"),
        "{rules}"
    );
    let pod = install["deployments"][0]["spec"]["template"].to_string();
    assert!(
        pod.contains("--namespaces=$(OLM_TARGET_NAMESPACES)"),
        "{pod}"
    );
    let modes = csv["spec"]["installModes"].as_array().unwrap();
    let supported =
        |ty: &str| modes.iter().find(|it| it["type"] == ty).unwrap()["supported"].clone();
    assert_eq!(
        [supported("MultiNamespace"), supported("AllNamespaces")],
        [true, false]
    );
}
