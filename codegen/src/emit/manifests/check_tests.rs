//! Checks of schemas from annotated Rust.

use super::tests::crd_of;
use super::tests::{kind, sources};
use crate::options::Compat;
use crate::{
    diag::Style,
    options::{Manifests, Options},
};

/// The warnings about the types' manifests.
pub(super) fn warnings(types: &str, manifests: Manifests) -> String {
    let options = Options {
        emit: [].into(),
        manifests: Some(manifests),
        ..Options::default()
    };
    let generated = crate::generate(&sources(types), &options).unwrap();
    generated.warnings.render(Style::Plain)
}

#[test]
fn an_example_that_is_not_of_its_schema_is_warned_of() {
    let fields =
        "// +kubebuilder:validation:MaxLength=3\n// +kubebuilder:example=world\npub a: String,";
    let warnings = warnings(&kind(fields, ""), Manifests::default());
    let expected =
        "the example of `.spec.a` does not match its schema: it: may not be more than 3 bytes";
    assert!(warnings.contains(expected), "{warnings}");
    assert!(
        warnings.contains("// +kubebuilder:example=world"),
        "{warnings}"
    );
}

#[test]
fn metadata_that_the_server_would_drop_is_warned_of() {
    let templates = "/// A template.\n#[derive(Clone, Debug, Serialize, Deserialize)]\npub struct Template { pub metadata: ObjectMeta }";
    let warnings = |fields: &str, embedded_object_meta| {
        let manifests = Manifests {
            embedded_object_meta,
            ..Manifests::default()
        };
        warnings(&kind(fields, templates), manifests)
    };
    let plain = "pub one: Template, pub many: Vec<Template>,";
    let found = warnings(plain, false);
    for expected in [
        "warning: the API server drops what `.spec.many.metadata` contains\n",
        " = note: and what `.spec.one.metadata` contains\n",
        "pub struct Template { pub metadata: ObjectMeta }\n",
    ] {
        assert!(found.contains(expected), "{found}");
    }
    let renamed = "pub pod: ObjectMeta, pub all: Vec<ObjectMeta>,";
    let found = warnings(renamed, false);
    for expected in [
        "warning: the API server drops what `.spec.all` contains\n",
        " = note: and what `.spec.pod` contains\n",
    ] {
        assert!(found.contains(expected), "{found}");
    }
    assert_eq!(warnings(plain, true), "");
    assert_eq!(warnings(renamed, true), "");
    for marker in [
        "kubebuilder:pruning:PreserveUnknownFields",
        "kubebuilder:validation:EmbeddedResource",
    ] {
        assert_eq!(
            warnings(&format!("// +{marker}\npub one: Template,"), false),
            "",
            "{marker}"
        );
    }
}

#[test]
fn defaults_are_held_to_patterns_formats_and_rules() {
    #[track_caller]
    fn check(markers: &[&str], expected: Option<&str>) {
        let markers: String = markers
            .iter()
            .map(|marker| format!("// +kubebuilder:{marker}\n"))
            .collect();
        let errors = crd_of(
            &kind(&format!("{markers}pub a: String,"), ""),
            Compat::Strict,
        );
        match (errors, expected) {
            (Ok(_), None) => {}
            (Err(errors), Some(expected)) => assert!(errors.contains(expected), "{errors}"),
            (found, _) => panic!("{markers}: {found:?}"),
        }
    }
    let pattern = "validation:Pattern=`^[a-z]+$`";
    check(&["default=abc", pattern], None);
    check(
        &["default=ABC", pattern],
        Some("the default of `.spec.a` does not match its schema: it should match '^[a-z]+$'"),
    );
    let format = "validation:Format=date-time";
    check(&["default=\"2026-01-31T00:00:00Z\"", format], None);
    check(
        &["default=tomorrow", format],
        Some("it must be of type date-time: \"tomorrow\""),
    );
    let rule = "validation:XValidation:rule=\"self.startsWith('a')\",message=\"begins with a\"";
    check(&["default=abc", rule], None);
    check(&["default=bcd", rule], Some("it: begins with a"));
}
