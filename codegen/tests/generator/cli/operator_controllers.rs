//! `create controller`.

use super::operator::{about, about_what, create, differing, files, operator};

fn create_args<'a>(api: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    about_what(["create", "controller"], api, more)
}

fn delete_args(api: &str) -> Vec<&str> {
    about_what(["delete", "controller"], api, &[])
}

#[test]
fn a_controller_that_comes_later_is_the_one_that_would_have_come_at_once() {
    for (api, more) in [
        ("batch/v1/Widget", &[][..]),
        ("batch/v1/Main", &["--cluster"]),
    ] {
        let at_once = operator();
        create(&at_once, api, more);
        let later = operator();
        create(&later, api, &[more, &["--no-controller"]].concat());
        later.succeeds(&create_args(api, &[]));
        let (at_once, later) = (files(&at_once.path("")), files(&later.path("")));
        assert!(at_once == later, "{:#?}", differing(&at_once, &later));
    }
}

#[test]
fn without_its_controller_a_kind_is_as_if_it_never_had_one() {
    let without = operator();
    create(&without, "batch/v1/Widget", &["--no-controller"]);
    let sandbox = operator();
    create(&sandbox, "batch/v1/Widget", &[]);
    let sample = "config/samples/widget.yaml";
    // The test of a renamed sample counts as unchanged.
    for name in ["sample", "mine"] {
        sandbox.succeeds(&delete_args("batch/v1/Widget"));
        let (expected, found) = (files(&without.path("")), files(&sandbox.path("")));
        assert!(expected == found, "{:#?}", differing(&expected, &found));
        for sandbox in [&without, &sandbox] {
            sandbox.edit(sample, &format!("name: {name}"), "name: mine");
        }
        sandbox.succeeds(&create_args("batch/v1/Widget", &[]));
    }
    let run = sandbox.quiet(&delete_args("batch/v2/Widget"));
    run.says("there is no Widget of batch.example.com/v2");
}

#[test]
fn a_kind_may_have_several_controllers_with_field_managers_of_their_own() {
    let kinds = ["batch/v1/Widget", "apps/v1/Deployment"];
    let sandbox = operator();
    create(&sandbox, kinds[0], &[]);
    sandbox.succeeds(&create_args(kinds[1], &[]));
    let before = files(&sandbox.path(""));
    for kind in kinds {
        let backup = ["--name", "backup"];
        let second = create_args(kind, &backup);
        sandbox.succeeds(&second);
        let controller = sandbox.read("src/controllers/backup.rs");
        assert!(controller.contains("builder(\"backup\""), "{controller}");
        let manager = controller.contains("Applier::new(\"sample-operator-backup\")");
        assert_eq!(manager, kind == kinds[0], "{controller}");
        let run = sandbox.quiet(&second);
        run.says("files for backup already");
        let other = kinds.into_iter().find(|other| *other != kind).unwrap();
        let run = sandbox.quiet(&[&delete_args(other)[..], &backup].concat());
        run.says("no controller with the name backup");
        sandbox.succeeds(&[&delete_args(kind)[..], &backup].concat());
        let after = files(&sandbox.path(""));
        assert!(before == after, "{:#?}", differing(&before, &after));
        sandbox.quiet(&create_args(kind, &[])).says("--name");
    }
    for name in ["Backup", "support", "a-b", "mod"] {
        let run = sandbox.quiet(&create_args(kinds[0], &["--name", name]));
        assert_eq!(run.code, 2, "{name}");
    }
}

#[test]
fn a_kind_that_has_the_name_of_one_of_kubernetes_is_pointed_out() {
    let check = |kind: &str, hint: &str| {
        let run = operator().quiet(&about_what(["create", "api"], kind, &["--dry-run"]));
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(
            run.stderr.contains("a kind of Kubernetes"),
            !hint.is_empty()
        );
        run.says(hint);
    };
    check("core/v1/Pod", "Pod of core.example.com");
    check(
        "apps/v1alpha1/Deployment",
        "create controller --group apps --version v1 --kind Deployment",
    );
    check("batch/v1/Widget", "");
}

#[test]
fn create_controller_says_what_it_does() {
    let mut sandbox = operator();
    let before = files(&sandbox.path(""));
    create(&sandbox, "batch/v1/Widget", &["--no-controller"]);
    create(&sandbox, "batch/v2/Widget", &[]);
    let sample = "config/samples/widget.yaml";
    let text = sandbox.read(sample);
    let widget = create_args("batch/v1/Widget", &[]);
    sandbox.run(&create_args("batch/v3/Widget", &[]));
    sandbox.run(&create_args("batch/one/widget", &[]));
    sandbox.run(&create_args("batch/v1/Widget", &["--dry-run"]));
    let types = "src/apis/batch/v1/widget.rs";
    let own = sandbox.read(types);
    sandbox.write(
        types,
        &own.replace("pub conditions:", "pub terms:")
            .replace("observed_generation", "seen")
            .replace(":printcolumn:", ":printcolumn:priority=1,")
            .replace("// +kubebuilder:printcolumn:priority=1,name=R", "// R"),
    );
    sandbox.run(&widget);
    // The user replaced the example field, and renamed the sample.
    sandbox.write(types, &own.replace("pub size: i32", "pub length: i32"));
    sandbox.write(
        sample,
        &text
            .replace("size", "length")
            .replace("name: sample", "name: mine"),
    );
    sandbox.run(&widget);
    let test = sandbox.read("tests/operator/widget.rs");
    assert!(
        test.contains("\"mine\"") && !test.contains("size") && !test.contains("PostParams"),
        "{test}"
    );
    sandbox.run(&widget);
    sandbox.run(&create_args("batch/v2/Widget", &[]));
    sandbox.run(&["generate"]);
    sandbox.write(types, &own);
    sandbox.write(sample, &text);
    sandbox.succeeds(&about("delete", "batch/v2/Widget", &[]));
    // `--force`, since the test was written for the earlier types.
    sandbox.succeeds(&about("delete", "batch/v1/Widget", &["--force"]));
    let after = files(&sandbox.path(""));
    assert!(after == before, "{:#?}", differing(&before, &after));
    sandbox.check("operator-controller");
}
