//! Webhook configurations, and the requests that their webhooks match.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::core::Core;
use crate::metadata::object::text;
use crate::selector::LabelSelector;
use crate::store::stored::Labels;

/// The two kinds of admission webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Mutating,
    Validating,
}

impl Stage {
    fn plural(self) -> &'static str {
        match self {
            Self::Mutating => "mutatingwebhookconfigurations",
            Self::Validating => "validatingwebhookconfigurations",
        }
    }
}

/// A webhook of a configuration.
#[derive(Clone, Debug)]
pub(crate) struct Webhook(Value);

/// Returns the webhooks of all configurations of a stage in call order: by the name of the
/// configuration, then by position.
pub(crate) fn webhooks(core: &Core, stage: Stage) -> Vec<Webhook> {
    let Some(served) = core.builtin("admissionregistration.k8s.io", stage.plural()) else {
        return Vec::new();
    };
    if core.store.count(served.resource.id, "") == 0 {
        return Vec::new();
    }
    let snapshot = core.store.snapshot(served.resource.id, "");
    let decode = |stored: &Arc<crate::store::Stored>| match stored.decode()["webhooks"].take() {
        Value::Array(list) => list,
        _ => Vec::new(),
    };
    let lists = snapshot.objects.iter().flat_map(decode);
    lists.map(Webhook).collect()
}

/// The properties of a request that rules match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    pub(crate) operation: &'a str,
    pub(crate) group: &'a str,
    pub(crate) version: &'a str,
    pub(crate) plural: &'a str,
    pub(crate) subresource: &'a str,
    /// The namespace of the request; for a Namespace, its own name.
    pub(crate) namespace: &'a str,
}

impl Target<'_> {
    fn is_namespace(&self) -> bool {
        self.group.is_empty() && self.plural == "namespaces"
    }
}

impl Webhook {
    pub(crate) fn name(&self) -> &str {
        text(&self.0, &["name"])
    }

    pub(crate) fn client(&self) -> &Value {
        &self.0["clientConfig"]
    }

    pub(crate) fn timeout(&self) -> Duration {
        let seconds = self.0["timeoutSeconds"].as_u64();
        Duration::from_secs(seconds.unwrap_or(10))
    }

    pub(crate) fn ignores_failures(&self) -> bool {
        text(&self.0, &["failurePolicy"]) == "Ignore"
    }

    pub(crate) fn is_reinvoked(&self) -> bool {
        text(&self.0, &["reinvocationPolicy"]) == "IfNeeded"
    }

    pub(crate) fn takes_dry_runs(&self) -> bool {
        matches!(text(&self.0, &["sideEffects"]), "None" | "NoneOnDryRun")
    }

    /// Returns the first review version that both sides support.
    pub(crate) fn review_version(&self) -> Option<&str> {
        texts(&self.0["admissionReviewVersions"])
            .find(|version| matches!(*version, "v1" | "v1beta1"))
    }

    /// Whether the webhook also matches requests in other versions of a resource
    /// (`matchPolicy: Equivalent`).
    pub(crate) fn takes_equivalents(&self) -> bool {
        text(&self.0, &["matchPolicy"]) != "Exact"
    }

    pub(crate) fn conditions(&self) -> &[Value] {
        self.0["matchConditions"]
            .as_array()
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the index of the first matching rule.
    pub(crate) fn matching_rule(&self, target: &Target<'_>) -> Option<usize> {
        let rules = self.0["rules"].as_array()?;
        rules.iter().position(|rule| rule_matches(rule, target))
    }

    /// Whether the object selector matches the new or the old state.
    pub(crate) fn selects(&self, object: Option<&Value>, old: Option<&Value>) -> bool {
        let selector = LabelSelector::of(&self.0["objectSelector"]);
        let picks = |object: Option<&Value>| {
            object.is_some_and(|object| selector.matches(&Labels::of(object)))
        };
        selector.is_empty() || picks(object) || picks(old)
    }

    /// Returns the namespace selector, unless it matches everything.
    pub(crate) fn namespaces(&self) -> Option<LabelSelector> {
        Some(LabelSelector::of(&self.0["namespaceSelector"])).filter(|it| !it.is_empty())
    }
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

fn rule_matches(rule: &Value, target: &Target<'_>) -> bool {
    let has =
        |field: &str, wanted: &str| texts(&rule[field]).any(|item| item == "*" || item == wanted);
    let is_cluster_scoped = target.is_namespace() || target.namespace.is_empty();
    let in_scope = match text(rule, &["scope"]) {
        "Namespaced" => !is_cluster_scoped,
        "Cluster" => is_cluster_scoped,
        _ => true,
    };
    in_scope
        && has("operations", target.operation)
        && has("apiGroups", target.group)
        && has("apiVersions", target.version)
        && texts(&rule["resources"]).any(|resource| {
            let (main, sub) = resource.split_once('/').unwrap_or((resource, ""));
            let fits = |item: &str, wanted: &str| item == "*" || item == wanted;
            fits(main, target.plural) && fits(sub, target.subresource)
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rules_name_resources_with_subresources_and_scopes() {
        let check = |resources: Value, scope: &str, (plural, sub, namespace), expected: bool| {
            let webhook = Webhook(
                json!({"rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["*"],
                "resources": resources, "scope": scope}]}),
            );
            let target = Target {
                operation: "CREATE",
                group: "",
                version: "v1",
                plural,
                subresource: sub,
                namespace,
            };
            let found = webhook.matching_rule(&target).is_some();
            assert_eq!(found, expected, "{resources} {scope} {plural}/{sub}");
        };
        check(json!(["pods"]), "*", ("pods", "", "n"), true);
        check(json!(["pods"]), "*", ("pods", "status", "n"), false);
        check(json!(["pods/*"]), "*", ("pods", "status", "n"), true);
        check(json!(["pods/*"]), "*", ("pods", "", "n"), true);
        check(json!(["*"]), "*", ("pods", "status", "n"), false);
        check(json!(["*/status"]), "*", ("pods", "status", "n"), true);
        check(json!(["*/*"]), "*", ("pods", "", "n"), true);
        check(json!(["*"]), "Cluster", ("pods", "", "n"), false);
        check(json!(["*"]), "Cluster", ("nodes", "", ""), true);
        check(json!(["*"]), "Cluster", ("namespaces", "", "n"), true);
        check(json!(["*"]), "Namespaced", ("namespaces", "", "n"), false);
        check(json!(["*"]), "Namespaced", ("pods", "", "n"), true);
    }
}
