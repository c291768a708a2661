//! Writes the CA bundle into client configurations: webhook configurations, and CRDs with
//! conversion.

use k8s_openapi::ByteString;
use kube::Api;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, ListParams, PostParams};
use serde_json::{Value, json};

use super::{SelfSigned, SelfSignedError};

/// The number of tries of a write that conflicts with other writers.
const TRIES: usize = 3;

const ADMISSION: &str = "admissionregistration.k8s.io";

/// Writes the CA bundle wherever the service is referenced with another bundle.
pub(super) async fn tell(settings: &SelfSigned, bundle: &str) -> Result<(), SelfSignedError> {
    // One failure must not keep the other clients from being updated.
    let mut failure = None;
    let bundle = json!(ByteString(bundle.as_bytes().to_vec()));
    for kind in [
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    ] {
        let api = api(settings, ADMISSION, kind);
        // A stale list is sufficient, since the next check follows soon.
        match api.list(&ListParams::default().match_any()).await {
            Ok(list) => {
                for object in list {
                    let written = write(settings, &api, object, &bundle).await;
                    failure = failure.or(written.err());
                }
            }
            Err(source) => {
                let what = format!("list {kind}s");
                failure = failure.or(Some(failed(what, source)));
            }
        }
    }
    let api = api(settings, "apiextensions.k8s.io", "CustomResourceDefinition");
    for name in &settings.definitions {
        let written = match api.get_opt(name).await {
            Ok(Some(object)) => write(settings, &api, object, &bundle).await,
            Ok(None) => Ok(()),
            Err(source) => Err(failed(format!("read the CRD {name}"), source)),
        };
        failure = failure.or(written.err());
    }
    failure.map_or(Ok(()), Err)
}

fn api(settings: &SelfSigned, group: &str, kind: &str) -> Api<DynamicObject> {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, "v1", kind));
    Api::all_with(settings.client.clone(), &resource)
}

fn failed(what: String, source: kube::Error) -> SelfSignedError {
    SelfSignedError::Api {
        what,
        source: Box::new(source),
    }
}

/// Writes the CA bundle into an object unless it is there.
async fn write(
    settings: &SelfSigned,
    api: &Api<DynamicObject>,
    mut object: DynamicObject,
    bundle: &Value,
) -> Result<(), SelfSignedError> {
    let name = object.metadata.name.clone().unwrap_or_default();
    for last in (0..TRIES).rev() {
        if !put(settings, &mut object.data, bundle) {
            return Ok(());
        }
        match api.replace(&name, &PostParams::default(), &object).await {
            Ok(_) => {
                tracing::info!(name, "updated the CA bundle of the webhooks");
                return Ok(());
            }
            Err(kube::Error::Api(status)) if status.code == 404 => return Ok(()),
            Err(kube::Error::Api(status)) if status.code == 409 && last > 0 => {}
            Err(source) => return Err(failed(format!("write {name}"), source)),
        }
        match api.get_opt(&name).await {
            Ok(Some(now)) => object = now,
            Ok(None) => return Ok(()),
            Err(source) => return Err(failed(format!("read {name}"), source)),
        }
    }
    Ok(())
}

/// Sets the CA bundle next to every reference to the service; returns whether that changed the
/// object.
fn put(settings: &SelfSigned, object: &mut Value, bundle: &Value) -> bool {
    let mut clients = Vec::new();
    let conversion = "/spec/conversion/webhook/clientConfig";
    if object.pointer(conversion).is_some() {
        clients.extend(object.pointer_mut(conversion));
    } else if let Some(webhooks) = object.get_mut("webhooks").and_then(Value::as_array_mut) {
        clients.extend(
            webhooks
                .iter_mut()
                .filter_map(|it| it.get_mut("clientConfig")),
        );
    }
    let mut is_changed = false;
    for client in clients {
        let service = client.get("service");
        let is_ours = service.is_some_and(|service| {
            service["name"] == *settings.service && service["namespace"] == *settings.namespace
        });
        if is_ours && client.get("caBundle") != Some(bundle) {
            client["caBundle"] = bundle.clone();
            is_changed = true;
        }
    }
    is_changed
}
