//! What webhooks and admission policies are about: rules, selectors, and whether other versions
//! count.

use serde_json::Value;

use crate::metadata::object::{list, text};
use crate::selector::LabelSelector;
use crate::store::stored::Labels;

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
    pub(crate) name: &'a str,
}

impl Target<'_> {
    fn is_namespace(&self) -> bool {
        self.group.is_empty() && self.plural == "namespaces"
    }
}

/// The criteria that a request has to meet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matcher<'c> {
    /// The object with the selectors.
    criteria: &'c Value,
    /// `None` if every request matches.
    rules: Option<&'c [Value]>,
}

impl<'c> Matcher<'c> {
    /// The criteria of a webhook; without rules, it matches nothing.
    pub(crate) fn of_webhook(criteria: &'c Value) -> Self {
        let rules = Some(list(&criteria["rules"]));
        Self { criteria, rules }
    }

    /// The criteria of a policy or a binding; without rules, they match everything.
    pub(crate) fn of_policy(criteria: &'c Value) -> Self {
        let rules = Some(list(&criteria["resourceRules"])).filter(|rules| !rules.is_empty());
        Self { criteria, rules }
    }

    /// What the criteria of a policy or a binding exclude.
    pub(crate) fn excluded(criteria: &'c Value) -> Self {
        let rules = Some(list(&criteria["excludeResourceRules"]));
        Self { criteria, rules }
    }
    /// Whether requests in other versions of a resource match, too (`matchPolicy: Equivalent`).
    pub(crate) fn takes_equivalents(&self) -> bool {
        text(self.criteria, &["matchPolicy"]) != "Exact"
    }

    /// Returns the index of the first matching rule.
    pub(crate) fn rule(&self, target: &Target<'_>) -> Option<usize> {
        match self.rules {
            None => Some(0),
            Some(rules) => rules.iter().position(|rule| rule_matches(rule, target)),
        }
    }

    /// Whether the object selector matches the new or the old state.
    pub(crate) fn selects(&self, object: Option<&Value>, old: Option<&Value>) -> bool {
        let selector = LabelSelector::of(&self.criteria["objectSelector"]);
        let picks = |object: Option<&Value>| {
            object.is_some_and(|object| selector.matches(&Labels::of(object)))
        };
        selector.is_empty() || picks(object) || picks(old)
    }

    /// Returns the namespace selector, unless it matches everything.
    pub(crate) fn namespaces(&self) -> Option<LabelSelector> {
        let selector = LabelSelector::of(&self.criteria["namespaceSelector"]);
        Some(selector).filter(|it| !it.is_empty())
    }
}

pub(super) fn texts(value: &Value) -> impl Iterator<Item = &str> {
    list(value).iter().filter_map(Value::as_str)
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
    let names: Vec<&str> = texts(&rule["resourceNames"]).collect();
    in_scope
        && (names.is_empty() || names.contains(&target.name))
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
            let criteria = json!({"rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["*"],
                "resources": resources, "scope": scope}]});
            let target = Target {
                operation: "CREATE",
                group: "",
                version: "v1",
                plural,
                subresource: sub,
                namespace,
                name: "a",
            };
            let found = Matcher::of_webhook(&criteria).rule(&target).is_some();
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
