//! Tests of kinds (`as kind` in [`object!`]) and string enums ([`texts!`]).

use std::collections::BTreeMap;

use k8s_openapi::{
    ClusterResourceScope, ListableResource, Metadata, NamespaceResourceScope, Resource,
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use serde_json::{Value, json};

use crate::codec;

#[derive(Clone, Debug, Default, PartialEq)]
struct Machine {
    metadata: BTreeMap<String, String>,
    policy: Policy,
    unknown_fields: BTreeMap<String, Value>,
}
codec::object! { Machine as kind; defaulted metadata; required policy; ..unknown_fields }

impl k8s_openapi::Resource for Machine {
    const API_VERSION: &'static str = "example.test/v1";
    const GROUP: &'static str = "example.test";
    const KIND: &'static str = "Machine";
    const VERSION: &'static str = "v1";
    const URL_PATH_SEGMENT: &'static str = "machines";
    type Scope = NamespaceResourceScope;
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Policy {
    Always,
    Never,
    OnFailure,
    Unrecognized(String),
}
codec::texts! { Policy default Always, Unrecognized, Always = "always", Never, OnFailure = "on\"failure" }

fn read(value: &Value) -> Result<Machine, String> {
    serde_json::from_value(value.clone()).map_err(|error| error.to_string())
}

#[test]
fn a_kind_is_written_with_its_type_first() {
    let machine = Machine {
        policy: Policy::OnFailure,
        ..Machine::default()
    };
    assert_eq!(
        serde_json::to_string(&machine).unwrap(),
        r#"{"apiVersion":"example.test/v1","kind":"Machine","metadata":{},"policy":"on\"failure"}"#
    );
}

#[test]
fn a_kind_need_not_say_its_type_but_has_no_other() {
    let plain = json!({ "policy": "always" });
    assert_eq!(read(&plain), Ok(Machine::default()));
    assert_eq!(
        read(&json!({ "apiVersion": "", "kind": "", "policy": "always" })),
        Ok(Machine::default())
    );
    let check = |name: &str, value: Value, expected: &str| {
        let mut object = plain.clone();
        object[name] = value;
        assert_eq!(read(&object).unwrap_err(), expected);
    };
    check(
        "kind",
        json!("Disk"),
        r#"invalid value: string "Disk", expected Machine"#,
    );
    check(
        "apiVersion",
        json!("v2"),
        r#"invalid value: string "v2", expected example.test/v1"#,
    );
    check("kind", Value::Null, "invalid type: null, expected a string");
    let twice =
        serde_json::from_str::<Machine>(r#"{"kind":"Machine","kind":"Machine","policy":""}"#);
    assert!(
        twice
            .unwrap_err()
            .to_string()
            .starts_with("duplicate field `kind`")
    );
}

#[test]
fn the_type_of_a_kind_is_no_unknown_property() {
    let value = json!({ "apiVersion": "example.test/v1", "kind": "Machine", "metadata": {}, "policy": "x", "more": 1 });
    let machine = read(&value).unwrap();
    assert_eq!(
        machine.unknown_fields,
        BTreeMap::from([("more".to_owned(), json!(1))])
    );
    assert_eq!(serde_json::to_value(&machine).unwrap(), value);
}

#[test]
fn every_text_comes_through_an_enum() {
    for (text, policy) in [
        ("always", Policy::Always),
        ("Never", Policy::Never),
        ("on\"failure", Policy::OnFailure),
        ("Always", Policy::Unrecognized("Always".to_owned())),
        ("", Policy::Unrecognized(String::new())),
    ] {
        assert_eq!(Policy::from(text), policy);
        assert_eq!(policy.as_ref(), text);
        assert_eq!(
            serde_json::from_value::<Policy>(json!(text)).unwrap(),
            policy
        );
        assert_eq!(serde_json::to_value(&policy).unwrap(), json!(text));
    }
}

#[test]
fn an_enum_of_texts_is_no_other_value() {
    for value in [
        json!(null),
        json!(1),
        json!(true),
        json!(["always"]),
        json!({ "Always": null }),
    ] {
        let error = serde_json::from_value::<Policy>(value)
            .unwrap_err()
            .to_string();
        assert!(error.ends_with("expected a string"), "{error}");
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Zone {
    metadata: ObjectMeta,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Knot {
    metadata: ObjectMeta,
}

codec::kinds! {
    "example.test" / "v2";
    Zone, "zones", ClusterResourceScope;
    #[cfg(test)]
    Knot = "KNOT", "knots", NamespaceResourceScope in "Knots";
    #[cfg(not(test))]
    Absent, "absent", NamespaceResourceScope;
}

mod core_group {
    #[derive(Default)]
    pub(super) struct Pod {
        metadata: super::ObjectMeta,
    }

    crate::codec::kinds! {
        "" / "v1";
        Pod, "pods", NamespaceResourceScope;
    }
}

/// Returns the names of a kind: API version, group, version, kind, list and plural.
fn names<T: ListableResource>() -> [&'static str; 6] {
    [
        T::API_VERSION,
        T::GROUP,
        T::VERSION,
        T::KIND,
        T::LIST_KIND,
        T::URL_PATH_SEGMENT,
    ]
}

#[test]
fn kinds_have_the_names_that_are_listed() {
    assert_eq!(
        names::<Zone>(),
        [
            "example.test/v2",
            "example.test",
            "v2",
            "Zone",
            "ZoneList",
            "zones"
        ]
    );
    assert_eq!(
        names::<Knot>(),
        [
            "example.test/v2",
            "example.test",
            "v2",
            "KNOT",
            "Knots",
            "knots"
        ]
    );
    assert_eq!(
        names::<core_group::Pod>(),
        ["v1", "", "v1", "Pod", "PodList", "pods"]
    );
    fn check_scope<T: Resource<Scope = S>, S>() {}
    check_scope::<Zone, ClusterResourceScope>();
    check_scope::<Knot, NamespaceResourceScope>();
}

#[test]
fn kinds_have_their_metadata() {
    let mut zone = Zone::default();
    zone.metadata_mut().name = Some("north".to_owned());
    assert_eq!(zone.metadata().name.as_deref(), Some("north"));
}
