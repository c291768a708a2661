//! Schemas of the forms that serde gives structs and enums.

use serde_json::Value;

use super::{
    check_tests::warnings,
    tests::{crd_of, kind},
};
use crate::options::{Compat, Manifests};

const DERIVE: &str = "#[derive(Clone, Debug, Serialize, Deserialize)]";

fn crd(ty: &str, types: &str) -> Result<Value, String> {
    crd_of(&kind(&format!("pub a: {ty},"), types), Compat::Strict)
}

/// The schema of a field.
#[track_caller]
fn schema(ty: &str, types: &str) -> Value {
    let crd = crd(ty, types).unwrap_or_else(|errors| panic!("{types}: {errors}"));
    crd.pointer("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a")
        .cloned()
        .unwrap_or_default()
}

#[test]
fn structs_that_are_not_objects_on_the_wire_are_refused() {
    let check = |types: &str, expected: &str| {
        let errors = crd("A", &format!("{DERIVE}\n{types}")).unwrap_err();
        assert!(errors.contains(expected), "{types}: {errors}");
    };
    check("pub struct A;", "`A` is not an object: serde writes null");
    check("pub struct A();", "write `struct A {}`");
    check(
        "pub struct A(i32, i32);",
        "`A` has several values without names",
    );
    let fine = [
        "pub struct A {}",
        "#[serde(tag = \"kind\")]\npub enum A { B(Unit) }\n#[derive(Clone, Debug, Serialize, Deserialize)]\npub struct Unit;",
    ];
    for types in fine {
        assert_eq!(schema("A", &format!("{DERIVE}\n{types}"))["type"], "object");
    }
    let by_hand =
        "#[derive(Clone, Debug, Deserialize)]\npub struct A(i32, i32);\nimpl Serialize for A {}";
    assert!(crd("A", by_hand).is_ok());
}

#[test]
fn enums_without_names_of_variants_keep_the_keys_of_maps() {
    let keeps = |serde: &str, variants: &str| {
        let types = format!("{DERIVE}\n#[serde({serde})]\npub enum A {{ {variants} }}");
        schema("A", &types)["x-kubernetes-preserve-unknown-fields"] == true
    };
    let map = "B(std::collections::BTreeMap<String, i32>), C { c: i32 }";
    let open = "B { #[serde(flatten)] b: std::collections::BTreeMap<String, i32> }, C { c: i32 }";
    for serde in ["tag = \"kind\"", "untagged"] {
        assert!(keeps(serde, map), "{serde}");
        assert!(keeps(serde, open), "{serde}");
        assert!(!keeps(serde, "B { b: i32 }, C { c: i32 }"), "{serde}");
    }
}

#[test]
fn what_cannot_stand_beside_a_tag_is_refused() {
    let types = |variant: &str| {
        format!(
            "{DERIVE}\n#[serde(tag = \"kind\")]\npub enum A {{ B({variant}), C }}\n\
             {DERIVE}\npub struct Inner {{ pub kind: String }}\n{DERIVE}\npub struct Fine {{ pub name: String }}"
        )
    };
    for (variant, expected) in [
        (
            "String",
            "the variant `B` of `A` is of type string, which cannot stand beside the tag `kind`",
        ),
        ("Vec<Fine>", "is of type array"),
        (
            "Inner",
            "the variant `B` of `A` has a field `kind`, which is the tag",
        ),
    ] {
        let errors = crd("A", &types(variant)).unwrap_err();
        assert!(errors.contains(expected), "{variant}: {errors}");
    }
    assert_eq!(schema("A", &types("Box<Fine>"))["type"], "object");
}

#[test]
fn flattened_maps_may_have_names_of_their_own() {
    let map = "std::collections::BTreeMap<String, i32>";
    let struct_of = |ty: &str| {
        format!("{DERIVE}\npub struct A {{ pub b: i32, #[serde(flatten)] pub rest: {ty} }}")
    };
    let direct = schema("A", &struct_of(map));
    assert_eq!(direct["x-kubernetes-preserve-unknown-fields"], true);
    for rest in [
        format!("pub type Rest = {map};"),
        format!("/// The rest.\n{DERIVE}\npub struct Rest(pub {map});"),
        format!("{DERIVE}\n#[serde(transparent)]\npub struct Rest(pub {map});"),
    ] {
        assert_eq!(
            schema("A", &format!("{}\n{rest}", struct_of("Rest"))),
            direct,
            "{rest}"
        );
        assert_eq!(
            schema("A", &format!("{}\n{rest}", struct_of("Option<Rest>"))),
            direct,
            "{rest}"
        );
    }
}

#[test]
fn the_tag_of_a_struct_is_warned_of() {
    let check = |attribute: &str, expected: bool| {
        let types = format!("{DERIVE}\n{attribute}\npub struct A {{ pub b: i32 }}");
        let found = warnings(&kind("pub a: A,", &types), Manifests::default());
        let warning = "the schema does not declare `kind`, which serde writes with the name of `A`";
        assert_eq!(found.contains(warning), expected, "{attribute}: {found}");
    };
    check("#[serde(tag = \"kind\")]", true);
    check("#[serde(rename_all = \"camelCase\")]", false);
}
