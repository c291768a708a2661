//! Markers of controller-gen's webhook generator. They belong to the crate and are allowed in any
//! file.

use super::{
    At,
    define::{markers, words},
};

/// A failure policy, as spelled in the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailurePolicy(pub &'static str);

/// A match policy, as spelled in the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchPolicy(pub &'static str);

/// A side effect class, as spelled in the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideEffects(pub &'static str);

/// A reinvocation policy, as spelled in the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReinvocationPolicy(pub &'static str);

words! {
    FailurePolicy: ChoiceAnyCase { "Fail" => Self("Fail"), "Ignore" => Self("Ignore") }
    MatchPolicy: ChoiceAnyCase { "Exact" => Self("Exact"), "Equivalent" => Self("Equivalent") }
    SideEffects: ChoiceAnyCase {
        "None" => Self("None"),
        "NoneOnDryRun" => Self("NoneOnDryRun"),
        "Some" => Self("Some"),
        "Unknown" => Self("Unknown"),
    }
    ReinvocationPolicy: ChoiceAnyCase { "Never" => Self("Never"), "IfNeeded" => Self("IfNeeded") }
}

markers! { MARKERS;
    /// An admission webhook.
    Webhook = "kubebuilder:webhook", on [Package, File] {
        default: "none",
        differs: "it writes unknown policies and verbs, equal names, names of fewer than three labels, URLs without https and `*` \
                  beside others, which the API server refuses",
        repeats: true,
    } (
        /// whether it may change objects
        mutating: bool = "mutating" as "bool",
        /// what happens when it cannot be reached
        failure_policy: FailurePolicy = "failurePolicy" as "policy",
        /// API groups
        groups: At<Vec<String>> = "groups" as "group",
        /// resources
        resources: At<Vec<String>> = "resources" as "resource",
        /// create, update, delete, connect or *
        verbs: At<Vec<String>> = "verbs" as "verb",
        /// API versions
        versions: At<Vec<String>> = "versions" as "version",
        /// a DNS name of three labels or more
        name: At<String> = "name" as "name",
        /// supported versions of the review
        admission_review_versions: At<Vec<String>> = "admissionReviewVersions" as "version",
        /// the path on which it is served
        path: Option<At<String>> = "path" as "path",
        /// a URL in place of service and path
        url: Option<At<String>> = "url" as "url",
        /// whether other versions of a resource match
        match_policy: Option<MatchPolicy> = "matchPolicy" as "policy",
        /// which side effects a call has
        side_effects: Option<At<SideEffects>> = "sideEffects" as "class",
        /// from 1 to 30
        timeout_seconds: Option<At<i64>> = "timeoutSeconds" as "n",
        /// whether it may be called again
        reinvocation_policy: Option<At<ReinvocationPolicy>> = "reinvocationPolicy" as "policy",
        /// the service that serves it
        service_name: Option<At<String>> = "serviceName" as "name",
        /// the namespace of the service
        service_namespace: Option<At<String>> = "serviceNamespace" as "name",
        /// the port of the service
        service_port: Option<At<i64>> = "servicePort" as "n",
        /// a strategic merge patch of the webhook, as JSON in backticks
        patch: Option<At<String>> = "patch" as "json",
        /// versions of the configuration itself
        webhook_versions: Option<At<Vec<String>>> = "webhookVersions" as "version",
    );

    /// The name of the configuration that holds the mutating or the validating webhooks.
    WebhookConfiguration = "kubebuilder:webhookconfiguration", on [Package, File] {
        default: "controller-gen's names",
        differs: "it takes the last of several packages' names; here a crate has one per kind of webhook",
        repeats: true,
    } (
        /// which of the two configurations
        mutating: bool = "mutating" as "bool",
        /// its name
        name: Option<At<String>> = "name" as "name",
    );
}
