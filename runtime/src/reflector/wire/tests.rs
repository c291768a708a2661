//! Tests of lists and lines in pieces, and of the filter.

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::{DynamicObject, PartialObjectMeta};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::list::ListSyntaxError;
use super::*;
use crate::client::Lines;
use crate::reflector::source::ListEnd;

/// Feeds `text` in pieces of `size` bytes.
fn read_list(text: &str, size: usize) -> Result<(Vec<Value>, ListEnd), ListSyntaxError> {
    let mut reader = ListReader::default();
    let mut items = Vec::new();
    for piece in text.as_bytes().chunks(size) {
        reader.feed(piece, &mut |item| {
            items.push(serde_json::from_slice(item).unwrap_or(Value::Null))
        })?;
    }
    Ok((items, reader.finish()?))
}

/// Any JSON value, with strings that look like structure.
fn value() -> impl Strategy<Value = Value> {
    let text = prop::collection::vec(
        prop::sample::select(vec![
            "\"", "\\", "{", "}", "[", "]", ",", ":", "é", "\n", "a", " ",
        ]),
        0..8,
    );
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text.prop_map(|parts| Value::from(parts.concat())),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c\"\\\\{]{1,3}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_list_in_pieces_of_any_size_gives_its_items_and_its_end(
        items in prop::collection::vec(prop::collection::btree_map("[a-z]{1,4}", value(), 0..4), 0..6),
        extra in value(),
        size in 1_usize..40,
        metadata_first in any::<bool>(),
        pretty in any::<bool>(),
    ) {
        let items: Vec<Value> = items.into_iter().map(|map| Value::Object(map.into_iter().collect())).collect();
        let metadata = json!({"resourceVersion": "12", "continue": "x\"}]"});
        let (first, last) = if metadata_first { ("metadata", "zitems") } else { ("items", "zmetadata") };
        let mut list = serde_json::Map::new();
        list.insert("extra".into(), extra);
        list.insert("kind".into(), json!("PodList"));
        let text = |value: &Value| if pretty { serde_json::to_string_pretty(value).unwrap() } else { value.to_string() };
        // serde_json sorts keys, so the order is built by hand.
        let body: Vec<String> = [first, "extra", "kind", last]
            .iter()
            .map(|name| match *name {
                "metadata" | "zmetadata" => format!("\"metadata\": {}", text(&metadata)),
                "items" | "zitems" => format!("\"items\" : {}", text(&Value::from(items.clone()))),
                other => format!("\"{other}\":{}", text(&list[other])),
            })
            .collect();
        let (read, end) = read_list(&format!(" {{{}}}\n", body.join(" , ")), size).unwrap();
        prop_assert_eq!(read, items);
        prop_assert_eq!(end, ListEnd { resource_version: "12".into(), continue_token: Some("x\"}]".into()) });
    }

    #[test]
    fn lines_in_pieces_of_any_size_come_out_whole(lines in prop::collection::vec("[a-z{}\" ]{0,12}", 0..10), size in 1_usize..9) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let mut reader = Lines::default();
        let mut read = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            reader.feed(piece, |line| { read.push(String::from_utf8(line.to_vec()).unwrap()); Ok::<_, ()>(()) }).unwrap();
        }
        let expected: Vec<String> = lines.into_iter().filter(|line| !line.trim().is_empty()).collect();
        prop_assert_eq!(read, expected);
    }
}

