//! Which accesses a rule allows, as `k8s.io/kubernetes/pkg/apis/rbac/v1` decides it.

use serde_json::Value;

use super::access::{Access, Target};

/// Whether a rule of a stored role allows an access.
pub(crate) fn allows(rule: &Value, target: Target<'_>) -> bool {
    let any = |field: &str, test: &dyn Fn(&str) -> bool| texts(rule, field).any(test);
    any("verbs", &|verb| is_verb(verb, target.verb()))
        && match target {
            Target::Path { path, .. } => any("nonResourceURLs", &|url| is_path(url, path)),
            Target::Resource(access) => {
                let mut names = texts(rule, "resourceNames").peekable();
                any("apiGroups", &|group| is_group(group, access))
                    && any("resources", &|resource| is_resource(resource, access))
                    && (names.peek().is_none() || names.any(|name| name == access.name))
            }
        }
}

/// Returns the strings in a list of a rule.
pub(crate) fn texts<'a>(rule: &'a Value, field: &str) -> impl Iterator<Item = &'a str> {
    let items = rule[field].as_array().into_iter().flatten();
    items.filter_map(Value::as_str)
}

/// Whether the verb of a rule includes `verb`.
pub(crate) fn is_verb(of_rule: &str, verb: &str) -> bool {
    of_rule == "*" || of_rule == verb
}

/// Whether the group of a rule includes that of an access.
pub(crate) fn is_group(of_rule: &str, access: &Access) -> bool {
    of_rule == "*" || of_rule == access.group
}

/// Whether the resource of a rule includes that of an access: `*`, `pods`, `pods/status` or
/// `*/status`.
pub(crate) fn is_resource(of_rule: &str, access: &Access) -> bool {
    match of_rule.split_once('/') {
        None => of_rule == "*" || (of_rule == access.resource && access.subresource.is_empty()),
        Some((resource, subresource)) => {
            !subresource.is_empty()
                && subresource == access.subresource
                && (resource == "*" || resource == access.resource)
        }
    }
}

/// Whether the URL of a rule includes a path: `*`, the path itself, or a beginning that ends with
/// `*`.
fn is_path(of_rule: &str, path: &str) -> bool {
    match of_rule.strip_suffix('*') {
        Some(beginning) => path.starts_with(beginning),
        None => of_rule == path,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rule_allows_what_it_names() {
        let check = |rule: Value, resource: &str, name: &str, expected: bool| {
            let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
            let access = Access {
                verb: "get".to_owned(),
                group: "apps".to_owned(),
                resource: resource.to_owned(),
                subresource: subresource.to_owned(),
                name: name.to_owned(),
                ..Access::default()
            };
            let is_allowed = allows(&rule, Target::Resource(&access));
            assert_eq!(is_allowed, expected, "{access}: {rule}");
        };
        let rule = |verbs: &str, groups: &str, resources: &str| json!({"verbs": [verbs], "apiGroups": [groups], "resources": [resources]});
        let named =
            json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "resourceNames": ["a"]});
        rows![check:
            (rule("get", "apps", "deployments"), "deployments", "a", true),
            (rule("*", "*", "*"), "deployments/status", "a", true),
            (rule("list", "apps", "deployments"), "deployments", "a", false),
            (rule("get", "", "deployments"), "deployments", "a", false),
            (rule("get", "apps", "deployments"), "deployments/status", "a", false),
            (rule("get", "apps", "deployments/status"), "deployments/status", "a", true),
            (rule("get", "apps", "*/status"), "deployments/status", "a", true),
            (rule("get", "apps", "*/status"), "deployments", "a", false),
            (rule("get", "apps", "*/"), "deployments", "a", false),
            (rule("get", "apps", "deployments/*"), "deployments/status", "a", false),
            (named.clone(), "deployments", "a", true),
            (named.clone(), "deployments", "", false),
            (json!({"verbs": ["get"], "nonResourceURLs": ["*"]}), "deployments", "a", false),
        ];
    }

    #[test]
    fn a_rule_for_urls_allows_paths() {
        let check = |url: &str, path: &str, expected: bool| {
            let rule = json!({"verbs": ["get"], "nonResourceURLs": [url]});
            let target = Target::Path { verb: "get", path };
            assert_eq!(allows(&rule, target), expected, "{url} {path}");
        };
        rows![check:
            ("/version", "/version", true),
            ("/version", "/version/", false),
            ("/apis/*", "/apis/apps", true),
            ("/apis/*", "/apis", false),
            ("*", "/metrics", true),
        ];
    }
}
