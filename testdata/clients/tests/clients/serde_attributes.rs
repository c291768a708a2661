//! Serde attributes of an object: the generated serde follows them.

use golden_network::apis::samplecrd::v1::{NetworkSpec, Route};
use serde_json::json;

#[test]
fn an_object_is_written_and_read_as_its_attributes_say() {
    let mut route = Route {
        destination: "10.0.0.0/8".to_owned(),
        network: NetworkSpec {
            cidr: "192.168.0.0/16".to_owned(),
            gateway: "192.168.0.1".to_owned(),
        },
        hits: 7,
        ..Route::default()
    };
    let written = serde_json::to_value(&route).unwrap();
    let expected = json!({
        "apiVersion": "samplecrd.k8s.io/v1",
        "kind": "Route",
        "metadata": {},
        "destinationCIDR": "10.0.0.0/8",
        "route-priority": 0,
        "cidr": "192.168.0.0/16",
        "gateway": "192.168.0.1",
    });
    assert_eq!(written, expected);
    route.hits = 0;
    assert_eq!(serde_json::from_value::<Route>(written).unwrap(), route);
}

#[test]
fn what_has_a_default_may_be_missing() {
    let text = r#"{"metadata": {}, "destinationCIDR": "", "cidr": "", "gateway": ""}"#;
    assert_eq!(
        serde_json::from_str::<Route>(text).unwrap(),
        Route::default()
    );
    let error = serde_json::from_str::<Route>(r#"{"metadata": {}}"#).unwrap_err();
    assert!(error.to_string().contains("destinationCIDR"), "{error}");
}