#[test]
fn a_list_that_is_cut_or_broken_is_an_error() {
    let check = |text: &str, expected: ListSyntaxError| {
        assert_eq!(read_list(text, 7).unwrap_err(), expected, "{text}")
    };
    check("", ListSyntaxError::Cut);
    check(r#"{"items":[{"a":1}"#, ListSyntaxError::Cut);
    check(r#"{"items":[{"a":1}]"#, ListSyntaxError::Cut);
    check(r#"{"items":[1]}"#, ListSyntaxError::Unexpected('1'));
    check("[]", ListSyntaxError::Unexpected('['));
    check("{} x", ListSyntaxError::Unexpected('x'));
    check("{}", ListSyntaxError::NoKind);
    check(r#"{"error":{"code":502}}"#, ListSyntaxError::NoKind);
    check(
        r#"{"kind":"Table","rows":[]}"#,
        ListSyntaxError::WrongKind("Table".into()),
    );
}

/// An aggregated API server or a proxy may send a failure with a code of success. client-go returns
/// it as an error of the API.
#[test]
fn a_status_in_place_of_a_list_is_the_error_that_it_describes() {
    let failure = |code: u16| {
        let expired = kube::core::Status::failure("too old: 5 (9)", "Expired").with_code(code);
        ListSyntaxError::Failure(expired.boxed())
    };
    let fields = r#""status":"Failure","message":"too old: 5 (9)","reason":"Expired","code":410"#;
    for text in [
        format!(r#"{{"kind":"Status","apiVersion":"v1","metadata":{{}},{fields}}}"#),
        format!(r#"{{"apiVersion":"v1",{fields},"kind":"Status"}}"#),
    ] {
        assert_eq!(read_list(&text, 5).unwrap_err(), failure(410), "{text}");
    }
    let text = r#"{"kind":"Status","status":"Success"}"#;
    let other = ListSyntaxError::WrongKind("Status".into());
    assert_eq!(read_list(text, 5).unwrap_err(), other);
    let cut = format!(r#"{{"kind":"Status",{fields}"#);
    assert_eq!(read_list(&cut, 5).unwrap_err(), ListSyntaxError::Cut);
}

#[test]
fn null_items_are_none() {
    let (items, _) = read_list(r#"{"kind":"PodList","items":null,"metadata":{}}"#, 3).unwrap();
    assert!(items.is_empty());
}

#[test]
fn a_last_line_without_line_feed_counts_if_it_is_complete() {
    let check = |text: &str, expected: usize| {
        let mut lines = Lines::default();
        let mut count = 0;
        lines.feed(text.as_bytes(), |_| Ok::<_, ()>(())).unwrap();
        lines
            .finish(|_| {
                count += 1;
                Ok::<_, ()>(())
            })
            .unwrap();
        assert_eq!(count, expected, "{text}");
    };
    check("{\"a\":1}", 1);
    check("{\"a\":", 0);
    check("{}\n", 0);
}

fn rules(keep: bool) -> Rules {
    Rules {
        kinds: vec![("v1".into(), "ConfigMap".into())],
        keep_managed_fields: keep,
    }
}

fn object() -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {
            "name": "a\u{e9}\"", "managedFields": [{"manager": "m", "fieldsV1": {"f:x": {"}": 1}}}],
            "annotations": {"managedFields": "kept"},
        },
        "data": {"metadata": "kept", "managedFields": "kept"},
    })
}

#[test]
fn the_filter_drops_managed_fields_of_the_object_and_nothing_else() {
    let text = object().to_string();
    let map: ConfigMap = rules(false).decode(text.as_bytes()).unwrap();
    assert_eq!(map.metadata.managed_fields, None);
    assert_eq!(map.metadata.name.as_deref(), Some("a\u{e9}\""));
    assert_eq!(map.metadata.annotations.unwrap()["managedFields"], "kept");
    assert_eq!(map.data.unwrap().len(), 2);
    let map: ConfigMap = rules(true).decode(text.as_bytes()).unwrap();
    assert_eq!(map.metadata.managed_fields.unwrap().len(), 1);
}

#[test]
fn the_filter_works_for_types_with_flattened_fields() {
    let mut expected = object();
    expected["metadata"]
        .as_object_mut()
        .unwrap()
        .remove("managedFields");
    let text = object().to_string();
    let dynamic: DynamicObject = rules(false).decode(text.as_bytes()).unwrap();
    assert_eq!(serde_json::to_value(&dynamic).unwrap(), expected);
    let raw: Value = rules(false).decode(text.as_bytes()).unwrap();
    assert_eq!(raw, expected);
    let partial: PartialObjectMeta<ConfigMap> = rules(false).decode(text.as_bytes()).unwrap();
    assert_eq!(partial.metadata.managed_fields, None);
}

/// The ways in which a type may declare its apiVersion and kind.
fn check_own_fields<T: serde::de::DeserializeOwned>(read: impl Fn(T) -> (String, String)) {
    let expected = ("v1".to_owned(), "ConfigMap".to_owned());
    let said = object();
    // Lists of built-in kinds omit both from their items.
    let mut left_out = object();
    left_out.as_object_mut().unwrap().remove("apiVersion");
    left_out.as_object_mut().unwrap().remove("kind");
    for object in [said, left_out] {
        let text = object.to_string();
        let value: T = rules(false).decode(text.as_bytes()).unwrap();
        assert_eq!(read(value), expected, "{text}");
    }
}

#[test]
fn a_type_may_read_its_own_api_version_and_kind() {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    #[expect(dead_code, reason = "the fields are there to be decoded")]
    struct Own<T> {
        api_version: T,
        kind: T,
        metadata: Value,
        data: Value,
    }
    #[derive(serde::Deserialize)]
    struct Newtype(String);
    #[derive(serde::Deserialize)]
    struct Flattened {
        #[serde(flatten)]
        types: kube::core::TypeMeta,
    }
    check_own_fields(|own: Own<String>| (own.api_version, own.kind));
    check_own_fields(|own: Own<Option<String>>| (own.api_version.unwrap(), own.kind.unwrap()));
    check_own_fields(|own: Own<Newtype>| (own.api_version.0, own.kind.0));
    check_own_fields(|own: Own<Option<Newtype>>| (own.api_version.unwrap().0, own.kind.unwrap().0));
    check_own_fields(|own: Flattened| (own.types.api_version, own.types.kind));
    check_own_fields(|own: DynamicObject| {
        let types = own.types.unwrap();
        (types.api_version, types.kind)
    });
}

#[test]
fn the_filter_adds_nothing_that_a_type_does_not_ask_for() {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        metadata: ObjectMeta,
    }
    let strict: Strict = rules(false)
        .decode(br#"{"metadata":{"name":"a"}}"#)
        .unwrap();
    assert_eq!(strict.metadata.name.as_deref(), Some("a"));
}

#[test]
fn the_order_of_type_and_object_in_an_event_does_not_matter() {
    let plain = format!("{{\"type\":\"ADDED\",\"object\":{}}}", object());
    let turned = format!("{{ \"object\": {}, \"type\": \"ADDED\" }}", object());
    for line in [plain, turned] {
        let item = decode_event::<ConfigMap>(line.as_bytes(), &rules(false)).unwrap();
        assert!(
            matches!(item, crate::reflector::WatchItem::Added(_)),
            "{line}"
        );
    }
}

#[test]
fn trailing_garbage_after_an_object_is_an_error_of_the_watch_or_list() {
    let object = r#"{"metadata":{"name":"a"}} x"#;
    let line = format!(r#"{{"type":"ADDED","object":{object}}}"#);
    let item = decode_event::<ConfigMap>(line.as_bytes(), &rules(false));
    assert!(matches!(item, Err(kube::Error::SerdeError(_))), "{item:?}");
    let listed = decode_listed::<ConfigMap>(object.as_bytes(), &rules(false));
    assert!(
        matches!(listed, Err(kube::Error::SerdeError(_))),
        "{listed:?}"
    );
}

#[test]
fn a_value_of_a_list_without_end_is_an_error() {
    let mut reader = ListReader::default();
    let part = vec![b'x'; 1024 * 1024];
    let mut fed = reader.feed(b"{\"items\":[{\"a\":\"", &mut |_| {});
    for _ in 0..17 {
        fed = fed.and_then(|()| reader.feed(&part, &mut |_| {}));
    }
    assert_eq!(fed, Err(ListSyntaxError::TooLarge));
}
