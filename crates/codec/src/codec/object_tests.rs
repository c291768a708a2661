//! Compares [`object!`] with serde's derive, which it replaces: values and errors must be the same.

use std::collections::{BTreeMap, HashMap};

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::property::Names;
use crate::codec;

/// Declares each struct twice: with `object!` and with serde's derive.
macro_rules! both {
    ($($(#[$attribute:meta])* struct $name:ident { $($(#[$serde:meta])* $field:ident: $ty:ty,)* })*) => {
        mod listed {
            use super::*;
            $(
                #[derive(Clone, Debug, Default, PartialEq)]
                pub(super) struct $name { $(pub(super) $field: $ty,)* }
            )*
        }
        mod derived {
            use super::*;
            $(
                #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
                $(#[$attribute])*
                pub(super) struct $name { $($(#[$serde])* pub(super) $field: $ty,)* }
            )*
        }
    };
}

both! {
    struct Plain {
        name: String,
        #[serde(rename = "type")]
        kind: i64,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        /// Written as null, but not required.
        always: Option<bool>,
        #[serde(default)]
        count: i32,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "codec::present::deserialize")]
        any: Option<Value>,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "codec::present::deserialize")]
        twice: Option<Option<i32>>,
        #[serde(default, deserialize_with = "codec::filled::deserialize")]
        list: Vec<i32>,
        #[serde(default, deserialize_with = "codec::filled::deserialize", skip_serializing_if = "Vec::is_empty")]
        short: Vec<i32>,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "codec::filled::deserialize")]
        labels: BTreeMap<String, String>,
    }

    struct Coded {
        #[serde(with = "codec")]
        port: IntOrString,
        #[serde(default, with = "codec", skip_serializing_if = "Option::is_none")]
        perhaps: Option<IntOrString>,
        #[serde(default, with = "codec::nullable", skip_serializing_if = "Option::is_none")]
        twice: Option<Option<IntOrString>>,
        #[serde(default, with = "codec")]
        always: Option<IntOrString>,
        #[serde(default, with = "codec", skip_serializing_if = "Vec::is_empty")]
        ports: Vec<IntOrString>,
    }

    struct Open {
        name: String,
        #[serde(flatten)]
        unknown_fields: BTreeMap<String, Value>,
    }

    #[serde(rename_all = "camelCase")]
    struct Cased {
        run_policy: String,
        r#type: String,
        #[serde(rename = "pod_ip", default)]
        pod_ip: i32,
        #[serde(rename = "podCIDR", default)]
        pod_cidr: i32,
        #[serde(default)]
        x_a2_b: i32,
        #[serde(rename = "", default)]
        blank: i32,
        #[serde(rename = "=", default)]
        equals: i32,
        #[serde(rename = "\0a\0=b", default)]
        null: i32,
    }

    struct Nothing {}
}

use listed::{Cased, Coded, Nothing, Open, Plain};

codec::object! {
    Plain; required name, kind = "type"; optional note; defaulted always, count; nullable any, twice; filled list;
    omittable short, labels
}
codec::object! {
    Coded; required_encoded port; optional_encoded perhaps; nullable_encoded twice; defaulted_encoded always;
    omittable_encoded ports
}
codec::object! { Open; required name; ..unknown_fields }
codec::object! {
    Cased; required run_policy, r#type; defaulted pod_ip = "pod_ip", pod_cidr = "podCIDR", x_a2_b, blank = "", equals = "=",
    null = "\0=a\0==b"
}
codec::object! { Nothing }

/// Reads a string as a type; returns the string that it writes, or its error.
fn outcome<T: DeserializeOwned + Serialize>(json: &str) -> Result<String, String> {
    let value: T = serde_json::from_str(json).map_err(|error| error.to_string())?;
    serde_json::to_string(&value).map_err(|error| error.to_string())
}

/// Like [`outcome`], through a `Value`, which has other deserializers and serializers.
fn outcome_of_value<T: DeserializeOwned + Serialize>(json: &str) -> Result<Value, String> {
    let value: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let value: T = serde_json::from_value(value).map_err(|error| error.to_string())?;
    serde_json::to_value(&value).map_err(|error| error.to_string())
}

fn outcome_of_yaml<T: DeserializeOwned + Serialize>(yaml: &str) -> Result<String, String> {
    let value: T = serde_saphyr::from_str(yaml).map_err(|error| error.to_string())?;
    serde_saphyr::to_string(&value).map_err(|error| error.to_string())
}

