//! `create webhook`.

use super::operator::{about, about_what, create, create_webhook, differing, files, operator};
const ALL: [&str; 3] = ["--defaulting", "--validation", "--conversion"];

fn create_args<'a>(api: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    about_what(["create", "webhook"], api, more)
}

#[test]
fn create_webhook_says_what_it_does() {
    let mut sandbox = operator();
    create(&sandbox, "batch/v1alpha1/Widget", &[]);
    let widget = "batch/v1alpha1/Widget";
    sandbox.run(&create_args(widget, &["--defaulting", "--dry-run"]));
    sandbox.run(&create_args(widget, &["--defaulting"]));
    sandbox.run_in("sample-operator/src", &create_args(widget, &ALL[..2]));
    sandbox.run(&create_args(widget, &ALL[..2]));
    create(&sandbox, "batch/v1beta1/Widget", &[]);
    sandbox.run(&create_args(widget, &ALL));
    sandbox.run(&create_args(widget, &ALL));
    sandbox.run(&about("create", "batch/v2/Widget", &[]));
    sandbox.run(&create_args(widget, &["--conversion", "--dry-run"]));
    sandbox.run(&create_args(widget, &["--conversion"]));
    sandbox.run(&["generate", "--check"]);
    sandbox.check("operator-webhooks");
}

#[test]
fn a_kind_of_kubernetes_has_webhooks() {
    let mut sandbox = operator();
    let before = sandbox.state();
    let none = files(&sandbox.path(""));
    let deployment = "apps/v1/Deployment";
    sandbox.run(&create_args(deployment, &ALL));
    sandbox.run(&create_args("apps/v1/Deploymnt", &ALL[..1]));
    assert!(sandbox.state() == before, "nothing is written");
    sandbox.run(&create_args(deployment, &ALL[..1]));
    sandbox.run(&create_args("core/v1/Pod", &ALL[1..2]));
    sandbox.run(&create_args("core/v1/Pod", &ALL[1..2]));
    for path in [
        "config/webhooks.yaml",
        "src/webhooks/pod.rs",
        "tests/operator/pod_webhook.rs",
    ] {
        let text = sandbox.read(path);
        sandbox.note(&format!("{path}:\n{text}"));
    }
    sandbox.run(&about_what(["delete", "webhook"], "core/v1/Pod", &[]));
    sandbox.run(&about_what(["delete", "webhook"], "core/v1/Pod", &[]));
    sandbox.run(&about_what(["delete", "webhook"], deployment, &[]));
    assert!(files(&sandbox.path("")) == none, "everything is removed");
    sandbox.check("operator-webhooks-builtin");
}

#[test]
fn a_kind_of_another_project_has_webhooks() {
    let mut sandbox = operator();
    let before = sandbox.state();
    let none = files(&sandbox.path(""));
    let certificate = "cert-manager.io/v1/Certificate";
    let other = |path, more: &[&'static str]| {
        [
            &["--defaulting", "--type", path, "--plural", "certificates"],
            more,
        ]
        .concat()
    };
    let path = "cert_manager::v1::Certificate";
    sandbox.run(&create_args(certificate, &ALL[..1]));
    sandbox.run(&create_args(certificate, &other("Certificate", &[])));
    sandbox.run(&create_args(
        certificate,
        &other("cert_manager::Issuer", &[]),
    ));
    sandbox.run(&create_args(certificate, &other(path, &["--conversion"])));
    sandbox.run(&create_args(
        "apps/v1/Deployment",
        &other("a::Deployment", &[]),
    ));
    assert!(sandbox.state() == before, "nothing is written");
    sandbox.run(&create_args(certificate, &other(path, &[])));
    sandbox.run(&create_args(certificate, &ALL[1..2]));
    for path in ["src/webhooks/certificate.rs", "config/webhooks.yaml"] {
        let text = sandbox.read(path);
        sandbox.note(&format!("{path}:\n{text}"));
    }
    sandbox.run(&about_what(["delete", "webhook"], certificate, &[]));
    assert!(files(&sandbox.path("")) == none, "everything is removed");
    sandbox.check("operator-webhooks-elsewhere");
}

