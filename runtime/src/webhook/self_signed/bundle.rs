//! The authorities in the configurations of clients: in webhook configurations, and in definitions with a conversion.

use k8s_openapi::ByteString;
use kube::Api;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, ListParams, PostParams};
use serde_json::{Value, json};

use super::{SelfSigned, SelfSignedError};

/// How often a write is tried against others.
const TRIES: usize = 3;

const ADMISSION: &str = "admissionregistration.k8s.io";

/// Writes the authorities wherever the service is named and something else stands there.
pub(super) async fn tell(settings: &SelfSigned, bundle: &str) -> Result<(), SelfSignedError> {
    // A failure of one must not keep the others from being told.
    let mut failure = None;
    let bundle = json!(ByteString(bundle.as_bytes().to_vec()));
    for kind in [
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    ] {
        let api = api(settings, ADMISSION, kind);
        // Any state will do: it is looked at again soon.
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
            Err(source) => Err(failed(format!("read the definition {name}"), source)),
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

/// Writes the authorities into an object, unless they are there.
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
                tracing::info!(name, "clients of the webhooks were told whom to trust");
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

/// Puts the authorities beside the service, wherever it is named; whether that changed anything.
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