#[track_caller]
fn compare<L: DeserializeOwned + Serialize, D: DeserializeOwned + Serialize>(json: &str) {
    assert_eq!(outcome::<L>(json), outcome::<D>(json), "{json}");
    assert_eq!(
        outcome_of_value::<L>(json),
        outcome_of_value::<D>(json),
        "{json}"
    );
    assert_eq!(
        outcome_of_yaml::<L>(json).ok(),
        outcome_of_yaml::<D>(json).ok(),
        "{json}"
    );
}

#[track_caller]
fn compare_all(json: &str) {
    compare::<Plain, derived::Plain>(json);
    compare::<Coded, derived::Coded>(json);
    compare::<Open, derived::Open>(json);
    compare::<Cased, derived::Cased>(json);
    compare::<Nothing, derived::Nothing>(json);
}

#[test]
fn missing_null_unknown_and_repeated_properties_are_as_serde_derives_them() {
    for json in [
        "{}",
        "null",
        "7",
        "\"text\"",
        r#"{"name": "a", "type": 1}"#,
        r#"{"name": "a", "type": 1, "name": "b"}"#,
        r#"{"name": "a", "type": "1"}"#,
        r#"{"name": null, "type": 1}"#,
        r#"{"name": "a", "type": 1, "note": null, "always": null, "any": null, "twice": null, "list": null, "short": null,
            "labels": null}"#,
        r#"{"name": "a", "type": 1, "note": "n", "always": true, "any": {"b": [1.5]}, "twice": 2, "list": [3], "short": [4],
            "labels": {"l": "m"}, "count": 5, "unknown": {"deep": []}}"#,
        r#"{"name": "a", "type": 1, "count": null}"#,
        r#"{"na\u006de": "escaped", "type": 1}"#,
        r#"{"port": 80}"#,
        r#"{"port": "http", "perhaps": null, "twice": null, "always": 4294967296, "ports": ["a", 1]}"#,
        r#"{"port": true}"#,
        r#"{"port": 1, "perhaps": 2, "perhaps": 3}"#,
        r#"{"z": 1, "name": "a", "b": null, "z": 2}"#,
        r#"{"name": "a""#,
        r#"{"runPolicy": "a", "type": "b"}"#,
        r#"{"runPolicy": "a", "type": "b", "pod_ip": 1, "podCIDR": 2, "xA2B": 3, "": 4, "=": 5, "\u0000a\u0000=b": 6}"#,
        // A property must not be read in place of one with a similar name.
        r#"{"runPolicy": "a", "type": "b", "podIp": 1, "pod_cidr": 2, "podCidr": 3, "x_a2_b": 4, "r#type": 5, "RunPolicy": 6}"#,
        r#"{"runPolicy": "a", "type": "b", "blank": 1, "equals": 2, "=podCIDR": 3, "xA2": 4, "xA2BC": 5, "_": 6}"#,
        r#"{"run_policy": "a", "type": "b"}"#,
        r#"{"runPolicy": "a", "r#type": "b"}"#,
        r#"{"runPolicy": "a", "type": "b", "runPolicy": "c"}"#,
    ] {
        compare_all(json);
    }
}