#[test]
fn a_field_that_a_version_lacks_is_kept_and_one_that_it_must_have_is_left_to_the_user() {
    let sandbox = operator();
    create(&sandbox, "batch/v1/Widget", &[]);
    create(&sandbox, "batch/v2/Widget", &["--from", "v1"]);
    let spec = "pub struct WidgetSpec {\n";
    let more = format!(
        "{spec}    /// Its color.\n    pub color: Option<String>,\n    /// Its weight.\n    pub weight: i32,\n"
    );
    sandbox.edit("src/apis/batch/v2/widget.rs", spec, &more);
    let run = sandbox.quiet(&create_args("batch/v1/Widget", &["--conversion"]));
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.says("implement `WidgetConversion` of v2's `zz_generated_conversion`");
    run.says("with `widget_spec_weight_from_hub`; until then the build fails");
    let generated = sandbox.read("src/apis/batch/v2/zz_generated_conversion.rs");
    for rule in [
        "Rule::kept(Side::Spoke, \"color\")",
        "Side::Spoke, \"weight\", |value|",
    ] {
        let lines = generated.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(lines.contains(rule), "{rule}: {generated}");
    }
}

#[test]
fn an_operator_without_the_generator_learns_how_to_select_it() {
    let sandbox = operator();
    let emit = "emit = [\"all\", \"conversion\"]\n";
    sandbox.edit("codegen.toml", emit, "");
    let none = files(&sandbox.path(""));
    create(&sandbox, "batch/v1/Widget", &[]);
    let version = "src/apis/batch/v1/mod.rs";
    assert!(!sandbox.read(version).contains("conversion"));
    sandbox.succeeds(&about("delete", "batch/v1/Widget", &[]));
    let after = files(&sandbox.path(""));
    assert!(after == none, "{:#?}", differing(&none, &after));
    create(&sandbox, "batch/v1/Widget", &[]);
    create(&sandbox, "batch/v2/Widget", &[]);
    let run = sandbox.quiet(&create_args("batch/v1/Widget", &["--conversion"]));
    assert_eq!(run.code, 1);
    run.says("codegen.toml does not select the generator of conversions: give it `emit = [\"all\", \"conversion\"]`");
    sandbox.edit("codegen.toml", "[[crate]]\n", &format!("[[crate]]\n{emit}"));
    for version in ["v1", "v2"] {
        let file = format!("src/apis/batch/{version}/mod.rs");
        let line = "mod zz_generated_deepcopy;";
        sandbox.edit(
            &file,
            line,
            &format!("pub mod zz_generated_conversion;\n{line}"),
        );
    }
    create_webhook(&sandbox, "batch/v1/Widget", &["--conversion"]);
}

#[test]
fn webhooks_that_cannot_be_are_refused_and_nothing_is_written() {
    let mut sandbox = operator();
    create(&sandbox, "batch/v1/Widget", &[]);
    create(&sandbox, "batch/v1/Gadget", &[]);
    create(&sandbox, "batch/v2/Gadget", &[]);
    let before = sandbox.state();
    sandbox.run(&create_args("batch/v1/Widget", &[]));
    sandbox.run(&create_args("batch/v1/Widget", &["--conversion"]));
    sandbox.run(&create_args("batch/v2/Gadget", &["--conversion"]));
    sandbox.run(&create_args("batch/v3/Gadget", &["--defaulting"]));
    sandbox.run(&create_args("other/v1/Gadget", &["--defaulting"]));
    sandbox.run(&create_args("batch/one/my-kind", &["--defaulting"]));
    assert!(sandbox.state() == before, "nothing is written");
    let sample = "config/samples/widget.yaml";
    let text = sandbox.read(sample);
    sandbox.write(sample, &text.replace("name: sample", "name: \"a\\nb\""));
    sandbox.run(&create_args("batch/v1/Widget", &["--defaulting"]));
    sandbox.write(sample, "kind: {");
    sandbox.run(&create_args("batch/v1/Widget", &["--defaulting"]));
    sandbox.write(sample, &text);
    sandbox.write("config/webhooks/service.yaml", "");
    sandbox.run(&create_args("batch/v1/Widget", &["--defaulting"]));
    let config = sandbox.read("codegen.toml");
    let without = config.replace("config/webhooks.yaml", "");
    sandbox.configure(&without);
    sandbox.run(&create_args("batch/v1/Widget", &["--defaulting"]));
    sandbox.run_in("", &create_args("batch/v1/Widget", &["--defaulting"]));
    sandbox.check("operator-webhook-errors");
}

