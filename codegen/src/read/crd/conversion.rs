//! `spec.conversion` of a CRD.

use crate::{
    model::{Conversion, ConversionWebhook, WebhookEndpoint},
    read::yaml::Node,
};

/// Reads how the versions of a CRD are converted.
pub(super) fn read(spec: &Node) -> Conversion {
    let Some(conversion) = spec.get("conversion") else {
        return Conversion::None;
    };
    if text(conversion, "strategy").as_deref() != Some("Webhook") {
        return Conversion::None;
    }
    let webhook = conversion.get("webhook");
    let client = webhook.and_then(|webhook| webhook.get("clientConfig"));
    let versions = webhook.and_then(|webhook| webhook.get("conversionReviewVersions"));
    let versions = versions.map(Node::items).unwrap_or_default();
    Conversion::Webhook(Box::new(ConversionWebhook {
        endpoint: client.and_then(endpoint),
        ca_bundle: client.and_then(|client| text(client, "caBundle")),
        review_versions: versions
            .iter()
            .filter_map(Node::as_str)
            .map(str::to_owned)
            .collect(),
    }))
}

fn endpoint(client: &Node) -> Option<WebhookEndpoint> {
    if let Some(url) = text(client, "url") {
        return Some(WebhookEndpoint::Url(url));
    }
    let service = client.get("service")?;
    let port = service.get("port").and_then(|port| port.to_json().as_i64());
    Some(WebhookEndpoint::Service {
        name: text(service, "name"),
        namespace: text(service, "namespace"),
        path: text(service, "path"),
        port: port.and_then(|port| i32::try_from(port).ok()),
    })
}

fn text(node: &Node, key: &str) -> Option<String> {
    node.get(key).and_then(Node::as_str).map(str::to_owned)
}