#[test]
fn errors_name_the_property_and_its_place() {
    let error = |json: &str| serde_json::from_str::<Plain>(json).unwrap_err().to_string();
    assert_eq!(error("{}"), "missing field `name` at line 1 column 2");
    let cased = serde_json::from_str::<Cased>("{}").unwrap_err().to_string();
    assert_eq!(cased, "missing field `runPolicy` at line 1 column 2");
    let twice = error(r#"{"name": "a", "name": "b"}"#);
    assert_eq!(twice, "duplicate field `name` at line 1 column 20");
    let array = error("[]");
    assert_eq!(
        array,
        "invalid type: sequence, expected struct Plain at line 1 column 0"
    );
}

#[test]
fn names_of_more_types_than_there_are_places_are_told_apart() {
    let lists: Vec<&'static str> = (0..2000)
        .map(|i| &*format!("A\0=P{i}\0p\0run_policy_{i}\0r#type").leak())
        .collect();
    for _ in 0..2 {
        for (i, list) in lists.iter().enumerate() {
            let expected = [format!("P{i}"), format!("runPolicy{i}"), "type".to_owned()];
            assert_eq!(Names::of(list).properties, expected);
        }
    }
}

/// Seen indexes beyond the first word.
#[test]
fn objects_may_have_more_than_64_properties() {
    macro_rules! wide {
        ($($field:ident = $name:literal,)*) => {
            #[derive(Debug, Default, PartialEq)]
            struct Wide { $($field: u8,)* last: u8 }
            codec::object! { Wide; required $($field = $name,)* last }
            const NAMES: &[&str] = &[$($name,)* "last"];
        };
    }
    wide! {
        a0 = "a0", a1 = "a1", a2 = "a2", a3 = "a3", a4 = "a4", a5 = "a5", a6 = "a6", a7 = "a7", a8 = "a8", a9 = "a9",
        b0 = "b0", b1 = "b1", b2 = "b2", b3 = "b3", b4 = "b4", b5 = "b5", b6 = "b6", b7 = "b7", b8 = "b8", b9 = "b9",
        c0 = "c0", c1 = "c1", c2 = "c2", c3 = "c3", c4 = "c4", c5 = "c5", c6 = "c6", c7 = "c7", c8 = "c8", c9 = "c9",
        d0 = "d0", d1 = "d1", d2 = "d2", d3 = "d3", d4 = "d4", d5 = "d5", d6 = "d6", d7 = "d7", d8 = "d8", d9 = "d9",
        e0 = "e0", e1 = "e1", e2 = "e2", e3 = "e3", e4 = "e4", e5 = "e5", e6 = "e6", e7 = "e7", e8 = "e8", e9 = "e9",
        f0 = "f0", f1 = "f1", f2 = "f2", f3 = "f3", f4 = "f4", f5 = "f5", f6 = "f6", f7 = "f7", f8 = "f8", f9 = "f9",
        g0 = "g0", g1 = "g1", g2 = "g2", g3 = "g3", g4 = "g4", g5 = "g5", g6 = "g6", g7 = "g7", g8 = "g8", g9 = "g9",
    }
    let object = |names: &[&str]| {
        let properties: Vec<String> = names.iter().map(|name| format!("{name:?}:1")).collect();
        format!("{{{}}}", properties.join(","))
    };
    assert_eq!(outcome::<Wide>(&object(NAMES)), Ok(object(NAMES)));
    for missing in 0..NAMES.len() {
        let mut names = NAMES.to_vec();
        let name = names.remove(missing);
        let error = outcome::<Wide>(&object(&names)).unwrap_err();
        assert!(
            error.starts_with(&format!("missing field `{name}`")),
            "{error}"
        );
        let mut names = NAMES.to_vec();
        names.push(name);
        let error = outcome::<Wide>(&object(&names)).unwrap_err();
        assert!(
            error.starts_with(&format!("duplicate field `{name}`")),
            "{error}"
        );
    }
}

/// A property and values that it accepts.
type Property = (&'static str, Vec<Value>);

/// The properties of each struct, and the number of required ones, which come first.
fn properties() -> [(Vec<Property>, usize); 4] {
    let ports = || vec![json!(80), json!("http"), json!(4_294_967_296_i64)];
    let text = || vec![json!("a"), json!("")];
    let plain = vec![
        ("name", text()),
        ("type", vec![json!(1), json!(-4_294_967_296_i64)]),
        ("note", vec![json!("n"), json!(null)]),
        ("always", vec![json!(true), json!(null)]),
        ("count", vec![json!(5), json!(0)]),
        ("any", vec![json!(null), json!({"b": [1.5]})]),
        ("twice", vec![json!(null), json!(2)]),
        ("list", vec![json!([]), json!([1]), json!(null)]),
        ("short", vec![json!([]), json!([1, 2]), json!(null)]),
        ("labels", vec![json!({}), json!({"a": "b"}), json!(null)]),
        ("other", vec![json!([{}])]),
    ];
    let coded = vec![
        ("port", ports()),
        ("perhaps", [ports(), vec![json!(null)]].concat()),
        ("twice", [ports(), vec![json!(null)]].concat()),
        ("always", [ports(), vec![json!(null)]].concat()),
        ("ports", vec![json!([]), json!([1, "a"])]),
    ];
    let open = vec![
        ("name", text()),
        ("a", vec![json!(null), json!({"b": 1})]),
        ("b", vec![json!("c")]),
    ];
    let integer = || vec![json!(1), json!(-2)];
    let cased = vec![
        ("runPolicy", text()),
        ("type", text()),
        ("run_policy", integer()),
        ("podIp", integer()),
        ("pod_ip", integer()),
        ("podCIDR", integer()),
        ("xA2B", integer()),
        ("xA2b", integer()),
    ];
    [(plain, 2), (coded, 1), (open, 1), (cased, 2)]
}

/// The JSON of an object that one of the structs accepts in most cases; seldom, a value has another type, or a required
/// property is missing, or a property is duplicated.
fn text_of_object() -> impl Strategy<Value = String> {
    let foreign = || {
        prop::sample::select(vec![
            json!(null),
            json!(-1),
            json!(true),
            json!("a"),
            json!([]),
            json!({"a": "b"}),
        ])
    };
    let objects = properties().map(|(properties, required)| {
        let properties = properties
            .into_iter()
            .enumerate()
            .map(|(index, (name, values))| {
                let value = prop_oneof![30 => prop::sample::select(values), 1 => foreign()];
                let there = if index < required { 0.97 } else { 0.6 };
                prop::option::weighted(there, value.prop_map(move |value| (name, value)))
            });
        let properties: Vec<_> = properties.collect();
        (properties, prop::bool::weighted(0.05)).prop_map(|(properties, twice)| {
            let mut properties: Vec<_> = properties.into_iter().flatten().collect();
            if twice {
                properties.extend(properties.first().cloned());
            }
            properties
        })
    });
    prop::strategy::Union::new(objects)
        .prop_shuffle()
        .prop_map(|properties| {
            let properties = properties
                .into_iter()
                .map(|(name, value)| format!("{name:?}:{value}"));
            format!("{{{}}}", properties.collect::<Vec<_>>().join(","))
        })
}

/// Ensures that the property test that follows does not only compare errors.
#[test]
fn most_random_objects_are_taken() {
    let mut runner = TestRunner::deterministic();
    let taken = (0..1000).filter(|_| {
        let json = text_of_object().new_tree(&mut runner).unwrap().current();
        outcome::<Plain>(&json).is_ok()
            || outcome::<Coded>(&json).is_ok()
            || outcome::<Open>(&json).is_ok()
            || outcome::<Cased>(&json).is_ok()
    });
    let taken = taken.count();
    assert!((600..950).contains(&taken), "{taken} of 1000");
}

proptest! {
    #[test]
    fn every_object_is_read_and_written_as_serde_derives_it(json in text_of_object()) {
        compare_all(&json);
    }
}

/// Counts the defaults that are built.
#[derive(Clone, Debug, PartialEq)]
struct Counted {
    made: usize,
    inner: i64,
}

thread_local! {
    static MADE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl Counted {
    fn default_made() -> usize {
        MADE.set(MADE.get() + 1);
        MADE.get()
    }

    fn blank() -> Self {
        Self { made: 0, inner: 0 }
    }
}

impl Default for Counted {
    fn default() -> Self {
        Self {
            made: Self::default_made(),
            ..Self::blank()
        }
    }
}

codec::object! { Counted from blank; defaulted made or default_made, inner }

#[test]
fn a_default_is_made_for_a_missing_property_alone() {
    let read = |value: Value| serde_json::from_value::<Counted>(value).unwrap();
    assert_eq!(read(json!({ "made": 7 })), Counted { made: 7, inner: 0 });
    assert_eq!(MADE.get(), 0);
    assert_eq!(read(json!({ "inner": 2 })), Counted { made: 1, inner: 2 });
    assert_eq!(read(json!({})), Counted { made: 2, inner: 0 });
    assert_eq!(Counted::default().made, 3);
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Hashed {
    labels: HashMap<String, i64>,
    notes: Option<HashMap<String, String>>,
}
codec::object! { Hashed; required_encoded labels; optional_encoded notes }

#[test]
fn a_hash_map_is_written_in_the_order_of_its_keys() {
    let labels: HashMap<String, i64> = (0..100).map(|i| (format!("k{i:02}"), i)).collect();
    let entries: Vec<String> = (0..100).map(|i| format!("\"k{i:02}\":{i}")).collect();
    let json = format!("{{\"labels\":{{{}}}}}", entries.join(","));
    let hashed = Hashed {
        labels,
        notes: None,
    };
    assert_eq!(serde_json::to_string(&hashed).unwrap(), json);
    assert_eq!(serde_json::from_str::<Hashed>(&json).unwrap(), hashed);
    assert!(serde_json::from_str::<Hashed>(r#"{"labels":null}"#).is_err());
}
