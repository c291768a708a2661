//! Where webhooks are.

use serde_json::{Map, Value, json};

use crate::model::WebhookEndpoint;

/// The `clientConfig` of a webhook or of a conversion.
pub(crate) fn client_config(endpoint: &WebhookEndpoint) -> Value {
    match endpoint {
        WebhookEndpoint::Url(url) => json!({ "url": url }),
        WebhookEndpoint::Service {
            name,
            namespace,
            path,
            port,
        } => {
            let texts = [("name", name), ("namespace", namespace), ("path", path)];
            let texts = texts
                .into_iter()
                .filter_map(|(key, text)| Some((key, json!(text.as_ref()?))));
            let port = port.map(|port| ("port", json!(port)));
            let service: Map<_, _> = texts
                .chain(port)
                .map(|(key, value)| (key.to_owned(), value))
                .collect();
            json!({ "service": service })
        }
    }
}
