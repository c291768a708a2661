//! `init`, `create api` and `delete api`. See [`operator_kinds`](super::operator_kinds) for unusual
//! kinds.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use super::operator_sample::create_metrics;
use crate::cli::sandbox::{Sandbox, testdata};

/// The dependency of `testdata/operator` on the runtime crate.
pub(super) const RUNTIME: &str = "{ path = \"../../runtime\" }";

pub(super) type Files = BTreeMap<PathBuf, String>;

/// Reads the files at and below a folder, by path.
pub(super) fn files(folder: &Path) -> Files {
    let mut files = Files::new();
    collect(folder, folder, &mut files);
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Files) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let below = path.strip_prefix(root).unwrap().to_owned();
            files.insert(below, fs::read_to_string(&path).unwrap());
        }
    }
}

/// Creates an operator `sample-operator` in a folder of that name.
pub(super) fn operator() -> Sandbox {
    let mut sandbox = Sandbox::new();
    let init = [
        "init",
        "sample-operator",
        "--domain",
        "example.com",
        "--runtime",
        RUNTIME,
    ];
    sandbox.succeeds(&init);
    sandbox.enter("sample-operator");
    sandbox
}

/// Returns the arguments of `<command> api` for a kind written as `group/version/Kind`.
pub(super) fn about<'a>(command: &'a str, api: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    about_what([command, "api"], api, more)
}

/// As [`about`], for a subcommand other than `api`.
pub(super) fn about_what<'a>(
    [command, what]: [&'a str; 2],
    api: &'a str,
    more: &[&'a str],
) -> Vec<&'a str> {
    let mut parts = api.split('/');
    let mut next = || parts.next().unwrap();
    let names = [
        command,
        what,
        "--group",
        next(),
        "--version",
        next(),
        "--kind",
        next(),
    ];
    names.into_iter().chain(more.iter().copied()).collect()
}

pub(super) fn create(sandbox: &Sandbox, api: &str, more: &[&str]) {
    sandbox.succeeds(&about("create", api, more));
}

pub(super) fn create_webhook(sandbox: &Sandbox, api: &str, more: &[&str]) {
    let arguments = about_what(["create", "webhook"], api, more);
    sandbox.succeeds(&arguments);
}

/// Creates an operator with two kinds.
fn sample() -> Sandbox {
    let sandbox = operator();
    create(&sandbox, "batch/v1alpha1/Widget", &[]);
    create(&sandbox, "cache/v1/Region", &["--cluster", "--sharded"]);
    sandbox
}

/// Creates the operator of `testdata/operator`, in which a kind has two versions and webhooks, one
/// of Kubernetes' kinds a controller and webhooks, and which has metrics of its own. `more` are
/// flags of `create webhook`.
pub(super) fn whole_sample(more: &[&str]) -> Sandbox {
    let sandbox = sample();
    create(&sandbox, "batch/v1beta1/Widget", &[]);
    let handlers = [&["--defaulting", "--validation", "--conversion"], more].concat();
    create_webhook(&sandbox, "batch/v1alpha1/Widget", &handlers);
    let controller = about_what(["create", "controller"], "apps/v1/Deployment", &[]);
    sandbox.succeeds(&controller);
    let handlers = [&["--defaulting", "--validation"], more].concat();
    create_webhook(&sandbox, "apps/v1/Deployment", &handlers);
    sandbox.succeeds(&["migrate"]);
    create_metrics(&sandbox);
    sandbox
}

#[test]
fn the_sample_operator_is_what_the_commands_write() {
    let sandbox = whole_sample(&["--self-signed"]);
    compare("operator", files(&sandbox.path("")));
}

