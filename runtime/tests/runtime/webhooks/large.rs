//! Reviews that are large or hostile: what is read, how much memory they may take together, and
//! that they keep nobody waiting.

use std::sync::Arc;

use bytes::Bytes;
use codegen_runtime::k8s_openapi::api::core::v1::{ConfigMap, Container, Pod};
use codegen_runtime::webhook::{AdmissionRequest, AdmissionResponse, Refusal, Webhooks};
use http::Request;
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::router::{VALIDATE, converted, post, response, review};
use super::webhooks;

const MIB: usize = 1 << 20;

async fn send(webhooks: &Webhooks, path: &str, body: String) -> (u16, String) {
    let request = Request::post(path).header("content-type", "application/json");
    let request = request.body(Full::<Bytes>::from(body)).unwrap();
    let answer = webhooks.respond(request).await;
    let code = answer.status().as_u16();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    (code, String::from_utf8(body.to_vec()).unwrap())
}

/// A defaulter that reverses the containers of pods.
fn reversing() -> Webhooks {
    let reverse = |pod: &mut Pod, _: &AdmissionRequest| -> Result<(), Refusal> {
        pod.spec.as_mut().unwrap().containers.reverse();
        Ok(())
    };
    Webhooks::builder()
        .defaulter(reverse)
        .defaulter(super::color)
        .build()
}

fn pod(containers: usize) -> Value {
    let containers = (0..containers).map(|n| Container {
        name: format!("c{n}"),
        ..Container::default()
    });
    let containers: Vec<_> = containers.collect();
    let object = json!({"metadata": {"name": "p"}, "spec": {"containers": containers}});
    let mut body = review("CREATE", object, Value::Null);
    body["request"]["kind"]["kind"] = json!("Pod");
    body
}

/// A quadratic search would take minutes here.
#[tokio::test]
async fn long_lists_that_are_reversed_take_linear_time() {
    let answer = response(&reversing(), "/mutate--v1-pod", &pod(30_000)).await;
    assert_eq!(answer["patchType"], "JSONPatch");
    assert_eq!(answer["warnings"], Value::Null);
}

#[tokio::test]
async fn a_small_review_does_not_wait_for_large_ones() {
    let webhooks = reversing();
    let answered = Arc::new(Mutex::new(Vec::new()));
    let ask = |path: &'static str, body: Value| {
        let (webhooks, answered) = (webhooks.clone(), answered.clone());
        tokio::spawn(async move {
            let (code, _) = post(&webhooks, path, &body).await;
            answered.lock().push((path, code));
        })
    };
    let large = [
        ask("/mutate--v1-pod", pod(5_000)),
        ask("/mutate--v1-pod", pod(5_000)),
    ];
    let object = json!({"metadata": {"name": "a"}});
    let small = ask(
        "/mutate--v1-configmap",
        review("CREATE", object, Value::Null),
    );
    for task in large.into_iter().chain([small]) {
        task.await.unwrap();
    }
    let (large, small) = (("/mutate--v1-pod", 200), ("/mutate--v1-configmap", 200));
    assert_eq!(*answered.lock(), [small, large, large]);
}

#[tokio::test]
async fn the_deadline_of_a_large_review_can_fire() {
    let (code, text) = post(&reversing(), "/mutate--v1-pod?timeout=0s", &pod(5_000)).await;
    assert_eq!((code, text.as_str()), (504, "the handler took too long\n"));
}

#[tokio::test]
async fn what_is_no_review_is_not_decoded_to_values() {
    let zeros = format!("[{}0]", "0,".repeat(3 * MIB));
    let (code, text) = send(&webhooks(), VALIDATE, zeros).await;
    assert_eq!(code, 400);
    assert!(
        text.starts_with("the body is not a review: invalid type: integer `0`"),
        "{text}"
    );
}

#[tokio::test]
async fn reviews_of_admission_and_conversion_have_their_own_limits() {
    let converts = converted();
    for (webhooks, path, limit) in [
        (webhooks(), VALIDATE, 7 * MIB),
        (converts, "/convert", 32 * MIB),
    ] {
        let body = " ".repeat(limit);
        assert_eq!(send(&webhooks, path, body.clone()).await.0, 400);
        let answer = send(&webhooks, path, body + " ").await;
        assert_eq!(answer, (413, "the review is too large\n".to_owned()));
    }
}

#[tokio::test]
async fn a_body_without_a_length_is_read_to_the_limit() {
    let chunk = || Ok::<_, std::io::Error>(Frame::data(Bytes::from(vec![b' '; MIB])));
    let chunks = |count| StreamBody::new(futures::stream::iter((0..count).map(move |_| chunk())));
    let webhooks = webhooks();
    for (count, expected) in [(7, 400), (8, 413)] {
        let request = Request::post(VALIDATE).header("content-type", "application/json");
        let answer = webhooks.respond(request.body(chunks(count)).unwrap()).await;
        assert_eq!(answer.status().as_u16(), expected);
    }
}

#[tokio::test]
async fn a_review_whose_values_would_take_all_memory_is_refused() {
    let objects = format!("[{}0]", r#"{"":0},"#.repeat(600_000));
    let body = review(
        "CREATE",
        json!({"metadata": {"name": "a"}, "data": "OBJECTS"}),
        Value::Null,
    );
    let body = body.to_string().replace("\"OBJECTS\"", &objects);
    let (code, text) = send(&webhooks(), VALIDATE, body).await;
    assert_eq!(code, 413);
    assert!(
        text.starts_with("the review is too large: it takes "),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn large_reviews_share_memory_and_leave_some_for_small_ones() {
    let never = async |_: AdmissionRequest| std::future::pending::<AdmissionResponse>().await;
    let webhooks = Webhooks::builder()
        .raw("/never", never)
        .validator::<ConfigMap>(super::Colors)
        .memory(6 * MIB)
        .build();
    let large = review(
        "CREATE",
        json!({"metadata": {"name": "a"}, "x": vec![json!({"": 0}); 1_500]}),
        Value::Null,
    );
    let (webhooks, body) = (&webhooks, &large);
    let first = post(webhooks, "/never?timeout=30s", body);
    let others = async {
        tokio::task::yield_now().await;
        let small = review("CREATE", json!({"metadata": {"name": "a"}}), Value::Null);
        assert_eq!(post(webhooks, VALIDATE, &small).await.0, 200);
        post(webhooks, "/never?timeout=10s", body).await
    };
    let (first, second) = tokio::join!(first, others);
    assert_eq!(first.0, 504);
    assert_eq!(
        second,
        (
            503,
            "other large reviews left no memory for this one\n".to_owned()
        )
    );
    // It is free again.
    assert_eq!(post(webhooks, "/never?timeout=10s", body).await.0, 504);
}
