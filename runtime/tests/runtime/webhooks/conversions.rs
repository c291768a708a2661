//! Conversions that kube-apiserver accepts, whatever the objects and the program's functions.

use codegen_runtime::k8s_openapi::api::autoscaling::{v1, v2};
use codegen_runtime::webhook::{Converter, Webhooks};
use serde_json::{Value, json};

use super::router::{conversion, converted, response, scaler};

/// kube-apiserver refuses converted objects whose metadata is missing or null.
#[tokio::test]
async fn an_object_without_metadata_is_converted_to_one_with_empty_metadata() {
    let mut bare = scaler("v2", "a");
    bare.as_object_mut().unwrap().remove("metadata");
    let mut nothing = scaler("v1", "a");
    nothing["metadata"] = Value::Null;
    let body = conversion("autoscaling/v1", json!([bare, nothing]));
    let answer = response(&converted(), "/convert", &body).await;
    assert_eq!(answer["result"], json!({"status": "Success"}), "{answer}");
    let objects = &answer["convertedObjects"];
    assert_eq!(
        objects[0]["metadata"],
        json!({"labels": {"converted": "yes"}})
    );
    assert_eq!(objects[1]["metadata"], json!({}));
}

async fn failure(webhooks: &Webhooks, objects: Value) -> String {
    let body = conversion("autoscaling/v1", objects);
    let answer = response(webhooks, "/convert", &body).await;
    assert_eq!(
        (&answer["uid"], &answer["result"]["status"]),
        (&json!("u"), &json!("Failure"))
    );
    assert_eq!(answer["convertedObjects"], Value::Null);
    answer["result"]["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_conversion_that_panics_says_of_which_object() {
    let panics = Converter::hub::<v2::HorizontalPodAutoscaler>().spoke_with(
        |_: v1::HorizontalPodAutoscaler| Err("not asked for"),
        |new| {
            assert_ne!(new.metadata.name.as_deref(), Some("b"), "no b");
            Ok::<_, &str>(v1::HorizontalPodAutoscaler {
                metadata: new.metadata,
                ..Default::default()
            })
        },
    );
    let webhooks = Webhooks::builder().converter(panics).build();
    let message = failure(&webhooks, json!([scaler("v2", "a"), scaler("v2", "b")])).await;
    let expected = "HorizontalPodAutoscaler \"b\" from autoscaling/v2 to autoscaling/v1: the conversion panicked";
    assert_eq!(message, expected);
}

#[tokio::test]
async fn objects_that_are_none_fail_the_review() {
    let webhooks = converted();
    let message = failure(&webhooks, json!([7])).await;
    assert!(
        message.starts_with(
            "an object cannot be decoded: invalid type: integer `7`, expected an object"
        ),
        "{message}"
    );
    let mut odd = scaler("v2", "a");
    odd["metadata"] = json!("a");
    let message = failure(&webhooks, json!([odd])).await;
    assert!(message.contains("expected metadata"), "{message}");
}