#[test]
fn with_a_certificate_of_cert_managers_it_differs_in_what_deploys_webhooks() {
    let sandbox = whole_sample(&[]);
    compare(
        "operator-cert-manager",
        files(&sandbox.path("config/webhooks")),
    );
    let others = |folder: &Path| {
        let mut files = files(folder);
        files.retain(|path, _| !path.starts_with("config/webhooks"));
        files
    };
    let (golden, written) = (
        others(&testdata().join("operator")),
        others(&sandbox.path("")),
    );
    let paths: Vec<_> = differing(&golden, &written)
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let expected = [
        ".kube-codegen.json",
        "Cargo.toml",
        "config/role.yaml",
        "src/webhooks/mod.rs",
        "src/webhooks/widget.rs",
        "tests/operator/main.rs",
        "tests/operator/webhooks_certificate.rs",
    ];
    assert_eq!(paths, expected);
}

/// Compares the files with a folder of `testdata`, or updates the folder if `UPDATE_GOLDEN` is set.
#[track_caller]
pub(super) fn compare(name: &str, written: Files) {
    let folder = testdata().join(name);
    let golden = match folder.exists() {
        true => files(&folder),
        false => Files::new(),
    };
    if written == golden {
        return;
    }
    assert!(
        env::var_os("UPDATE_GOLDEN").is_some(),
        "testdata/{name} differs from what the commands write: {:#?}\n`UPDATE_GOLDEN=1 cargo test -p kube-codegen --test generator operator` updates it.",
        differing(&golden, &written)
    );
    for path in golden.keys().filter(|path| !written.contains_key(*path)) {
        fs::remove_file(folder.join(path)).unwrap();
    }
    for (path, text) in written {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

pub(super) fn differing<'a>(a: &'a Files, b: &'a Files) -> Vec<&'a Path> {
    let in_either = a.keys().chain(b.keys());
    let mut paths: Vec<&Path> = in_either
        .filter(|path| a.get(*path) != b.get(*path))
        .map(PathBuf::as_path)
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

#[test]
fn init_and_create_say_what_they_do() {
    let mut sandbox = Sandbox::new();
    sandbox.run(&[
        "init",
        "my-operator",
        "--domain",
        "example.com",
        "--dry-run",
    ]);
    sandbox.list();
    sandbox.run(&["init", "my-operator", "--domain", "example.com"]);
    sandbox.run(&["init", "my-operator", "--domain", "example.com"]);
    let widget = about("create", "batch/v1alpha1/Widget", &[]);
    let dry = about("create", "batch/v1alpha1/Widget", &["--dry-run"]);
    sandbox.enter("my-operator");
    sandbox.run(&dry);
    sandbox.run_in("my-operator/src", &widget);
    sandbox.run(&widget);
    sandbox.run(&about("create", "batch/v1beta1/Widget", &[]));
    sandbox.run(&about(
        "create",
        "batch/v1beta1/Gadget",
        &["--no-controller"],
    ));
    sandbox.list();
    sandbox.check("operator");
}

#[test]
fn only_a_workspace_that_would_refuse_the_package_is_pointed_out() {
    let check = |workspace: &str, is_refused: bool| {
        let sandbox = Sandbox::new();
        sandbox.write("Cargo.toml", workspace);
        let arguments = ["--domain", "b.example.com", "--output", "ops/a"];
        let run = sandbox.quiet(&[&["init", "my-operator"], &arguments[..]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let said = run.stderr.contains("is a workspace");
        assert_eq!(said, is_refused, "{workspace}: {}", run.stderr);
    };
    check("[workspace]\nmembers = [\"ops/b\"]\n", true);
    check("[workspace]\nmembers = [\"ops/a\"]\n", false);
    check("[workspace]\nmembers = [\"ops/*\"]\n", false);
    check("[workspace]\nexclude = [\"ops\"]\n", false);
    check("[package]\nname = \"a\"\n", false);
}

#[test]
fn names_that_will_not_do_are_refused_and_nothing_is_written() {
    let mut sandbox = Sandbox::new();
    sandbox.run(&["init", "My_Operator", "--domain", "Example"]);
    sandbox.run(&["init", "test", "--domain", "example.com"]);
    sandbox.run(&["init", "app", "--domain", "example.com"]);
    sandbox.run(&["init", "v1", "--domain", "example.com"]);
    sandbox.write("workspace/Cargo.toml", "[workspace]\n");
    sandbox.run_in(
        "workspace",
        &["init", "a", "--domain", "b", "--output", "."],
    );
    sandbox.run_in("workspace", &["init", "a", "--domain", "b", "--dry-run"]);
    sandbox.run(&["init", "my-operator"]);
    sandbox.run(&[
        "init",
        "my-operator",
        "--domain",
        "example.com",
        "--runtime",
        "{ features = [] }",
    ]);
    sandbox.run(&about("create", "batch/v1/Widget", &[]));
    sandbox.succeeds(&["init", "my-operator", "--domain", "example.com"]);
    sandbox.enter("my-operator");
    sandbox.succeeds(&about("create", "batch/v1/Widget", &[]));
    let before = sandbox.state();
    for api in [
        "Batch/1/my-widget",
        "batch/v1/Box",
        "batch/v1/WidgetList",
        "batch/v1/WidgetSpec",
        "batch/v1/WIDGET",
        "batch/v1/Widgets",
        "batch.k8s.io/v1/Gadget",
    ] {
        sandbox.run(&about("create", api, &[]));
    }
    sandbox.run(&about(
        "create",
        "batch/v1/Gadget",
        &["--plural", "widgets"],
    ));
    sandbox.run(&about(
        "create",
        "batch/v2/Widget",
        &["--plural", "gadgets", "--cluster"],
    ));
    sandbox.run(&["create", "api", "--kind", "Gadget"]);
    assert!(sandbox.state() == before, "nothing is written");
    sandbox.write("src/controllers/gadget.rs", "");
    sandbox.write("src/apis/batch/v1/gadget.rs", "");
    sandbox.run(&about("create", "batch/v1/Gadget", &[]));
    sandbox.write("src/apis/batch/v1/gadget.rs", "pub struct Gadget {");
    sandbox.run(&about("create", "batch/v1/Other", &[]));
    sandbox.check("operator-names");
}

#[test]
fn a_kind_that_the_generator_would_not_see_is_not_written() {
    let sandbox = operator();
    let config = sandbox.read("codegen.toml");
    let elsewhere = config.replace("[crate.rust]", "[crate.rust]\napis = \"src/api\"");
    sandbox.configure(&elsewhere);
    sandbox.write("src/api/mod.rs", "");
    let before = sandbox.state();
    let run = sandbox.quiet(&about("create", "batch/v1/Widget", &[]));
    assert_eq!(run.code, 1);
    run.says("`apis = \"src/apis\"`");
    assert!(sandbox.state() == before, "nothing is written");
}

#[test]
fn crates_of_other_kinds_may_stand_beside_an_operator() {
    let sandbox = operator();
    let config = sandbox.read("codegen.toml");
    let others = "\n[[crate]]\noutput = \"src/others\"\n[crate.crd]\n";
    sandbox.write("codegen.toml", &format!("{config}{others}"));
    create(&sandbox, "batch/v1/Widget", &[]);
    sandbox.succeeds(&about("delete", "batch/v1/Widget", &[]));
}

#[test]
fn lines_without_a_place_are_left_to_the_user() {
    let mut sandbox = Sandbox::new();
    sandbox.succeeds(&["init", "my-operator", "--domain", "example.com"]);
    sandbox.enter("my-operator");
    sandbox.edit("src/app.rs", "fn setup", "fn start");
    sandbox.write("tests/operator/main.rs", "mod support;\nfn (");
    sandbox.run(&about("create", "batch/v1/Widget", &[]));
    sandbox.check("operator-lines");
}

#[test]
fn the_first_kind_leaves_the_module_of_all_tests_alone() {
    let sandbox = operator();
    let before = files(&sandbox.path(""));
    create(&sandbox, "cache/v1/Support", &[]);
    let support = sandbox.read("tests/operator/support.rs");
    assert!(support.contains("pub fn server()"), "{support}");
    let test = sandbox.read("tests/operator/cache_support.rs");
    assert!(test.contains("use crate::support::"), "{test}");
    sandbox.succeeds(&about("delete", "cache/v1/Support", &[]));
    assert!(files(&sandbox.path("")) == before);
}

#[test]
fn what_somebody_wrote_or_uses_is_not_deleted_unasked() {
    let mut sandbox = sample();
    let delete = |more: &[&'static str]| about("delete", "batch/v1alpha1/Widget", more);
    let types = "src/apis/batch/v1alpha1/widget.rs";
    sandbox.edit(types, "pub size: i32", "pub length: i32");
    sandbox.write(
        "config/samples/widget.yaml",
        "apiVersion: batch.example.com/v1alpha1\nkind: Widget\n",
    );
    let unchanged = sandbox.state();
    sandbox.run(&delete(&[]));
    sandbox.run(&about("delete", "batch/v1/Widget", &[]));
    sandbox.run(&about("delete", "other/v1/Widget", &[]));
    assert!(sandbox.state() == unchanged, "nothing is removed");
    let app = sandbox.read("src/app.rs");
    let helper = "\n/// How many Widgets there are.\npub fn count(all: &[crate::apis::batch::v1alpha1::Widget]) -> usize {\n    all.len()\n}\n";
    sandbox.write("src/app.rs", &format!("{app}{helper}"));
    let controllers = sandbox.read("src/controllers/mod.rs");
    sandbox.write(
        "src/controllers/mod.rs",
        &controllers.replace("pub mod widget;", "#[cfg(unix)]\npub mod widget;"),
    );
    let unchanged = sandbox.state();
    sandbox.run(&delete(&["--force"]));
    sandbox.write("src/controllers/mod.rs", &controllers);
    sandbox.run(&delete(&["--force"]));
    sandbox.write("src/app.rs", &app);
    assert_eq!(sandbox.state().len(), unchanged.len());
    sandbox.run(&delete(&["--force", "--dry-run"]));
    sandbox.run(&delete(&["--force"]));
    sandbox.run(&["generate", "--check"]);
    sandbox.run(&about("delete", "cache/v1/Region", &[]));
    sandbox.run(&["generate", "--check"]);
    sandbox.list();
    sandbox.check("operator-delete");
}

#[test]
fn a_version_that_is_stored_goes_when_another_is() {
    let mut sandbox = operator();
    create(&sandbox, "batch/v1alpha1/Widget", &[]);
    create(&sandbox, "batch/v1/Widget", &[]);
    create(&sandbox, "batch/v2/Widget", &[]);
    let delete = about("delete", "batch/v1alpha1/Widget", &[]);
    sandbox.run(&delete);
    let types = "src/apis/batch/v1/widget.rs";
    let text = sandbox.read(types);
    let stored = text.replacen(
        "// +kubebuilder:sub",
        "// +kubebuilder:storageversion\n// +kubebuilder:sub",
        1,
    );
    sandbox.write(types, &stored);
    let first = "src/apis/batch/v1alpha1/widget.rs";
    sandbox.edit(first, "// +kubebuilder:storageversion\n", "");
    sandbox.run(&delete);
    sandbox.check("operator-versions");
}

#[test]
fn a_version_starts_as_a_copy_of_another() {
    let mut sandbox = operator();
    create(&sandbox, "batch/v1alpha1/Widget", &[]);
    let types = "src/apis/batch/v1alpha1/widget.rs";
    sandbox.edit(types, "pub size: i32", "pub replicas: i32");
    sandbox.edit("config/samples/widget.yaml", "size", "replicas");
    sandbox.succeeds(&["generate"]);
    let before = files(&sandbox.path(""));
    let copy = |version: &'static str, from: &'static str| {
        let mut arguments = about("create", version, &[]);
        arguments.extend(["--from", from]);
        arguments
    };
    sandbox.run(&copy("batch/v1/Widget", "v2"));
    sandbox.run(&copy("batch/v1/Gadget", "v1alpha1"));
    sandbox.run(&copy("batch/v1/Widget", "v1alpha1"));
    sandbox.run(&["generate", "--check"]);
    let stored = "// +kubebuilder:storageversion\n";
    let copied = sandbox.read("src/apis/batch/v1/widget.rs");
    assert_eq!(copied, sandbox.read(types).replacen(stored, "", 1));
    let sample = sandbox.read("config/samples/widget_v1.yaml");
    let other = sandbox.read("config/samples/widget.yaml");
    assert_eq!(sample, other.replacen("/v1alpha1", "/v1", 1));
    sandbox.succeeds(&about("delete", "batch/v1/Widget", &[]));
    assert_eq!(differing(&before, &files(&sandbox.path(""))), [""; 0]);
    sandbox.write("config/samples/widget.yaml", "");
    sandbox.run(&copy("batch/v1/Widget", "v1alpha1"));
    sandbox.check("operator-copy");
}

#[test]
fn a_copied_version_still_uses_what_the_other_version_shares() {
    let sandbox = operator();
    create(&sandbox, "batch/v1alpha1/Widget", &[]);
    let folder = "src/apis/batch/v1alpha1";
    let derive = "#[derive(Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]";
    sandbox.write(
        &format!("{folder}/shared.rs"),
        &format!("{derive}\npub struct Shared {{ pub a: String }}\n"),
    );
    sandbox.edit(
        &format!("{folder}/mod.rs"),
        "pub use self::widget::*;",
        "mod shared;\npub use self::{shared::*, widget::*};",
    );
    let types = format!("{folder}/widget.rs");
    sandbox.edit(&types, "use serde::", "use super::*;\nuse serde::");
    let fields = "    pub size: i32,\n    pub one: Shared,\n    pub other: super::Shared,\n";
    sandbox.edit(&types, "    pub size: i32,\n", fields);
    sandbox.succeeds(&["generate"]);
    let before = files(&sandbox.path(""));
    let mut create = about("create", "batch/v1/Widget", &[]);
    create.extend(["--from", "v1alpha1"]);
    sandbox.succeeds(&create);
    let copied = sandbox.read("src/apis/batch/v1/widget.rs");
    for line in [
        "use super::super::v1alpha1::Shared;\n",
        "pub one: Shared,",
        "pub other: super::super::v1alpha1::Shared,",
    ] {
        assert!(copied.contains(line), "{copied}");
    }
    sandbox.succeeds(&about("delete", "batch/v1/Widget", &[]));
    assert_eq!(differing(&before, &files(&sandbox.path(""))), [""; 0]);
}

#[test]
fn a_new_repository_becomes_an_operator() {
    let mut sandbox = Sandbox::new();
    sandbox.write("README.md", "# Mine\n");
    sandbox.write(".gitignore", "");
    sandbox.write(".git/HEAD", "");
    let init = [
        "init",
        "my-operator",
        "--domain",
        "example.com",
        "--output",
        ".",
    ];
    sandbox.run(&init);
    assert_eq!(sandbox.read("README.md"), "# Mine\n");
    sandbox.succeeds(&about("create", "batch/v1/Widget", &[]));
    sandbox.run(&init);
    sandbox.check("operator-repository");
}

#[test]
fn a_folder_without_apis_is_an_error_unless_it_is_a_module() {
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.toml", "[package]\nname = \"a\"\n");
    sandbox.configure("[[crate]]\n[crate.rust]\n");
    sandbox.write("src/apis/notes.txt", "");
    let run = sandbox.quiet(&["generate"]);
    run.says("src/apis contains no API");
    assert_eq!(run.code, 2);
    sandbox.write("src/apis/mod.rs", "");
    sandbox.succeeds(&["generate", "--check"]);
}
