//! Modules, and paths between them.

use super::*;

const ROOT_FILE: &str = "\
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
// +genclient
pub struct Machine { pub metadata: ObjectMeta, pub spec: Spec, pub size: String }
pub struct Spec { pub other: Missing7 }
";

/// The usual layout, in which every module sees all others: a name that does not exist is looked up
/// once in each.
#[test]
fn globs_in_a_circle_end_soon() {
    let names: Vec<String> = (0..12).map(|n| format!("m{n}.rs")).collect();
    let texts: Vec<String> = (0..12)
        .map(|n| format!("use super::*;\npub struct Missing{n} {{ pub size: String, pub far: Option<Vec<i32>> }}\n"))
        .collect();
    let root: String = (0..12)
        .map(|n| format!("mod m{n};\npub use m{n}::*;\n"))
        .collect();
    let root = format!("{root}mod machine;\npub use machine::*;\n");
    let machine = format!("use super::*;\n{ROOT_FILE}");
    let mut files = vec![("mod.rs", root.as_str()), ("machine.rs", &machine)];
    files.extend(
        names
            .iter()
            .zip(&texts)
            .map(|(name, text)| (name.as_str(), text.as_str())),
    );
    let version = version(&files);
    assert_eq!(version.resources.len(), 1);
    assert_eq!(
        fields(def(&version, "Missing3"))[1].ty,
        crate::model::TypeRef::List(Box::new(crate::model::TypeRef::Int32))
    );
}

/// A module imports by name what the module above it brings with globs, its own among them.
#[test]
fn an_import_that_leads_back_hides_no_item() {
    let root = ROOT_FILE.replace("Missing7", "A").replace(
        "size: String",
        "size: String, pub sail: super::Sail, pub more: A",
    );
    let version = version(&[
        (
            "mod.rs",
            "mod a;\nmod b;\nmod machine;\npub use a::*;\npub use b::*;\npub use machine::*;\n",
        ),
        (
            "a.rs",
            "use super::Sail;\npub struct A { pub sail: Sail }\n",
        ),
        ("b.rs", "pub struct Sail { pub size: i32 }\n"),
        ("machine.rs", &format!("use super::*;\n{root}")),
    ]);
    let sail = crate::model::TypeRef::Local("Sail".to_owned());
    assert_eq!(fields(def(&version, "A"))[0].ty, sail);
    assert_eq!(fields(def(&version, "Machine"))[3].ty, sail);
}

#[test]
fn modules_of_tests_are_none_of_the_api() {
    let version = version(&[
        (
            "mod.rs",
            "pub struct A { pub a: i32 }\nmod deep;\n#[cfg(test)]\nmod tests;\n#[cfg(all(test, unix))]\n#[path = \"a_test.rs\"]\nmod more;\n",
        ),
        (
            "tests.rs",
            "use super::*;\n// +anything\nmod cases;\npub struct A;\n",
        ),
        ("tests/cases.rs", "pub struct B<'a>(&'a str);\n"),
        ("a_test.rs", "pub struct C;\n"),
        ("deep/a.rs", "#[cfg(test)] mod tests;\n"),
        ("deep/a/tests.rs", "pub struct D;\n"),
        ("deep/mod.rs", "mod a;\n"),
    ]);
    assert_eq!(version.types.len(), 1);
    let error = crate::load(
        &sources(&[("mod.rs", "#[cfg(any(test, unix))]\nmod tests;\n")]),
        &options(),
    )
    .expect_err("no file")
    .to_string();
    assert!(error.contains("no file for the module `tests`"), "{error}");
}

#[test]
fn the_root_of_kube_derive_may_be_exported_in_steps() {
    let foo = "\
use serde::{Deserialize, Serialize};
#[derive(Clone, Debug, kube::CustomResource, Serialize, Deserialize)]
#[kube(group = \"cloud\", version = \"v1\", kind = \"Foo\")]
pub struct FooSpec { pub a: i32 }
";
    for (root, types) in [
        (
            "mod types;\npub use types::*;\n",
            "mod foo;\npub use foo::*;\n",
        ),
        (
            "mod types;\npub use types::*;\n",
            "mod foo;\npub use self::foo::{Foo, FooSpec};\n",
        ),
        (
            "mod types;\npub use types::{Foo, FooSpec};\n",
            "mod foo;\npub use foo::*;\n",
        ),
        ("mod types;\npub use types::foo::*;\n", "pub mod foo;\n"),
    ] {
        let version = version(&[("mod.rs", root), ("types.rs", types), ("types/foo.rs", foo)]);
        assert_eq!(version.resources[0].root, "Foo");
    }
    for (root, types) in [
        ("mod types;\nuse types::*;\n", "mod foo;\npub use foo::*;\n"),
        ("mod types;\npub use types::*;\n", "mod foo;\nuse foo::*;\n"),
        (
            "mod types;\npub use types::FooSpec;\n",
            "mod foo;\npub use foo::*;\n",
        ),
    ] {
        let error = crate::load(
            &sources(&[("mod.rs", root), ("types.rs", types), ("types/foo.rs", foo)]),
            &options(),
        )
        .expect_err("not exported")
        .to_string();
        assert!(error.contains("`Foo` is not visible outside"), "{error}");
    }
}

#[test]
fn globs_from_above_the_version_may_bring_anything() {
    let version = version(&[
        ("mod.rs", "mod types;\n"),
        (
            "types.rs",
            "use super::super::shared::*;\npub struct A { pub a: Shared }\n",
        ),
    ]);
    assert_eq!(
        fields(def(&version, "A"))[0].ty,
        crate::model::TypeRef::External(crate::model::ExternalType::new(vec!["Shared".to_owned()]))
    );
    let own = "use self::Size::*;
pub enum Size { Big }
pub struct A { pub a: Shared }
";
    let error = crate::load(&sources(&[("mod.rs", own)]), &options())
        .expect_err("no glob brings it")
        .to_string();
    assert!(error.contains("no type `Shared`"), "{error}");
}

#[test]
fn a_folder_without_mod_file_borrows_no_other() {
    let error = crate::load(
        &sources(&[
            ("v1/types.rs", "pub struct A;\n"),
            ("v1/sub/mod.rs", "pub struct B;\n"),
        ]),
        &options(),
    )
    .expect_err("no mod.rs")
    .to_string();
    assert!(
        error.contains("the directory of cloud/v1 has no mod.rs"),
        "{error}"
    );
}

#[test]
fn private_types_that_borrow_help_code_only() {
    let version = version(&[(
        "mod.rs",
        "struct Visitor<'a>(&'a str);\npub struct A { pub a: Result<i32, String> }\n",
    )]);
    assert_eq!(version.types.len(), 1);
    let error = errors("pub struct Api<'a>(&'a str);\n");
    assert!(error.contains("`Api` borrows"), "{error}");
}
