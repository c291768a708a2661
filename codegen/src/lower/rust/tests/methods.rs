//! Client methods besides the verbs.

use super::*;
use crate::diag::Style;
use crate::model::{CustomMethod, ExternalType, KnownType, TypeRef};

const ROOT: &str = "pub struct Review { pub metadata: ObjectMeta, pub user: String }\npub struct Answer { pub allowed: bool }\n";

#[track_caller]
fn methods(markers: &str) -> Vec<CustomMethod> {
    let version = single(&format!("// +genclient\n{markers}{ROOT}"));
    version.resources[0].methods.clone()
}

#[track_caller]
fn check_refused(markers: &str, expected: &str) {
    let found = errors(&format!("// +genclient\n{markers}{ROOT}"));
    assert!(found.contains(expected), "{found}");
}

#[test]
fn a_method_may_stand_for_a_verb_that_is_not_there() {
    let found =
        methods("// +genclient:noVerbs\n// +genclient:method=Create,verb=create,result=Answer\n");
    assert_eq!(found[0].name, "create");
    assert_eq!(found[0].result, Some(TypeRef::Local("Answer".to_owned())));
    let found = methods("// +genclient:method=UpdateStatus,verb=update,subresource=status\n");
    assert_eq!(found[0].name, "update_status");
    methods(
        "// +genclient:readonly\n// +genclient:method=Patch,verb=patch\n// +genclient:method=Delete,verb=delete\n",
    );
    methods("// +genclient:skipVerbs=watch\n// +genclient:method=Watch,verb=watch\n");
}

#[test]
fn a_method_has_a_name_of_its_own() {
    for name in ["New", "Typed", "GetOpt", "Create", "DeleteCollection"] {
        check_refused(
            &format!("// +genclient:method={name},verb=get\n"),
            "the client already has a method",
        );
    }
    methods("// +genclient:onlyVerbs=list\n// +genclient:method=GetOpt,verb=get\n");
}

#[test]
fn only_what_is_created_has_other_types_without_a_subresource() {
    check_refused(
        "// +genclient:method=Look,verb=get,result=Answer\n",
        "without a subresource, a method applies to the resource itself",
    );
    check_refused(
        "// +genclient:method=Stop,verb=delete,subresource=run\n",
        "`delete` applies to objects",
    );
}

#[test]
fn types_of_methods_keep_their_paths() {
    let result = |path: &str| {
        let marker = format!("// +genclient:method=Ask,verb=create,result={path}\n");
        methods(&marker)[0].result.clone()
    };
    let external = |path: &str| {
        let segments = path.split("::").map(str::to_owned);
        Some(TypeRef::External(ExternalType::new(segments.collect())))
    };
    assert_eq!(
        result("k8s_openapi::api::core::v1::PodTemplateSpec"),
        Some(TypeRef::Known(KnownType::PodTemplateSpec))
    );
    assert_eq!(
        result("k8s_openapi::api::core::v1::Pod"),
        external("k8s_openapi::api::core::v1::Pod")
    );
    assert_eq!(
        result("super::super::other::v1::Answer"),
        external("crate::apis::other::v1::Answer")
    );
    assert_eq!(
        result("metav1::Status"),
        external("k8s_openapi::apimachinery::pkg::apis::meta::v1::Status")
    );
}

#[test]
fn types_of_methods_are_exported() {
    let files = [
        ("mod.rs", "mod types;\npub use types::Review;\n"),
        (
            "types.rs",
            &format!(
                "{HEAD}// +genclient\n// +genclient:method=Ask,verb=create,result=Answer\n{ROOT}"
            ),
        ),
    ];
    let error = crate::load(&sources(&files), &options())
        .expect_err("not exported")
        .render(Style::Plain);
    assert!(error.contains("`Answer` is not visible outside"), "{error}");
    assert!(
        error.contains("write `pub use types::Answer;` in mod.rs"),
        "{error}"
    );
}
