//! Roles of a crate's controllers, from its RBAC markers.
//!
//! ```yaml
//! apiVersion: rbac.authorization.k8s.io/v1
//! kind: ClusterRole
//! metadata:
//!   name: manager-role
//! rules:
//! - apiGroups:
//!   - cloudnative.czs
//!   resources:
//!   - virtualmachines
//!   verbs:
//!   - get
//! ```

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{
    cluster::is_of_cluster,
    merge::{Rule, merge},
};
use crate::{
    emit::manifests::input::{Input, file},
    model::{ApiSet, PolicyRule},
    options::RoleOptions,
    output::Tree,
};

/// The file of roles.
pub(in crate::emit) fn emit(input: &Input<'_>, path: &str) -> Tree {
    file(path, &roles(input.api, &input.options.role))
}

/// The ClusterRoles and Roles for the API's rules, sorted by namespace, with ClusterRoles first, then by name. Empty without
/// rules. If the options name a service account, its binding follows each role.
///
/// Rules are merged as controller-gen merges them, except that no rule is lost if merged rules coincide.
#[must_use]
pub fn roles(api: &ApiSet, options: &RoleOptions) -> Vec<Value> {
    let mut roles: BTreeMap<(&str, &str), Vec<Rule>> = BTreeMap::new();
    for rule in &api.rules {
        let name = rule.role_name.as_deref().unwrap_or(&options.role_name);
        let mut add = |namespace, rules: Vec<Rule>| {
            if !rules.is_empty() {
                roles.entry((namespace, name)).or_default().extend(rules);
            }
        };
        match rule.namespace.as_deref() {
            None if !options.namespaces.is_empty() => {
                let (cluster, inside) = confine(api, rule);
                add("", cluster);
                for namespace in &options.namespaces {
                    add(namespace, inside.clone());
                }
            }
            namespace => add(namespace.unwrap_or_default(), Rule::of(rule)),
        }
    }
    let account = options.account.as_deref();
    let account = account.and_then(|account| account.split_once('/'));
    let roles = roles.into_iter();
    roles
        .flat_map(|((namespace, name), rules)| {
            let role = role(namespace, name, merge(rules));
            let binding = account.map(|account| binding(&role, account));
            std::iter::once(role).chain(binding)
        })
        .collect()
}

/// The binding of a role to a service account, by its namespace and name.
fn binding(role: &Value, (namespace, name): (&str, &str)) -> Value {
    let kind = role["kind"].as_str().unwrap_or_default();
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": format!("{kind}Binding"),
        "metadata": role["metadata"],
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": kind,
            "name": role["metadata"]["name"],
        },
        "subjects": [{ "kind": "ServiceAccount", "name": name, "namespace": namespace }],
    })
}

/// Splits a rule into its cluster-scoped and its namespaced parts.
fn confine(api: &ApiSet, rule: &PolicyRule) -> (Vec<Rule>, Vec<Rule>) {
    let (mut cluster, mut inside) = (Vec::new(), Vec::new());
    for part in Rule::of(rule) {
        let Some(resource) = part.resources.first().cloned() else {
            cluster.push(part);
            continue;
        };
        let is_of_cluster = |group: &&String| is_of_cluster(api, group, &resource);
        let (of_cluster, others): (BTreeSet<&String>, BTreeSet<&String>) =
            part.groups.iter().partition(is_of_cluster);
        for (groups, rules) in [(of_cluster, &mut cluster), (others, &mut inside)] {
            if !groups.is_empty() {
                rules.push(Rule {
                    groups: groups.into_iter().cloned().collect(),
                    ..part.clone()
                });
            }
        }
    }
    (cluster, inside)
}

fn role(namespace: &str, name: &str, rules: Vec<Rule>) -> Value {
    let rules: Vec<Value> = rules.into_iter().map(policy_rule).collect();
    let (kind, metadata) = if namespace.is_empty() {
        ("ClusterRole", json!({ "name": name }))
    } else {
        ("Role", json!({ "name": name, "namespace": namespace }))
    };
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": kind,
        "metadata": metadata,
        "rules": rules,
    })
}