#[test]
fn webhooks_without_a_place_are_left_to_the_user() {
    let mut sandbox = operator();
    create(&sandbox, "batch/v1/Widget", &[]);
    sandbox.edit("src/app.rs", "fn app()", "fn command_line()");
    sandbox.edit(
        "Cargo.toml",
        "features = [\"app\", \"latest\"]",
        "default-features = true",
    );
    sandbox.edit(
        "config/kustomization.yaml",
        "resources:\n",
        "resources: # ours\n  - name: a\n    b: c\n",
    );
    sandbox.run(&create_args("batch/v1/Widget", &["--defaulting"]));
    sandbox.check("operator-webhook-lines");
}

#[test]
fn a_further_webhook_changes_nothing_else() {
    let sandbox = operator();
    create(&sandbox, "batch/v1/Widget", &[]);
    create_webhook(&sandbox, "batch/v1/Widget", &["--defaulting"]);
    let root = sandbox.path("");
    let handlers = "src/webhooks/widget.rs";
    let own = sandbox.read(handlers).replace("// An example", "// Ours");
    sandbox.write(handlers, &own);
    let before = files(&root);
    create_webhook(
        &sandbox,
        "batch/v1/Widget",
        &["--defaulting", "--validation"],
    );
    assert!(sandbox.read(handlers).starts_with(&own));
    let after = files(&root);
    let paths: Vec<_> = differing(&before, &after)
        .iter()
        .map(|it| it.display().to_string())
        .collect();
    let expected = [
        ".kube-codegen.json",
        "config/webhooks.yaml",
        "src/webhooks/mod.rs",
        "src/webhooks/widget.rs",
        "tests/operator/widget_webhook.rs",
    ];
    assert_eq!(paths, expected);
}

#[test]
fn a_kind_named_as_the_tests_of_webhooks_has_tests_of_its_own() {
    let sandbox = operator();
    create(&sandbox, "batch/v1/Widget", &[]);
    create(&sandbox, "batch/v1/WidgetWebhook", &[]);
    create_webhook(&sandbox, "batch/v1/Widget", &["--validation"]);
    let main = sandbox.read("tests/operator/main.rs");
    assert!(main.contains("mod batch_widget_webhook;"), "{main}");
    sandbox.succeeds(&about("delete", "batch/v1/WidgetWebhook", &["--dry-run"]));
}

#[test]
fn a_conversion_that_was_marked_by_hand_keeps_its_marker() {
    let sandbox = operator();
    create(&sandbox, "batch/v1/Widget", &[]);
    create(&sandbox, "batch/v2/Widget", &[]);
    let types = "src/apis/batch/v1/widget.rs";
    let marker = "// +kubebuilder:conversion:webhook:serviceNamespace=mine\n// +kubebuilder:sub";
    let text = sandbox
        .read(types)
        .replacen("// +kubebuilder:sub", marker, 1);
    sandbox.write(types, &text);
    create_webhook(&sandbox, "batch/v1/Widget", &["--conversion"]);
    assert_eq!(sandbox.read(types), text);
    // Without admission webhooks there is no file of configurations, and no reference to it.
    let app = sandbox.read("src/app.rs");
    assert!(!app.contains("config/webhooks.yaml"), "{app}");
    assert!(!sandbox.path("config/webhooks.yaml").exists());
    assert!(!sandbox.path("tests/operator/widget_webhook.rs").exists());
}

