//! The router, including requests that no API server sends.

use std::time::Duration;

use bytes::Bytes;
use codegen_runtime::k8s_openapi::api::autoscaling::{v1, v2};
use codegen_runtime::k8s_openapi::api::core::v1::ConfigMap;
use codegen_runtime::webhook::{
    AdmissionRequest, AdmissionResponse, Converter, Refusal, Warnings, Webhooks,
};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

use super::webhooks;

async fn read(response: Response<Full<Bytes>>) -> (u16, String) {
    let code = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (code, String::from_utf8(body.to_vec()).unwrap())
}

pub(super) async fn post(webhooks: &Webhooks, path: &str, body: &Value) -> (u16, String) {
    let request = Request::post(path).header("content-type", "application/json");
    let request = request.body(Full::<Bytes>::from(body.to_string())).unwrap();
    read(webhooks.respond(request).await).await
}

/// Returns the response of an answered review.
pub(super) async fn response(webhooks: &Webhooks, path: &str, body: &Value) -> Value {
    let (code, text) = post(webhooks, path, body).await;
    assert_eq!(code, 200, "{text}");
    let review: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&review["apiVersion"], &review["kind"]),
        (&body["apiVersion"], &body["kind"])
    );
    review["response"].clone()
}

pub(super) fn review(operation: &str, object: Value, old: Value) -> Value {
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "u", "operation": operation, "name": "a", "namespace": "n",
        "kind": {"group": "", "version": "v1", "kind": "ConfigMap"},
        "resource": {"group": "", "version": "v1", "resource": "configmaps"},
        "userInfo": {}, "object": object, "oldObject": old,
    }})
}

pub(super) fn patch_of(response: &Value) -> Value {
    use codegen_runtime::k8s_openapi::ByteString;
    let bytes: ByteString = serde_json::from_value(response["patch"].clone()).unwrap();
    serde_json::from_slice(&bytes.0).unwrap()
}

pub(super) const MUTATE: &str = "/mutate--v1-configmap";
pub(super) const VALIDATE: &str = "/validate--v1-configmap";

#[tokio::test]
async fn a_patch_leaves_alone_what_the_type_does_not_know() {
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "future": 1}, "later": [1]});
    let response = response(&webhooks(), MUTATE, &review("CREATE", object, Value::Null)).await;
    assert_eq!(response["uid"], "u");
    assert_eq!(response["allowed"], true);
    assert_eq!(response["patchType"], "JSONPatch");
    assert_eq!(
        patch_of(&response),
        json!([{"op": "add", "path": "/data", "value": {"color": "blue"}}])
    );
}

#[tokio::test]
async fn a_patch_escapes_keys() {
    let label = |map: &mut ConfigMap, _: &AdmissionRequest| {
        let labels = map.metadata.labels.get_or_insert_default();
        labels.insert("example.com/a~b".to_owned(), "c".to_owned());
        Ok(())
    };
    let webhooks = Webhooks::builder().defaulter(label).build();
    let object = json!({"metadata": {"name": "a", "labels": {"k": "v"}}});
    let answer = response(&webhooks, MUTATE, &review("CREATE", object, Value::Null)).await;
    assert_eq!(
        patch_of(&answer),
        json!([{"op": "add", "path": "/metadata/labels/example.com~1a~0b", "value": "c"}])
    );
}

#[tokio::test]
async fn an_object_that_is_as_it_should_be_gets_no_patch() {
    let object = json!({"metadata": {"name": "a"}, "data": {"color": "blue"}});
    let answer = response(&webhooks(), MUTATE, &review("CREATE", object, Value::Null)).await;
    assert_eq!(answer, json!({"uid": "u", "allowed": true}));
    // A deletion has no object to change.
    let old = json!({"metadata": {"name": "a"}});
    let answer = response(&webhooks(), MUTATE, &review("DELETE", Value::Null, old)).await;
    assert_eq!(answer, json!({"uid": "u", "allowed": true}));
}

#[tokio::test]
async fn warnings_and_causes_are_part_of_the_response() {
    let green = json!({"metadata": {"name": "a"}, "data": {"color": "green"}});
    let answer = response(&webhooks(), VALIDATE, &review("CREATE", green, Value::Null)).await;
    assert_eq!(
        answer,
        json!({"uid": "u", "allowed": true, "warnings": ["green will go"]})
    );
    let red = json!({"metadata": {"name": "a"}, "data": {"color": "red"}});
    let answer = response(&webhooks(), VALIDATE, &review("CREATE", red, Value::Null)).await;
    assert_eq!(answer["allowed"], false);
    assert_eq!(answer["status"]["reason"], "Invalid");
    assert_eq!(
        answer["status"]["details"]["causes"],
        json!([{"reason": "FieldValueNotSupported", "field": "data.color",
            "message": "Unsupported value: \"red\": supported values: \"blue\", \"green\""}])
    );
}

