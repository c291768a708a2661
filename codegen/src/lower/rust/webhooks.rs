//! Admission webhooks, from the `+kubebuilder:webhook` markers of a crate.

use serde_json::Value;

use super::rbac::core_group;
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    model,
    read::markers::{
        Found, MarkerSet,
        policy::{Webhook, WebhookConfiguration},
    },
};

/// The webhooks, in the order of the markers.
pub(super) fn webhooks(markers: &MarkerSet, diagnostics: &mut Diagnostics) -> Vec<model::Webhook> {
    markers
        .all::<Webhook>()
        .map(|Found { marker, place }| {
            let configuration = markers
                .all::<WebhookConfiguration>()
                .find(|configuration| configuration.mutating == marker.mutating)
                .and_then(|configuration| configuration.marker.name);
            webhook(marker, configuration, place, diagnostics)
        })
        .collect()
}

fn webhook(
    marker: Webhook,
    configuration: Option<String>,
    place: &Place,
    diagnostics: &mut Diagnostics,
) -> model::Webhook {
    check(&marker, place, diagnostics);
    let number = |number: Option<i64>| number.and_then(|number| i32::try_from(number).ok());
    model::Webhook {
        configuration,
        failure_policy: marker.failure_policy.0.to_owned(),
        match_policy: marker.match_policy.map(|word| word.0.to_owned()),
        side_effects: marker.side_effects.map(|word| word.0.to_owned()),
        timeout_seconds: number(marker.timeout_seconds),
        reinvocation_policy: marker.reinvocation_policy.map(|word| word.0.to_owned()),
        groups: core_group(marker.groups),
        resources: marker.resources,
        verbs: marker
            .verbs
            .iter()
            .map(|verb| verb.to_uppercase())
            .collect(),
        versions: marker.versions,
        admission_review_versions: marker.admission_review_versions,
        patch: patch(marker.patch.as_deref(), place, diagnostics),
        path: marker.path,
        url: marker.url,
        service_name: marker.service_name,
        service_namespace: marker.service_namespace,
        service_port: number(marker.service_port),
        name: marker.name,
        mutating: marker.mutating,
    }
}

fn check(marker: &Webhook, place: &Place, diagnostics: &mut Diagnostics) {
    if let Some(versions) = &marker.webhook_versions
        && versions.value != ["v1"]
    {
        diagnostics.push(
            Diagnostic::error("webhook configurations have one version, `v1`")
                .at(versions.place.clone(), "another version")
                .help("remove the argument"),
        );
    }
    if marker.path.is_some() == marker.url.is_some() {
        let found = if marker.url.is_some() {
            "has both"
        } else {
            "has neither"
        };
        diagnostics.push(
            Diagnostic::error("a webhook has a path or a URL")
                .at(place.clone(), found)
                .help("write `path=/…` for a service of the cluster, or `url=https://…`"),
        );
    }
}

/// The strategic merge patch of the webhook, which is a JSON object.
fn patch(text: Option<&str>, place: &Place, diagnostics: &mut Diagnostics) -> Option<Value> {
    let patch = serde_json::from_str(text?);
    if let Ok(patch @ Value::Object(_)) = patch {
        return Some(patch);
    }
    diagnostics.push(
        Diagnostic::error("invalid `patch` of a webhook: expected a JSON object")
            .at(place.clone(), "of this webhook")
            .help("write it in backticks: `patch=`{\"namespaceSelector\": {}}``"),
    );
    None
}