#[test]
fn the_program_makes_its_certificate_if_the_first_webhooks_say_so() {
    let mut sandbox = operator();
    let (widget, gadget) = ("batch/v1/Widget", "batch/v1/Gadget");
    create(&sandbox, widget, &[]);
    create(&sandbox, gadget, &[]);
    create(&sandbox, "batch/v2/Gadget", &[]);
    let state = || files(&sandbox.path(""));
    let before = state();
    create_webhook(&sandbox, widget, &["--validation", "--self-signed"]);
    let first = state();
    create_webhook(&sandbox, gadget, &["--conversion"]);
    let role = sandbox.read("config/role.yaml");
    assert!(role.contains("gadgets.batch.example.com"), "{role}");
    sandbox.succeeds(&delete_args(gadget, &[]));
    let after = state();
    assert!(after == first, "{:#?}", differing(&first, &after));
    sandbox.succeeds(&delete_args(widget, &[]));
    let after = state();
    assert!(after == before, "{:#?}", differing(&before, &after));
    sandbox.run(&create_args(widget, &["--defaulting", "--self-signed"]));
    sandbox.run(&create_args(widget, &["--validation", "--self-signed"]));
    sandbox.run(&delete_args(widget, &[]));
    create_webhook(&sandbox, widget, &["--defaulting"]);
    sandbox.run(&create_args(widget, &["--validation", "--self-signed"]));
    sandbox.check("operator-webhooks-self-signed");
}

fn delete_args<'a>(api: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    about_what(["delete", "webhook"], api, more)
}

#[test]
fn deleting_webhooks_gives_the_operator_before_them() {
    let sandbox = operator();
    for api in [
        "batch/v1alpha1/Widget",
        "batch/v1/Widget",
        "cache/v1/Widget",
    ] {
        create(&sandbox, api, &[]);
    }
    let calls: [(&str, &[&str]); 5] = [
        ("batch/v1alpha1/Widget", &["--conversion"]),
        ("batch/v1alpha1/Widget", &["--validation"]),
        ("batch/v1alpha1/Widget", &["--defaulting"]),
        ("batch/v1/Widget", &["--defaulting", "--validation"]),
        ("cache/v1/Widget", &["--validation", "--defaulting"]),
    ];
    let state = || files(&sandbox.path(""));
    let mut before = Vec::new();
    for (api, more) in calls {
        before.push(state());
        create_webhook(&sandbox, api, more);
    }
    let none = before[0].clone();
    for ((api, more), before) in calls.iter().zip(before).rev() {
        sandbox.succeeds(&delete_args(api, more));
        let after = state();
        assert!(after == before, "{api}: {:#?}", differing(&before, &after));
    }
    // Now delete in another order, and all webhooks of a kind at once.
    for (api, more) in calls {
        create_webhook(&sandbox, api, more);
    }
    for (api, _) in &calls[2..] {
        sandbox.succeeds(&delete_args(api, &[]));
    }
    sandbox.succeeds(&["generate", "--check"]);
    let after = state();
    assert!(after == none, "{:#?}", differing(&none, &after));
}

