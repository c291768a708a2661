//! Defaults set without a server: by the types, as by the schema of the CRD.

use codegen_runtime::defaults::DefaultFields;
use golden_features::apis::features::v1::Everything;
use golden_kinds_in_member::generated::apis::ports::v1 as ports;
use kube_schema::Structural;
use proptest::{option, prelude::*};
use serde_json::{Value, json};

/// The schema of the version v1 of `Everything`, whole.
fn schema() -> Structural {
    let text = include_str!("../../../crds/features/everything.features.example.com.yaml");
    let crd: Value = serde_saphyr::from_str(text).unwrap();
    let versions = crd["spec"]["versions"].as_array().unwrap();
    let version = versions.iter().find(|version| version["name"] == "v1");
    Structural::compile(&version.unwrap()["schema"]["openAPIV3Schema"]).unwrap()
}

fn everything(spec: &Value) -> Everything {
    let mut object = json!({
        "apiVersion": "features.example.com/v1", "kind": "Everything", "metadata": {"name": "a"},
        "spec": {"forced": null, "mode": "Fast", "port": 80},
    });
    let fields = spec.as_object().unwrap().clone();
    object["spec"].as_object_mut().unwrap().extend(fields);
    serde_json::from_value(object).unwrap()
}

#[test]
fn absent_fields_get_their_defaults_and_others_stay() {
    let mut object = everything(&json!({"limit": 5, "members": [{"host": "a"}]}));
    assert_eq!((object.spec.replicas, object.spec.limit), (None, Some(5)));
    object.default_fields().unwrap();
    assert_eq!(
        (object.spec.replicas, object.spec.limit),
        (Some(1), Some(5))
    );
    let spec = serde_json::to_value(&object.spec).unwrap();
    assert_eq!(spec["members"], json!([{"host": "a", "port": 80}]));
    assert_eq!(spec["deep"], json!({}));
    assert_eq!(spec.get("reference"), None, "an absent object stays absent");
    let once = object.clone();
    object.default_fields().unwrap();
    assert_eq!(object, once);
}

#[test]
fn types_of_other_crates_have_functions() {
    let mut object = json!({"spec": {}});
    ports::port_defaults().fill(&mut object).unwrap();
    assert_eq!(object, json!({"spec": {"berths": []}}));
}

fn spec() -> impl Strategy<Value = Value> {
    let member = ("[a-c]", option::of(1..9)).prop_map(|(host, port)| match port {
        Some(port) => json!({"host": host, "port": port}),
        None => json!({"host": host}),
    });
    let deep = prop_oneof![
        Just(json!({})),
        Just(json!({"down": {}})),
        Just(json!({"down": {"status": {}}})),
        Just(json!({"down": {"status": {"here": false}}})),
    ];
    let reference = prop_oneof![Just(json!({})), Just(json!({"name": "a"}))];
    let fields = (
        option::of((0..9).prop_map(|it| json!(it))),
        option::of((1..9).prop_map(|it| json!(it * 5))),
        option::of(prop_oneof![Just(json!("Slow")), Just(json!("Fast"))]),
        option::of(deep),
        option::of(reference),
        option::of(proptest::collection::vec(member, 0..3).prop_map(Value::Array)),
        option::of(Just(json!({"a": {"leaf": true}}))),
    );
    fields.prop_map(|(replicas, limit, mode, deep, reference, members, tree)| {
        let fields = [
            ("replicas", replicas),
            ("limit", limit),
            ("mode", mode),
            ("deep", deep),
            ("reference", reference),
            ("members", members),
            ("tree", tree),
        ];
        let fields = fields.into_iter();
        let fields = fields.filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(fields.collect())
    })
}

proptest! {
    #[test]
    fn objects_get_the_defaults_that_the_server_gives_them(spec in spec()) {
        let mut object = everything(&spec);
        let mut sent = serde_json::to_value(&object).unwrap();
        schema().apply_defaults(&mut sent);
        let stored: Everything = serde_json::from_value(sent).unwrap();
        object.default_fields().unwrap();
        prop_assert_eq!(object, stored);
    }
}
