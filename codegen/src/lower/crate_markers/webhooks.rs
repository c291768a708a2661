//! Admission webhooks, from the `+kubebuilder:webhook` markers of a crate.

use serde_json::{Map, Value};

use super::{
    Cx, core_group,
    endpoint::{Endpoint, error, given},
};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    model,
    read::markers::{
        At, Found, MarkerSet,
        webhook::{SideEffects, Webhook, WebhookConfiguration},
    },
    suggest::closest,
};

const OPERATIONS: [&str; 5] = ["CREATE", "UPDATE", "DELETE", "CONNECT", "*"];

/// Builds the webhooks, in the order of the markers.
pub(super) fn webhooks(
    cx: &Cx,
    markers: &MarkerSet,
    diagnostics: &mut Diagnostics,
) -> Vec<model::Webhook> {
    let configurations = Configurations::of(cx, markers, diagnostics);
    let mut names: Vec<(bool, At<String>)> = Vec::new();
    let mut webhooks = Vec::new();
    for found in markers.all::<Webhook>() {
        let patch = patch(found.patch.as_ref(), diagnostics);
        check(cx, &found, patch.as_ref(), diagnostics);
        let is_same = |(mutating, name): &&(bool, At<String>)| {
            *mutating == found.mutating && name.value == found.name.value
        };
        if cx.is_strict()
            && let Some((_, first)) = names.iter().find(is_same)
        {
            diagnostics.push(
                Diagnostic::error(format!("two webhooks are named `{}`", first.value))
                    .at(found.name.place.clone(), "the second one")
                    .at(first.place.clone(), "the first one")
                    .help("names must be unique within a configuration"),
            );
        }
        names.push((found.mutating, found.name.clone()));
        let configuration = configurations.name(found.mutating);
        webhooks.push(webhook(found.marker, configuration, patch));
    }
    if cx.is_complete {
        configurations.check_used(&webhooks, diagnostics);
    }
    webhooks
}

/// The names of the two webhook configurations.
struct Configurations<'a> {
    markers: Vec<Found<'a, WebhookConfiguration>>,
}

impl<'a> Configurations<'a> {
    fn of(cx: &Cx, markers: &'a MarkerSet, diagnostics: &mut Diagnostics) -> Self {
        let markers: Vec<_> = markers.all::<WebhookConfiguration>().collect();
        for (index, marker) in markers.iter().enumerate() {
            let mut before = markers.iter().take(index);
            let first = before.find(|first| {
                // controller-gen rejects duplicates within one package, and takes the last across
                // packages.
                first.mutating == marker.mutating
                    && (cx.is_strict() || folder(first.place) == folder(marker.place))
            });
            if let Some(first) = first {
                diagnostics.push(
                    Diagnostic::error(format!(
                        "the {} webhooks have two configurations",
                        kind(marker.mutating)
                    ))
                    .at(marker.place.clone(), "the second one")
                    .at(first.place.clone(), "the first one")
                    .help("remove one of them: all webhooks of a kind belong to one configuration"),
                );
            }
            if let Some(name) = given(marker.name.as_ref())
                && let Some(fault) = kube_names::subdomain_fault(name)
            {
                diagnostics.push(error(
                    format!("invalid configuration name {:?}", name.value),
                    &name.place,
                    "not a DNS subdomain",
                    &fault,
                ));
            }
        }
        Self { markers }
    }

    fn name(&self, mutating: bool) -> Option<String> {
        let mut of_kind = self.markers.iter().filter(|it| it.mutating == mutating);
        let last = of_kind.next_back()?;
        given(last.name.as_ref()).map(|name| name.value.clone())
    }

    /// Warns about configurations without webhooks, which are not written.
    fn check_used(&self, webhooks: &[model::Webhook], diagnostics: &mut Diagnostics) {
        for marker in &self.markers {
            if !webhooks.iter().any(|it| it.mutating == marker.mutating) {
                diagnostics.push(
                    Diagnostic::warning(format!("there is no {} webhook", kind(marker.mutating)))
                        .at(marker.place.clone(), "this configuration is not written")
                        .help("remove the marker, or add a `+kubebuilder:webhook`"),
                );
            }
        }
    }
}

const fn kind(mutating: bool) -> &'static str {
    if mutating { "mutating" } else { "validating" }
}