#[test]
fn webhooks_that_somebody_wrote_or_uses_are_not_deleted_unasked() {
    let mut sandbox = operator();
    let widget = "batch/v1/Widget";
    create(&sandbox, widget, &[]);
    create(&sandbox, "batch/v2/Widget", &[]);
    sandbox.run(&delete_args(widget, &[]));
    create_webhook(&sandbox, widget, &["--defaulting", "--conversion"]);
    sandbox.run(&delete_args(widget, &["--validation"]));
    sandbox.run(&about("delete", widget, &[]));
    sandbox.run(&about("delete", "batch/v2/Widget", &[]));
    let handlers = "src/webhooks/widget.rs";
    sandbox.edit(handlers, "or_insert_with", "and_modify");
    sandbox.edit("config/webhooks/service.yaml", "port: 443", "port: 8443");
    let unchanged = sandbox.state();
    sandbox.run(&delete_args(widget, &["--defaulting", "--force"]));
    sandbox.run(&delete_args(widget, &[]));
    assert!(sandbox.state() == unchanged, "nothing is removed");
    sandbox.run(&delete_args(widget, &["--conversion", "--dry-run"]));
    sandbox.edit(
        "src/app.rs",
        "let app = app.webhooks(crate::webhooks::all());",
        "let webhooks = crate::webhooks::all();\n    let app = app.webhooks(webhooks);",
    );
    sandbox.edit(
        "src/lib.rs",
        "pub mod webhooks;",
        "#[cfg(unix)]\npub mod webhooks;",
    );
    sandbox.run(&delete_args(widget, &["--force"]));
    sandbox.edit("src/lib.rs", "#[cfg(unix)]\n", "");
    sandbox.run(&delete_args(widget, &["--force"]));
    sandbox.edit(
        "src/app.rs",
        "let webhooks = crate::webhooks::all();\n    let app = app.webhooks(webhooks);",
        "",
    );
    sandbox.run(&delete_args(widget, &["--force"]));
    sandbox.run(&["generate", "--check"]);
    sandbox.run(&about("delete", "batch/v2/Widget", &[]));
    sandbox.check("operator-webhook-delete");
}

#[test]
fn a_version_takes_its_conversion_along_and_leaves_the_others() {
    let sandbox = operator();
    let (first, last) = ("batch/v1/Widget", "batch/v3/Widget");
    create(&sandbox, first, &[]);
    create(&sandbox, "batch/v2/Widget", &[]);
    create_webhook(&sandbox, first, &["--conversion"]);
    let own = "tests/operator/widget_v2_conversion.rs";
    sandbox.write(own, &format!("{}// Ours.\n", sandbox.read(own)));
    let before = files(&sandbox.path(""));
    create(&sandbox, last, &[]);
    create_webhook(&sandbox, first, &["--conversion"]);
    sandbox.succeeds(&about("delete", last, &[]));
    let after = files(&sandbox.path(""));
    assert!(after == before, "{:#?}", differing(&before, &after));
    create(&sandbox, last, &[]);
    create_webhook(&sandbox, first, &["--conversion"]);
    let run = sandbox.quiet(&about("delete", "batch/v2/Widget", &[]));
    assert_eq!(run.code, 1);
    let said = "widget_v2_conversion.rs differs from what `create webhook` writes";
    run.says(said);
}

#[test]
fn files_that_somebody_wrote_are_not_removed_or_doubled() {
    let sandbox = operator();
    let widget = "batch/v1/Widget";
    create(&sandbox, widget, &[]);
    create(&sandbox, "batch/v2/Widget", &[]);
    let module = "src/webhooks.rs";
    sandbox.write(module, "// Ours.\n");
    let run = sandbox.quiet(&create_args(widget, &["--conversion"]));
    assert_eq!(run.code, 1);
    let said = "src/webhooks.rs already exists";
    run.says(said);
    std::fs::remove_file(sandbox.path(module)).unwrap();
    create_webhook(&sandbox, widget, &["--conversion"]);
    // The file is not generated, since no marker asks for it.
    let own = "config/webhooks.yaml";
    sandbox.write(own, "# Ours.\n");
    sandbox.succeeds(&delete_args(widget, &[]));
    assert_eq!(sandbox.read(own), "# Ours.\n");
}