#[tokio::test]
async fn objects_that_do_not_decode_and_other_kinds_are_refused() {
    let check = async |body: Value, part: &str| {
        let answer = response(&webhooks(), VALIDATE, &body).await;
        let message = answer["status"]["message"].as_str().unwrap().to_owned();
        assert_eq!(
            (&answer["allowed"], &answer["status"]["code"]),
            (&json!(false), &json!(400))
        );
        assert!(message.contains(part), "{message}");
    };
    let odd = json!({"metadata": {"name": "a"}, "data": 7});
    check(
        review("CREATE", odd, Value::Null),
        "the object cannot be decoded: ",
    )
    .await;
    let mut pod = review("CREATE", json!({}), Value::Null);
    pod["request"]["kind"]["kind"] = json!("Pod");
    check(
        pod,
        "this webhook takes v1, Kind=ConfigMap, not v1, Kind=Pod: check the rules",
    )
    .await;
}

#[tokio::test]
async fn what_is_no_review_gets_a_status_code() {
    let webhooks = webhooks();
    let check = async |body: Value, code: u16, part: &str| {
        let (found, text) = post(&webhooks, VALIDATE, &body).await;
        assert_eq!(found, code, "{text}");
        assert!(text.contains(part), "{text}");
    };
    check(
        json!({}),
        400,
        "expected an AdmissionReview of admission.k8s.io/v1",
    )
    .await;
    let review = |request: Value| json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
    check(review(Value::Null), 400, "the review has no valid request").await;
    check(
        review(json!({"uid": 7})),
        400,
        "the review has no valid request",
    )
    .await;
    let send = async |request: http::request::Builder, body: &'static str| {
        let request = request.body(Full::<Bytes>::from(body)).unwrap();
        read(webhooks.respond(request).await).await
    };
    let json = |path: &str| Request::post(path).header("content-type", "application/json");
    assert_eq!(send(json(VALIDATE), "{").await.0, 400);
    assert_eq!(send(json("/other"), "{}").await.0, 404);
    assert_eq!(send(Request::get(VALIDATE), "").await.0, 405);
    assert_eq!(send(Request::post(VALIDATE), "{}").await.0, 415);
    let other = Request::post(VALIDATE).header("content-type", "text/plain");
    assert_eq!(send(other, "{}").await.0, 415);
}

#[tokio::test]
async fn reviews_are_read_to_a_limit() {
    let webhooks = Webhooks::builder()
        .validator::<ConfigMap>(super::Colors)
        .longest_review(2000)
        .build();
    let object = json!({"metadata": {"name": "a"}, "data": {"k": "x".repeat(3000)}});
    let (code, text) = post(&webhooks, VALIDATE, &review("CREATE", object, Value::Null)).await;
    assert_eq!((code, text.as_str()), (413, "the review is too large\n"));
}

#[tokio::test(start_paused = true)]
async fn a_handler_has_as_long_as_the_api_server_waits() {
    let webhooks = Webhooks::builder()
        .raw("/slow", async |request: AdmissionRequest| {
            let mut warnings = Warnings::default();
            warnings.add(request.name);
            tokio::time::sleep(Duration::from_secs(20)).await;
            AdmissionResponse::allow().with_warnings(warnings)
        })
        .build();
    let body = review("CREATE", json!({}), Value::Null);
    assert_eq!(post(&webhooks, "/slow?timeout=5s", &body).await.0, 504);
    let answer = response(&webhooks, "/slow?timeout=25s", &body).await;
    assert_eq!(answer["warnings"], json!(["a"]));
}

#[tokio::test]
async fn untyped_handlers_answer_with_changes_refusals_and_audit_entries() {
    let webhooks = Webhooks::builder()
        .raw("/any", async |request: AdmissionRequest| {
            let mut object = request.object.clone();
            match object["n"].as_i64() {
                Some(n) => {
                    object["n"] = json!(n + 1);
                    AdmissionResponse::change(&request, &object).with_audit("counted", "yes")
                }
                None => AdmissionResponse::refuse(Refusal::new(409, "Conflict", "no number")),
            }
        })
        .build();
    let answer = response(
        &webhooks,
        "/any",
        &review("CREATE", json!({"n": 1}), Value::Null),
    )
    .await;
    assert_eq!(
        patch_of(&answer),
        json!([{"op": "replace", "path": "/n", "value": 2}])
    );
    assert_eq!(answer["auditAnnotations"], json!({"counted": "yes"}));
    let answer = response(&webhooks, "/any", &review("CREATE", json!({}), Value::Null)).await;
    assert_eq!(
        answer["status"],
        json!({"status": "Failure", "code": 409, "reason": "Conflict", "message": "no number"})
    );
}

