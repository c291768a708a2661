//! Admission reviews without an API server.

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use k8s_openapi::ByteString;
use kube::ResourceExt;
use serde_json::{Value, json};

use crate::json::{from_value, to_value};
use crate::object::Object;
use crate::webhook::Webhooks;

/// Calls one webhook with objects that no API server has validated, as a user's request would.
///
/// [`ApiServer`](super::ApiServer) with `webhooks` tests more: rules of configurations, schemas,
/// and the order of webhooks. These reviews are for kinds of Kubernetes and other projects, whose
/// valid objects are long.
///
/// ```
/// use codegen_runtime::{fake::Reviews, webhook::{AdmissionRequest, Webhooks}};
/// use k8s_openapi::api::core::v1::Pod;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let webhooks = Webhooks::builder().defaulter(|pod: &mut Pod, _: &AdmissionRequest| {
///     pod.metadata.labels.get_or_insert_default().insert("team".into(), "none".into());
///     Ok(())
/// });
/// let webhooks = webhooks.build();
/// let created = Reviews::at(&webhooks, "/mutate--v1-pod").create(&Pod::default()).await;
/// assert_eq!(created.unwrap().metadata.labels.unwrap()["team"], "none");
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Reviews<'w> {
    webhooks: &'w Webhooks,
    path: &'w str,
}

impl<'w> Reviews<'w> {
    /// Returns the reviews of the webhook at the path.
    pub const fn at(webhooks: &'w Webhooks, path: &'w str) -> Self {
        Self { webhooks, path }
    }

    /// Creates an object; returns what would be stored.
    ///
    /// # Errors
    ///
    /// The webhook's message if it refuses the object, or why there was no answer, such as a path
    /// without a webhook.
    pub async fn create<K: Object>(&self, new: &K) -> Result<K, String> {
        self.send("CREATE", Some(new), None).await
    }

    /// Replaces an object; returns what would be stored.
    ///
    /// # Errors
    ///
    /// As for [`Self::create`].
    pub async fn update<K: Object>(&self, old: &K, new: &K) -> Result<K, String> {
        self.send("UPDATE", Some(new), Some(old)).await
    }

    /// Deletes an object; returns it.
    ///
    /// # Errors
    ///
    /// As for [`Self::create`].
    pub async fn delete<K: Object>(&self, old: &K) -> Result<K, String> {
        self.send("DELETE", None, Some(old)).await
    }

    async fn send<K: Object>(
        &self,
        operation: &str,
        new: Option<&K>,
        old: Option<&K>,
    ) -> Result<K, String> {
        let json = |object: Option<&K>| object.map_or(Ok(Value::Null), |it| to_value(it));
        let (mut object, old_object) = (json(new).map_err(text)?, json(old).map_err(text)?);
        let named = new.or(old);
        let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "review", "operation": operation,
            "kind": {"group": K::group(&()), "version": K::version(&()), "kind": K::kind(&())},
            "resource": {"group": K::group(&()), "version": K::version(&()), "resource": K::plural(&())},
            "name": named.map(ResourceExt::name_any), "namespace": named.and_then(ResourceExt::namespace).unwrap_or_default(),
            "userInfo": {}, "object": object, "oldObject": old_object,
        }});
        let response = self.response(&review).await?;
        if response["allowed"] != true {
            let message = response["status"]["message"].as_str().unwrap_or_default();
            return Err(message.to_owned());
        }
        if let Some(patch) = patch(&response)? {
            json_patch::patch(&mut object, &patch).map_err(text)?;
        }
        let stored = if new.is_some() { object } else { old_object };
        from_value(&stored).map_err(text)
    }

    /// The response in the answer to a review.
    async fn response(&self, review: &Value) -> Result<Value, String> {
        let body = Full::<Bytes>::from(review.to_string());
        let request = Request::post(self.path).header("content-type", "application/json");
        let request = request.body(body).map_err(text)?;
        let answer = self.webhooks.respond(request).await;
        let status = answer.status();
        let Ok(body) = answer.into_body().collect().await;
        let body = body.to_bytes();
        if status != StatusCode::OK {
            return Err(format!("{status}: {}", String::from_utf8_lossy(&body)));
        }
        let mut review: Value = serde_json::from_slice(&body).map_err(text)?;
        Ok(review["response"].take())
    }
}

/// The patch of a response.
fn patch(response: &Value) -> Result<Option<json_patch::Patch>, String> {
    let Some(patch) = response.get("patch") else {
        return Ok(None);
    };
    let bytes: ByteString = serde_json::from_value(patch.clone()).map_err(text)?;
    serde_json::from_slice(&bytes.0).map(Some).map_err(text)
}

fn text(error: impl ToString) -> String {
    error.to_string()
}
