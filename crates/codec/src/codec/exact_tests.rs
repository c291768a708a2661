//! Values that k8s-openapi's own types refuse, round or change, and the codec preserves.

use k8s_openapi::{
    api::core::v1::{HTTPGetAction, PodSpec, PodTemplateSpec, ResourceRequirements},
    apimachinery::pkg::{
        api::resource::Quantity, apis::meta::v1::Condition, util::intstr::IntOrString,
    },
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Codec, Decoded, Encoded};

fn decode<T: Codec>(json: &Value) -> T {
    let text = json.to_string();
    serde_json::from_str(&text)
        .map(Decoded::value)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Decodes `json` and asserts that it encodes as the same JSON, both from a string and from a `Value`.
#[track_caller]
fn keeps<T: Codec>(json: &Value) -> T {
    let value: T = decode(json);
    let text = serde_json::to_string(&Encoded(&value)).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), *json);
    let from_value: Decoded<T> = serde_json::from_value(json.clone()).unwrap();
    let written = serde_json::to_value(Encoded(&Decoded::value(from_value))).unwrap();
    assert_eq!(written, *json);
    value
}

#[test]
fn quantities_keep_whether_they_were_numbers() {
    for (json, held) in [
        (json!(2), "+2"),
        (json!("2"), "2"),
        (json!("+2"), "+02"),
        (json!("+02"), "+002"),
        (json!(-2), "-02"),
        (json!("-2"), "-2"),
        (json!("-02"), "-002"),
        (json!(0), "+0"),
        (json!("+0"), "+00"),
        (json!(-0.0), "-00"),
        (json!(0.5), "+0.5"),
        (json!("+0.5"), "+00.5"),
        (json!(-0.5), "-00.5"),
        (json!("-0.5"), "-0.5"),
        (json!(u64::MAX), "+18446744073709551615"),
        (json!(i64::MIN), "-09223372036854775808"),
        (json!("1500m"), "1500m"),
        (json!("+1Gi"), "+1Gi"),
        (json!("+1e3"), "+1e3"),
        (json!("+.5"), "+.5"),
        (json!("+"), "+"),
        (json!("-é"), "-é"),
        (json!(""), ""),
    ] {
        assert_eq!(keeps::<Quantity>(&json).0, held, "{json}");
    }
}

#[test]
fn a_number_means_the_same_to_readers_of_quantities() {
    for number in ["0", "2", "-2", "0.5", "-0.5", "18446744073709551615"] {
        let held: Quantity = decode(&serde_json::from_str(number).unwrap());
        assert_eq!(
            kube_resource_quantity::Quantity::from(held),
            kube_resource_quantity::Quantity::new(number)
        );
    }
}

#[test]
fn numbers_within_pods_are_kept() {
    let spec: PodSpec = keeps(&json!({
        "containers": [{
            // A string that looks like a number, where numbers are not permitted.
            "name": "+4294967296",
            "args": ["+4294967296", "+2"],
            "env": [{"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": 1}}}],
            "livenessProbe": {"httpGet": {"port": 4_294_967_296_i64, "host": "+4294967296"}},
            "readinessProbe": {"tcpSocket": {"port": "+4294967296"}},
            "startupProbe": {"httpGet": {"port": 8080}, "periodSeconds": 3},
            "resources": {"limits": {"cpu": 2, "memory": "1Gi"}, "requests": {"cpu": 0.5, "memory": "+2"}},
        }],
        "overhead": {"cpu": -1},
        "terminationGracePeriodSeconds": 4_294_967_296_i64,
        "nodeSelector": {"a": "+4294967296"},
        "volumes": [
            {"name": "a", "emptyDir": {"sizeLimit": 1_073_741_824}},
            {"name": "b", "ephemeral": {"volumeClaimTemplate": {"spec": {"resources": {"requests": {"storage": 5}}}}}},
        ],
    }));
    let container = &spec.containers[0];
    assert_eq!(container.name, "+4294967296");
    let limits = container
        .resources
        .as_ref()
        .and_then(|one| one.limits.as_ref());
    assert_eq!(limits.unwrap()["cpu"], Quantity("+2".to_owned()));
}

#[test]
fn int_or_strings_beyond_32_bits_are_kept_in_actions() {
    let action: HTTPGetAction = keeps(&json!({"port": -4_294_967_296_i64}));
    assert_eq!(action.port, IntOrString::String("-4294967296".to_owned()));
    keeps::<HTTPGetAction>(
        &json!({"port": "http", "httpHeaders": [{"name": "a", "value": "+4294967296"}]}),
    );
}

#[test]
fn metadata_of_templates_holds_what_it_holds_elsewhere() {
    keeps::<PodTemplateSpec>(&json!({
        "metadata": {
            "annotations": {"a": "+2"},
            "managedFields": [{"fieldsV1": {"f:a": {"b": [1, true, 4_294_967_296_i64, "+4294967296"]}}}],
        },
        "spec": {"containers": []},
    }));
}

#[test]
fn errors_are_those_of_the_types() {
    let error = |json: &str| {
        let read = serde_json::from_str::<Decoded<ResourceRequirements>>(json);
        read.unwrap_err().to_string()
    };
    assert_eq!(
        error(r#"{"limits": {"cpu": true}}"#),
        "invalid type: boolean `true`, expected a quantity: a number or a string at line 1 column 23"
    );
    assert_eq!(
        error("7"),
        "invalid type: integer `7`, expected ResourceRequirements at line 1 column 1"
    );
    let read = serde_json::from_str::<Decoded<HTTPGetAction>>(r#"{"port": 1.5}"#);
    assert!(read.is_err());
}

#[test]
fn conditions_keep_fractions_of_seconds() {
    let json = json!({
        "lastTransitionTime": "2024-05-06T07:08:09.123456789Z", "message": "", "observedGeneration": 3,
        "reason": "Started", "status": "True", "type": "Ready",
    });
    let condition: Condition = keeps(&json);
    assert_eq!(
        condition.last_transition_time.0.subsec_nanosecond(),
        123_456_789
    );
    let mut never = json;
    never["lastTransitionTime"] = json!("9999-12-31T23:59:59Z");
    keeps::<Condition>(&never);
    let incomplete = serde_json::from_str::<Decoded<Condition>>(r#"{"type": "Ready"}"#);
    let error = incomplete.unwrap_err().to_string();
    assert!(
        error.starts_with("missing field `lastTransitionTime`"),
        "{error}"
    );
}

/// Numbers, strings that look like numbers, and other strings.
fn amount() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON has no such number", |float| float.is_finite())
            .prop_map(|float| json!(float)),
        (-100_i64..100).prop_map(Value::from),
        "[+-]{0,2}0{0,3}[0-9]{0,20}\\.?[0-9]{0,2}(Gi|m|e3)?".prop_map(Value::from),
        ".*".prop_map(Value::from),
    ]
}

/// Converts numbers to the codec's form: whole ones are integers.
fn whole_as_integers(value: &Value) -> Value {
    let number = serde_json::from_value::<super::Number>(value.clone());
    number.map_or_else(|_| value.clone(), |number| json!(number))
}

proptest! {
    #[test]
    fn every_amount_is_kept(amount in amount()) {
        keeps::<Quantity>(&whole_as_integers(&amount));
    }

    #[test]
    fn every_amount_within_a_type_is_kept(amounts in prop::collection::btree_map("[a-z]{1,3}", amount(), 0..4)) {
        let amounts: serde_json::Map<String, Value> =
            amounts.into_iter().map(|(name, amount)| (name, whole_as_integers(&amount))).collect();
        keeps::<ResourceRequirements>(&json!({"limits": amounts}));
    }
}