/// Converts autoscalers: v2 is the hub, and v1 has a separate field for the percentage.
fn converter() -> Converter<v2::HorizontalPodAutoscaler> {
    Converter::hub::<v2::HorizontalPodAutoscaler>().spoke_with(
        |old: v1::HorizontalPodAutoscaler| {
            let spec = Some(old.spec).filter(|spec| spec.max_replicas > 0);
            let spec = spec.ok_or("no replicas")?;
            Ok::<_, &str>(v2::HorizontalPodAutoscaler {
                spec: v2::HorizontalPodAutoscalerSpec {
                    max_replicas: spec.max_replicas,
                    ..Default::default()
                },
                metadata: old.metadata,
                status: None,
            })
        },
        |new| {
            let mut metadata = new.metadata;
            metadata.name = Some("changed".to_owned());
            metadata
                .labels
                .get_or_insert_default()
                .insert("converted".to_owned(), "yes".to_owned());
            Ok::<_, &str>(v1::HorizontalPodAutoscaler {
                spec: v1::HorizontalPodAutoscalerSpec {
                    max_replicas: new.spec.max_replicas,
                    ..Default::default()
                },
                metadata,
                status: None,
            })
        },
    )
}

/// Webhooks with the converter.
pub(super) fn converted() -> Webhooks {
    Webhooks::builder().converter(converter()).build()
}

pub(super) fn conversion(to: &str, objects: Value) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": {"uid": "u", "desiredAPIVersion": to, "objects": objects}})
}

pub(super) fn scaler(version: &str, name: &str) -> Value {
    json!({"apiVersion": format!("autoscaling/{version}"), "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name, "uid": "1", "future": 1},
        "spec": {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "d"}}})
}

#[tokio::test]
async fn converters_keep_metadata_but_for_labels_and_annotations() {
    let webhooks = Webhooks::builder().converter(converter()).build();
    let objects = json!([scaler("v2", "a"), scaler("v1", "b")]);
    let answer = response(
        &webhooks,
        "/convert",
        &conversion("autoscaling/v1", objects),
    )
    .await;
    assert_eq!(answer["uid"], "u");
    assert_eq!(answer["result"], json!({"status": "Success"}));
    let converted = &answer["convertedObjects"];
    assert_eq!(converted[0]["apiVersion"], "autoscaling/v1");
    assert_eq!(converted[0]["spec"]["maxReplicas"], 3);
    assert_eq!(
        converted[0]["metadata"],
        json!({"name": "a", "uid": "1", "future": 1, "labels": {"converted": "yes"}})
    );
    // An object that already has that version is not changed.
    assert_eq!(converted[1], scaler("v1", "b"));
}

#[tokio::test]
async fn a_long_conversion_ends_with_its_time() {
    let slow = Converter::hub::<v2::HorizontalPodAutoscaler>().spoke_with(
        |old: v1::HorizontalPodAutoscaler| {
            std::thread::sleep(Duration::from_millis(5));
            Ok::<_, &str>(v2::HorizontalPodAutoscaler {
                metadata: old.metadata,
                ..Default::default()
            })
        },
        |_| Err("not asked for"),
    );
    let webhooks = Webhooks::builder().converter(slow).build();
    let objects = vec![scaler("v1", "a"); 20];
    let body = conversion("autoscaling/v2", objects.into());
    let (code, text) = post(&webhooks, "/convert?timeout=0s", &body).await;
    assert_eq!((code, text.as_str()), (504, "the handler took too long\n"));
}

#[tokio::test]
async fn a_conversion_that_fails_says_of_which_object() {
    let webhooks = Webhooks::builder().converter(converter()).build();
    let check = async |to: &str, object: Value, expected: &str| {
        let objects = json!([scaler("v1", "a"), object]);
        let answer = response(&webhooks, "/convert", &conversion(to, objects)).await;
        assert_eq!(
            answer,
            json!({"uid": "u", "result": {"status": "Failure", "message": expected}})
        );
    };
    let mut bare = scaler("v1", "b");
    bare["spec"]["maxReplicas"] = json!(0);
    check(
        "autoscaling/v2",
        bare,
        "HorizontalPodAutoscaler \"b\" from autoscaling/v1 to autoscaling/v2: no replicas",
    )
    .await;
    check(
        "autoscaling/v2",
        scaler("v3", "b"),
        "HorizontalPodAutoscaler \"b\" from autoscaling/v3 to autoscaling/v2: HorizontalPodAutoscaler has no version autoscaling/v3 here",
    )
    .await;
    let mut other = scaler("v1", "b");
    other["kind"] = json!("Pod");
    check(
        "autoscaling/v2",
        other,
        "no converter for \"Pod\" of the group \"autoscaling\"",
    )
    .await;
}

/// As in controller-runtime: a rule for all operations and subresources of pods also selects
/// `pods/exec`.
#[tokio::test]
async fn a_validator_allows_connections_whose_options_are_of_another_kind() {
    let webhooks = webhooks();
    let mut connect = review("CONNECT", json!({"command": ["sh"]}), Value::Null);
    connect["request"]["kind"] = json!({"group": "", "version": "v1", "kind": "PodExecOptions"});
    let allowed = response(&webhooks, VALIDATE, &connect).await;
    assert_eq!(allowed["allowed"], json!(true), "{allowed}");
    connect["request"]["operation"] = json!("CREATE");
    let refused = response(&webhooks, VALIDATE, &connect).await;
    assert_eq!(refused["status"]["code"], json!(400), "{refused}");
}
