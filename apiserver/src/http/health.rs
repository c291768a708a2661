//! The health endpoints (`k8s.io/apiserver/pkg/server/healthz`). The checks are those of
//! kube-apiserver that have a counterpart here, and pass: a server that answers is healthy.

use super::query::Query;

/// Checks with the endpoints that have them; an empty list means all.
const CHECKS: &[(&str, &[&str])] = &[
    ("ping", &[]),
    ("log", &[]),
    ("etcd", &[]),
    ("etcd-readiness", &["readyz"]),
    ("informer-sync", &["readyz"]),
    ("poststarthook/start-apiserver-admission-initializer", &[]),
    ("poststarthook/crd-informer-synced", &[]),
    ("poststarthook/start-system-namespaces-controller", &[]),
    ("poststarthook/rbac/bootstrap-roles", &[]),
    (
        "poststarthook/scheduling/bootstrap-system-priority-classes",
        &[],
    ),
    ("autoregister-completion", &[]),
    ("shutdown", &["readyz"]),
];

/// Answers a request for an endpoint (`healthz`, `livez`, `readyz`) or one of its checks; `None` if
/// there is no such check.
pub(crate) fn answer(endpoint: &str, check: &str, query: &Query) -> Option<String> {
    let has = |(_, only): &&(&str, &[&str])| only.is_empty() || only.contains(&endpoint);
    let mut checks = CHECKS.iter().filter(has).map(|(name, _)| *name);
    if !check.is_empty() {
        return checks.any(|name| name == check).then(|| "ok".to_owned());
    }
    if !query.flag("verbose") {
        return Some("ok".to_owned());
    }
    let excluded = query.all("exclude");
    let mut text = String::new();
    for name in checks.clone() {
        let outcome = match excluded.contains(&name) {
            true => "excluded: ok",
            false => "ok",
        };
        text.push_str(&format!("[+]{name} {outcome}\n"));
    }
    let mut unknown: Vec<String> = Vec::new();
    for name in excluded {
        if !checks.clone().any(|check| check == name) {
            unknown.push(format!("{name:?}"));
        }
    }
    if !unknown.is_empty() {
        text.push_str(&format!(
            "warn: some health checks cannot be excluded: no matches for {}\n",
            unknown.join(", ")
        ));
    }
    text.push_str(&format!("{endpoint} check passed\n"));
    Some(text)
}