fn folder(place: &Place) -> &str {
    place.file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn webhook(
    marker: Webhook,
    configuration: Option<String>,
    patch: Option<Map<String, Value>>,
) -> model::Webhook {
    let endpoint = endpoint(&marker).lower();
    let timeout = marker.timeout_seconds.map(|timeout| timeout.value);
    let reinvocation = marker.reinvocation_policy.map(|word| word.value.0);
    model::Webhook {
        configuration,
        failure_policy: marker.failure_policy.0.to_owned(),
        match_policy: marker.match_policy.map(|word| word.0.to_owned()),
        side_effects: marker.side_effects.map(|word| word.value.0.to_owned()),
        timeout_seconds: timeout
            .filter(|timeout| *timeout != 0)
            .and_then(|timeout| i32::try_from(timeout).ok()),
        reinvocation_policy: reinvocation.filter(|_| marker.mutating).map(str::to_owned),
        groups: core_group(marker.groups.value),
        resources: marker.resources.value,
        verbs: marker
            .verbs
            .value
            .iter()
            .map(|verb| verb.to_uppercase())
            .collect(),
        versions: marker.versions.value,
        admission_review_versions: marker.admission_review_versions.value,
        patch: patch.map(Value::Object),
        endpoint,
        name: marker.name.value,
        mutating: marker.mutating,
    }
}

fn endpoint(marker: &Webhook) -> Endpoint<'_> {
    Endpoint {
        path: marker.path.as_ref(),
        url: marker.url.as_ref(),
        service_name: marker.service_name.as_ref(),
        service_namespace: marker.service_namespace.as_ref(),
        service_port: marker.service_port.as_ref(),
    }
}

/// Reports webhooks that controller-gen or the API server rejects.
fn check(
    cx: &Cx,
    found: &Found<'_, Webhook>,
    patch: Option<&Map<String, Value>>,
    diagnostics: &mut Diagnostics,
) {
    let marker = &found.marker;
    let is_patched = |key: &str| patch.is_some_and(|patch| patch.contains_key(key));
    if let Some(versions) = &marker.webhook_versions
        && versions.value.iter().any(|version| version != "v1")
    {
        diagnostics.push(error(
            "webhook configurations have a single version, `v1`".to_owned(),
            &versions.place,
            "another version",
            "remove the argument",
        ));
    }
    let (path, url) = (given(marker.path.as_ref()), given(marker.url.as_ref()));
    if path.is_some() == url.is_some() {
        let found_both = if url.is_some() {
            "has both"
        } else {
            "has neither"
        };
        diagnostics.push(error(
            "a webhook needs either a path or a URL".to_owned(),
            found.place,
            found_both,
            "write `path=/…` for a service of the cluster, or `url=https://…`",
        ));
    }
    endpoint(marker).check(diagnostics);
    check_name(&marker.name, diagnostics);
    if !is_patched("sideEffects") {
        check_side_effects(found, diagnostics);
    }
    check_review_versions(&marker.admission_review_versions, diagnostics);
    if let Some(timeout) = &marker.timeout_seconds
        && !(1..=30).contains(&timeout.value)
        && (cx.is_strict() || timeout.value != 0)
        && !is_patched("timeoutSeconds")
    {
        diagnostics.push(error(
            format!("invalid timeout of {} seconds", timeout.value),
            &timeout.place,
            "out of range",
            "write a timeout from 1 to 30; the default of `timeoutSeconds` is 10",
        ));
    }
    if let (false, Some(policy)) = (marker.mutating, &marker.reinvocation_policy) {
        diagnostics.push(
            Diagnostic::warning("a validating webhook has no reinvocation policy")
                .at(policy.place.clone(), "has no effect")
                .help("remove it"),
        );
    }
    check_rule(cx, marker, diagnostics);
}

fn check_name(name: &At<String>, diagnostics: &mut Diagnostics) {
    let fault = kube_names::subdomain_fault(name).or_else(|| {
        let labels = name.split('.').count();
        (labels < 3).then(|| "it must have at least three labels: `mkind-v1.kb.io`".to_owned())
    });
    if let Some(fault) = fault {
        diagnostics.push(error(
            format!("invalid webhook name {:?}", name.value),
            &name.place,
            "not a full DNS name",
            &fault,
        ));
    }
}

