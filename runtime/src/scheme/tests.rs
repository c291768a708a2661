//! Registration, decoding, defaulting and conversion.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::Resource;
use kube::core::{GroupVersionKind, ObjectMeta};
use serde::{Deserialize, Serialize};

use super::*;

/// Declares a kind as a generator would; used for three versions.
macro_rules! widget {
    ($name:ident, $version:literal, $field:ident) => {
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        struct $name {
            #[serde(default)]
            metadata: ObjectMeta,
            #[serde(default)]
            $field: u32,
        }

        impl Resource for $name {
            type DynamicType = ();
            type Scope = kube::core::NamespaceResourceScope;

            fn kind((): &()) -> std::borrow::Cow<'_, str> {
                "Widget".into()
            }

            fn group((): &()) -> std::borrow::Cow<'_, str> {
                "example.com".into()
            }

            fn version((): &()) -> std::borrow::Cow<'_, str> {
                $version.into()
            }

            fn plural((): &()) -> std::borrow::Cow<'_, str> {
                "widgets".into()
            }

            fn meta(&self) -> &ObjectMeta {
                &self.metadata
            }

            fn meta_mut(&mut self) -> &mut ObjectMeta {
                &mut self.metadata
            }
        }
    };
}

widget!(WidgetV1, "v1", size);
widget!(WidgetV2, "v2", length);
widget!(WidgetV3, "v3", extent);
widget!(OtherV1, "v1", other);

fn scheme() -> Scheme {
    let mut scheme = Scheme::new();
    scheme
        .register::<Pod>()
        .unwrap()
        .register::<ConfigMap>()
        .unwrap();
    scheme
        .register::<Deployment>()
        .unwrap()
        .register::<WidgetV1>()
        .unwrap();
    scheme
}

#[test]
fn one_kind_for_two_types_is_an_error_and_the_same_type_again_is_fine() {
    let mut scheme = scheme();
    scheme.register::<WidgetV1>().unwrap();
    let error = scheme.register::<OtherV1>().unwrap_err().to_string();
    assert!(
        error.starts_with("example.com/v1, Kind=Widget is registered for "),
        "{error}"
    );
    assert!(
        error.contains("WidgetV1") && error.contains("OtherV1"),
        "{error}"
    );
}

#[test]
fn a_scheme_recognizes_what_was_registered() {
    let scheme = scheme();
    assert!(scheme.recognizes(&GroupVersionKind::gvk("apps", "v1", "Deployment")));
    assert!(!scheme.recognizes(&GroupVersionKind::gvk("apps", "v1beta1", "Deployment")));
    let kinds: Vec<_> = scheme.kinds().iter().map(display_gvk).collect();
    let expected = [
        "v1, Kind=ConfigMap",
        "v1, Kind=Pod",
        "apps/v1, Kind=Deployment",
        "example.com/v1, Kind=Widget",
    ];
    assert_eq!(kinds, expected);
    let deployment = GroupVersionKind::gvk("apps", "v1", "Deployment");
    assert_eq!(
        scheme
            .resource(&deployment)
            .unwrap()
            .group_resource()
            .to_string(),
        "deployments.apps"
    );
}

fn check(text: &str, expected: &[&str]) {
    let objects = scheme().decode_all(text).unwrap();
    let names: Vec<_> = objects
        .iter()
        .map(|object| {
            format!(
                "{} {}",
                object.group_version_kind().kind,
                object.metadata().name.as_deref().unwrap_or("")
            )
        })
        .collect();
    assert_eq!(names, expected, "{text}");
}

#[test]
fn json_and_yaml_of_one_object_decode() {
    check(
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}"#,
        &["Pod p"],
    );
    check(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n",
        &["Pod p"],
    );
    check(
        "  \n{\"kind\": \"Deployment\", \"apiVersion\": \"apps/v1\", \"metadata\": {\"name\": \"d\"}}",
        &["Deployment d"],
    );
}

#[test]
fn streams_of_documents_decode_in_order() {
    let yaml = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: b\n---\n# nothing\n";
    check(yaml, &["Pod a", "Deployment b"]);
    let json = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}
        {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}"#;
    check(json, &["Pod a", "ConfigMap b"]);
    check("", &[]);
}

#[test]
fn lists_are_opened_into_their_items() {
    let list = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n- {apiVersion: apps/v1, kind: Deployment, metadata: {name: b}}\n";
    check(list, &["Pod a", "Deployment b"]);
    check(
        r#"{"apiVersion":"v1","kind":"PodList","items":[{"metadata":{"name":"x"}}]}"#,
        &["Pod x"],
    );
    check(r#"{"apiVersion":"v1","kind":"PodList","items":null}"#, &[]);
}

#[test]
fn a_decoded_object_downcasts_to_its_type_and_to_no_other() {
    let object = scheme()
        .decode("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"}}")
        .unwrap();
    assert!(object.is::<Pod>() && !object.is::<ConfigMap>());
    let object = object.downcast::<ConfigMap>().unwrap_err();
    assert_eq!(
        object
            .clone()
            .downcast::<Pod>()
            .unwrap()
            .metadata
            .name
            .as_deref(),
        Some("p")
    );
    assert_eq!(object.to_json().unwrap()["kind"], "Pod");
}

