//! Rules of access and webhooks, from the markers of a package.

use serde_json::Value;

use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{PolicyRule, Webhook},
    read::markers::{Marker, MarkerSet},
};

/// The rules that `+kubebuilder:rbac` states, in order.
pub(super) fn rules(markers: &MarkerSet, diagnostics: &mut Diagnostics) -> Vec<PolicyRule> {
    markers
        .all("kubebuilder:rbac")
        .map(|marker| {
            let rule = PolicyRule {
                groups: core_group(marker.texts("groups")),
                resources: marker.texts("resources"),
                resource_names: marker.texts("resourceNames"),
                verbs: marker.texts("verbs"),
                urls: marker.texts("urls"),
                namespace: text(marker, "namespace"),
                role_name: text(marker, "roleName"),
            };
            if rule.resources.is_empty() == rule.urls.is_empty() {
                diagnostics.push(
                    Diagnostic::error("a rule is about resources or about URLs")
                        .at(
                            marker.place.clone(),
                            if rule.urls.is_empty() {
                                "about neither"
                            } else {
                                "about both"
                            },
                        )
                        .help(
                            "write `resources=` with `groups=`, or `urls=`, in rules of their own",
                        ),
                );
            }
            rule
        })
        .collect()
}

/// The webhooks that `+kubebuilder:webhook` states, in order.
pub(super) fn webhooks(markers: &MarkerSet, diagnostics: &mut Diagnostics) -> Vec<Webhook> {
    markers
        .all("kubebuilder:webhook")
        .map(|marker| {
            let mut webhook = webhook(marker);
            webhook.configuration = configuration(markers, webhook.mutating);
            if let Some(argument) = marker.argument("webhookVersions")
                && marker.texts("webhookVersions") != ["v1"]
            {
                diagnostics.push(
                    Diagnostic::error("webhook configurations have one version, `v1`")
                        .at(argument.place.clone(), "another version")
                        .help("remove the argument"),
                );
            }
            if webhook.path.is_some() == webhook.url.is_some() {
                diagnostics.push(
                    Diagnostic::error("a webhook has a path or a URL")
                        .at(
                            marker.place.clone(),
                            if webhook.url.is_some() {
                                "has both"
                            } else {
                                "has neither"
                            },
                        )
                        .help("write `path=/…` for a service of the cluster, or `url=https://…`"),
                );
            }
            webhook
        })
        .collect()
}

/// The name that `+kubebuilder:webhookconfiguration` gives to the configuration of the kind.
fn configuration(markers: &MarkerSet, mutating: bool) -> Option<String> {
    markers
        .all("kubebuilder:webhookconfiguration")
        .find(|marker| marker.value("mutating").and_then(Value::as_bool) == Some(mutating))
        .and_then(|marker| text(marker, "name"))
}

fn webhook(marker: &Marker) -> Webhook {
    let number = |name: &str| {
        let number = marker.value(name).and_then(Value::as_i64);
        number.and_then(|number| i32::try_from(number).ok())
    };
    Webhook {
        name: text(marker, "name").unwrap_or_default(),
        configuration: None,
        mutating: marker.value("mutating").and_then(Value::as_bool) == Some(true),
        failure_policy: capital(marker.text("failurePolicy").unwrap_or_default()),
        match_policy: marker.text("matchPolicy").map(capital),
        side_effects: text(marker, "sideEffects"),
        timeout_seconds: number("timeoutSeconds"),
        reinvocation_policy: text(marker, "reinvocationPolicy"),
        groups: core_group(marker.texts("groups")),
        resources: marker.texts("resources"),
        verbs: marker
            .texts("verbs")
            .into_iter()
            .map(|verb| verb.to_uppercase())
            .collect(),
        versions: marker.texts("versions"),
        admission_review_versions: marker.texts("admissionReviewVersions"),
        path: text(marker, "path"),
        url: text(marker, "url"),
        service_name: text(marker, "serviceName"),
        service_namespace: text(marker, "serviceNamespace"),
        service_port: number("servicePort"),
    }
}

fn text(marker: &Marker, name: &str) -> Option<String> {
    marker.text(name).map(str::to_owned)
}

/// `core` is the empty group, as in controller-tools.
fn core_group(groups: Vec<String>) -> Vec<String> {
    groups
        .into_iter()
        .map(|group| {
            if group == "core" {
                String::new()
            } else {
                group
            }
        })
        .collect()
}

/// The API writes `Fail` where markers may write `fail`.
fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}
