//! `create api` and `delete api` of unusual kinds.

use std::{path::Path, process::Command, sync::LazyLock};

use super::operator::{Files, about, create, create_webhook, differing, files, operator};
use crate::cli::sandbox::Sandbox;

/// Long and short names, keywords, names of the operator's own files, several kinds in a version,
/// several versions of a kind, and one name in two groups.
const KINDS: [(&str, &[&str]); 15] = [
    ("batch/v1alpha1/Widget", &[]),
    ("batch/v1alpha1/Aaa", &["--cluster", "--plural", "aaaz"]),
    ("batch/v1beta1/Widget", &[]),
    ("batch/v10/Widget", &[]),
    // Names that are substrings of others: `v1` of `v1alpha1`, and `e::v1` of `cache::v1`.
    ("batch/v1/Widget", &[]),
    ("batch/v1/Type", &["--no-controller"]),
    ("cache/v1/Type", &[]),
    ("e/v1/Type", &[]),
    ("cache/v1/Main", &[]),
    ("cache/v1/Deploy", &[]),
    ("cache/v1/Support", &[]),
    ("batch.other.org/v1/Image", &[]),
    ("match/v2/HTTPRoute", &[]),
    ("a/v1/AnExceedinglyLongNameOfSomeKind", &[]),
    ("a/v1/Core", &["--no-controller"]),
];

/// The files of an operator before each of [`KINDS`] was created, and with all of them. Created
/// once for all tests.
static STATES: LazyLock<(Vec<Files>, Files)> = LazyLock::new(|| {
    let sandbox = operator();
    let state = || files(&sandbox.path(""));
    let before = KINDS.map(|(api, more)| {
        let before = state();
        create(&sandbox, api, more);
        sandbox.succeeds(&["generate", "--check"]);
        before
    });
    (before.into(), state())
});

/// Returns an operator with all [`KINDS`].
fn with_kinds() -> Sandbox {
    let sandbox = Sandbox::new();
    for (path, text) in &STATES.1 {
        sandbox.write(path.to_str().unwrap(), text);
    }
    sandbox
}

/// Checks that rustfmt, if it is installed, changes nothing.
pub(super) fn check_format(sandbox: &Sandbox) {
    let formatted = Command::new("rustfmt")
        .args(["--edition", "2024", "--check"])
        .args(["src/lib.rs", "src/main.rs", "tests/operator/main.rs"])
        .current_dir(sandbox.path(""))
        .output();
    if let Ok(output) = formatted {
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}");
    }
}

#[test]
fn operators_with_kinds_of_every_sort_are_complete_and_formatted() {
    let sandbox = with_kinds();
    let long = "a/v1/AnExceedinglyLongNameOfSomeKind";
    create(&sandbox, "a/v2/AnExceedinglyLongNameOfSomeKind", &[]);
    create(&sandbox, "e/v2/Type", &[]);
    for api in [
        "batch/v1alpha1/Widget",
        "batch/v10/Widget",
        "e/v1/Type",
        "e/v2/Type",
        "match/v2/HTTPRoute",
        long,
    ] {
        create_webhook(&sandbox, api, &["--defaulting", "--validation"]);
    }
    for api in ["batch/v1alpha1/Widget", "e/v1/Type", long] {
        create_webhook(&sandbox, api, &["--conversion"]);
    }
    sandbox.succeeds(&["generate", "--check"]);
    check_format(&sandbox);
    let written = files(&sandbox.path(""));
    for (path, text) in &written {
        assert!(!text.contains("{{"), "{}", path.display());
        if path.extension().is_some_and(|extension| extension == "rs") {
            // Snake case has no consecutive underscores.
            let is_named = !path.to_string_lossy().contains("__");
            assert!(is_named && syn::parse_file(text).is_ok(), "{path:?}");
        }
    }
    for path in [
        "src/controllers/cache_main.rs",
        "tests/operator/cache_deploy.rs",
        "config/samples/widget_v10.yaml",
        "src/apis/match_/v2/http_route.rs",
        "src/apis/batch_other_org/v1/image.rs",
        "tests/operator/widget_v1beta1_conversion.rs",
        "src/webhooks/widget_v10.rs",
        "tests/operator/type_webhook.rs",
    ] {
        assert!(written.contains_key(Path::new(path)), "{path}");
    }
}

#[test]
fn deleting_kinds_gives_the_operator_before_them() {
    let sandbox = with_kinds();
    for ((api, _), before) in KINDS.iter().zip(&STATES.0).rev() {
        sandbox.succeeds(&about("delete", api, &[]));
        let after = files(&sandbox.path(""));
        assert!(after == *before, "{api}: {:#?}", differing(before, &after));
    }
}

#[test]
fn manifests_of_a_crate_include_the_kinds_in_its_apis() {
    let sandbox = operator();
    create(&sandbox, "batch/v1/Widget", &[]);
    let crd = "config/crd/bases/batch.example.com_widgets.yaml";
    let written = ["src/apis", "src", "."].map(|folder| {
        sandbox.succeeds(&["manifests", folder]);
        let text = sandbox.read(crd);
        std::fs::remove_file(sandbox.path(crd)).unwrap();
        text
    });
    assert!(written[0].contains("size:"), "{}", written[0]);
    assert_eq!(written[1], written[0]);
    assert_eq!(written[2], written[0]);
}