fn check_error(text: &str, expected: &str) {
    let error = scheme().decode(text).unwrap_err().to_string();
    assert_eq!(error, expected, "{text}");
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    check_error(
        r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}}"#,
        "no kind \"Secret\" is registered for version \"v1\"",
    );
    check_error(
        r#"{"apiVersion":"example.com/v9","kind":"Widget"}"#,
        "no kind \"Widget\" is registered for version \"example.com/v9\" (only for v1)",
    );
    check_error(
        r#"{"apiVersion":"v1","metadata":{"name":"s"}}"#,
        "object \"s\" has no kind",
    );
    check_error("kind: Pod", "object \"\" has no apiVersion");
    check_error("a: 1\n---\nb: 2", "object \"\" has no kind");
    check_error("", "expected one object, found 0");
    check_error(
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\n\"metadata\":{\"name\":7}}",
        "cannot decode v1, Kind=Pod \"\": invalid type: integer `7`, expected a string at line 2 column 20",
    );
    check_error(
        "{\"apiVersion\"",
        "cannot parse the JSON: EOF while parsing an object at line 1 column 13",
    );
    assert!(
        scheme()
            .decode("a: [")
            .unwrap_err()
            .to_string()
            .starts_with("cannot parse the YAML: ")
    );
}

#[test]
fn the_place_of_a_bad_object_in_a_stream_is_named() {
    let stream =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Nope\n";
    let error = scheme().decode_all(stream).unwrap_err().to_string();
    assert_eq!(
        error,
        "object 1: no kind \"Nope\" is registered for version \"v1\""
    );
    let two = "apiVersion: v1\nkind: Pod\n---\napiVersion: v1\nkind: Pod\n";
    assert_eq!(
        scheme().decode(two).unwrap_err().to_string(),
        "expected one object, found 2"
    );
}

#[test]
fn defaulting_functions_run_on_decode_in_the_order_they_were_added() {
    let mut scheme = scheme();
    scheme
        .add_defaulting::<WidgetV1>(|widget| widget.size = widget.size.max(3))
        .unwrap();
    scheme
        .add_defaulting::<WidgetV1>(|widget| widget.size *= 10)
        .unwrap();
    for text in [
        "apiVersion: example.com/v1\nkind: Widget\n",
        r#"{"apiVersion":"example.com/v1","kind":"Widget"}"#,
        r#"{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"example.com/v1","kind":"Widget"}]}"#,
    ] {
        assert_eq!(
            scheme
                .decode(text)
                .unwrap()
                .downcast::<WidgetV1>()
                .unwrap()
                .size,
            30
        );
    }
    assert!(matches!(
        scheme.add_defaulting::<WidgetV2>(|_| {}),
        Err(SchemeError::NotRegistered { .. })
    ));
}

#[test]
fn conversion_takes_the_shortest_chain_of_functions() {
    let mut scheme = scheme();
    scheme
        .register::<WidgetV2>()
        .unwrap()
        .register::<WidgetV3>()
        .unwrap();
    scheme
        .add_conversion(|old: &WidgetV1| {
            Ok::<_, String>(WidgetV2 {
                metadata: old.metadata.clone(),
                length: old.size * 2,
            })
        })
        .unwrap();
    scheme
        .add_conversion(|old: &WidgetV2| {
            if old.length > 100 {
                Err("too long")
            } else {
                Ok(WidgetV3 {
                    metadata: old.metadata.clone(),
                    extent: old.length + 1,
                })
            }
        })
        .unwrap();
    let widget = |size| {
        AnyObject::new(WidgetV1 {
            size,
            ..WidgetV1::default()
        })
    };
    assert_eq!(scheme.convert::<WidgetV3>(&widget(5)).unwrap().extent, 11);
    assert_eq!(
        scheme.convert::<WidgetV1>(&widget(5)).unwrap().size,
        5,
        "to itself"
    );
    let failed = scheme
        .convert::<WidgetV3>(&widget(51))
        .unwrap_err()
        .to_string();
    assert_eq!(
        failed,
        "converting example.com/v1, Kind=Widget to example.com/v3, Kind=Widget: too long"
    );
    let back = scheme
        .convert::<WidgetV1>(&AnyObject::new(WidgetV3::default()))
        .unwrap_err()
        .to_string();
    assert_eq!(
        back,
        "no conversion from example.com/v3, Kind=Widget to example.com/v1, Kind=Widget"
    );
}