fn check_side_effects(found: &Found<'_, Webhook>, diagnostics: &mut Diagnostics) {
    let help = "write `sideEffects=None`, or `sideEffects=NoneOnDryRun`";
    match &found.side_effects {
        None => diagnostics.push(error(
            "a webhook must declare its side effects".to_owned(),
            found.place,
            "without `sideEffects`",
            help,
        )),
        Some(At {
            value: SideEffects(word @ ("Some" | "Unknown")),
            place,
        }) => diagnostics.push(error(
            format!("invalid side effects `{word}` of a webhook"),
            place,
            "the API server refuses it",
            help,
        )),
        Some(_) => {}
    }
}

fn check_review_versions(versions: &At<Vec<String>>, diagnostics: &mut Diagnostics) {
    if versions.value.is_empty() {
        diagnostics.push(error(
            "a webhook must support a version of `AdmissionReview`".to_owned(),
            &versions.place,
            "has none",
            "write `admissionReviewVersions=v1`",
        ));
    }
    let known = |version: &String| matches!(version.as_str(), "v1" | "v1beta1");
    if !versions.value.is_empty() && !versions.value.iter().any(known) {
        diagnostics.push(error(
            "no supported version of `AdmissionReview`".to_owned(),
            &versions.place,
            "without `v1`",
            "write `admissionReviewVersions=v1`",
        ));
    }
}

/// Checks the rules of a webhook: verbs, groups, versions and resources.
fn check_rule(cx: &Cx, marker: &Webhook, diagnostics: &mut Diagnostics) {
    for verb in &marker.verbs.value {
        if OPERATIONS.contains(&&*verb.to_uppercase()) {
            continue;
        }
        let near = closest(verb, OPERATIONS).map(str::to_lowercase);
        let help = near.map_or_else(
            || "the verbs are create, update, delete, connect and *".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        diagnostics.push(error(
            format!("unknown verb `{verb}` in a webhook"),
            &marker.verbs.part(verb),
            "no admission request has this verb",
            &help,
        ));
    }
    let lists = [
        ("groups", &marker.groups),
        ("versions", &marker.versions),
        ("verbs", &marker.verbs),
        ("resources", &marker.resources),
    ];
    for (name, list) in lists {
        if list.value.is_empty() {
            diagnostics.push(error(
                format!("a webhook without `{name}` is never called"),
                &list.place,
                "empty",
                &format!("write `{name}=*` for all"),
            ));
        } else if name != "resources"
            && list.value.len() > 1
            && list.value.iter().any(|it| it == "*")
        {
            diagnostics.push(error(
                format!("`*` must be the only value in the `{name}` of a webhook"),
                &list.place,
                "has other values next to it",
                &format!("write `{name}=*`"),
            ));
        }
    }
    if let [group] = marker.groups.value.as_slice() {
        for resource in &marker.resources.value {
            let place = marker.resources.part(resource);
            cx.check_resource(group, resource, &place, diagnostics);
        }
        for version in &marker.versions.value {
            let place = marker.versions.part(version);
            cx.check_version(group, version, &place, diagnostics);
        }
    }
}

/// The fields of a webhook in its configuration.
#[rustfmt::skip]
const FIELDS: [&str; 12] = [
    "admissionReviewVersions", "clientConfig", "failurePolicy", "matchConditions", "matchPolicy",
    "name", "namespaceSelector", "objectSelector", "reinvocationPolicy", "rules", "sideEffects",
    "timeoutSeconds",
];

/// Parses the strategic merge patch of the webhook, which must be a JSON object.
fn patch(text: Option<&At<String>>, diagnostics: &mut Diagnostics) -> Option<Map<String, Value>> {
    let text = text?;
    let Ok(Value::Object(patch)) = serde_json::from_str(text) else {
        diagnostics.push(error(
            "invalid `patch` of a webhook: expected a JSON object".to_owned(),
            &text.place,
            "not an object",
            "write it in backticks: `patch=`{\"namespaceSelector\": {}}``",
        ));
        return None;
    };
    for key in patch.keys() {
        if !FIELDS.contains(&key.as_str()) && !key.starts_with('$') {
            let help = closest(key, FIELDS).map_or_else(
                || format!("its fields are {}", FIELDS.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            diagnostics.push(error(
                format!("a webhook has no field `{key}`"),
                &text.part(key),
                "in its `patch`",
                &help,
            ));
        }
    }
    Some(patch)
}