fn policy_rule(rule: Rule) -> Value {
    let mut object = Map::new();
    let lists = [
        ("apiGroups", rule.groups),
        ("resources", rule.resources),
        ("resourceNames", rule.names),
        ("nonResourceURLs", rule.urls),
    ];
    for (key, list) in lists {
        if !list.is_empty() {
            object.insert(key.to_owned(), json!(list));
        }
    }
    object.insert("verbs".to_owned(), json!(rule.verbs));
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(groups: &[&str], resources: &[&str], verbs: &[&str]) -> PolicyRule {
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        PolicyRule {
            groups: texts(groups),
            resources: texts(resources),
            verbs: texts(verbs),
            ..PolicyRule::default()
        }
    }

    fn api(rules: Vec<PolicyRule>) -> ApiSet {
        ApiSet {
            rules,
            ..ApiSet::default()
        }
    }

    #[test]
    fn roles_are_sorted_by_namespace_and_name() {
        let in_role = |namespace: &str, name: &str| PolicyRule {
            namespace: (!namespace.is_empty()).then(|| namespace.to_owned()),
            role_name: (!name.is_empty()).then(|| name.to_owned()),
            ..rule(&[""], &["pods"], &["get"])
        };
        let rules = [("b", ""), ("", "z"), ("a", "x"), ("a", "")];
        let rules = rules.map(|(namespace, name)| in_role(namespace, name));
        let roles = roles(&api(rules.into()), &RoleOptions::default());
        let names: Vec<_> = roles
            .iter()
            .map(|role| {
                let metadata = &role["metadata"];
                (
                    role["kind"].as_str(),
                    metadata["namespace"].as_str(),
                    metadata["name"].as_str(),
                )
            })
            .collect();
        let (cluster, role) = (Some("ClusterRole"), Some("Role"));
        assert_eq!(
            names,
            [
                (cluster, None, Some("z")),
                (role, Some("a"), Some("manager-role")),
                (role, Some("a"), Some("x")),
                (role, Some("b"), Some("manager-role")),
            ]
        );
    }

    #[test]
    fn a_confined_controller_keeps_what_only_the_cluster_has() {
        let urls = PolicyRule {
            urls: vec!["/metrics".to_owned()],
            ..rule(&[], &[], &["get"])
        };
        let rules = vec![
            rule(&["", "metrics.k8s.io"], &["pods", "nodes"], &["list"]),
            rule(
                &["rbac.authorization.k8s.io"],
                &["roles", "clusterroles"],
                &["bind"],
            ),
            urls,
        ];
        let options = RoleOptions {
            namespaces: vec!["here".to_owned(), "there".to_owned()],
            ..RoleOptions::default()
        };
        let roles = roles(&api(rules), &options);
        assert_eq!(
            roles[0]["rules"],
            json!([
                { "nonResourceURLs": ["/metrics"], "verbs": ["get"] },
                { "apiGroups": ["", "metrics.k8s.io"], "resources": ["nodes"], "verbs": ["list"] },
                { "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["clusterroles"], "verbs": ["bind"] },
            ])
        );
        assert_eq!(
            roles[1]["metadata"],
            json!({ "name": "manager-role", "namespace": "here" })
        );
        assert_eq!(
            roles[1]["rules"],
            json!([
                { "apiGroups": ["", "metrics.k8s.io"], "resources": ["pods"], "verbs": ["list"] },
                { "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"], "verbs": ["bind"] },
            ])
        );
        assert_eq!(roles[2]["metadata"]["namespace"], "there");
        assert_eq!(roles[2]["rules"], roles[1]["rules"]);
        assert_eq!(roles.len(), 3);
    }

    #[test]
    fn each_role_is_bound_to_the_account() {
        let options = RoleOptions {
            account: Some("ours/controller".to_owned()),
            ..RoleOptions::default()
        };
        let inside = PolicyRule {
            namespace: Some("here".to_owned()),
            ..rule(&[""], &["pods"], &["get"])
        };
        let found = roles(
            &api(vec![rule(&[""], &["nodes"], &["get"]), inside]),
            &options,
        );
        let kinds: Vec<_> = found.iter().map(|it| it["kind"].as_str()).collect();
        let expected = ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];
        assert_eq!(kinds, expected.map(Some));
        for bound in found.chunks(2) {
            assert_eq!(bound[1]["metadata"], bound[0]["metadata"]);
            assert_eq!(bound[1]["roleRef"]["kind"], bound[0]["kind"]);
            assert_eq!(
                bound[1]["subjects"],
                json!([{ "kind": "ServiceAccount", "name": "controller", "namespace": "ours" }])
            );
        }
    }
}
