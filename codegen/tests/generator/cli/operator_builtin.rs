//! `create controller` and `delete controller` for Kubernetes' own kinds.

use std::path::Path;

use kube_builtin_types::KINDS;

use super::{
    operator::{about, about_what, create, differing, files, operator},
    operator_kinds::check_format,
};

const DEPLOYMENT: &str = "apps/v1/Deployment";

fn create_args<'a>(api: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    about_what(["create", "controller"], api, more)
}

fn delete_args<'a>(api: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    about_what(["delete", "controller"], api, more)
}

#[test]
fn controllers_of_all_builtin_kinds_are_formatted_and_can_be_deleted() {
    let names = [
        "autoscaling_horizontal_pod_autoscaler",
        "event",
        "events_event",
    ];
    all_kinds_come_and_go(
        "controller",
        &[],
        &names.map(|it| format!("src/controllers/{it}.rs")),
    );
}

#[test]
fn webhooks_of_all_builtin_kinds_are_formatted_and_can_be_deleted() {
    let names = ["event", "events_event", "service"];
    let handlers = ["--defaulting", "--validation"];
    all_kinds_come_and_go(
        "webhook",
        &handlers,
        &names.map(|it| format!("src/webhooks/{it}.rs")),
    );
}

/// Checks that what `create` writes for each of Kubernetes' kinds is whole and formatted, and that
/// `delete` removes exactly that.
fn all_kinds_come_and_go(what: &str, more: &[&str], expected: &[String]) {
    let sandbox = operator();
    let state = || files(&sandbox.path(""));
    let mut states = vec![state()];
    let all: Vec<String> = KINDS
        .iter()
        .map(|it| format!("{}/{}/{}", it.group, it.version, it.kind))
        .collect();
    for api in &all {
        sandbox.succeeds(&about_what(["create", what], api, more));
        states.push(state());
    }
    check_format(&sandbox);
    sandbox.succeeds(&["generate", "--check"]);
    let written = states.pop().unwrap();
    for path in expected {
        assert!(written.contains_key(Path::new(path)), "{path}");
    }
    for (path, text) in &written {
        // Alerts have expressions of Prometheus.
        let filled = text.replace("{{ $labels.", "");
        assert!(!filled.contains("{{"), "{}", path.display());
    }
    for api in all.iter().rev() {
        sandbox.succeeds(&about_what(["delete", what], api, &[]));
        let (before, after) = (states.pop().unwrap(), state());
        assert!(after == before, "{api}: {:#?}", differing(&before, &after));
    }
}

#[test]
fn what_tests_share_goes_with_the_last_kind_or_controller() {
    let [api, controller] = ["batch/v1/Widget", DEPLOYMENT];
    let create_api = about("create", api, &[]);
    let delete_api = about("delete", api, &[]);
    let (create, delete) = (create_args(controller, &[]), delete_args(controller, &[]));
    for [first, second] in [[&create_api, &create], [&create, &create_api]] {
        for [third, last] in [[&delete_api, &delete], [&delete, &delete_api]] {
            let sandbox = operator();
            let before = files(&sandbox.path(""));
            sandbox.succeeds(first);
            sandbox.succeeds(second);
            sandbox.succeeds(third);
            let support = sandbox.read("tests/operator/support.rs");
            assert!(support.contains("pub fn server()"), "{support}");
            sandbox.succeeds(last);
            let after = files(&sandbox.path(""));
            assert!(after == before, "{:#?}", differing(&before, &after));
        }
    }
}

#[test]
fn kinds_of_one_name_have_controllers_side_by_side() {
    let mut sandbox = operator();
    let own = "apps.example.com/v1/Deployment";
    create(&sandbox, own, &["--no-controller"]);
    let before = files(&sandbox.path(""));
    sandbox.run(&create_args(DEPLOYMENT, &[]));
    sandbox.run(&create_args("k8s:apps/v1/Deployment", &[]));
    sandbox.run(&create_args(own, &[]));
    let controllers = |name: &str| sandbox.read(&format!("src/controllers/{name}.rs"));
    assert!(controllers("deployment").contains("k8s_openapi::api::apps::v1::Deployment"));
    assert!(controllers("apps_deployment").contains("crate::apis::apps::v1::"));
    let both = files(&sandbox.path(""));
    sandbox.succeeds(&delete_args(own, &[]));
    sandbox.succeeds(&create_args(own, &[]));
    assert!(files(&sandbox.path("")) == both);
    sandbox.run(&delete_args(DEPLOYMENT, &[]));
    sandbox.run(&delete_args("k8s:apps/v1/Deployment", &[]));
    sandbox.run(&delete_args(own, &[]));
    let after = files(&sandbox.path(""));
    assert!(after == before, "{:#?}", differing(&before, &after));
    sandbox.check("operator-builtin-names");
}

#[test]
fn builtin_controllers_say_what_they_do() {
    let mut sandbox = operator();
    let before = files(&sandbox.path(""));
    for api in [
        "apps/v1/Deploymnt",
        "apps/v1beta1/Deployment",
        "app/v1/Deployment",
        "extensions.k8s.io/v1/Secrets",
        "k8s:Apps/v1/Secrets",
    ] {
        sandbox.run(&create_args(api, &[]));
    }
    sandbox.run(&delete_args(DEPLOYMENT, &[]));
    sandbox.run(&create_args(DEPLOYMENT, &["--dry-run"]));
    sandbox.run(&create_args(DEPLOYMENT, &[]));
    sandbox.run(&create_args(DEPLOYMENT, &[]));
    sandbox.run(&create_args("core/v1/Pod", &[]));
    let path = "src/controllers/deployment.rs";
    let written = sandbox.read(path);
    sandbox.edit(path, "The object was seen", "Seen");
    let app = sandbox.read("src/app.rs");
    let uses = "\n/// The annotation.\npub use crate::controllers::deployment::RECONCILE;\n";
    sandbox.write("src/app.rs", &format!("{app}{uses}"));
    let unchanged = sandbox.state();
    sandbox.run(&delete_args(DEPLOYMENT, &[]));
    sandbox.run(&delete_args(DEPLOYMENT, &["--force"]));
    assert!(sandbox.state() == unchanged, "nothing is removed");
    sandbox.write(path, &written);
    sandbox.write("src/app.rs", &app);
    sandbox.run(&delete_args(DEPLOYMENT, &["--dry-run"]));
    sandbox.run(&delete_args(DEPLOYMENT, &[]));
    sandbox.run(&delete_args("/v1/Pod", &[]));
    let after = files(&sandbox.path(""));
    assert!(after == before, "{:#?}", differing(&before, &after));
    sandbox.check("operator-builtin");
}
